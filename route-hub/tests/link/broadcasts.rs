//! Broadcasts that are cancelled while phones send.

use super::support::{Phone, TestHub, hub};
use hub_app::broadcasts::{self, Turns};
use postrider_link::frame::HubFrame;
use postrider_model::WireState;
use serde_json::{Value, json};

/// Sends a broadcast to so many numbers by a phone, and makes all its messages; returns its path.
async fn broadcast(hub: &TestHub, phone: &Phone, count: usize) -> String {
    let numbers: Vec<_> = (0..count)
        .map(|n| format!("+1500555{:04}", 1_000 + n))
        .collect();
    let body = json!({ "to_numbers": numbers, "content": "x", "route_id": phone.row.id });
    let made = hub.rest().await.post("send_broadcast", body).await;
    let mut turns = Turns::default();
    loop {
        let round = broadcasts::round(&hub.hub, &mut turns, hub.hub.now());
        if round.await.expect("a round") == 0 {
            return format!("broadcasts/{}", made["id"].as_str().expect("an id"));
        }
    }
}

async fn cancel(hub: &TestHub, path: &str) -> Value {
    let rest = hub.rest().await;
    rest.post(&format!("{path}/cancel"), json!({})).await
}

#[tokio::test]
async fn what_still_waits_of_a_cancelled_broadcast_goes_to_no_phone() {
    let hub = hub().await;
    let mut phone = hub.pair().await;
    let path = broadcast(&hub, &phone, 450).await;
    let cancelled = cancel(&hub, &path).await;
    assert_eq!(cancelled["status_counts"]["queued"], 250);
    let mut line = phone.connect().await;
    assert!(line.idle().await.is_empty());
    let shown = hub.rest().await.get(&path).await;
    assert_eq!(shown["status_counts"]["sent"], 0);
    let left = shown["status_counts"]["queued"].as_i64();
    assert!(left < Some(250), "what the link came upon is cancelled");
}

#[tokio::test]
async fn a_phone_is_asked_for_what_it_holds_of_a_cancelled_broadcast() {
    let hub = hub().await;
    let mut phone = hub.pair().await;
    let path = broadcast(&hub, &phone, 2).await;
    let mut line = phone.connect().await;
    let frames = [line.send().await, line.send().await];
    let cancelled = cancel(&hub, &path).await;
    assert_eq!(cancelled["status"], "cancelled");
    assert_eq!(cancelled["status_counts"]["queued"], 2);
    for frame in &frames {
        let asked = line.asked().await;
        assert!(matches!(asked, HubFrame::Cancel(cancel) if cancel.id == frame.id));
    }
    line.event(&frames[0], WireState::Cancelled).await;
    line.event(&frames[1], WireState::Sent).await;
    line.settle().await;
    let shown = hub.rest().await.get(&path).await;
    let counts = &shown["status_counts"];
    assert_eq!(
        (&counts["cancelled"], &counts["sent"], &counts["queued"]),
        (&json!(1), &json!(1), &json!(0))
    );
}
