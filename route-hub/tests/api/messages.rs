//! Sending, receiving, reading and changing messages.

use crate::support::{OWN, TO, add_limited_key, hub, hub_with, id, message_id, only, reply};
use axum::body::Body;
use hub_domain::{Permission, Permissions};
use hub_store::Value as Column;
use serde_json::{Value, json};

#[tokio::test]
async fn a_sent_message_has_every_field_that_has_a_value() {
    let test = hub().await;
    let client = test.client();
    let body = json!({ "to_number": "+1 (500) 555-0101", "content": "Hello", "vars": { "a": 1 } });
    let sent = client.post("messages/send", body).await;
    let mut shown = sent.clone();
    for (name, prefix) in [("id", "SM"), ("contact_id", "CT")] {
        let id = shown[name].take();
        assert!(
            id.as_str()
                .is_some_and(|id| id.starts_with(prefix) && id.len() == 18)
        );
    }
    for name in ["time_created", "time_updated"] {
        assert!(
            shown[name]
                .take()
                .as_i64()
                .is_some_and(|time| time > 1_600_000_000)
        );
    }
    let expected = json!({
        "id": null, "direction": "outgoing", "status": "queued", "message_type": "sms",
        "source": "api", "time_created": null, "time_sent": null, "time_updated": null,
        "from_number": OWN, "to_number": TO, "content": "Hello", "starred": false,
        "simulated": false, "label_ids": [], "route_params": null, "vars": { "a": 1 },
        "priority": 1, "send_attempts": 0, "external_id": null, "num_parts": 1, "price": null,
        "price_currency": null, "track_clicks": false, "network_code": null, "service_id": null,
        "phone_id": test.phone.id, "contact_id": null, "route_id": null, "broadcast_id": null,
        "scheduled_id": null, "user_id": null, "project_id": test.project.id, "url": null,
        "waiting_for": "phone_offline", "next_slot_time": null,
    });
    assert_eq!(shown, expected);
    assert_eq!(client.get(&format!("messages/{}", id(&sent))).await, sent);
}

#[tokio::test]
async fn one_number_is_one_contact_with_its_counters() {
    let test = hub().await;
    let client = test.client();
    let first = client.send("one").await;
    let contact = first["contact_id"].as_str().unwrap().to_owned();
    let body = json!({ "contact_id": contact, "content": "two" });
    let second = client.post("messages/send", body).await;
    assert_eq!(second["to_number"], TO);
    let body = json!({ "contact_id": contact, "to_number": "+15005550133", "content": "x" });
    client
        .call("POST", "messages/send", Some(body))
        .await
        .invalid("contact_id");
    let body = json!({ "from_number": TO, "content": "in", "phone_id": test.phone.id });
    let incoming = client.post("messages/receive", body).await;
    assert_eq!(incoming["contact_id"], contact.as_str());
    let shown = client.get(&format!("contacts/{contact}")).await;
    assert_eq!(shown["phone_number"], TO);
    assert_eq!(shown["message_count"], 3);
    assert_eq!(shown["incoming_message_count"], 1);
    assert_eq!(shown["outgoing_message_count"], 2);
    assert_eq!(shown["last_message_id"], incoming["id"]);
    assert_eq!(shown["conversation_status"], "active");
    let listed = client.ids(&format!("contacts/{contact}/messages")).await;
    assert_eq!(listed, [id(&first), id(&second), id(&incoming)]);
}

#[tokio::test]
async fn forms_and_the_old_names_work_too() {
    let test = hub().await;
    let other = crate::support::add_phone(
        &test.hub,
        test.project.id,
        hub_domain::PhoneType::Android,
        "+15005550102",
    )
    .await;
    let body = format!(
        "to_number=%2B15005550101&content=x+y&phone_id={}&vars[a]=1",
        other.id
    );
    let request = http::Request::post(format!(
        "/v1/projects/{}/messages/outgoing?api_key={}",
        test.project.id, test.key
    ))
    .header("content-type", "application/x-www-form-urlencoded")
    .body(Body::from(body))
    .unwrap();
    let sent = reply(&test.router, request).await.ok();
    assert_eq!(sent["phone_id"], other.id.to_string());
    assert_eq!(sent["content"], "x y");
    assert_eq!(sent["vars"], json!({ "a": "1" }));
}

#[tokio::test]
async fn wrong_parameters_are_named() {
    let test = hub().await;
    let client = test.client();
    for (wrong, param) in [
        (json!({ "content": null }), "content"),
        (json!({ "content": "" }), "content"),
        (json!({ "content": 5 }), "content"),
        (json!({ "content": "x".repeat(5_000) }), "content"),
        (json!({ "to_number": null }), "to_number"),
        (json!({ "to_number": "no number" }), "to_number"),
        (json!({ "to_number": 15_005_550_101_i64 }), "to_number"),
        (json!({ "message_type": "pigeon" }), "message_type"),
        (json!({ "message_type": "chat" }), "message_type"),
        (json!({ "priority": 3 }), "priority"),
        (json!({ "vars": { "a b": 1 } }), "vars[a b]"),
        (json!({ "vars": "x" }), "vars"),
        (json!({ "route_id": "PN0000000000000001" }), "route_id"),
        (json!({ "status_url": "ftp://a.example/" }), "status_url"),
        (json!({ "ttl_sec": 0 }), "ttl_sec"),
        (json!({ "on_unknown": "fail" }), "on_unknown"),
        (json!({ "simulated": "maybe" }), "simulated"),
        (
            json!({ "media_urls": ["ftp://a.example/x.png"] }),
            "media_urls[0]",
        ),
        (
            json!({ "media": [{ "file_id": "FI1" }] }),
            "media[0][file_id]",
        ),
        (json!({ "replace_variables": "x" }), "replace_variables"),
        (json!({ "label_ids": ["LB1"] }), "label_ids[0]"),
        (json!({ "broadcast_title": "x" }), "broadcast_title"),
    ] {
        let mut body = json!({ "to_number": TO, "content": "x" });
        for (name, value) in wrong.as_object().unwrap() {
            body[name] = value.clone();
        }
        let refused = client.call("POST", "messages/send", Some(body)).await;
        refused.invalid(param);
    }
    let nobody = json!({ "contact_id": "CT0000000000000001", "content": "x" });
    let refused = client.call("POST", "messages/send", Some(nobody)).await;
    refused.invalid("contact_id");
    assert_eq!(client.get("messages?count=1").await, json!({ "count": 0 }));
}

#[tokio::test]
async fn send_multi_takes_all_or_none_and_answers_in_order() {
    let test = hub().await;
    let client = test.client();
    let wrong = json!({ "messages": [{ "to_number": TO, "content": "x" }, { "to_number": TO }] });
    let refused = client.call("POST", "send_multi", Some(wrong)).await;
    refused.invalid("messages[1][content]");
    for wrong in [
        json!([]),
        json!("x"),
        json!(["x"]),
        json!(vec![json!({}); 101]),
    ] {
        let body = Some(json!({ "messages": wrong }));
        let (_, param) = client.call("POST", "send_multi", body).await.refused(400);
        assert!(param.is_some_and(|param| param.starts_with("messages")));
    }
    for name in ["route_id", "simulated", "ttl_sec", "media", "label_ids"] {
        let item = json!({ "to_number": TO, "content": "x", name: ["x"] });
        let body = Some(json!({ "messages": [item] }));
        let refused = client.call("POST", "send_multi", body).await;
        refused.invalid(&format!("messages[0][{name}]"));
    }
    assert_eq!(client.get("messages?count=1").await["count"], 0);

    let body = json!({
        "vars": { "who": "all", "b": 1 }, "priority": 2,
        "messages": [
            { "to_number": "+15005550111", "content": "a" },
            { "to_number": "+15005550112", "content": "b", "vars": { "who": "own" }, "priority": 1 },
        ],
    });
    let answer = client.post("send_multi", body).await;
    let items = answer["messages"].as_array().unwrap();
    assert_eq!(items.len(), 2);
    assert_eq!(items[0]["status"], "queued");
    let second = client.get(&format!("messages/{}", id(&items[1]))).await;
    assert_eq!(second["to_number"], "+15005550112");
    assert_eq!(second["vars"], json!({ "b": 1, "who": "own" }));
    assert_eq!(second["priority"], 1);
    let first = client.get(&format!("messages/{}", id(&items[0]))).await;
    assert_eq!(first["vars"], json!({ "b": 1, "who": "all" }));
    assert_eq!(first["priority"], 2);
}

#[tokio::test]
async fn messages_of_one_request_to_a_new_number_have_one_contact() {
    let test = hub().await;
    let client = test.client();
    let item = |text: &str| json!({ "to_number": "+15005550177", "content": text });
    let body = json!({ "messages": [item("a"), item("b"), item("c")] });
    let answer = client.post("send_multi", body).await;
    let first = client
        .get(&format!("messages/{}", id(&answer["messages"][0])))
        .await;
    let contact = first["contact_id"].as_str().unwrap();
    let of_contact = client
        .get(&format!("messages?contact_id={contact}&count=1"))
        .await;
    assert_eq!(of_contact["count"], 3);
    let shown = client.get(&format!("contacts/{contact}")).await;
    assert_eq!(shown["outgoing_message_count"], 3);
}

#[tokio::test]
async fn a_blocked_contact_gets_nothing() {
    let test = hub().await;
    let client = test.client();
    let sent = client.send("hello").await;
    let (project, contact) = (
        test.project.id,
        sent["contact_id"].as_str().unwrap().parse().unwrap(),
    );
    let blocking = test.hub.store.write(move |tx| {
        let mut contact = hub_store::contacts::get(tx, project, contact)?.expect("the contact");
        contact.send_blocked = true;
        hub_store::contacts::update(tx, &contact)
    });
    assert!(blocking.await.unwrap());
    let body = json!({ "to_number": TO, "content": "again" });
    client
        .call("POST", "messages/send", Some(body.clone()))
        .await
        .invalid("to_number");
    let both = json!({ "messages": [body, { "to_number": "+15005550112", "content": "b" }] });
    let answer = client.post("send_multi", both).await;
    assert_eq!(answer["messages"][0], json!({ "id": null, "status": null }));
    assert_eq!(answer["messages"][1]["status"], "queued");
}

#[tokio::test]
async fn incoming_messages_are_stored_as_received() {
    let test = hub().await;
    let client = test.client();
    let body = |wrong: Value| {
        let mut body =
            json!({ "from_number": "MyBank", "content": "in", "phone_id": test.phone.id });
        for (name, value) in wrong.as_object().unwrap() {
            body[name] = value.clone();
        }
        Some(body)
    };
    let message = client
        .call("POST", "messages/receive", body(json!({ "starred": true })))
        .await
        .ok();
    assert_eq!(message["direction"], "incoming");
    assert_eq!(message["status"], "received");
    assert_eq!(message["to_number"], OWN);
    assert_eq!(message["starred"], true);
    assert!(message.get("priority").is_none() && message.get("waiting_for").is_none());
    let call = json!({ "message_type": "call", "content": null });
    let call = client
        .call("POST", "messages/receive", body(call))
        .await
        .ok();
    assert_eq!(call["message_type"], "call");
    assert_eq!(call["content"], Value::Null);
    for (wrong, param) in [
        (json!({ "content": null }), "content"),
        (json!({ "from_number": null }), "from_number"),
        (json!({ "phone_id": null }), "phone_id"),
        (json!({ "phone_id": "PN0000000000000001" }), "phone_id"),
        (json!({ "message_type": "chat" }), "message_type"),
    ] {
        client
            .call("POST", "messages/receive", body(wrong))
            .await
            .invalid(param);
    }
}

#[tokio::test]
async fn only_what_may_change_is_changed() {
    let test = hub().await;
    let client = test.client();
    let sent = client.post(
        "messages/send",
        json!({ "to_number": TO, "content": "x", "vars": { "keep": 1, "drop": 2 } }),
    );
    let path = format!("messages/{}", id(&sent.await));
    let change =
        json!({ "starred": true, "error_message": "noted", "vars": { "drop": null, "new": "n" } });
    let changed = client.post(&path, change).await;
    assert_eq!(changed["starred"], true);
    assert_eq!(changed["error_message"], "noted");
    assert_eq!(changed["vars"], json!({ "keep": 1, "new": "n" }));
    let cleared = client.post(&path, json!({ "error_message": null })).await;
    assert!(cleared.get("error_message").is_none());
    assert_eq!(cleared["starred"], true);
    client
        .call("POST", &path, Some(json!({ "content": "y" })))
        .await
        .invalid("content");
    assert_eq!(
        client.call("POST", &path, Some(Value::Null)).await.status,
        200
    );
}

#[tokio::test]
async fn a_full_queue_is_refused_until_messages_leave() {
    let test = hub_with(|project| project.queue_cap = 2).await;
    let client = test.client();
    let first = client.send("one").await;
    client.send("two").await;
    let body = Some(json!({ "to_number": TO, "content": "three" }));
    let refused = client.call("POST", "messages/send", body).await;
    assert_eq!(refused.refused(429).0, "rate_limited");
    assert!(refused.headers.contains_key("retry-after"));
    assert_eq!(client.get("messages?count=1").await["count"], 2);
    assert_eq!(
        client.get(&format!("messages/{}", id(&first))).await["status"],
        "queued"
    );
}

#[tokio::test]
async fn a_key_has_its_rate_and_its_permissions() {
    let test = hub().await;
    let organization = test.project.organization_id;
    let limited =
        add_limited_key(&test.hub, organization, None, &Permissions::all(), Some(2)).await;
    let limited = test.client_of(&limited, test.project.id);
    assert_eq!(
        limited.call("GET", "messages", None).await.headers["ratelimit-limit"],
        "2"
    );
    limited.get("messages").await;
    let refused = limited.call("GET", "messages", None).await;
    assert_eq!(refused.refused(429).0, "rate_limited");
    assert!(refused.headers.contains_key("retry-after"));

    let viewer = only(Permission::ViewMessages);
    let viewer = crate::support::add_key(&test.hub, organization, None, &viewer).await;
    let viewer = test.client_of(&viewer, test.project.id);
    viewer.get("messages").await;
    let body = Some(json!({ "to_number": TO, "content": "x" }));
    assert_eq!(
        viewer
            .call("POST", "messages/send", body)
            .await
            .refused(401)
            .0,
        "unauthorized"
    );
    assert_eq!(
        viewer.call("GET", "phones", None).await.refused(401).0,
        "unauthorized"
    );
}

#[tokio::test]
async fn a_stopped_project_takes_nothing() {
    let test = hub_with(|project| project.stopped = true).await;
    let body = Some(json!({ "to_number": TO, "content": "x" }));
    let refused = test.client().call("POST", "messages/send", body).await;
    assert_eq!(refused.refused(402).0, "limit_exceeded");
}

#[tokio::test]
async fn what_is_sent_by_the_test_route_is_simulated() {
    let test = hub().await;
    let route = test.test_phone().await;
    let body = json!({ "to_number": TO, "content": "x", "route_id": route.id });
    let sent = test.client().post("messages/send", body).await;
    assert_eq!(sent["simulated"], true);
    assert_eq!(sent["phone_id"], route.id.to_string());
}

#[tokio::test]
async fn the_networks_time_of_an_incoming_message_is_not_shown() {
    let test = hub().await;
    let client = test.client();
    let body = json!({ "from_number": TO, "content": "in", "phone_id": test.phone.id });
    let incoming = client.post("messages/receive", body).await;
    let key = message_id(&incoming).get();
    let sql = "UPDATE messages SET time_sent = 1700000001234 WHERE id = $1";
    let telling = test
        .hub
        .store
        .write(move |tx| tx.execute(sql, &[Column::Int(key)]));
    assert_eq!(telling.await.ok(), Some(1));
    let path = format!("messages/{}", id(&incoming));
    assert_eq!(client.get(&path).await["time_sent"], Value::Null);
    let listed = client.get("messages").await;
    assert_eq!(listed["data"][0]["time_sent"], Value::Null);
}
