//! Webhook objects, and the rows that their events write.

use crate::support::{TO, hub, id};
use hub_store::outbox;
use serde_json::json;

#[tokio::test]
async fn objects_are_made_read_changed_and_removed() {
    let test = hub().await;
    let client = test.client();
    let given =
        json!({ "url": "https://a.example/hook", "secret": "s", "events": ["send_status"] });
    let made = client.post("webhooks", given).await;
    let path = format!("webhooks/{}", id(&made));
    assert_eq!(made["events"], json!(["send_status"]));
    assert_eq!(made["project_id"], test.project.id.to_string());
    assert_eq!(client.get(&path).await, made);
    assert_eq!(client.ids("webhooks").await, [id(&made)]);
    assert_eq!(client.get("webhooks?count=1").await, json!({ "count": 1 }));
    let changed = client
        .post(&path, json!({ "events": [], "url": "http://b.example/" }))
        .await;
    assert_eq!(
        (&changed["url"], &changed["events"]),
        (&json!("http://b.example/"), &json!([]))
    );
    assert_eq!(client.call("DELETE", &path, None).await.ok(), json!({}));
    for method in ["GET", "POST", "DELETE"] {
        assert_eq!(
            client.call(method, &path, None).await.refused(404).0,
            "not_found"
        );
    }
    for (wrong, param) in [
        (json!({}), "url"),
        (json!({ "url": "ftp://a.example/" }), "url"),
        (
            json!({ "url": "https://a.example/", "secret": "x".repeat(201) }),
            "secret",
        ),
        (
            json!({ "url": "https://a.example/", "events": ["sunrise"] }),
            "events[0]",
        ),
        (
            json!({ "url": "https://a.example/", "events": "send_status" }),
            "events",
        ),
    ] {
        client
            .call("POST", "webhooks", Some(wrong))
            .await
            .invalid(param);
    }
}

#[tokio::test]
async fn a_single_send_is_not_told_as_queued_and_many_are() {
    let test = hub().await;
    let client = test.client();
    let body = json!({ "to_number": TO, "content": "x", "status_url": "https://a.example/hook" });
    let waiting = || async { test.hub.store.read(outbox::count).await.unwrap() };
    client.post("messages/send", body.clone()).await;
    assert_eq!(waiting().await, 0);
    client
        .post("send_multi", json!({ "messages": [body.clone(), body] }))
        .await;
    assert_eq!(waiting().await, 2);
}
