//! Facts: once each, in order, whatever they say.

use super::support::{PATIENCE, hub, sim};
use hub_domain::{MessageType, WaitingFor};
use hub_store::list::ListQuery;
use hub_store::{messages, phones, projects};
use postrider_link::frame::{Kind, KindQueue};
use postrider_link::ownership::hub::{Fact, HubState};
use postrider_model::{MessageStatus, MessageText, WireState};
use std::sync::atomic::Ordering;

#[tokio::test]
async fn facts_that_cannot_be_applied_are_set_aside_and_acked() {
    let hub = hub().await;
    let (mut liar, mut other) = (hub.pair().await, hub.pair().await);
    let id = hub.queue(&other, "not yours").await;
    let mut others = other.connect().await;
    let mut frame = others.send().await;
    let mut line = liar.connect().await;
    line.event(&frame, WireState::Delivered).await;
    frame.ep = 7;
    line.event(&frame, WireState::Sent).await;
    line.up += 1;
    let unknown = format!(r#"{{"t":"hologram","s":{},"colour":"blue"}}"#, line.up);
    line.write_text(&unknown).await;
    line.inbound(1, "applied all the same").await;
    line.settle().await;
    assert_eq!(hub.state(id).await, HubState::Exposed);
    assert_eq!(hub.aside().await.len(), 2);
    assert_eq!(hub.device(&liar).await.up, 4);
}

#[tokio::test]
async fn nul_in_a_text_that_came_in_is_replaced() {
    let hub = hub().await;
    let mut phone = hub.pair().await;
    let mut line = phone.connect().await;
    line.inbound(1, "before\0after").await;
    line.settle().await;
    let project = hub.project.id;
    let page = hub
        .write(move |tx| messages::list(tx, project, &ListQuery::default()))
        .await;
    let texts: Vec<_> = page.rows.iter().map(|row| row.content.clone()).collect();
    assert_eq!(texts, [Some(MessageText::new("before\u{fffd}after"))]);
}

#[tokio::test]
async fn a_turn_that_takes_long_leaves_its_other_facts_to_the_next_one() {
    let hub = hub().await;
    hub.hub.turn_ms_max.store(0, Ordering::Relaxed);
    let mut phone = hub.pair().await;
    let id = hub.queue(&phone, "hello").await;
    let mut line = phone.connect().await;
    let frame = line.send().await;
    let held = hub.hold_database().await;
    for state in [
        WireState::OnPhone,
        WireState::Submitting,
        WireState::Sent,
        WireState::Delivered,
    ] {
        line.event(&frame, state).await;
    }
    drop(held);
    line.settle().await;
    assert_eq!(hub.device(&phone).await.up, 4);
    assert_eq!(hub.message(id).await.status, MessageStatus::Delivered);
}

#[tokio::test]
async fn facts_that_are_left_to_the_next_turn_use_up_no_rate() {
    let hub = hub().await;
    hub.hub.turn_ms_max.store(0, Ordering::Relaxed);
    // So 25 may come at once, and then one a second.
    hub.hub.fact_rates.limit(1);
    let mut phone = hub.pair().await;
    let mut line = phone.connect().await;
    let held = hub.hold_database().await;
    for n in 1..=20 {
        line.inbound(n, "hello").await;
    }
    drop(held);
    let settled = tokio::time::timeout(PATIENCE, line.settle()).await;
    assert!(settled.is_ok(), "all 20 are taken in at once");
}

#[tokio::test]
async fn a_fact_is_acked_only_when_it_is_stored() {
    let hub = hub().await;
    let mut phone = hub.pair().await;
    let id = hub.queue(&phone, "hello").await;
    let mut line = phone.connect().await;
    let frame = line.send().await;
    for (n, state) in [WireState::OnPhone, WireState::Submitting, WireState::Sent]
        .into_iter()
        .enumerate()
    {
        line.event(&frame, state).await;
        line.settle().await;
        assert_eq!(hub.device(&phone).await.up, n as u64 + 1);
        assert_eq!(
            Some(hub.state(id).await.code()),
            state.rank().map(i64::from)
        );
    }
    let message = hub.message(id).await;
    assert_eq!(message.status, MessageStatus::Sent);
    assert!(
        message
            .time_sent
            .is_some_and(|at| at >= message.time_created)
    );
}

#[tokio::test]
async fn a_gap_in_the_facts_closes_4400_and_stores_nothing_above_it() {
    let hub = hub().await;
    let mut phone = hub.pair().await;
    let mut line = phone.connect().await;
    line.up += 1;
    line.inbound(1, "above the gap").await;
    assert_eq!(line.close_code().await, 4400);
    assert_eq!(hub.device(&phone).await.up, 0);
}

#[tokio::test]
async fn a_repeated_fact_counts_once() {
    let hub = hub().await;
    let mut phone = hub.pair().await;
    let mut line = phone.connect().await;
    line.inbound(1, "once").await;
    line.settle().await;
    phone.cut(line);
    phone.up_acked = 0;
    let mut line = phone.connect().await;
    line.up = 0;
    line.inbound(1, "once").await;
    line.inbound(2, "twice").await;
    line.settle().await;
    assert_eq!(incoming(&hub).await, 2);
}

#[tokio::test]
async fn a_status_never_falls_back_and_a_report_clears_the_error() {
    let hub = hub().await;
    let mut phone = hub.pair().await;
    let id = hub.queue(&phone, "upwards").await;
    let mut line = phone.connect().await;
    let frame = line.send().await;
    line.event(&frame, WireState::Submitting).await;
    line.event_with(&frame, WireState::Unknown, |event| {
        event.code = Some("7".into())
    })
    .await;
    line.settle().await;
    assert_eq!(
        hub.message(id).await.error_code.as_deref(),
        Some("unknown_outcome")
    );
    for state in [
        WireState::Delivered,
        WireState::Sent,
        WireState::Failed,
        WireState::Unknown,
    ] {
        line.event(&frame, state).await;
    }
    line.settle().await;
    let message = hub.message(id).await;
    assert_eq!(message.status, MessageStatus::Delivered);
    assert_eq!((message.error_code, message.error_message), (None, None));
    assert_eq!(hub.phone(&phone).await.sent_message_count, 1);
}

#[tokio::test]
async fn each_sending_of_a_message_counts_towards_the_limit_whatever_is_told_first() {
    for late_first in [true, false] {
        let hub = hub().await;
        let mut phone = hub.pair().await;
        let id = hub.queue(&phone, "twice").await;
        let mut line = phone.connect().await;
        let first = line.send().await;
        line.event(&first, WireState::Unknown).await;
        line.settle().await;
        hub.apply(id, Fact::ResendAsked { new_route: false }).await;
        let second = line.send().await;
        let order = if late_first {
            [&first, &second]
        } else {
            [&second, &first]
        };
        for frame in order {
            line.event(frame, WireState::Sent).await;
            line.event(frame, WireState::Delivered).await;
        }
        line.settle().await;
        assert_eq!(hub.phone(&phone).await.sent_message_count, 2);
    }
}

#[tokio::test]
async fn every_word_of_the_phone_for_waiting_is_understood() {
    let hub = hub().await;
    let mut phone = hub.pair().await;
    let mut line = phone.connect().await;
    for (word, means) in [
        ("no_sim", WaitingFor::NoService),
        ("sim_held", WaitingFor::NoService),
        ("sent_results", WaitingFor::Queue),
        ("silent_radio", WaitingFor::Radio),
        ("paused", WaitingFor::Paused),
        ("quiet_hours", WaitingFor::QuietHours),
        ("send_limit", WaitingFor::SendLimit),
        ("platform_guard", WaitingFor::SendLimit),
        ("send_delay", WaitingFor::Queue),
        ("not_permitted", WaitingFor::NoPermission),
    ] {
        let mut sim = sim(0, "first");
        (sim.waiting_for, sim.next_slot_in_ms) = (Some(word.to_owned()), Some(60_000));
        line.health(vec![sim]).await;
        line.settle().await;
        let row = hub.phone(&phone).await;
        assert_eq!(row.waiting_for, Some(means), "{word}");
        assert!(row.next_slot_time.is_some());
        let is_silent = word == "silent_radio";
        assert_eq!(
            hub.alerts().await.contains(&"look_at_phone"),
            is_silent,
            "{word}"
        );
    }
}

#[tokio::test]
async fn what_a_phone_says_of_itself_is_kept_within_lengths() {
    let hub = hub().await;
    let mut phone = hub.pair().await;
    let mut line = phone.connect().await;
    let long = "x".repeat(10_000);
    let mut sim = sim(0, "first");
    sim.carrier = Some(long.clone());
    sim.mccmnc = Some(long.clone());
    sim.queue = Some(7);
    sim.kinds = vec![KindQueue {
        kind: Kind::Ussd,
        queue: 2,
        next_slot_in_ms: Some(60_000),
        waiting_for: Some("ussd_answer".to_owned()),
    }];
    line.health_with(|health| {
        health.network = Some("wifi".to_owned());
        health.model = Some(long);
        health.battery = Some(200);
        health.signal = Some(200);
        health.forwarding = Some(true);
        health.sims = vec![sim];
    })
    .await;
    line.settle().await;
    let row = hub.phone(&phone).await;
    let length = |text: &Option<String>| text.as_ref().map(String::len);
    assert_eq!(
        (length(&row.carrier), length(&row.model)),
        (Some(100), Some(100))
    );
    assert_eq!(
        (row.mccmnc, row.internet_type.as_deref()),
        (None, Some("wifi"))
    );
    assert_eq!((row.battery, row.signal), (Some(100), Some(4)));
    assert_eq!((row.queue, row.forwarding), (Some(7), Some(true)));
    let [kind] = row.kinds[..] else {
        panic!("{:?}", row.kinds);
    };
    assert_eq!((kind.kind, kind.queue), (MessageType::Ussd, 2));
    assert_eq!(kind.waiting_for, Some(WaitingFor::Queue));
    assert!(kind.next_slot_time.is_some());
}

#[tokio::test]
async fn a_slot_that_is_used_later_is_one_phone_in_the_country_of_its_network() {
    let hub = hub().await;
    let mut phone = hub.pair().await;
    let mut line = phone.connect().await;
    let mut second = sim(1, "second");
    second.mccmnc = Some("63902".to_owned());
    let nowhere = sim(2, "third");
    line.health(vec![sim(0, "first"), second.clone(), second, nowhere])
        .await;
    line.settle().await;
    let id = phone.device;
    let phones = hub.write(move |tx| phones::of_device(tx, id)).await;
    let countries: Vec<_> = phones.iter().map(|one| one.country.as_deref()).collect();
    assert_eq!(
        countries[1..],
        [Some("KE"), Some("US")],
        "its network's, the project's"
    );
}

#[tokio::test]
async fn forwarding_that_is_off_raises_an_alert_where_a_program_waits() {
    let hub = hub().await;
    let mut phone = hub.pair().await;
    let mut line = phone.connect().await;
    let raised = async || hub.alerts().await.contains(&"forwarding_off");
    line.health_with(|health| health.forwarding = Some(false))
        .await;
    line.settle().await;
    assert!(!raised().await, "nobody waits");
    let mut project = hub.project.clone();
    project.incoming_url = Some("http://127.0.0.1:1/in".to_owned());
    hub.write(move |tx| projects::update(tx, &project)).await;
    hub.hub.rows_changed();
    let waiting = async {
        while !raised().await {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(PATIENCE, waiting)
        .await
        .expect("the link hears that a program waits");
    line.health_with(|health| health.forwarding = Some(true))
        .await;
    line.settle().await;
    assert!(!raised().await, "it forwards");
}

/// Counts the messages that came in.
pub(crate) async fn incoming(hub: &super::support::TestHub) -> u64 {
    let id = hub.project.id;
    let query = ListQuery::default();
    hub.write(move |tx| messages::count(tx, id, &query)).await
}
