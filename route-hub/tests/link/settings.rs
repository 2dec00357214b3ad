//! Settings as programs make them and phones hear of them.

use super::support::{Line, Phone, TestHub, hub, sim};
use hub_store::phones;
use postrider_link::frame::Config;
use postrider_link::ownership::hub::HubState;
use postrider_model::WireState;
use serde_json::{Value, json};

const HOUR_MS: i64 = 3_600_000;
const DAY_MS: i64 = 24 * HOUR_MS;

/// Returns what a clock in UTC shows so many hours from now.
pub(super) fn clock(hub: &TestHub, hours: i64) -> String {
    let minutes = hub.hub.now().unix.plus_ms(hours * HOUR_MS).0 / 60_000;
    format!("{:02}:{:02}", minutes / 60 % 24, minutes % 60)
}

/// Connects a phone with two SIMs and returns both as Phones.
async fn two_sims(hub: &TestHub, phone: &mut Phone) -> (Line, [hub_domain::Phone; 2]) {
    let mut line = phone.connect().await;
    line.config().await;
    line.health(vec![sim(0, "first"), sim(1, "second")]).await;
    line.config().await;
    line.settle().await;
    let device = phone.device;
    let on = hub.write(move |tx| phones::of_device(tx, device)).await;
    (line, on.try_into().expect("two phones"))
}

fn of_sim(config: &Config) -> u8 {
    config.sim.expect("a slot").get()
}

#[tokio::test]
async fn a_phone_without_delivery_reports_is_asked_for_none() {
    let hub = hub().await;
    let mut phone = hub.pair().await;
    let mut line = phone.connect().await;
    line.settle().await;
    let rest = hub.rest().await;
    let device = phone.device;
    let of_device = hub.write(move |tx| phones::of_device(tx, device)).await;
    let path = format!("phones/{}", of_device[0].id);
    for wanted in [true, false, true] {
        let body = json!({ "delivery_reports": wanted });
        let shown = rest.post(&path, body).await;
        assert_eq!(shown["delivery_reports"], wanted);
        let body = json!({ "to_number": super::support::TO, "content": "x" });
        rest.post("messages/send", body).await;
        assert_eq!(line.send().await.report, wanted);
    }
}

#[tokio::test]
async fn two_sims_are_two_phones_with_settings_limits_and_queues_of_their_own() {
    let hub = hub().await;
    let mut phone = hub.pair().await;
    let (mut line, [first, second]) = two_sims(&hub, &mut phone).await;
    let rest = hub.rest().await;

    let change = json!({ "send_delay": 5, "send_limit_max": 30 });
    rest.post(&format!("phones/{}", second.id), change).await;
    let config = line.config().await;
    assert_eq!((of_sim(&config), config.send_delay_ms), (1, 5_000));
    assert_eq!((config.send_limit_max, config.pause), (Some(30), false));
    let path = format!("phones/{}", first.id);
    assert_eq!(rest.get(&path).await["send_delay"], 0);

    rest.post(&path, json!({ "send_paused": true })).await;
    let config = line.config().await;
    assert_eq!((of_sim(&config), config.pause), (0, true));
    let send = async |route: &hub_domain::Phone| {
        let body = json!({ "to_number": super::support::TO, "content": "x", "route_id": route.id });
        rest.post("messages/send", body).await
    };
    let held = send(&first).await;
    assert_eq!(held["waiting_for"], "paused");
    let sent = send(&second).await;
    let frame = line.send().await;
    assert_eq!((json!(frame.id), frame.sim.get()), (sent["id"].clone(), 1));

    let limit = json!({ "sent_message_limit": 1 });
    rest.post(&format!("phones/{}", second.id), limit).await;
    line.event(&frame, WireState::Sent).await;
    assert!(line.pause().await, "its limit is reached");
    let shown = rest.get(&format!("phones/{}", second.id)).await;
    assert_eq!(
        (&shown["sent_message_count"], &shown["send_paused"]),
        (&json!(1), &json!(true))
    );
    assert_eq!(rest.get(&path).await["sent_message_count"], 0);
}

#[tokio::test]
async fn a_phone_hears_of_its_whole_limit_and_how_long_to_wait() {
    let hub = hub().await;
    let mut phone = hub.pair().await;
    let (mut line, [_, second]) = two_sims(&hub, &mut phone).await;
    let rest = hub.rest().await;
    let path = format!("phones/{}", second.id);
    let change = json!({
        "device_send_limit_max": 50, "silent_after": 60, "unknown_after": 300, "report_window": 7_200,
    });
    let shown = rest.post(&path, change.clone()).await;
    for (name, value) in change.as_object().expect("an object") {
        assert_eq!(&shown[name], value);
    }
    let told = |config: Config| {
        let waits = (config.silent_after_ms, config.unknown_after_ms);
        (config.device_send_limit_max, waits, config.report_window_ms)
    };
    let config = line.config().await;
    assert_eq!(of_sim(&config), 1);
    let waits = (Some(60_000), Some(300_000));
    assert_eq!(told(config), (Some(50), waits, Some(7_200_000)));
    let taken = change.as_object().expect("an object").keys();
    let none: Value = taken.map(|name| (name.clone(), Value::Null)).collect();
    rest.post(&path, none).await;
    assert_eq!(told(line.config().await), (None, (None, None), None));
}

#[tokio::test]
async fn parts_are_counted_with_the_shift_tables_that_a_phone_has() {
    let hub = hub().await;
    let mut phone = hub.pair().await;
    let mut line = phone.connect().await;
    line.config().await;
    let rest = hub.rest().await;
    let path = format!("phones/{}", phone.row.id);
    // Two parts in UCS-2, one with Turkish tables.
    let text = "ş".repeat(100);
    for (tables, kept, parts) in [
        (json!([3, 1, 1]), vec![1, 3], 1),
        (json!([3]), vec![3], 2),
        (Value::Null, vec![], 2),
    ] {
        let shown = rest.post(&path, json!({ "shift_tables": tables })).await;
        assert_eq!(shown["shift_tables"], json!(kept));
        assert_eq!(line.config().await.shift_tables, kept);
        let body = json!({ "to_number": super::support::TO, "content": text });
        let message = rest.post("messages/send", body).await;
        assert_eq!(message["num_parts"], parts);
    }
}

#[tokio::test]
async fn another_sim_in_one_slot_pauses_that_phone_alone() {
    let hub = hub().await;
    let mut phone = hub.pair().await;
    let (mut line, [first, second]) = two_sims(&hub, &mut phone).await;
    line.health(vec![sim(0, "first"), sim(1, "third")]).await;
    let config = line.config().await;
    assert_eq!((of_sim(&config), config.pause), (1, true));
    let rest = hub.rest().await;
    let send = async |route: &hub_domain::Phone| {
        let body = json!({ "to_number": super::support::TO, "content": "x", "route_id": route.id });
        rest.post("messages/send", body).await
    };
    let held = send(&second).await;
    assert_eq!(
        (&held["waiting_for"], &held["next_slot_time"]),
        (&json!("sim_changed"), &Value::Null)
    );
    send(&first).await;
    assert_eq!(line.send().await.sim.get(), 0);
}

#[tokio::test]
async fn quiet_hours_travel_as_moments_and_are_told_once() {
    let hub = hub().await;
    let mut phone = hub.pair().await;
    let mut line = phone.connect().await;
    assert!(line.config().await.quiet.is_empty());
    let rest = hub.rest().await;
    let path = format!("phones/{}", phone.row.id);
    let quiet = json!({
        "quiet_mode": "confirm", "quiet_start": clock(&hub, -2), "quiet_end": clock(&hub, 2),
    });
    rest.post(&path, quiet).await;
    let told = line.config().await.quiet;
    let now = hub.hub.now().unix.0;
    let (from, to) = told[0];
    assert!(from < now && now < to && to - from == 4 * HOUR_MS);
    assert_eq!(told[1], (from + DAY_MS, to + DAY_MS));
    assert!(told.len() >= 20);

    // What the phone is given waits there, and the hub says why before the phone does.
    let id = hub.queue(&phone, "shh").await;
    line.send().await;
    let shown = rest.get(&format!("messages/{id}")).await;
    assert_eq!(shown["waiting_for"], "quiet_hours");
    assert_eq!(shown["next_slot_time"], to / 1_000);

    rest.post(&path, json!({ "name": "Renamed" })).await;
    rest.post(&format!("{path}/release_quiet_hours"), json!({}))
        .await;
    let released = line.config().await.quiet;
    assert_eq!(released, told[1..], "no config came for the name");
    let shown = rest.get(&format!("messages/{id}")).await;
    assert_eq!(shown["waiting_for"], "queue");
    assert_eq!(hub.state(id).await, HubState::Exposed);

    rest.post(&path, json!({ "quiet_mode": "off" })).await;
    assert!(line.config().await.quiet.is_empty());
}

#[tokio::test]
async fn what_waits_on_a_phone_says_why_and_until_when() {
    let hub = hub().await;
    let mut phone = hub.pair().await;
    let mut line = phone.connect().await;
    let rest = hub.rest().await;
    let id = hub.queue(&phone, "wait").await;
    let frame = line.send().await;
    line.event(&frame, WireState::OnPhone).await;
    for (word, shown, has_slot) in [
        ("send_limit", "send_limit", true),
        ("platform_guard", "send_limit", true),
        ("send_delay", "queue", true),
        ("sim_held", "no_service", true),
        ("silent_radio", "radio", true),
        ("paused", "paused", false),
        ("sim_changed", "sim_changed", false),
        ("ussd_answer", "queue", true),
        ("line_busy", "queue", true),
        ("a word of a later phone", "queue", false),
    ] {
        let mut sim = sim(0, "first");
        (sim.waiting_for, sim.next_slot_in_ms) = (Some(word.to_owned()), Some(60_000));
        line.health(vec![sim]).await;
        line.settle().await;
        let message = rest.get(&format!("messages/{id}")).await;
        assert_eq!(message["waiting_for"], shown, "{word}");
        assert_eq!(message["next_slot_time"].is_i64(), has_slot, "{word}");
    }
    line.event(&frame, WireState::Retrying).await;
    line.settle().await;
    let message = rest.get(&format!("messages/{id}")).await;
    assert_eq!(
        (&message["status"], &message["waiting_for"]),
        (&json!("failed_queued"), &json!("retry"))
    );
    phone.cut(line);
    hub.until_connected(0).await;
    let message = rest.get(&format!("messages/{id}")).await;
    assert_eq!(message["waiting_for"], "retry");
}
