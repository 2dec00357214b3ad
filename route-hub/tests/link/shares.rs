//! What one phone can make the hub keep and do, and that others do not notice.

use super::facts::incoming;
use super::support::{TestHub, fresh_id, hub};
use hub_app::housekeeping;
use hub_domain::{Alert, AlertKind};
use hub_store::facts_aside::{self, FactAside};
use hub_store::past_exposures::{self, PastExposure};
use hub_store::{Value as Column, alerts, devices, lost_installs, messages, projects, rows_aside};
use postrider_link::ownership::hub::Fact;
use postrider_model::{DeviceId, MessageId, UnixMs, WireState};

const DAY_MS: i64 = 86_400_000;

#[tokio::test]
async fn a_phone_that_floods_waits_while_another_is_served_and_nothing_is_lost() {
    let hub = hub().await;
    hub.hub.fact_rates.limit(1);
    let (mut flooder, mut other) = (hub.pair().await, hub.pair().await);
    let mut flood = flooder.connect().await;
    for n in 1..=200 {
        flood.inbound(n, "a flood").await;
    }
    flood.pong().await;
    let mut line = other.connect().await;
    line.inbound(1, "mine").await;
    line.settle().await;
    let up = hub.device(&flooder).await.up;
    assert!(up <= 25, "{up} of 200: no more than a burst");
    hub.hub.fact_rates.limit(0);
    flood.inbound(201, "the last").await;
    flood.settle().await;
    assert_eq!(incoming(&hub).await, 202);
}

#[tokio::test]
async fn facts_set_aside_have_a_cap_and_the_oldest_are_counted() {
    let hub = hub().await;
    let (mut liar, mut other) = (hub.pair().await, hub.pair().await);
    hub.queue(&other, "not yours").await;
    let mut others = other.connect().await;
    let frame = others.send().await;
    let mut line = liar.connect().await;
    for _ in 0..4 {
        for _ in 0..251 {
            line.event(&frame, WireState::Delivered).await;
        }
        line.settle().await;
    }
    assert_eq!(hub.aside().await.len(), 1_000);
    assert_eq!(hub.write(facts_aside::dropped).await, 4);
    let kept = hub.write(facts_aside::all).await;
    assert_eq!(
        kept.iter().map(|fact| fact.s).min(),
        Some(5),
        "the oldest went"
    );
}

#[tokio::test]
async fn the_newest_hundred_installations_of_a_device_are_known_however_old() {
    let hub = hub().await;
    let mut phone = hub.pair().await;
    let mut line = phone.connect().await;
    // Those that come in one commit have one moment: of them the last by name goes first.
    let name = |n: u64| format!("install-of-tests-{:04}", 9_000 - n);
    for n in 1..=105 {
        line.inbound_with(1, |inbound| inbound.install = name(n).parse().ok())
            .await;
    }
    line.settle().await;
    assert_eq!(incoming(&hub).await, 105);
    for n in [6, 105, 1] {
        line.inbound_with(1, |inbound| inbound.install = name(n).parse().ok())
            .await;
    }
    line.settle().await;
    assert_eq!(
        incoming(&hub).await,
        106,
        "the first was forgotten, and counts anew"
    );
}

#[tokio::test]
async fn the_newest_hundred_lost_installations_of_a_device_are_remembered() {
    let hub = hub().await;
    let phone = hub.pair().await;
    let device = hub.device(&phone).await;
    let id = device.id;
    let lost = hub
        .write(move |tx| {
            for n in 1..=105 {
                lost_installs::insert(tx, &device, &format!("install-{n}"), UnixMs(n))?;
            }
            let lost = (1..=105).map(|n| lost_installs::is_lost(tx, id, &format!("install-{n}")));
            lost.collect::<Result<Vec<_>, _>>()
        })
        .await;
    assert_eq!(lost.iter().position(|lost| *lost), Some(5));
    assert!(lost[5..].iter().all(|lost| *lost));
}

async fn set_aside(hub: &TestHub, device_id: DeviceId, s: u64, days_ago: i64) {
    let time = hub.hub.now().unix.plus_ms(-days_ago * DAY_MS);
    let fact = FactAside {
        device_id,
        s,
        frame: String::new(),
        reason: String::new(),
        time,
    };
    hub.write(move |tx| facts_aside::insert(tx, &fact)).await;
}

#[tokio::test]
async fn facts_set_aside_are_kept_as_long_as_the_projects_messages() {
    let hub = hub().await;
    let device = hub.pair().await.device;
    for (s, days_ago) in [(1, 40), (2, 20), (3, 1)] {
        set_aside(&hub, device, s, days_ago).await;
    }
    let left = async || hub.aside().await.len();
    housekeeping::tidy(&hub.hub, hub.hub.now().unix)
        .await
        .expect("old rows go");
    assert_eq!(left().await, 2, "30 days where messages are kept for ever");
    let mut project = hub.project.clone();
    project.message_retention_days = Some(7);
    hub.write(move |tx| projects::update(tx, &project)).await;
    housekeeping::tidy(&hub.hub, hub.hub.now().unix)
        .await
        .expect("old rows go");
    assert_eq!(left().await, 1);
}

#[tokio::test]
async fn alerts_that_ended_go_after_a_month_but_for_the_last_of_a_phone_that_is_away() {
    let hub = hub().await;
    let phone = hub.pair().await;
    let (project_id, device) = (hub.project.id, phone.device);
    let past = hub.hub.now().unix.plus_ms(-40 * DAY_MS);
    let ids: Vec<_> = (0..4).map(|_| fresh_id(&hub.hub, hub.hub.now())).collect();
    hub.write(move |tx| {
        let mut gone = devices::get(tx, device)?.expect("it is there");
        gone.time_last_seen = Some(past);
        devices::update(tx, &gone)?;
        for (n, id) in ids.iter().enumerate() {
            let alert = Alert {
                id: *id,
                project_id,
                phone_id: None,
                device_id: Some(device),
                kind: match n {
                    0 => AlertKind::PhoneOffline,
                    _ => AlertKind::BatteryLow,
                },
                detail: String::new(),
                time_created: past,
                time_cleared: (n != 2).then_some(past),
            };
            alerts::raise(tx, &alert)?;
        }
        Ok(())
    })
    .await;
    housekeeping::tidy(&hub.hub, hub.hub.now().unix)
        .await
        .expect("old rows go");
    let left = hub.write(|tx| alerts::latest(tx, true, 100)).await;
    let mut left: Vec<_> = left.iter().map(|alert| alert.kind.as_str()).collect();
    left.sort_unstable();
    assert_eq!(
        left,
        ["battery_low", "phone_offline"],
        "what stands, and what is not to be told twice"
    );
}

#[tokio::test]
async fn past_exposures_go_with_their_message_and_never_before() {
    let hub = hub().await;
    let phone = hub.pair().await;
    let project = hub.project.id;
    let (hidden, shown) = (
        hub.queue(&phone, "deleted").await,
        hub.queue(&phone, "stays").await,
    );
    hub.apply(hidden, Fact::CancelAsked).await;
    let long_ago = hub.hub.now().unix.plus_ms(-400 * DAY_MS);
    let device_id = phone.device;
    hub.write(move |tx| {
        for message_id in [hidden, shown] {
            let past = PastExposure {
                message_id,
                ep: 1,
                device_id,
                install: "install-of-tests-1".to_owned(),
            };
            past_exposures::insert(tx, &past)?;
        }
        messages::hide(tx, project, hidden, long_ago)
    })
    .await;
    housekeeping::tidy(&hub.hub, hub.hub.now().unix)
        .await
        .expect("old rows go");
    let left = hub
        .write(move |tx| {
            let of = |message| past_exposures::get(tx, message, 1);
            [hidden, shown]
                .map(of)
                .into_iter()
                .collect::<Result<Vec<_>, _>>()
        })
        .await;
    assert_eq!(
        left.iter().map(Option::is_some).collect::<Vec<_>>(),
        [false, true]
    );
    assert!(
        hub.write(move |tx| messages::by_key(tx, hidden))
            .await
            .is_none()
    );
}

/// Damages a message, as a failing disk would.
async fn damage(hub: &TestHub, id: MessageId) {
    let sql = "UPDATE messages SET send_attempts = 'x' WHERE id = $1";
    let damaged = hub.write(move |tx| tx.execute(sql, &[Column::Int(id.get())]));
    assert_eq!(damaged.await, 1);
}

/// Says which messages were set aside, and whether the project was told of it.
async fn rows_set_aside(hub: &TestHub) -> (Vec<i64>, bool) {
    let rows = hub.write(rows_aside::all).await;
    let ids = rows.into_iter().map(|(_, id, _)| id).collect();
    (ids, hub.alerts().await.contains(&"row_unreadable"))
}

#[tokio::test]
async fn a_damaged_message_in_a_phones_queue_is_set_aside_and_the_others_go_out() {
    let hub = hub().await;
    let mut phone = hub.pair().await;
    let first = hub.queue(&phone, "first").await;
    let damaged = hub.queue(&phone, "damaged").await;
    let last = hub.queue(&phone, "last").await;
    damage(&hub, damaged).await;
    let mut line = phone.connect().await;
    assert_eq!((line.send().await.id, line.send().await.id), (first, last));
    assert_eq!(rows_set_aside(&hub).await, (vec![damaged.get()], true));
}

#[tokio::test]
async fn a_damaged_message_on_a_phone_is_set_aside_when_that_tells_of_it_and_stops_nothing() {
    let hub = hub().await;
    let mut phone = hub.pair().await;
    let damaged = hub.queue(&phone, "damaged").await;
    let mut line = phone.connect().await;
    let frame = line.send().await;
    damage(&hub, damaged).await;
    line.event(&frame, WireState::Sent).await;
    line.inbound(1, "came in").await;
    line.settle().await;
    let next = hub.queue(&phone, "next").await;
    assert_eq!(line.send().await.id, next);
    assert_eq!(rows_set_aside(&hub).await, (vec![damaged.get()], true));
    assert_eq!(hub.aside().await, ["no such message"]);
}

#[tokio::test]
async fn a_phone_that_never_received_a_damaged_message_comes_back_all_the_same() {
    let hub = hub().await;
    let mut phone = hub.pair().await;
    let damaged = hub.queue(&phone, "damaged").await;
    let mut line = phone.connect().await;
    line.send().await;
    phone.cut(line);
    phone.down = 0;
    damage(&hub, damaged).await;
    let next = hub.queue(&phone, "next").await;
    let mut line = phone.connect().await;
    assert_eq!(line.send().await.id, next);
    assert_eq!(rows_set_aside(&hub).await, (vec![damaged.get()], true));
}
