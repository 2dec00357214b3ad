//! Other ways than `send_broadcast` to make a broadcast, and its webhook.

use super::{OTHER, count, expand, group_of, send};
use crate::support::{TO, hub, id};
use hub_domain::WebhookEvent;
use hub_store::outbox;
use postrider_model::UnixMs;
use serde_json::{Value, json};

#[tokio::test]
async fn requests_send_as_part_of_a_broadcast() {
    let test = hub().await;
    let client = test.client();
    let blocked = json!({ "phone_number": OTHER, "send_blocked": true });
    client.post("contacts", blocked).await;
    let messages = json!([
        { "to_number": TO, "content": "one" },
        { "to_number": OTHER, "content": "two" },
    ]);
    let body = json!({
        "broadcast_title": "In parts", "content": "is not read", "messages": messages,
    });
    let first = client.post("send_multi", body).await;
    let broadcast = first["broadcast_id"]
        .as_str()
        .expect("a broadcast")
        .to_owned();
    let path = format!("broadcasts/{broadcast}");
    let shown = client.get(&path).await;
    assert_eq!(shown["title"], "In parts");
    assert_eq!(
        (&shown["content"], &shown["recipients"]),
        (&Value::Null, &json!([]))
    );
    assert_eq!(shown["status"], "sending");
    let counted = |shown: &Value| {
        let numbers = ["message_count", "estimated_count"].map(|name| shown[name].as_i64());
        numbers.map(Option::unwrap)
    };
    assert_eq!(counted(&shown), [1, 2]);
    let body = json!({
        "broadcast_id": broadcast, "broadcast_title": "passed over",
        "messages": [{ "to_number": "+15005550133", "content": "three" }],
    });
    let second = client.post("send_multi", body).await;
    assert_eq!(second["broadcast_id"], broadcast.as_str());
    assert_eq!(counted(&client.get(&path).await), [2, 3]);
    assert_eq!(
        client.ids("broadcasts").await,
        std::slice::from_ref(&broadcast)
    );
    let of_it = count(&client, &format!("broadcast_id={broadcast}")).await;
    assert_eq!(of_it, 2);
    let alone = client
        .post(
            "send_multi",
            json!({ "messages": [{ "to_number": TO, "content": "x" }] }),
        )
        .await;
    assert_eq!(alone.get("broadcast_id"), None);
    for (wrong, param) in [
        (
            json!({ "broadcast_id": "BC0000000000000001" }),
            "broadcast_id",
        ),
        (json!({ "broadcast_id": "x" }), "broadcast_id"),
        (
            json!({ "broadcast_title": "x".repeat(256) }),
            "broadcast_title",
        ),
    ] {
        let mut body = json!({ "messages": [{ "to_number": TO, "content": "x" }] });
        for (name, value) in wrong.as_object().unwrap() {
            body[name] = value.clone();
        }
        let refused = client.call("POST", "send_multi", Some(body)).await;
        refused.invalid(param);
    }
    let inside = json!({ "to_number": TO, "content": "x", "broadcast_id": broadcast });
    let body = json!({ "messages": [inside] });
    let refused = client.call("POST", "send_multi", Some(body)).await;
    refused.invalid("messages[0][broadcast_id]");
}

#[tokio::test]
async fn a_batch_to_a_group_is_a_broadcast() {
    let test = hub().await;
    let client = test.client();
    let group = group_of(&client, 3).await;
    let body = json!({ "group_id": group, "content": "x" });
    let answer = client.post("messages/send_batch", body).await;
    assert_eq!(answer["count_queued"], 3);
    expand(&test.hub).await;
    let filter = format!("broadcast_id={}", answer["broadcast_id"].as_str().unwrap());
    assert_eq!(count(&client, &filter).await, 3);
}

#[tokio::test]
async fn what_a_schedule_sends_to_a_group_is_a_broadcast() {
    let test = hub().await;
    let client = test.client();
    let group = group_of(&client, 3).await;
    let body = json!({ "group_id": group, "content": "x", "start_time_offset": 0 });
    let schedule = client.post("scheduled", body).await;
    let fired = hub_app::schedules::fire::all_due(&test.hub, test.hub.now());
    assert_eq!(fired.await.unwrap(), 1);
    expand(&test.hub).await;
    let made = client.get("broadcasts").await["data"][0].take();
    assert_eq!(made["source"], "scheduled");
    assert_eq!(made["scheduled_id"], schedule["id"]);
    assert_eq!(made["message_count"], 3);
    let both = format!("broadcast_id={}&scheduled_id={}", id(&made), id(&schedule));
    assert_eq!(count(&client, &both).await, 3);
}

#[tokio::test]
async fn a_broadcast_is_told_of_with_what_it_is() {
    let test = hub().await;
    let client = test.client();
    let hook = json!({ "url": "http://127.0.0.1:9/x", "events": ["send_broadcast"] });
    client.post("webhooks", hook).await;
    let made = send(&client, json!({ "to_numbers": [TO, OTHER] })).await;
    let (project, later) = (test.project.id, UnixMs(i64::MAX / 4));
    let rows = test.hub.store.read(move |tx| {
        let keys = outbox::due_keys(tx, project, "http://127.0.0.1:9", later, 100)?;
        let rows = keys.into_iter().map(|key| outbox::get(tx, key));
        rows.collect::<Result<Vec<_>, _>>()
    });
    let rows = rows.await.expect("the outbox");
    let [Some(row)] = &*rows else {
        panic!("one event")
    };
    assert_eq!(row.event, WebhookEvent::SendBroadcast);
    let encode = |text: &str| {
        text.replace('+', "%2B")
            .replace([','], "%2C")
            .replace(' ', "+")
    };
    let expected = [
        "event=send_broadcast".to_owned(),
        format!("id={}", id(&made)),
        "content=Hello".to_owned(),
        format!("recipients_str={}", encode(&format!("{TO}, {OTHER}"))),
        "recipients%5B0%5D%5Btype%5D=phone_number".to_owned(),
        format!("recipients%5B0%5D%5Bphone_number%5D={}", encode(TO)),
        "recipients%5B1%5D%5Btype%5D=phone_number".to_owned(),
        format!("recipients%5B1%5D%5Bphone_number%5D={}", encode(OTHER)),
        "estimated_count=2".to_owned(),
        "status_counts%5Bqueued%5D=0".to_owned(),
        "status=queuing".to_owned(),
        "simulated=0".to_owned(),
        format!("project_id={}", test.project.id),
    ];
    let told: Vec<_> = row.body.split('&').collect();
    for pair in &expected {
        assert!(told.contains(&pair.as_str()), "{pair} in {told:?}");
    }
    let is_nothing = |value: &Value| value.is_null() || *value == json!([]) || *value == json!({});
    for (name, value) in made.as_object().expect("an object") {
        let is_told = told
            .iter()
            .any(|pair| pair.split(['=', '%']).next() == Some(name.as_str()));
        assert_eq!(is_told, !is_nothing(value), "{name}: {value}");
    }
}

#[tokio::test]
async fn a_repeat_under_its_key_makes_no_second_broadcast() {
    let test = hub().await;
    let client = test.client();
    let headers = [("idempotency-key", "one")];
    let body = json!({ "content": "x", "to_numbers": [TO] });
    let mut answers = Vec::new();
    for _ in 0..2 {
        let answer = client.call_with("POST", "send_broadcast", Some(body.clone()), &headers);
        answers.push(answer.await.ok());
    }
    assert_eq!(answers[0], answers[1]);
    assert_eq!(client.get("broadcasts?count=1").await["count"], 1);
    let other = json!({ "content": "y", "to_numbers": [TO] });
    let refused = client.call_with("POST", "send_broadcast", Some(other), &headers);
    refused.await.refused(422);
}
