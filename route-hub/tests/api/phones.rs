//! Phones: list, get, update, the counter.

use crate::support::{TO, hub, id, ids_of, message_id};
use hub_app::hub::Hub;
use hub_app::test_routes;
use hub_domain::{KindQueue, MessageType, WaitingFor};
use hub_store::phones;
use postrider_model::{Now, UnixMs};
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
async fn what_a_phone_tells_of_itself_is_shown() {
    let test = hub().await;
    let client = test.client();
    let path = format!("phones/{}", test.phone.id);
    let shown = client.get(&path).await;
    for name in ["carrier", "signal", "forwarding", "queue"] {
        assert_eq!(shown[name], Value::Null, "{name} before it told");
    }
    assert_eq!(shown["kinds"], json!([]));
    let id = test.phone.id;
    let telling = test.hub.store.write(move |tx| {
        let mut phone = phones::by_key(tx, id)?.expect("the phone");
        phone.carrier = Some("Example Mobile".to_owned());
        phone.signal = Some(3);
        phone.forwarding = Some(false);
        phone.queue = Some(7);
        phone.kinds = vec![KindQueue {
            kind: MessageType::Ussd,
            queue: 2,
            waiting_for: Some(WaitingFor::Queue),
            next_slot_time: Some(UnixMs(1_700_000_000_000)),
        }];
        phones::update(tx, &phone)
    });
    telling.await.unwrap();
    let shown = client.get(&path).await;
    for (name, value) in [
        ("carrier", json!("Example Mobile")),
        ("signal", json!(3)),
        ("forwarding", json!(false)),
        ("queue", json!(7)),
    ] {
        assert_eq!(shown[name], value, "{name}");
    }
    let kinds = json!([{
        "kind": "ussd", "queue": 2, "waiting_for": "queue", "next_slot_time": 1_700_000_000,
    }]);
    assert_eq!(shown["kinds"], kinds);
}

#[tokio::test]
async fn a_phones_country_is_changed_and_taken_away() {
    let test = hub().await;
    let client = test.client();
    let path = format!("phones/{}", test.phone.id);
    assert_eq!(client.get(&path).await["country"], Value::Null);
    let change = json!({ "country": "ke", "phone_number": "0712 123456" });
    let changed = client.post(&path, change).await;
    assert_eq!(changed["country"], "KE");
    assert_eq!(changed["phone_number"], "+254712123456", "read in it");
    for wrong in [json!("XX"), json!("KEN"), json!(5)] {
        let body = json!({ "country": wrong });
        client
            .call("POST", &path, Some(body))
            .await
            .invalid("country");
    }
    assert_eq!(client.get(&path).await["country"], "KE");
    let changed = client.post(&path, json!({ "country": null })).await;
    assert_eq!(changed["country"], Value::Null);
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
    let play = async || while test_routes::play_once(&test.hub).await.unwrap() {};
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

#[tokio::test]
async fn a_test_route_keeps_its_gap_between_two_messages_also_after_a_restart() {
    let test = hub().await;
    let client = test.client();
    let route = test.test_phone().await.id;
    let path = format!("phones/{route}");
    client.post(&path, json!({ "send_delay": 500 })).await;
    let mut sent = Vec::new();
    for to in [TO, "+15005550014", TO] {
        let body = json!({ "to_number": to, "content": "x", "route_id": route });
        sent.push(id(&client.post("messages/send", body).await));
    }
    let begin = test.hub.now();
    let play = async |hub: &Hub, after_ms: i64| {
        let now = Now {
            unix: begin.unix.plus_ms(after_ms),
            ..begin
        };
        loop {
            let turn = test_routes::play_at(hub, now).await.unwrap();
            if !turn.played {
                return turn.next_slot.map(|slot| slot.0 - begin.unix.0);
            }
        }
    };
    let statuses = async || {
        let mut statuses = Vec::new();
        for id in &sent {
            let shown = client.get(&format!("messages/{id}")).await;
            statuses.push(shown["status"].as_str().unwrap().to_owned());
        }
        statuses
    };
    assert_eq!(play(&test.hub, 0).await, Some(500_000));
    assert_eq!(statuses().await, ["sent", "queued", "queued"]);
    let waiting = client.get(&format!("messages/{}", sent[1])).await;
    assert_eq!(waiting["waiting_for"], "queue");
    assert!(waiting["next_slot_time"].is_u64());
    let again = test.start_again();
    assert_eq!(play(&again, 499_999).await, Some(500_000));
    assert_eq!(statuses().await, ["sent", "queued", "queued"]);
    assert_eq!(play(&again, 500_000).await, Some(1_000_000));
    assert_eq!(statuses().await, ["sent", "failed_queued", "queued"]);
    // A second try is a hand-over like the first.
    assert_eq!(play(&again, 999_999).await, Some(1_000_000));
    assert_eq!(statuses().await, ["sent", "failed_queued", "queued"]);
    assert_eq!(play(&again, 1_000_000).await, Some(1_500_000));
    assert_eq!(statuses().await, ["sent", "sent", "queued"]);
    client.post(&path, json!({ "send_delay": 200 })).await;
    assert_eq!(play(&test.hub, 1_199_999).await, Some(1_200_000));
    assert_eq!(play(&test.hub, 1_200_000).await, None);
    assert_eq!(statuses().await, ["sent", "sent", "sent"]);
}

#[tokio::test]
async fn a_test_route_goes_on_by_itself_when_its_gap_ends() {
    let test = hub().await;
    let client = test.client();
    let route = test.test_phone().await.id;
    let path = format!("phones/{route}");
    client.post(&path, json!({ "send_delay": 1 })).await;
    let body = json!({ "to_number": TO, "content": "x", "route_id": route });
    client.post("messages/send", body.clone()).await;
    let second = client.post("messages/send", body).await;
    let changed = test.hub.bus.watch_message(message_id(&second));
    let playing = tokio::spawn(test_routes::run(test.hub.clone()));
    changed.await.unwrap();
    playing.abort();
    let shown = client.get(&format!("messages/{}", id(&second))).await;
    assert_eq!(shown["status"], "sent");
}
