//! Old messages of a project with a retention time are deleted.

use crate::support::{TO, hub, id};
use hub_app::retention;
use hub_app::test_routes;
use serde_json::{Value, json};

const DAY_MS: i64 = 86_400_000;

#[tokio::test]
async fn old_messages_go_and_what_is_open_stays() {
    let test = hub().await;
    let client = test.client();
    let route = test.test_phone().await.id;
    let waiting = client.send("waits for its phone").await;
    let mut old = Vec::new();
    for n in 0..120 {
        let body = json!({ "to_number": TO, "content": n.to_string(), "route_id": route });
        old.push(id(&client.post("messages/send", body).await));
    }
    let incoming = json!({ "from_number": TO, "content": "in", "phone_id": test.phone.id });
    old.push(id(&client.post("messages/receive", incoming).await));
    while test_routes::play_once(&test.hub).await.unwrap() {}
    let sweep = async |days: i64| {
        let now = test.hub.now().unix.plus_ms(days * DAY_MS);
        retention::sweep(&test.hub, now).await.unwrap()
    };
    assert_eq!(
        sweep(3_000).await,
        0,
        "a project keeps everything unless told otherwise"
    );
    let path = format!("/projects/{}", test.project.id);
    client
        .post(&path, json!({ "message_retention_days": 7 }))
        .await;
    assert_eq!(sweep(6).await, 0);
    assert_eq!(sweep(8).await, old.len());
    assert_eq!(client.ids("messages").await, [id(&waiting)]);
    let contact = client
        .get(&format!(
            "contacts/{}",
            waiting["contact_id"].as_str().unwrap()
        ))
        .await;
    for (name, count) in [
        ("message_count", 1),
        ("incoming_message_count", 0),
        ("outgoing_message_count", 1),
    ] {
        assert_eq!(contact[name], count, "{name}");
    }
    assert_eq!(contact["last_message_id"], waiting["id"]);
    assert_ne!(contact["last_message_time"], Value::Null);
    assert_eq!(sweep(8).await, 0);
}
