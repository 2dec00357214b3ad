//! The ring with the real store, the real client and a receiver on loopback.

use crate::testing::fresh_key;
use crate::webhooks::deliver;
use crate::webhooks::testing::{Fixture, Here, message};
use axum::Router;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use hub_domain::{Day, DeliveryAttempt, DeliveryStatus, Organization, OutboxRow, Zone};
use hub_outgoing::{Client, Guard};
use hub_store::{organizations, outbox, projects, usage};
use postrider_model::Secret;
use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex},
    time::Duration,
};
use tokio::{
    net::TcpListener,
    sync::{oneshot, watch},
    task::JoinHandle,
};

#[tokio::test]
async fn a_row_is_posted_signed_and_logged() {
    let receiver = Receiver::answering(|_| Reply::Status(200)).await;
    let fixture = Fixture::new();
    let mut row = fixture.row_to(&receiver, None);
    row.secret = Some(Secret::new("s3"));
    let id = fixture.add(row);
    fixture.store_project();
    let running = fixture.deliver();
    receiver.wait(1).await;
    fixture.outbox_holds(0).await;
    let seen = receiver.seen().remove(0);
    assert_eq!(seen.body, "event=send_status&secret=s3");
    assert_eq!(
        seen.headers["content-type"],
        "application/x-www-form-urlencoded"
    );
    assert_eq!(
        seen.headers["webhook-id"].to_str().unwrap(),
        format!("msg_{id:016x}")
    );
    assert!(
        seen.headers["webhook-signature"]
            .to_str()
            .unwrap()
            .starts_with("v1,")
    );
    let log = fixture.log();
    let kept = fixture.deliveries().remove(0);
    assert_eq!((log.len(), kept.id.get()), (1, id));
    assert_eq!(kept.status, DeliveryStatus::Delivered);
    assert_eq!(kept.body, "event=send_status", "without the secret");
    assert_eq!(
        (log[0].outcome.as_str(), log[0].http_status),
        ("delivered", Some(200))
    );
    running.stop().await;
    assert_eq!(fixture.requests_counted().await, 1);
}

#[tokio::test]
async fn anything_but_200_is_tried_again_later_with_all_that_follows() {
    for status in [201, 204, 302, 404, 503] {
        let receiver = Receiver::answering(move |_| Reply::Status(status)).await;
        let fixture = Fixture::new();
        let first = fixture.add(fixture.row_to(&receiver, Some(7)));
        let second = fixture.add(fixture.row_to(&receiver, Some(7)));
        let running = fixture.deliver();
        fixture.log_holds(1).await;
        let row = |id| fixture.stored(id).unwrap();
        assert_eq!((row(first).attempts, row(second).attempts), (1, 0));
        assert!(row(first).due_at > fixture.now.unix.plus_ms(4_000));
        assert_eq!(row(first).due_at, row(second).due_at);
        assert_eq!(
            (receiver.seen().len(), fixture.log()[0].http_status),
            (1, Some(status))
        );
        running.stop().await;
    }
}

#[tokio::test]
async fn statuses_of_a_message_arrive_in_order_and_once() {
    let receiver = Receiver::answering(|_| Reply::Status(200)).await;
    let fixture = Fixture::new();
    let rows = (0..60).flat_map(|n| (0..5).map(move |k| (n, k)));
    let rows = rows.map(|(n, k)| {
        let body = format!("message={n}&step={k}");
        OutboxRow {
            body,
            ..fixture.row_to(&receiver, Some(n))
        }
    });
    fixture.add_all(rows.collect());
    let running = fixture.deliver();
    receiver.wait(300).await;
    fixture.outbox_holds(0).await;
    let bodies: Vec<_> = receiver.seen().into_iter().map(|seen| seen.body).collect();
    for n in 0..60 {
        let prefix = format!("message={n}&");
        let of_message = bodies
            .iter()
            .filter(|body| body.starts_with(&prefix))
            .cloned();
        let expected: Vec<_> = (0..5).map(|k| format!("{prefix}step={k}")).collect();
        assert_eq!(of_message.collect::<Vec<_>>(), expected);
    }
    assert_eq!(bodies.len(), 300);
    running.stop().await;
}

#[tokio::test]
async fn a_receiver_that_hangs_delays_nobody_else() {
    let hanging = Receiver::answering(|_| Reply::Hang).await;
    let good = Receiver::answering(|_| Reply::Status(200)).await;
    let fixture = Fixture::new();
    fixture.add_all((0..50).map(|_| fixture.row_to(&hanging, None)).collect());
    let running = fixture.deliver();
    hanging.wait(4).await;
    fixture.add_all((0..50).map(|_| fixture.row_to(&good, None)).collect());
    fixture.hub.bus.wake_webhooks();
    good.wait(50).await;
    assert_eq!(hanging.seen().len(), 4, "four at a time");
    running.kill().await;
}

#[tokio::test]
async fn after_a_kill_everything_undelivered_goes_on() {
    let fixture = Fixture::new();
    let hanging = Receiver::answering(|_| Reply::Hang).await;
    let mut ids = BTreeSet::new();
    for n in 0..20 {
        ids.insert(fixture.add(fixture.row_to(&hanging, Some(n))));
    }
    let running = fixture.deliver();
    hanging.wait(4).await;
    running.kill().await;
    let dir = Arc::clone(&fixture.dir);
    drop(fixture);
    hanging.answer(|_| Reply::Status(200));

    let fixture = Fixture::on(dir);
    assert_eq!(fixture.outbox().len(), 20);
    let running = fixture.deliver();
    fixture.outbox_holds(0).await;
    let told = hanging
        .seen()
        .into_iter()
        .skip(4)
        .map(|seen| seen.headers["webhook-id"].clone());
    let told: Vec<_> = told.map(|id| id.to_str().unwrap().to_owned()).collect();
    let expected: BTreeSet<_> = ids.iter().map(|id| format!("msg_{id:016x}")).collect();
    assert_eq!(told.iter().cloned().collect::<BTreeSet<_>>(), expected);
    assert_eq!(told.len(), 20, "each once after the restart");
    running.stop().await;
}

#[tokio::test]
async fn a_stop_lets_what_is_under_way_end_and_keeps_the_rest() {
    let receiver = Receiver::answering(|n| match n {
        0 => Reply::WhenTold,
        _ => Reply::Status(200),
    })
    .await;
    let fixture = Fixture::new();
    fixture.add_all((0..3).map(|_| fixture.row_to(&receiver, Some(1))).collect());
    let running = fixture.deliver();
    receiver.wait(1).await;
    running.stop.send_replace(true);
    receiver.tell();
    running.task.await.unwrap();
    assert_eq!((receiver.seen().len(), fixture.outbox().len()), (1, 2));
    assert_eq!(fixture.log()[0].outcome, "delivered");
}

#[tokio::test]
async fn an_internal_address_is_logged_and_never_called() {
    let receiver = Receiver::answering(|_| Reply::Status(200)).await;
    let fixture = Fixture::new();
    fixture.add(fixture.row_to(&receiver, None));
    let running = fixture.deliver_with(Client::new(Guard::default()).unwrap());
    fixture.log_holds(1).await;
    assert_eq!(fixture.log()[0].outcome, "url_refused");
    assert!(receiver.seen().is_empty());
    running.stop().await;
}

/// A deliverer that runs.
struct Running {
    stop: watch::Sender<bool>,
    task: JoinHandle<()>,
}

impl Running {
    async fn stop(self) {
        self.stop.send_replace(true);
        self.task.await.unwrap();
    }

    async fn kill(self) {
        self.task.abort();
        assert!(self.task.await.unwrap_err().is_cancelled());
    }
}

impl Fixture {
    fn deliver(&self) -> Running {
        let guard = Guard {
            allow_loopback: true,
            ..Guard::default()
        };
        self.deliver_with(Client::new(guard).unwrap())
    }

    fn deliver_with(&self, client: Client) -> Running {
        let (stop, stopped) = watch::channel(false);
        let task = tokio::spawn(deliver::run(self.hub.clone(), client, stopped));
        Running { stop, task }
    }

    fn row_to(&self, receiver: &Receiver, of_message: Option<i64>) -> OutboxRow {
        OutboxRow {
            id: fresh_key(&self.hub, self.now).get(),
            message_id: of_message.map(|n| message(n + 1)),
            origin: format!("http://127.0.0.1:{}", receiver.port),
            url: format!("http://127.0.0.1:{}/hook", receiver.port),
            due_at: self.now.unix,
            time_created: self.now.unix,
            ..crate::webhooks::testing::row(0)
        }
    }

    fn add(&self, row: OutboxRow) -> i64 {
        let id = row.id;
        self.add_all(vec![row]);
        id
    }

    fn add_all(&self, rows: Vec<OutboxRow>) {
        let job = move |tx: &mut hub_store::Tx<'_>| {
            rows.iter().try_for_each(|row| outbox::insert(tx, row))
        };
        self.hub.store.write_here(job);
    }

    fn store_project(&self) {
        let project = self.project.clone();
        let organization = Organization {
            id: project.organization_id,
            name: "Organization".into(),
            timezone_id: "UTC".into(),
            plan: hub_domain::Plan::default(),
            time_created: self.now.unix,
        };
        self.hub.store.write_here(move |tx| {
            organizations::insert(tx, &organization)?;
            projects::insert(tx, &project)
        });
    }

    /// What counts as requests of the project's organization, whichever day it is.
    async fn requests_counted(&self) -> u64 {
        self.hub
            .request_counts
            .write(&self.hub.store)
            .await
            .unwrap();
        let (id, now) = (self.project.organization_id, self.now.unix);
        let today = Day::of(&Zone::UTC, now).unwrap();
        self.hub.store.read_here(move |tx| {
            let tomorrow = usage::requests_of(tx, id, today.plus(1).unwrap())?;
            Ok(usage::requests_of(tx, id, today)? + tomorrow)
        })
    }

    fn stored(&self, id: i64) -> Option<OutboxRow> {
        self.hub.store.read_here(move |tx| outbox::get(tx, id))
    }

    /// Every attempt that was noted.
    fn log(&self) -> Vec<DeliveryAttempt> {
        let all = self.deliveries().into_iter();
        all.flat_map(|delivery| delivery.attempts).collect()
    }

    async fn outbox_holds(&self, count: u64) {
        until(|| self.hub.store.read_here(outbox::count) == count).await;
    }

    async fn log_holds(&self, count: usize) {
        until(|| self.log().len() == count).await;
    }
}

/// Waits until something holds; fails after half a minute.
async fn until(mut holds: impl FnMut() -> bool) {
    let patience = async {
        while !holds() {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(30), patience)
        .await
        .unwrap();
}

/// One request as it arrived.
#[derive(Clone)]
struct Seen {
    headers: HeaderMap,
    body: String,
}

/// What a receiver does with a request.
enum Reply {
    Status(u16),
    Hang,
    /// Answers 200 once [`Receiver::tell`] is called.
    WhenTold,
}

type Behaviour = Box<dyn Fn(usize) -> Reply + Send>;

struct Inside {
    seen: Vec<Seen>,
    behaviour: Behaviour,
    told: Option<oneshot::Receiver<()>>,
}

#[derive(Clone)]
struct Shared {
    inside: Arc<Mutex<Inside>>,
    count: Arc<watch::Sender<usize>>,
}

/// A server on loopback that keeps what came.
struct Receiver {
    port: u16,
    shared: Shared,
    tell: Mutex<Option<oneshot::Sender<()>>>,
}

impl Receiver {
    async fn answering(behaviour: impl Fn(usize) -> Reply + Send + 'static) -> Self {
        let (tell, told) = oneshot::channel();
        let inside = Inside {
            seen: Vec::new(),
            behaviour: Box::new(behaviour),
            told: Some(told),
        };
        let shared = Shared {
            inside: Arc::new(Mutex::new(inside)),
            count: Arc::new(watch::Sender::new(0)),
        };
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let router = Router::new().fallback(receive).with_state(shared.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        Self {
            port,
            shared,
            tell: Mutex::new(Some(tell)),
        }
    }

    fn answer(&self, behaviour: impl Fn(usize) -> Reply + Send + 'static) {
        self.shared.inside.lock().unwrap().behaviour = Box::new(behaviour);
    }

    fn tell(&self) {
        self.tell.lock().unwrap().take().unwrap().send(()).unwrap();
    }

    fn seen(&self) -> Vec<Seen> {
        self.shared.inside.lock().unwrap().seen.clone()
    }

    async fn wait(&self, count: usize) {
        let mut counted = self.shared.count.subscribe();
        let enough = counted.wait_for(|seen| *seen >= count);
        tokio::time::timeout(Duration::from_secs(30), enough)
            .await
            .unwrap()
            .unwrap();
    }
}

async fn receive(State(shared): State<Shared>, headers: HeaderMap, body: String) -> StatusCode {
    let (reply, told) = {
        let mut inside = shared.inside.lock().unwrap();
        let reply = (inside.behaviour)(inside.seen.len());
        inside.seen.push(Seen { headers, body });
        let told = matches!(reply, Reply::WhenTold)
            .then(|| inside.told.take())
            .flatten();
        (reply, told)
    };
    shared.count.send_modify(|count| *count += 1);
    match (reply, told) {
        (Reply::Status(status), _) => StatusCode::from_u16(status).unwrap(),
        (Reply::WhenTold, Some(told)) => {
            told.await.unwrap();
            StatusCode::OK
        }
        (Reply::Hang | Reply::WhenTold, _) => std::future::pending().await,
    }
}
