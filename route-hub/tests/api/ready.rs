//! What is prepared for a message before the job that stores it, and what the job checks again.

use crate::support::{TO, TestHub, add_phone, hub, id};
use hub_domain::PhoneType;
use serde_json::{Value, json};
use std::sync::mpsc::{Sender, channel};

/// A project whose contact is in Oslo, with a group of those who are there.
struct Town {
    test: TestHub,
    contact: String,
    group: String,
}

impl Town {
    async fn new() -> Self {
        let test = hub().await;
        let client = test.client();
        let filters = json!({ "name": "In Oslo", "filters": { "vars.city": "Oslo" } });
        let group = id(&client.post("create_group", filters).await);
        let body = json!({ "phone_number": TO, "vars": { "city": "Oslo" } });
        let contact = id(&client.post("contacts", body).await);
        Self {
            test,
            contact,
            group,
        }
    }

    /// Holds the writer until the sender that is returned is dropped.
    fn hold_writer(&self) -> Sender<()> {
        let (release, released) = channel::<()>();
        let (begin, begun) = channel();
        let holding = self.test.hub.store.write(move |_| {
            let _ = begin.send(());
            let _ = released.recv();
            Ok::<_, hub_store::StoreError>(())
        });
        tokio::spawn(holding);
        begun.recv().expect("the writer holds");
        release
    }

    /// Waits until this many jobs wait for the writer.
    async fn waiting(&self, jobs: usize) {
        while self.test.hub.store.load().writes_waiting < jobs {
            tokio::task::yield_now().await;
        }
    }

    /// Moves the contact to Rome and sends a message before the writer has got to either.
    async fn send_as_it_moves(&self, message: Value) -> Value {
        let client = self.test.client();
        let release = self.hold_writer();
        let (mover, path) = (client.clone(), format!("contacts/{}", self.contact));
        let moving = tokio::spawn(async move {
            let body = json!({ "vars": { "city": "Rome" } });
            mover.post(&path, body).await
        });
        self.waiting(1).await;
        let sending = tokio::spawn(async move { client.post("messages/send", message).await });
        self.waiting(2).await;
        drop(release);
        moving.await.expect("it moves");
        sending.await.expect("it is sent")
    }
}

#[tokio::test]
async fn a_text_says_what_is_true_when_its_message_is_stored() {
    let town = Town::new().await;
    let message = json!({
        "contact_id": town.contact, "content": "In [[contact.vars.city|upper]]",
        "replace_variables": true,
    });
    let sent = town.send_as_it_moves(message.clone()).await;
    assert_eq!(sent["content"], "In ROME");
    let client = town.test.client();
    assert_eq!(
        client.post("messages/send", message).await["content"],
        "In ROME"
    );
}

#[tokio::test]
async fn the_conditions_of_a_group_are_asked_before_the_job_that_sends() {
    let town = Town::new().await;
    let client = town.test.client();
    let number = "+15005550102";
    let other = add_phone(
        &town.test.hub,
        town.test.project.id,
        PhoneType::Android,
        number,
    )
    .await;
    let in_oslo = json!({
        "type": "condition", "actions": [{ "type": "use_phone", "phone_id": other.id }],
        "conditions": [{ "type": "contact_is_in_group", "value": town.group }],
    });
    let first = json!({ "type": "use_phone", "phone_id": town.test.phone.id });
    let route = json!({ "name": "By town", "actions": [in_oslo, first] });
    let route = id(&client.post("routes", route).await);
    let message = json!({ "contact_id": town.contact, "content": "x", "route_id": route });
    let phone = |sent: &Value| sent["phone_id"].as_str().map(str::to_owned);
    let sent = town.send_as_it_moves(message.clone()).await;
    assert_eq!(
        phone(&sent),
        Some(other.id.to_string()),
        "as a reader saw it"
    );
    let sent = client.post("messages/send", message).await;
    assert_eq!(phone(&sent), Some(town.test.phone.id.to_string()));
}

#[tokio::test]
async fn each_text_of_a_request_is_its_own() {
    let town = Town::new().await;
    let client = town.test.client();
    let items: Vec<_> = (0..25)
        .map(|n| match n % 3 {
            0 => json!({ "contact_id": town.contact, "content": format!("{n} [[contact.vars.city]]") }),
            1 => json!({ "contact_id": town.contact, "content": format!("{n} plain") }),
            _ => json!({ "contact_id": "CT0000000000000001", "content": "[[contact.name]]" }),
        })
        .collect();
    let body = json!({ "messages": items, "replace_variables": true });
    let sent = client.post("send_multi", body).await;
    for (n, item) in sent["messages"].as_array().unwrap().iter().enumerate() {
        if n % 3 == 2 {
            assert_eq!(item["id"], Value::Null);
            continue;
        }
        let stored = client.get(&format!("messages/{}", id(item))).await;
        let rest = if n % 3 == 0 { "Oslo" } else { "plain" };
        assert_eq!(stored["content"], format!("{n} {rest}"));
    }
}

#[tokio::test]
async fn a_text_that_takes_too_much_work_is_refused_by_name() {
    let town = Town::new().await;
    let client = town.test.client();
    let long = json!({ "vars": { "long": "x".repeat(4_000) } });
    client
        .post(&format!("contacts/{}", town.contact), long)
        .await;
    let variable = "[[contact.vars.long|lower|upper|lower|upper|lower|upper|lower|truncate:1]]";
    let body = json!({
        "contact_id": town.contact, "content": variable.repeat(10), "replace_variables": true,
    });
    let refused = client.call("POST", "messages/send", Some(body)).await;
    refused.invalid("content");
    assert!(
        refused.json["error"]["message"]
            .as_str()
            .unwrap()
            .contains("256 KiB")
    );
}
