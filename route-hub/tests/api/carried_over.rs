//! Scheduled messages and broadcasts in a database of an earlier hub: they show and send the same.

#![expect(
    clippy::unwrap_used,
    reason = "a test stops at whatever it did not expect"
)]

use crate::support::{Client, add_key, hub_in, router};
use hub_app::broadcasts::{self, Turns};
use hub_app::hub::Hub;
use hub_app::schedules::fire;
use hub_domain::Permissions;
use hub_store::rows_aside;
use postrider_model::{Now, ProjectId};
use rusqlite::Connection;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use tempfile::TempDir;

const DATABASE: &str = include_str!("../fixtures/planned.sql");
const SHOWN: &str = include_str!("../fixtures/planned.jsonl");
/// A moment when all of it is due.
const DATE_S: i64 = 4_102_444_800;
/// What the script of the fixture asked for first.
const FIRST: &str = "to a number";
/// What the other two relative schedules made.
const UNLISTED: &str = "unlisted";

/// A row that the earlier hub showed.
struct Row {
    path: String,
    what: String,
    shown: Value,
}

struct World {
    _dir: TempDir,
    hub: Hub,
    client: Client,
    rows: Vec<Row>,
}

impl World {
    /// Opens the earlier hub's database, after a change of it.
    async fn open(change: &str) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let earlier = Connection::open(dir.path().join("hub.db")).unwrap();
        earlier.execute_batch(DATABASE).unwrap();
        earlier.execute_batch(change).unwrap();
        drop(earlier);
        let hub = hub_in(dir.path(), 1);
        let rows: Vec<_> = SHOWN.lines().map(row).collect();
        let project: ProjectId = rows[0].shown["project_id"]
            .as_str()
            .unwrap()
            .parse()
            .unwrap();
        let reading = hub
            .store
            .read(move |tx| hub_store::projects::get(tx, project));
        let organization = reading.await.unwrap().unwrap().organization_id;
        let key = add_key(&hub, organization, Some(project), &Permissions::all()).await;
        let client = Client::new(router(&hub), key, project);
        Self {
            _dir: dir,
            client,
            hub,
            rows,
        }
    }

    /// Sends everything that is due.
    async fn tick(&self) -> usize {
        let now = Now::new(self.hub.now().boot.0, (DATE_S + 1) * 1_000);
        let fired = fire::all_due(&self.hub, now).await.unwrap();
        let mut turns = Turns::default();
        while broadcasts::round(&self.hub, &mut turns, now).await.unwrap() > 0 {}
        fired
    }

    /// Returns the messages that were sent for the earlier hub's schedules and broadcasts, by name.
    async fn sent(&self) -> BTreeMap<&str, Vec<Value>> {
        let messages = self.client.get("messages?page_size=200").await;
        let of = |message: &Value, name: &str| message[name].as_str().map(str::to_owned);
        let mut sent: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for message in messages["data"].as_array().unwrap() {
            let by = of(message, "scheduled_id").or_else(|| of(message, "broadcast_id"));
            let by = by.unwrap();
            let row = self.rows.iter().find(|row| row.path.ends_with(&by));
            let what = row.map_or(UNLISTED, |row| row.what.as_str());
            sent.entry(what).or_default().push(message.clone());
        }
        sent
    }
}

fn row(line: &str) -> Row {
    let row: Value = serde_json::from_str(line).unwrap();
    let text = |name: &str| row[name].as_str().unwrap().to_owned();
    Row {
        path: text("path"),
        what: text("what"),
        shown: row["shown"].clone(),
    }
}

#[tokio::test]
async fn everything_shows_as_before() {
    let world = World::open("").await;
    for row in &world.rows {
        let mut expected = row.shown.clone();
        // These fields are there since then, and an address tells its type.
        let since: &[&str] = match row.path.split('/').next() {
            Some("broadcasts") => &[
                "campaign_id",
                "exclude_group_id",
                "next_try_time",
                "waiting_for",
            ],
            Some("campaigns" | "scheduled" | "tasks") => &["next_try_time", "waiting_for"],
            Some("relative_scheduled") => &["campaign_id"],
            _ => &[],
        };
        for field in since {
            expected[*field] = Value::Null;
        }
        if let Some(media) = expected.get_mut("media").and_then(Value::as_array_mut) {
            let named = |it: &&mut Value| it["url"].as_str().is_some_and(|it| it.ends_with(".jpg"));
            media
                .iter_mut()
                .filter(named)
                .for_each(|it| it["type"] = "image/jpeg".into());
        }
        assert_eq!(world.client.get(&row.path).await, expected, "{}", row.what);
    }
}

#[tokio::test]
async fn everything_is_sent_as_it_was_asked_for() {
    let world = World::open("").await;
    assert_eq!(world.tick().await, 18);
    let sent = world.sent().await;
    for (what, count) in [
        ("broadcast, half way", 12),
        ("to a group, recurring", 2),
        (UNLISTED, 2),
    ] {
        assert_eq!(sent[what].len(), count, "{what}");
    }
    for row in &world.rows {
        let makes_none = row.path.starts_with("relative_scheduled");
        assert_eq!(
            sent.contains_key(row.what.as_str()),
            !makes_none,
            "{}",
            row.what
        );
    }
    let only = |what: &str| match sent[what].as_slice() {
        [message] => message.clone(),
        messages => panic!("{what}: {} messages", messages.len()),
    };
    let template = only("to a contact, with a template, by name of the phone");
    assert_eq!(template["content"], "Dear Ann of OSLO");
    assert_eq!(template["priority"], 2);
    assert_eq!(
        template["vars"],
        json!({ "a": 1, "b": "two", "c": true, "d": 1.5 })
    );
    assert_eq!(template["label_ids"].as_array().unwrap().len(), 2);
    assert_eq!(only("media alone")["content"], "http://a.example/1.jpg");
    assert_eq!(
        only("media below a text")["content"],
        "See\nhttp://a.example/1\nhttps://b.example/2"
    );
    let data = only("data in hexadecimal digits");
    let payload = json!({ "port": 16_000, "data": "AP8=", "encoding": "base64" });
    assert_eq!(data["route_params"], payload);
    assert_eq!(only("a code")["message_type"], "ussd");
    assert_eq!(only("a code")["to_number"], "*123#");
    assert_eq!(only("a call")["message_type"], "call");
    assert!(only("by a custom route")["route_id"].is_string());
    let labels = &only("with a label that is gone")["label_ids"];
    assert_eq!(labels.as_array().unwrap().len(), 1);
    assert_eq!(
        only("broadcast to a group, not begun")["content"],
        "Dear Ben"
    );
}

#[tokio::test]
async fn what_cannot_be_carried_over_is_set_aside_and_the_rest_is_sent() {
    for message in ["nothing", r#"{"content":5}"#, r#"["content"]"#] {
        let world = World::open(&format!(
            "UPDATE schedules SET message = '{message}' WHERE id = (SELECT min(id) FROM schedules)"
        ))
        .await;
        assert_eq!(world.tick().await, 17, "{message}");
        assert!(!world.sent().await.contains_key(FIRST), "{message}");
        let aside = world.hub.store.read(rows_aside::all).await.unwrap();
        let [(table, id, content)] = aside.as_slice() else {
            panic!("{message}: {} rows", aside.len());
        };
        assert_eq!(table, "schedules");
        assert!(content.contains("+15005550103"), "{message}");
        assert!(*id > 0);
    }
}
