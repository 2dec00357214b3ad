//! A broadcast's counts, replies and end.

use super::{OTHER, count, counts, expand, group_of, one_step, path, play, send};
use crate::support::{TO, hub, id};
use hub_app::test_routes;
use hub_store::Value as Column;
use serde_json::{Value, json};

#[tokio::test]
async fn counts_follow_the_messages() {
    let test = hub().await;
    let client = test.client();
    let route = test.test_phone().await.id;
    let numbers = [
        "+15005550011",
        "+15005550012",
        "+15005550013",
        "+15005550014",
        TO,
    ];
    let made = send(
        &client,
        json!({ "to_numbers": numbers, "route_id": route, "content": "x".repeat(200) }),
    )
    .await;
    let path = path(&made);
    expand(&test.hub).await;
    let shown = client.get(&path).await;
    assert_eq!(shown["status"], "sending");
    assert_eq!(shown["status_counts"], counts(&[("queued", 5)]));
    assert_eq!(
        (&shown["num_parts"], &shown["last_send_time"]),
        (&json!(0), &Value::Null)
    );
    assert!(test_routes::play_once(&test.hub).await.unwrap());
    let shown = client.get(&path).await;
    let expected = counts(&[("failed", 1), ("sent", 3), ("failed_queued", 1)]);
    assert_eq!(shown["status_counts"], expected);
    assert_eq!(shown["status"], "sending");
    assert_eq!(shown["num_parts"], 6);
    play(&test.hub).await;
    let shown = client.get(&path).await;
    let expected = counts(&[
        ("failed", 1),
        ("sent", 2),
        ("delivered", 1),
        ("not_delivered", 1),
    ]);
    assert_eq!(shown["status_counts"], expected);
    assert_eq!(shown["status"], "complete");
    assert_eq!(shown["num_parts"], 8);
    assert!(shown["last_send_time"].is_i64());
    // A deleted message stays counted.
    let failed = format!("messages?broadcast_id={}&status=failed", id(&made));
    let failed = client.ids(&failed).await;
    client
        .call("DELETE", &format!("messages/{}", failed[0]), None)
        .await
        .ok();
    assert_eq!(client.get(&path).await["status_counts"], expected);
}

#[tokio::test]
async fn a_message_that_is_sent_again_or_taken_back_is_counted_anew() {
    let test = hub().await;
    let client = test.client();
    let made = send(&client, json!({ "to_numbers": [TO, OTHER] })).await;
    expand(&test.hub).await;
    let ids = client.ids("messages").await;
    let path = path(&made);
    client
        .post(&format!("messages/{}/cancel", ids[0]), json!({}))
        .await;
    client
        .call("DELETE", &format!("messages/{}", ids[1]), None)
        .await
        .ok();
    let shown = client.get(&path).await;
    assert_eq!(shown["status_counts"], counts(&[("cancelled", 2)]));
    assert_eq!(shown["status"], "complete");
    client
        .post(&format!("messages/{}/resend", ids[0]), json!({}))
        .await;
    let shown = client.get(&path).await;
    let expected = counts(&[("cancelled", 1), ("queued", 1)]);
    assert_eq!(shown["status_counts"], expected);
    assert_eq!(shown["status"], "sending");
}

#[tokio::test]
async fn what_comes_in_answers_the_broadcast_that_went_out_last() {
    let test = hub().await;
    let client = test.client();
    let made = send(&client, json!({ "to_numbers": [TO, OTHER] })).await;
    expand(&test.hub).await;
    let path = path(&made);
    let came =
        |from: &str| json!({ "content": "yes", "from_number": from, "phone_id": test.phone.id });
    for from in [TO, TO, "+15005550155"] {
        client.post("messages/receive", came(from)).await;
    }
    let shown = client.get(&path).await;
    assert_eq!(shown["reply_count"], 2);
    assert!(shown["last_reply_time"].is_i64());
    let single = json!({ "to_number": OTHER, "content": "by the way" });
    client.post("messages/send", single).await;
    client.post("messages/receive", came(OTHER)).await;
    assert_eq!(client.get(&path).await["reply_count"], 2);
}

#[tokio::test]
async fn an_answer_counts_for_thirty_days() {
    let test = hub().await;
    let client = test.client();
    let made = send(&client, json!({ "to_numbers": [TO] })).await;
    expand(&test.hub).await;
    let came = json!({ "content": "yes", "from_number": TO, "phone_id": test.phone.id });
    for (days, replies) in [(29, 1), (2, 1)] {
        let sql = "UPDATE contacts \
            SET last_outgoing_message_time = last_outgoing_message_time - $1";
        let ago = days * 24 * 3_600_000;
        let job = test
            .hub
            .store
            .write(move |tx| tx.execute(sql, &[Column::Int(ago)]));
        job.await.expect("a contact");
        client.post("messages/receive", came.clone()).await;
        assert_eq!(client.get(&path(&made)).await["reply_count"], replies);
    }
}

#[tokio::test]
async fn a_cancelled_broadcast_makes_and_sends_nothing_more() {
    let test = hub().await;
    let client = test.client();
    let group = group_of(&client, 450).await;
    let route = test.test_phone().await.id;
    let made = send(&client, json!({ "group_id": group, "route_id": route })).await;
    let cancel = format!("{}/cancel", path(&made));
    for _ in 0..4 {
        one_step(&test.hub).await;
    }
    let cancelled = client.post(&cancel, json!({})).await;
    assert_eq!(cancelled["status"], "cancelled");
    let expected = counts(&[("cancelled", 200), ("queued", 200)]);
    assert_eq!(cancelled["status_counts"], expected);
    // Recipients that were not reached yet get nothing.
    play(&test.hub).await;
    let shown = client.get(&path(&made)).await;
    assert_eq!(shown["status_counts"], counts(&[("cancelled", 400)]));
    expand(&test.hub).await;
    assert_eq!(count(&client, "").await, 400);
    assert_eq!(client.post(&cancel, json!({})).await["status"], "cancelled");
    // A message that somebody resends is sent.
    let ids = client.ids("messages?page_size=1&sort_dir=desc").await;
    client
        .post(&format!("messages/{}/resend", ids[0]), json!({}))
        .await;
    play(&test.hub).await;
    let shown = client.get(&path(&made)).await;
    let expected = counts(&[("cancelled", 399), ("sent", 1)]);
    assert_eq!(shown["status_counts"], expected);
    assert_eq!(shown["status"], "cancelled");
    let body = json!({
        "broadcast_id": id(&made), "messages": [{ "to_number": TO, "content": "x" }],
    });
    let refused = client.call("POST", "send_multi", Some(body)).await;
    refused.invalid("broadcast_id");
}

#[tokio::test]
async fn a_broadcast_that_is_over_stays_as_it_is_when_it_is_cancelled() {
    let test = hub().await;
    let client = test.client();
    let route = test.test_phone().await.id;
    let made = send(&client, json!({ "to_numbers": [TO], "route_id": route })).await;
    expand(&test.hub).await;
    play(&test.hub).await;
    let cancel = format!("{}/cancel", path(&made));
    assert_eq!(client.post(&cancel, json!({})).await["status"], "complete");
    client
        .call("POST", "broadcasts/BC0000000000000001/cancel", None)
        .await
        .refused(404);
}
