//! Several processes that hint to each other through a NATS server: `scripts/test storage --database
//! postgres` starts one.

#![expect(
    clippy::unwrap_used,
    reason = "a test stops at whatever it did not expect"
)]

use async_nats::{Client, ConnectOptions};
use futures_util::StreamExt as _;
use hub_nats::{NatsSettings, Servers, carry};
use hub_store::hints::{Ends, Heard, Hint, Hints, ends};
use postrider_model::{HubId, PhoneId, Secret};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;
use tokio::time::{sleep, timeout};

const WITHOUT_A_SERVER: &str = "the tests are run with a NATS server";

fn url() -> String {
    std::env::var("POSTRIDER_TEST_NATS").expect(WITHOUT_A_SERVER)
}

fn hub(number: i64) -> HubId {
    HubId::from_i64(number).unwrap()
}

fn phone(number: i64) -> PhoneId {
    PhoneId::from_i64(number).unwrap()
}

/// A process that carries its hints through the servers at `url`.
struct Process {
    hints: Hints,
    heard: Heard,
}

impl Process {
    fn start(url: &str, hub: HubId, number: i64) -> Self {
        let settings = NatsSettings {
            url: Secret::new(url),
            password: None,
            ca: None,
            plain: false,
        };
        let servers = Servers::new(&settings).unwrap();
        let Ends {
            hints,
            heard,
            carrier,
        } = ends(number);
        tokio::spawn(carry(servers, hub, carrier));
        Self { hints, heard }
    }

    /// Waits until what others tell arrives, or does not.
    async fn until_cut(&self, is_cut: bool) {
        let look = async {
            while self.hints.are_cut() != is_cut {
                sleep(Duration::from_millis(5)).await;
            }
        };
        let soon = timeout(Duration::from_secs(30), look).await;
        soon.unwrap_or_else(|_| panic!("hints are cut off: {is_cut} is awaited"));
    }

    /// Takes in what others tell until something that it waits for is among it.
    async fn until_heard(&mut self, awaited: Hint) -> BTreeSet<Hint> {
        let mut all = BTreeSet::new();
        let listen = async {
            while !all.contains(&awaited) {
                all.extend(self.heard.next().await.unwrap());
            }
        };
        let soon = timeout(Duration::from_secs(30), listen).await;
        soon.unwrap_or_else(|_| panic!("{awaited:?} is awaited"));
        all
    }
}

/// Somebody who may speak on the same NATS.
async fn stranger() -> Client {
    let url = url::Url::parse(&url()).unwrap();
    let (user, password) = (
        url.username().to_owned(),
        url.password().unwrap_or_default(),
    );
    let options = ConnectOptions::with_user_and_password(user, password.to_owned());
    let address = format!("{}:{}", url.host_str().unwrap(), url.port().unwrap());
    options.connect(address).await.unwrap()
}

fn subject(hub: HubId) -> String {
    format!("postrider.{hub}.hints")
}

#[tokio::test]
#[ignore = "needs a NATS server"]
async fn the_processes_of_a_hub_hear_each_other_and_no_other_hub() {
    let mut one = Process::start(&url(), hub(1), 1);
    let mut other = Process::start(&url(), hub(1), 2);
    let mut foreign = Process::start(&url(), hub(2), 3);
    for process in [&one, &other, &foreign] {
        process.until_cut(false).await;
    }
    one.hints.tell(Hint::Queued(phone(7)));
    let heard = other.until_heard(Hint::Queued(phone(7))).await;
    assert_eq!(heard.len(), 1);
    foreign.hints.tell(Hint::Changed);
    other.hints.tell(Hint::Broadcasts);
    assert_eq!(
        one.until_heard(Hint::Broadcasts).await,
        BTreeSet::from([Hint::Broadcasts])
    );
    assert_eq!(foreign.hints.load().received, 0);
    assert!(timeout(Duration::ZERO, foreign.heard.next()).await.is_err());
}

#[tokio::test]
#[ignore = "needs a NATS server"]
async fn what_is_wrong_on_the_subject_is_passed_over() {
    let mut process = Process::start(&url(), hub(3), 4);
    process.until_cut(false).await;
    let stranger = stranger().await;
    let (long, wrong) = (
        "9 c ".repeat(100_000),
        "9 q q-1 qffffffffffffffffff xx 999 \u{2603}",
    );
    for garbage in [
        b"\xff\xfe".to_vec(),
        long.into_bytes(),
        Vec::new(),
        wrong.into(),
    ] {
        stranger
            .publish(subject(hub(3)), garbage.into())
            .await
            .unwrap();
    }
    let right = stranger.publish(subject(hub(3)), "9 w".into());
    right.await.unwrap();
    let heard = process.until_heard(Hint::Webhooks).await;
    assert_eq!(heard, BTreeSet::from([Hint::Webhooks]));
    assert!(!process.hints.are_cut());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs a NATS server"]
async fn a_flood_is_not_listened_to_and_hints_arrive_after_it() {
    let process = Process::start(&url(), hub(4), 5);
    process.until_cut(false).await;
    let stranger = stranger().await;
    let flood = tokio::spawn(async move {
        loop {
            stranger
                .publish(subject(hub(4)), "9 c qa".into())
                .await
                .unwrap();
        }
    });
    process.until_cut(true).await;
    let before = process.hints.load();
    flood.abort();
    // Two hints a notice, and the next second begins with the beat.
    assert!(before.received + before.dropped <= 4 * 10_000, "{before:?}");
    process.until_cut(false).await;
}

#[tokio::test]
#[ignore = "needs a NATS server"]
async fn a_server_that_answers_nothing_holds_nobody_up() {
    let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = silent.local_addr().unwrap();
    let both = format!("{},{address}", url());
    let hanging = Process::start(&format!("nats://{address}"), hub(5), 6);
    let mut one = Process::start(&both, hub(5), 7);
    let other = Process::start(&both, hub(5), 8);
    for _ in 0..5_000 {
        hanging.hints.tell(Hint::Webhooks);
    }
    assert!(hanging.hints.load().dropped > 0);
    // Of several servers the one that answers is found.
    one.until_cut(false).await;
    other.until_cut(false).await;
    other.hints.tell(Hint::Webhooks);
    one.until_heard(Hint::Webhooks).await;
    assert!(hanging.hints.are_cut());
}

#[tokio::test]
#[ignore = "needs a NATS server"]
async fn whoever_does_not_hear_his_own_notices_takes_hints_for_cut_off() {
    let (front, back) = (TcpListener::bind("127.0.0.1:0").await.unwrap(), url());
    let (host, port) = back.rsplit_once('@').unwrap().1.split_once(':').unwrap();
    let server = (host.to_owned(), port.parse::<u16>().unwrap());
    let through = back.replace(port, &front.local_addr().unwrap().port().to_string());
    let stall = Arc::new(Notify::new());
    let stalled = Arc::clone(&stall);
    let pass = tokio::spawn(async move {
        let (mut client, _) = front.accept().await.unwrap();
        let mut server = TcpStream::connect(server).await.unwrap();
        tokio::select! {
            _ = copy_bidirectional(&mut client, &mut server) => panic!("the connection is open"),
            () = stalled.notified() => (client, server),
        }
    });
    let process = Process::start(&through, hub(6), 9);
    process.until_cut(false).await;
    stall.notify_one();
    let _open_but_nothing_passes = pass.await.unwrap();
    process.until_cut(true).await;
}

#[tokio::test]
#[ignore = "needs a NATS server"]
async fn a_subject_s_notices_are_ids_and_nothing_else() {
    let mut told = stranger().await.subscribe(subject(hub(8))).await.unwrap();
    let process = Process::start(&url(), hub(8), 10);
    process.until_cut(false).await;
    process.hints.tell(Hint::Asked(phone(31)));
    let notice = async {
        loop {
            let notice = told.next().await.unwrap();
            if &*notice.payload != b"10 " {
                return notice;
            }
        }
    };
    let notice = timeout(Duration::from_secs(30), notice).await.unwrap();
    assert_eq!(&*notice.payload, b"10 a1f");
}
