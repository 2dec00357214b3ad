//! Whoever writes, or is written to, for the first time becomes a contact, whichever way.

use super::{DATE_S, NUMBER, Way, World, json, planned, way};
use hub_domain::WebhookEvent;
use hub_store::outbox;
use postrider_model::UnixMs;
use serde_json::Value;

/// Every way that a message to a new number, or from one, is made; the last ones come in.
fn ways() -> Vec<Way> {
    let item = json!([{ "to_number": "{number}", "content": "x" }]);
    vec![
        way("/messages/send", json!({ "to_number": "{number}" })),
        Way {
            url: "/messages/send",
            body: json!({ "to_number": "{number}", "message_type": "call" }),
        },
        way("/send_multi", json!({ "messages": item })),
        way(
            "/messages/send_batch",
            json!({ "to_numbers": ["{number}"] }),
        ),
        way("/send_broadcast", json!({ "to_numbers": ["{number}"] })),
        planned("/scheduled", json!({ "to_number": "{number}" })),
        came_in(json!({ "content": "x" })),
        came_in(json!({ "message_type": "call" })),
    ]
}

fn came_in(mut body: Value) -> Way {
    body["from_number"] = "{number}".into();
    body["phone_id"] = "{phone}".into();
    let url = "/messages/receive";
    Way { url, body }
}

/// The events of contacts: which kind of update, and of which contact.
async fn told(world: &World) -> Vec<(String, String)> {
    let project = world.test.project.id;
    let later = UnixMs(i64::MAX / 4);
    let reading = world.test.hub.store.read(move |tx| {
        let keys = outbox::due_keys(tx, project, "http://127.0.0.1:9", later, 500)?;
        let rows = keys.into_iter().map(|key| outbox::get(tx, key));
        rows.collect::<Result<Vec<_>, _>>()
    });
    let rows = reading.await.expect("the outbox").into_iter().flatten();
    let updates = rows.filter(|row| row.event == WebhookEvent::ContactUpdate);
    updates
        .map(|row| {
            let value = |name: &str| {
                let mut pairs = row.body.split('&').filter_map(|pair| pair.split_once('='));
                let found = pairs.find(|(own, _)| *own == name);
                found.map(|(_, value)| value.to_owned()).unwrap_or_default()
            };
            (value("update_type"), value("id"))
        })
        .collect()
}

async fn listening(auto_create: bool) -> World {
    let world = World::new(|project| project.auto_create_contacts = auto_create).await;
    let body = json!({ "url": "http://127.0.0.1:9/x", "events": ["contact_update"] });
    world.client.post("webhooks", body).await;
    world
}

#[tokio::test]
async fn a_new_number_becomes_one_contact_with_its_message_counted() {
    for way in ways() {
        let (world, what) = (listening(true).await, format!("{} {}", way.url, way.body));
        let before = world.test.hub.now().unix.seconds();
        world.go(&way).await.ok();
        world.go_out().await;
        let contacts = world.client.get("contacts").await["data"].take();
        assert_eq!(contacts.as_array().map(Vec::len), Some(1), "{what}");
        let (contact, message) = (&contacts[0], &world.client.get("messages").await["data"][0]);
        assert_eq!(contact["phone_number"], NUMBER, "{what}");
        assert_eq!(message["contact_id"], contact["id"], "{what}");
        assert_eq!(contact["last_message_id"], message["id"], "{what}");
        let incoming = way.url == "/messages/receive";
        let counts = [
            ("message_count", true),
            ("incoming_message_count", incoming),
            ("outgoing_message_count", !incoming),
        ];
        for (name, counted) in counts {
            assert_eq!(contact[name], i64::from(counted), "{what} {name}");
        }
        let times = [
            ("last_message_time", true),
            ("last_incoming_message_time", incoming),
            ("last_outgoing_message_time", !incoming),
        ];
        for (name, there) in times {
            let expected = there.then_some(&message["time_created"]);
            assert_eq!(&contact[name], expected.unwrap_or(&Value::Null), "{what}");
        }
        let status = if incoming { "active" } else { "closed" };
        assert_eq!(contact["conversation_status"], status, "{what}");
        let made = contact["time_created"].as_i64().expect("a time");
        assert!((before..=DATE_S + 1).contains(&made), "{what}");
        let id = contact["id"].as_str().expect("an id").to_owned();
        assert_eq!(told(&world).await, [("auto_add".to_owned(), id)], "{what}");
    }
}

#[tokio::test]
async fn a_second_message_finds_the_contact_of_the_first() {
    for way in ways() {
        for known in ways() {
            let world = listening(true).await;
            world.go(&known).await.ok();
            world.go_out().await;
            world.go(&way).await.ok();
            world.go_out().await;
            let what = format!("{} after {}", way.url, known.url);
            let contacts = world.client.get("contacts").await["data"].take();
            assert_eq!(contacts.as_array().map(Vec::len), Some(1), "{what}");
            assert_eq!(contacts[0]["message_count"], 2, "{what}");
            assert_eq!(told(&world).await.len(), 1, "{what}");
        }
    }
}

#[tokio::test]
async fn a_project_that_makes_no_contacts_has_messages_without_one() {
    for way in ways() {
        let (world, what) = (listening(false).await, format!("{} {}", way.url, way.body));
        world.go(&way).await.ok();
        world.go_out().await;
        assert_eq!(world.count("contacts?count=1").await, 0, "{what}");
        let messages = world.client.get("messages").await["data"].take();
        assert_eq!(messages.as_array().map(Vec::len), Some(1), "{what}");
        assert_eq!(messages[0]["contact_id"], Value::Null, "{what}");
        assert_eq!(told(&world).await, [], "{what}");
    }
}

#[tokio::test]
async fn it_finds_the_contacts_that_it_has() {
    for way in ways() {
        let (world, what) = (listening(false).await, format!("{} {}", way.url, way.body));
        let body = json!({ "phone_number": "500-555-0122" });
        let contact = world.client.post("contacts", body).await;
        world.go(&way).await.ok();
        world.go_out().await;
        let message = &world.client.get("messages").await["data"][0];
        assert_eq!(message["contact_id"], contact["id"], "{what}");
        let contact = &world.client.get("contacts").await["data"][0];
        assert_eq!(contact["message_count"], 1, "{what}");
    }
}

#[tokio::test]
async fn numbers_of_a_request_that_are_one_become_one_contact() {
    for url in ["/messages/send_batch", "/send_broadcast"] {
        let world = listening(true).await;
        let twice = json!({ "to_numbers": ["{number}", "(500) 555-0122", "+15005550124"] });
        world.go(&way(url, twice)).await.ok();
        world.go_out().await;
        assert_eq!(world.count("contacts?count=1").await, 2, "{url}");
        assert_eq!(world.queued().await, 2, "{url}");
    }
    let world = listening(true).await;
    let item = |number| json!({ "to_number": number, "content": "x" });
    let items = json!([item("{number}"), item("(500) 555-0122")]);
    let multi = way("/send_multi", json!({ "messages": items }));
    world.go(&multi).await.ok();
    assert_eq!(world.count("contacts?count=1").await, 1);
    let contact = &world.client.get("contacts").await["data"][0];
    assert_eq!(contact["outgoing_message_count"], 2);
}
