//! The event of a contact that is new.

use crate::support::{TO, hub, id};
use hub_domain::{OutboxRow, WebhookEvent};
use hub_store::outbox;
use serde_json::{Value, json};

const OTHER: &str = "+15005550251";

#[tokio::test]
async fn contacts_are_told_of_as_they_become_and_not_as_programs_change_them() {
    let test = hub().await;
    let client = test.client();
    let body = json!({ "url": "http://127.0.0.1:9/x", "events": ["contact_update"] });
    client.post("webhooks", body).await;
    let group = id(&client.post("groups", json!({ "name": "Friends" })).await);
    let new = json!({
        "phone_number": "+15005550250", "name": "By hand", "vars": { "city": "Oslo" },
        "add_group_ids": [group],
    });
    let made = client.post("contacts", new.clone()).await;
    client.post("contacts", new).await;
    let import = json!({ "contacts": [
        { "phone_number": "+15005550250" }, { "phone_number": "+15005550252" }, { "name": "Bob" },
    ] });
    let imported = client.post("import_contacts", import).await["contacts"].take();
    let sent = client.send("to somebody new").await;
    client.send("to somebody known").await;
    let receive = json!({ "content": "hi", "from_number": OTHER, "phone_id": test.phone.id });
    let came = client.post("messages/receive", receive).await;
    let contact = format!("contacts/{}", id(&made));
    let change = json!({ "name": "Ann", "send_blocked": true, "vars": { "city": null } });
    client.post(&contact, change).await;
    let member = format!("groups/{group}/{contact}");
    client.call("DELETE", &member, None).await.ok();
    client.call("PUT", &member, None).await.ok();
    client.call("DELETE", &contact, None).await.ok();

    let (project, later) = (test.project.id, postrider_model::UnixMs(i64::MAX / 4));
    let rows = test.hub.store.read(move |tx| {
        let keys = outbox::due_keys(tx, project, "http://127.0.0.1:9", later, 100)?;
        let rows = keys.into_iter().map(|key| outbox::get(tx, key));
        rows.collect::<Result<Vec<_>, _>>()
    });
    let rows = rows.await.expect("the outbox");
    let is_update = |row: &&OutboxRow| row.event == WebhookEvent::ContactUpdate;
    let told: Vec<_> = rows.iter().flatten().filter(is_update).collect();
    let by_hand = format!("vars[city]=Oslo&group_ids[0]={group}");
    for (row, (update_type, contact, more)) in told.iter().zip([
        ("add", &made["id"], by_hand.as_str()),
        ("add", &imported[1]["id"], "phone_number=+15005550252"),
        ("add", &imported[2]["id"], "name=Bob"),
        (
            "auto_add",
            &sent["contact_id"],
            &format!("phone_number={TO}"),
        ),
        (
            "auto_add",
            &came["contact_id"],
            &format!("phone_number={OTHER}"),
        ),
    ]) {
        let body = decoded(&row.body);
        let has = |pair: &str| body.split('&').any(|own| own == pair);
        assert!(has("event=contact_update"), "{body}");
        assert!(has(&format!("update_type={update_type}")), "{body}");
        assert!(has(&format!("id={}", text(contact))), "{body}");
        assert!(has(&format!("project_id={project}")), "{body}");
        for pair in more.split('&') {
            assert!(has(pair), "{pair} in {body}");
        }
    }
    assert_eq!(told.len(), 5);
}

fn text(id: &Value) -> &str {
    id.as_str().expect("an id")
}

/// Undoes the escapes that these bodies have.
fn decoded(body: &str) -> String {
    let pairs = [("%2B", "+"), ("%5B", "["), ("%5D", "]")];
    let undo = |body: String, (escape, plain): (&str, &str)| body.replace(escape, plain);
    pairs.into_iter().fold(body.to_owned(), undo)
}
