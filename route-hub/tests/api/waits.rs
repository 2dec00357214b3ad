//! How often a send waits for a database server, counted and not timed: each wait is a round trip.

use crate::support::{Client, TO, TestHub, hub_on_server};
use hub_store::ClusterLoad;
use serde_json::{Value, json};

/// What each group waits for besides: its gates, and its COMMIT.
const OF_A_GROUP: u64 = 2;

/// Sends until what a hub keeps in memory is there: its reader fills that beside the sends.
const TRIES: usize = 100;

#[tokio::test]
async fn a_send_to_a_known_number_waits_once() {
    let send = json!({ "to_number": TO, "content": "Hello" });
    come_to(1, "messages/send", None, send).await;
}

#[tokio::test]
async fn a_send_with_a_key_waits_twice() {
    let send = json!({ "to_number": TO, "content": "Hello" });
    come_to(2, "messages/send", Some("key"), send).await;
}

#[tokio::test]
async fn a_hundred_messages_wait_six_times_at_most() {
    let numbers = (100..200).map(|n| format!("+15005550{n}"));
    let messages = numbers.map(|to| json!({ "to_number": to, "content": "Hello" }));
    let send = json!({ "messages": messages.collect::<Vec<_>>() });
    come_to(6, "send_multi", None, send).await;
}

/// Sends until that waits no more often than this.
async fn come_to(most: u64, path: &str, key: Option<&str>, body: Value) {
    let Some((_database, test)) = hub_on_server().await else {
        return;
    };
    let hub = test.hub.clone();
    let filling = tokio::spawn(async move { hub.cache.fill(&hub.store).await });
    let client = test.client();
    let mut waited = Vec::new();
    for turn in 0..TRIES {
        let key = key.map(|key| format!("{key} {turn}"));
        let (waits, groups) = counted(&test, &client, path, key.as_deref(), &body).await;
        if groups == 1 && waits <= most + OF_A_GROUP {
            filling.abort();
            return;
        }
        waited.push((waits, groups));
    }
    panic!("{path} waits {most} times at most; waits and groups were {waited:?}");
}

/// Sends, and returns how often that waited, and in how many groups.
async fn counted(
    test: &TestHub,
    client: &Client,
    path: &str,
    key: Option<&str>,
    body: &Value,
) -> (u64, u64) {
    let so_far = || {
        let ClusterLoad { waits, .. } = test.hub.store.cluster_load().expect("a server");
        (waits, test.hub.store.load().commits)
    };
    let before = so_far();
    let headers = key.map(|key| ("idempotency-key", key));
    let headers: Vec<_> = headers.into_iter().collect();
    let sent = client.call_with("POST", path, Some(body.clone()), &headers);
    sent.await.ok();
    let after = so_far();
    (after.0 - before.0, after.1 - before.1)
}
