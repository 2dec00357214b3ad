//! Two hubs that post the webhooks of one database: each event goes out once.

use crate::support::{add_organization, add_project, fresh_id, hub_over, new_project};
use axum::Router;
use axum::extract::State;
use hub_app::hub::Hub;
use hub_app::webhooks::deliver;
use hub_domain::{OutboxRow, ProjectShares, WebhookEvent};
use hub_outgoing::{Client, Guard};
use hub_store::testing::{PostgresDatabase, server};
use hub_store::{PostgresSettings, Store, StoreError, outbox};
use postrider_link::mistake;
use postrider_model::ProjectId;
use std::collections::BTreeSet;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::watch;

const PATIENCE: Duration = Duration::from_secs(60);

/// A receiver of posts that answers none before it is told to.
struct Receiver {
    url: String,
    came: watch::Receiver<Vec<String>>,
    may_answer: watch::Sender<bool>,
}

type Held = (watch::Sender<Vec<String>>, watch::Receiver<bool>);

impl Receiver {
    async fn start() -> Self {
        let (told, came) = watch::channel(Vec::new());
        let (may_answer, held) = watch::channel(false);
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let router = Router::new().fallback(hold).with_state((told, held));
        tokio::spawn(async move { axum::serve(listener, router).await });
        Self {
            url: format!("http://{address}"),
            came,
            may_answer,
        }
    }
}

async fn hold(State((told, mut held)): State<Held>, body: String) {
    told.send_modify(|came| came.push(body));
    drop(held.wait_for(|may_answer| *may_answer).await);
}

/// Opens a hub that takes itself for alone at first, so that it may post at once.
fn open(database: &PostgresDatabase, mistake: &'static str) -> Hub {
    let settings = PostgresSettings {
        beat: Duration::from_millis(20),
        ..PostgresSettings::new(database.url())
    };
    let open = move || mistake::with(mistake, || Store::open_postgres(&settings));
    let opening = std::thread::spawn(open);
    let store = opening.join().expect("a store").expect("a database");
    let (number, _) = store.processes().expect("a server");
    let hub = hub_over(store, number);
    hub.share_with(&BTreeSet::from([number]));
    hub
}

/// Waits until a hub knows of so many that serve, and shares the projects with them.
async fn share(hub: &Hub, count: usize) {
    let (_, mut serving) = hub.store.processes().expect("a server");
    let heard = serving.wait_for(|all| all.len() == count).await;
    hub.share_with(&heard.expect("a beat"));
}

/// Makes a project that belongs to the first of two hubs, with an event for a receiver.
async fn add_event(first: &Hub, second: &Hub, url: &str) {
    let live = BTreeSet::from([first.process, second.process]);
    let own = ProjectShares::of_process(first.process, &live);
    let organization = add_organization(first).await;
    let project = loop {
        let project = new_project(first, organization, "Project");
        if own.has(project.id) {
            break project;
        }
    };
    add_project(first, &project).await;
    let row = event(first, project.id, url);
    let adding = first.store.of(project.id);
    let added = adding.write::<_, StoreError, _>(move |tx| outbox::insert(tx, &row));
    added.await.expect("an event");
}

fn event(hub: &Hub, project_id: ProjectId, url: &str) -> OutboxRow {
    let now = hub.now();
    OutboxRow {
        id: fresh_id::<postrider_model::kind::Message>(hub, now).get(),
        project_id,
        webhook_id: None,
        message_id: None,
        origin: url.to_owned(),
        url: format!("{url}/hook"),
        secret: None,
        basic_password: None,
        event: WebhookEvent::SendStatus,
        body: format!("project={project_id}"),
        attempts: 0,
        due_at: now.unix,
        time_created: now.unix,
    }
}

/// Has two hubs post an event of a project of each; returns how often each was posted. Nothing is answered
/// before so many posts came.
async fn posted(mistake: &'static str, count: usize) -> Option<Vec<usize>> {
    let database = PostgresDatabase::fresh(&server()?);
    let hubs = [0, 1].map(|_| open(&database, mistake));
    let mut receiver = Receiver::start().await;
    add_event(&hubs[0], &hubs[1], &receiver.url).await;
    add_event(&hubs[1], &hubs[0], &receiver.url).await;
    let guard = Guard {
        allow_loopback: true,
        ..Guard::default()
    };
    let (stop, stopped) = watch::channel(false);
    let mut delivering = Vec::new();
    for hub in &hubs {
        share(hub, if mistake.is_empty() { 2 } else { 1 }).await;
        let client = Client::new(guard.clone()).expect("a client");
        let deliver = deliver::run(hub.clone(), client, stopped.clone());
        delivering.push(tokio::spawn(deliver));
    }
    let enough = receiver.came.wait_for(|came| came.len() >= count);
    let came = tokio::time::timeout(PATIENCE, enough).await;
    came.expect("so many came").expect("it listens");
    receiver.may_answer.send_replace(true);
    stop.send_replace(true);
    for one in delivering {
        one.await.expect("it ends");
    }
    let came = receiver.came.borrow();
    let events: BTreeSet<&String> = came.iter().collect();
    let times = |event| came.iter().filter(|one| *one == event).count();
    Some(events.into_iter().map(times).collect())
}

#[tokio::test]
async fn each_event_is_posted_by_the_owner_of_its_project_alone() {
    if let Some(posted) = posted("", 2).await {
        assert_eq!(posted, [1, 1]);
    }
}

#[cfg(debug_assertions)]
#[tokio::test]
async fn a_share_with_two_owners_that_doubles_posts_is_caught() {
    if let Some(posted) = posted("two_owners", 4).await {
        assert_eq!(posted, [2, 2]);
    }
}
