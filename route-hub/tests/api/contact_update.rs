//! The event of a contact that a message has made.

use crate::support::{TO, hub, id};
use hub_domain::{OutboxRow, WebhookEvent};
use hub_store::outbox;
use serde_json::json;

#[tokio::test]
async fn only_contacts_that_messages_make_are_told_of() {
    let test = hub().await;
    let client = test.client();
    let body = json!({ "url": "http://127.0.0.1:9/x", "events": ["contact_update"] });
    client.post("webhooks", body).await;
    client
        .post(
            "contacts",
            json!({ "phone_number": "+15005550250", "name": "By hand" }),
        )
        .await;
    let sent = client.send("to somebody new").await;
    client.send("to somebody known").await;
    let receive =
        json!({ "content": "hi", "from_number": "+15005550251", "phone_id": test.phone.id });
    let came = client.post("messages/receive", receive).await;
    client
        .post(
            &format!("contacts/{}", sent["contact_id"].as_str().unwrap()),
            json!({ "name": "Ann" }),
        )
        .await;

    let (project, later) = (test.project.id, postrider_model::UnixMs(i64::MAX / 4));
    let rows = test.hub.store.read(move |tx| {
        let keys = outbox::due_keys(tx, project, "http://127.0.0.1:9", later, 100)?;
        let rows = keys.into_iter().map(|key| outbox::get(tx, key));
        rows.collect::<Result<Vec<_>, _>>()
    });
    let rows = rows.await.expect("the outbox");
    let is_update = |row: &&OutboxRow| row.event == WebhookEvent::ContactUpdate;
    let told: Vec<_> = rows.iter().flatten().filter(is_update).collect();
    assert_eq!(told.len(), 2);
    for (row, message, number) in [(told[0], &sent, TO), (told[1], &came, "+15005550251")] {
        let has = |pair: &str| row.body.split('&').any(|own| own == pair);
        assert!(
            has("event=contact_update") && has("update_type=auto_add"),
            "{}",
            row.body
        );
        assert!(
            has(&format!("id={}", message["contact_id"].as_str().unwrap())),
            "{}",
            row.body
        );
        assert!(
            has(&format!("phone_number={}", number.replace('+', "%2B"))),
            "{}",
            row.body
        );
    }
    assert_ne!(id(&sent), id(&came));
}
