//! Quiet hours as programs set and see them.

use crate::support::{Client, TO, TestHub, hub, id};
use hub_app::test_routes;
use hub_store::audit;
use postrider_model::UnixMs;
use serde_json::{Value, json};

const HOUR_MS: i64 = 3_600_000;

/// Returns the time of day in UTC, this many hours from now.
fn clock(test: &TestHub, hours: i64) -> String {
    let minutes = test.hub.now().unix.plus_ms(hours * HOUR_MS).0 / 60_000;
    format!("{:02}:{:02}", minutes / 60 % 24, minutes % 60)
}

/// Quiet hours that began two hours ago and end in two.
fn now_quiet(test: &TestHub, mode: &str) -> Value {
    json!({ "quiet_mode": mode, "quiet_start": clock(test, -2), "quiet_end": clock(test, 2) })
}

async fn play(test: &TestHub) {
    while test_routes::play_once(&test.hub)
        .await
        .expect("it is played")
    {}
}

async fn shown(client: &Client, sent: &Value) -> Value {
    client.get(&format!("messages/{}", id(sent))).await
}

#[tokio::test]
async fn they_are_set_shown_and_taken_away() {
    let test = hub().await;
    let client = test.client();
    let path = format!("phones/{}", test.phone.id);
    assert_eq!(client.get(&path).await["quiet_mode"], "off");
    assert_eq!(client.get(&path).await["timezone_id"], "UTC");
    let night = json!({
        "quiet_mode": "delay", "quiet_start": "22:00", "quiet_end": "06:30",
        "timezone_id": "africa/nairobi",
    });
    let changed = client.post(&path, night).await;
    assert_eq!(client.get(&path).await, changed);
    assert_eq!(changed["quiet_mode"], "delay");
    assert_eq!(changed["quiet_start"], "22:00");
    assert_eq!(changed["quiet_end"], "06:30");
    assert_eq!(changed["timezone_id"], "Africa/Nairobi");
    for (wrong, param) in [
        (json!({ "quiet_end": "22:00" }), "quiet_end"),
        (json!({ "quiet_start": null }), "quiet_start"),
        (json!({ "quiet_start": "10 pm" }), "quiet_start"),
        (json!({ "timezone_id": "Mars/Olympus" }), "timezone_id"),
        (json!({ "quiet_mode": "loud" }), "quiet_mode"),
    ] {
        client.call("POST", &path, Some(wrong)).await.invalid(param);
    }
    assert_eq!(client.get(&path).await["quiet_start"], "22:00");
    let off =
        json!({ "quiet_mode": "off", "quiet_start": null, "quiet_end": null, "timezone_id": null });
    let off = client.post(&path, off).await;
    assert_eq!(
        (&off["quiet_start"], &off["timezone_id"]),
        (&Value::Null, &json!("UTC"))
    );
}

#[tokio::test]
async fn the_test_route_is_quiet_until_they_end_or_are_taken_away() {
    let test = hub().await;
    let client = test.client();
    let route = test.test_phone().await.id;
    let path = format!("phones/{route}");
    let quiet = now_quiet(&test, "delay");
    client.post(&path, quiet.clone()).await;
    let body = json!({ "to_number": TO, "content": "x", "route_id": route });
    let sent = client.post("messages/send", body).await;
    assert_eq!(sent["waiting_for"], "quiet_hours");
    let until = UnixMs(sent["next_slot_time"].as_i64().unwrap() * 1_000);
    let left_ms = until.0 - test.hub.now().unix.0;
    assert!((HOUR_MS..=2 * HOUR_MS).contains(&left_ms), "{left_ms}");
    play(&test).await;
    assert_eq!(shown(&client, &sent).await["waiting_for"], "quiet_hours");
    let other = test.test_phone().await.id;
    let body = json!({ "to_number": TO, "content": "x", "route_id": other });
    let awake = client.post("messages/send", body).await;
    play(&test).await;
    assert_eq!(shown(&client, &awake).await["status"], "sent");
    let release = format!("{path}/release_quiet_hours");
    let refused = client.call("POST", &release, None).await;
    refused.invalid("quiet_mode");
    client.post(&path, json!({ "quiet_mode": "off" })).await;
    play(&test).await;
    assert_eq!(shown(&client, &sent).await["status"], "sent");
}

#[tokio::test]
async fn what_waits_for_a_persons_word_goes_when_it_is_given() {
    let test = hub().await;
    let client = test.client();
    let route = test.test_phone().await.id;
    let path = format!("phones/{route}");
    client.post(&path, now_quiet(&test, "confirm")).await;
    let body = json!({ "to_number": TO, "content": "x", "route_id": route });
    let held = client.post("messages/send", body.clone()).await;
    play(&test).await;
    assert_eq!(shown(&client, &held).await["waiting_for"], "quiet_hours");
    let release = format!("{path}/release_quiet_hours");
    for _ in 0..2 {
        assert_eq!(client.call("POST", &release, None).await.ok(), json!({}));
    }
    play(&test).await;
    assert_eq!(shown(&client, &held).await["status"], "sent");
    let later = client.post("messages/send", body.clone()).await;
    assert_eq!(later["waiting_for"], "queue");
    let organization = test.project.organization_id;
    let audited = test
        .hub
        .store
        .read(move |tx| audit::latest(tx, organization, 9));
    let audited = audited.await.unwrap();
    let actions: Vec<_> = audited.iter().map(|entry| entry.action.as_str()).collect();
    assert_eq!(actions, ["phone.release_quiet_hours"]);
    // An old release does not hold for new hours.
    for hours in [
        json!({ "quiet_start": clock(&test, -3) }),
        json!({ "quiet_end": clock(&test, 3) }),
        json!({ "quiet_mode": "confirm" }),
        json!({ "timezone_id": "UTC" }),
    ] {
        client.call("POST", &release, None).await.ok();
        client.post(&path, hours).await;
        let again = client.post("messages/send", body.clone()).await;
        assert_eq!(again["waiting_for"], "quiet_hours");
    }
}

#[tokio::test]
async fn a_phone_that_is_away_is_named_before_its_quiet_hours() {
    let test = hub().await;
    let client = test.client();
    let path = format!("phones/{}", test.phone.id);
    client.post(&path, now_quiet(&test, "delay")).await;
    let sent = client.send("x").await;
    assert_eq!(sent["waiting_for"], "phone_offline");
    assert_eq!(sent["next_slot_time"], Value::Null);
}
