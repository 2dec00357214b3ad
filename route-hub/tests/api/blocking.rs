//! Blocking a contact cancels its queued messages.

use crate::support::{Client, TO, TestHub, hub, id};
use hub_app::contacts::blocking;
use serde_json::{Value, json};

/// Another recipient, who is not blocked.
const OTHER: &str = "+15005550102";

async fn queued(client: &Client, to: &str, count: usize) -> Vec<Value> {
    let mut sent = Vec::new();
    for n in 0..count {
        let body = json!({ "to_number": to, "content": n.to_string() });
        sent.push(client.post("messages/send", body).await);
    }
    sent
}

async fn status(client: &Client, message: &Value) -> Value {
    client.get(&format!("messages/{}", id(message))).await["status"].clone()
}

async fn count(client: &Client, status: &str) -> Value {
    let path = format!("messages?count=1&status={status}");
    client.get(&path).await["count"].clone()
}

fn contact(message: &Value) -> String {
    message["contact_id"]
        .as_str()
        .expect("a contact")
        .to_owned()
}

/// Blocks a contact in every possible way.
async fn block(client: &Client, contact: &str, way: &str) {
    let (path, body) = match way {
        "update" => (
            format!("contacts/{contact}"),
            json!({ "send_blocked": true }),
        ),
        "create" => (
            "contacts".to_owned(),
            json!({ "phone_number": TO, "send_blocked": true }),
        ),
        _ => (
            "import_contacts".to_owned(),
            json!({ "contacts": [
                { "phone_number": "+15005550109", "send_blocked": true },
                { "phone_number": TO, "send_blocked": true },
            ] }),
        ),
    };
    client.post(&path, body).await;
}

#[tokio::test]
async fn what_is_queued_for_a_contact_is_cancelled_however_it_becomes_blocked() {
    for way in ["update", "create", "import"] {
        let test = hub().await;
        let client = test.client();
        let own = queued(&client, TO, 3).await;
        let others = queued(&client, OTHER, 1).await;
        block(&client, &contact(&own[0]), way).await;
        for message in &own {
            assert_eq!(status(&client, message).await, "cancelled", "{way}");
        }
        assert_eq!(status(&client, &others[0]).await, "queued", "{way}");
    }
}

#[tokio::test]
async fn a_change_that_does_not_block_cancels_nothing() {
    let test = hub().await;
    let client = test.client();
    let own = queued(&client, TO, 1).await;
    let path = format!("contacts/{}", contact(&own[0]));
    for body in [json!({ "send_blocked": false }), json!({ "name": "Ann" })] {
        client.post(&path, body).await;
    }
    assert_eq!(status(&client, &own[0]).await, "queued");
}

/// A hub with a contact that was just blocked while 250 of its messages waited.
async fn long_queue() -> (TestHub, String) {
    let test = hub().await;
    let client = test.client();
    let own = queued(&client, TO, 250).await;
    let contact = contact(&own[0]);
    block(&client, &contact, "update").await;
    assert_eq!(count(&client, "cancelled").await, 100, "at once");
    assert_eq!(
        status(&client, &own[249]).await,
        "cancelled",
        "newest first"
    );
    (test, contact)
}

#[tokio::test]
async fn a_long_queue_is_cancelled_in_steps() {
    let (test, _) = long_queue().await;
    let client = test.client();
    for cancelled in [200, 250] {
        assert_eq!(
            blocking::round(&test.hub, test.hub.now()).await.ok(),
            Some(1)
        );
        assert_eq!(count(&client, "cancelled").await, cancelled);
    }
    assert_eq!(
        blocking::round(&test.hub, test.hub.now()).await.ok(),
        Some(0)
    );
}

#[tokio::test]
async fn what_was_not_looked_at_yet_stays_when_the_contact_is_let_go() {
    let (test, contact) = long_queue().await;
    let client = test.client();
    let path = format!("contacts/{contact}");
    client.post(&path, json!({ "send_blocked": false })).await;
    assert_eq!(
        blocking::round(&test.hub, test.hub.now()).await.ok(),
        Some(1)
    );
    assert_eq!(
        blocking::round(&test.hub, test.hub.now()).await.ok(),
        Some(0)
    );
    assert_eq!(count(&client, "queued").await, 150);
}
