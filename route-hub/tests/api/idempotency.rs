//! `Idempotency-Key`.

use crate::support::{Client, Reply, TO, hub, id};
use serde_json::{Value, json};

async fn post(client: &Client, path: &str, key: &str, body: Value) -> Reply {
    let headers = [("idempotency-key", key)];
    client.call_with("POST", path, Some(body), &headers).await
}

fn body(content: &str) -> Value {
    json!({ "to_number": TO, "content": content })
}

#[tokio::test]
async fn a_repeat_gets_the_saved_answer_and_sends_nothing() {
    let test = hub().await;
    let client = test.client();
    let first = post(&client, "messages/send", "k1", body("x")).await.ok();
    let again = post(&client, "messages/send", "k1", body("x")).await.ok();
    assert_eq!(first, again);
    let unordered = json!({ "content": "x", "to_number": TO });
    assert_eq!(
        post(&client, "messages/send", "k1", unordered).await.ok(),
        first
    );
    assert_eq!(client.get("messages?count=1").await["count"], 1);
}

#[tokio::test]
async fn another_request_under_the_key_is_refused() {
    let test = hub().await;
    let client = test.client();
    let sent = post(&client, "messages/send", "k1", body("x")).await.ok();
    let other = post(&client, "messages/send", "k1", body("y")).await;
    assert_eq!(other.refused(422).0, "idempotency_mismatch");
    let resend = format!("messages/{}/resend", id(&sent));
    assert_eq!(
        post(&client, &resend, "k1", body("x")).await.refused(422).0,
        "idempotency_mismatch"
    );
}

#[tokio::test]
async fn errors_are_not_saved() {
    let test = hub().await;
    let client = test.client();
    post(&client, "messages/send", "k1", json!({ "to_number": TO }))
        .await
        .invalid("content");
    post(&client, "messages/send", "k1", body("x")).await.ok();
}

#[tokio::test]
async fn repeats_at_the_same_moment_make_one_message() {
    let test = hub().await;
    let client = test.client();
    let mut calls = tokio::task::JoinSet::new();
    for _ in 0..16 {
        let client = client.clone();
        calls.spawn(async move { post(&client, "messages/send", "k1", body("x")).await.ok() });
    }
    let answers = calls.join_all().await;
    assert!(answers.iter().all(|answer| *answer == answers[0]));
    assert_eq!(client.get("messages?count=1").await["count"], 1);
}

#[tokio::test]
async fn every_sending_post_takes_a_key() {
    let test = hub().await;
    let client = test.client();
    let many = json!({ "messages": [body("a"), body("b")] });
    let incoming = json!({ "from_number": TO, "content": "in", "phone_id": test.phone.id });
    for (path, body) in [("send_multi", many), ("messages/receive", incoming)] {
        let first = post(&client, path, path, body.clone()).await.ok();
        assert_eq!(post(&client, path, path, body).await.ok(), first);
    }
    assert_eq!(client.get("messages?count=1").await["count"], 3);
    let bad = post(&client, "messages/send", &"x".repeat(300), body("x")).await;
    bad.invalid("Idempotency-Key");
    let empty = post(&client, "messages/send", "", body("x")).await;
    empty.invalid("Idempotency-Key");
}
