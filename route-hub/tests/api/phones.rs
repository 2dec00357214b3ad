//! Phones: list, get, update, the counter.

use crate::support::{TO, hub, id, ids_of};
use route_hub::dispatch::simulated;
use serde_json::{Value, json};

#[tokio::test]
async fn phones_are_listed_and_shown_with_what_their_kind_has() {
    let test = hub().await;
    let client = test.client();
    let route = test.test_phone().await;
    let expected: Vec<_> = ids_of(&[&test.phone, &route])
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(client.ids("phones").await, expected);
    assert_eq!(
        client
            .ids("phones?phone_number[prefix]=%2B150055501&sort=phone_number")
            .await,
        expected
    );
    assert_eq!(
        client.ids("phones?last_active_time[exists]=1").await,
        Vec::<String>::new()
    );
    assert_eq!(
        client.get("phones?count=true&name=PHONE").await,
        json!({ "count": 2 })
    );
    let android = client.get(&format!("phones/{}", test.phone.id)).await;
    assert_eq!(android["phone_type"], "android");
    assert_eq!(android["battery"], Value::Null);
    assert_eq!(android["sent_message_count"], 0);
    let simulated = client.get(&format!("phones/{}", route.id)).await;
    assert_eq!(simulated["phone_type"], "simulated");
    assert!(simulated.get("battery").is_none());
}

#[tokio::test]
async fn settings_are_changed_and_sends_go_by_them_at_once() {
    let test = hub().await;
    let client = test.client();
    let path = format!("phones/{}", test.phone.id);
    assert_eq!(client.send("before").await["waiting_for"], "phone_offline");
    let change = json!({
        "name": "Front desk", "phone_number": "+15005550177", "send_paused": true,
        "vars": { "place": "desk" }, "send_delay": 5,
    });
    let changed = client.post(&path, change).await;
    assert_eq!(changed["name"], "Front desk");
    assert_eq!(changed["vars"], json!({ "place": "desk" }));
    assert_eq!(changed["send_delay"], 5);
    let sent = client.send("after").await;
    assert_eq!(sent["waiting_for"], "paused");
    assert_eq!(sent["from_number"], "+15005550177");
    let refused = client
        .call("POST", &path, Some(json!({ "battery": 5 })))
        .await;
    refused.invalid("battery");
    let refused = client
        .call("POST", &path, Some(json!({ "external_secret": "x" })))
        .await;
    refused.invalid("external_secret");
    assert_eq!(client.get(&path).await["name"], "Front desk");
}

#[tokio::test]
async fn a_reset_lets_a_phone_go_on_that_its_limit_paused() {
    let test = hub().await;
    let client = test.client();
    let path = format!("phones/{}", test.phone.id);
    let limited = client.post(&path, json!({ "sent_message_limit": 0 })).await;
    assert_eq!(limited["send_paused"], true);
    assert_eq!(client.send("x").await["waiting_for"], "sent_message_limit");
    let raised = client.post(&path, json!({ "sent_message_limit": 5 })).await;
    assert_eq!(raised["send_paused"], false);
    let reset = client
        .call("POST", &format!("{path}/reset_sent_message_count"), None)
        .await;
    assert_eq!(reset.ok(), json!({}));
}

#[tokio::test]
async fn a_test_route_goes_by_its_pause_and_its_limit() {
    let test = hub().await;
    let client = test.client();
    let route = test.test_phone().await.id;
    let path = format!("phones/{route}");
    let play = async || while simulated::play_once(&test.hub).await.unwrap() {};
    let status = async |sent: &Value| {
        let shown = client.get(&format!("messages/{}", id(sent))).await;
        (shown["status"].clone(), shown["waiting_for"].clone())
    };
    let body = json!({ "to_number": TO, "content": "x", "route_id": route });
    let held = (json!("queued"), json!("paused"));

    client.post(&path, json!({ "send_paused": true })).await;
    let first = client.post("messages/send", body.clone()).await;
    play().await;
    assert_eq!(status(&first).await, held);
    let change = json!({ "send_paused": false, "sent_message_limit": 2 });
    client.post(&path, change).await;
    let second = client.post("messages/send", body.clone()).await;
    let third = client.post("messages/send", body).await;
    play().await;
    for sent in [&first, &second] {
        assert_eq!(status(sent).await.0, "sent");
    }
    let waits = (json!("queued"), json!("sent_message_limit"));
    assert_eq!(status(&third).await, waits);
    let shown = client.get(&path).await;
    assert_eq!(shown["sent_message_count"], 2);
    assert_eq!(shown["send_paused"], true);
    let reset = format!("{path}/reset_sent_message_count");
    client.call("POST", &reset, None).await.ok();
    play().await;
    assert_eq!(status(&third).await.0, "sent");
}
