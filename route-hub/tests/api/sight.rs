//! A key that may not view contacts learns only whom a message is for.

use crate::support::{Client, TO, TestHub, add_key, hub, id};
use crate::task_files::given;
use hub_app::broadcasts::{self, Turns};
use hub_app::schedules::fire;
use hub_app::schedules::relative::follow;
use hub_app::tasks;
use hub_domain::{Permission, Permissions};
use hub_store::outbox;
use postrider_model::{Now, UnixMs};
use serde_json::{Value, json};
use std::collections::BTreeMap;

const HOOK: &str = "http://127.0.0.1:9/status";
const SECRET: &str = "Dear [[contact.name]] of [[contact.vars.city|upper]]";
const OPEN: &str = "Dear [[contact.name|upper]], [[contact.phone_number]], [[contact.name.length]]";

/// A project with a contact, and keys for it.
struct World {
    test: TestHub,
    /// May do everything.
    full: Client,
    /// May only send.
    sender: Client,
    contact: String,
    group: String,
}

impl World {
    async fn new() -> Self {
        let test = hub().await;
        let full = test.client();
        let group = id(&full.post("groups", json!({ "name": "All" })).await);
        let body = json!({
            "phone_number": TO, "name": "Ann", "add_group_ids": [group],
            "vars": { "city": "Oslo", "due": "2030-03-01" },
        });
        let contact = id(&full.post("contacts", body).await);
        let sender = Self::key(&test, &[Permission::SendMessages]).await;
        Self {
            full,
            sender,
            contact,
            group,
            test,
        }
    }

    async fn key(test: &TestHub, permissions: &[Permission]) -> Client {
        let permissions: Permissions = permissions.iter().copied().collect();
        let organization = test.project.organization_id;
        let key = add_key(&test.hub, organization, Some(test.project.id), &permissions).await;
        test.client_of(&key, test.project.id)
    }

    /// Takes the waiting reports, oldest first.
    async fn reports(&self) -> Vec<BTreeMap<String, String>> {
        let project = self.test.project.id;
        let taking = self.test.hub.store.write(move |tx| {
            let later = UnixMs(i64::MAX);
            let keys = outbox::due_keys(tx, project, "http://127.0.0.1:9", later, 100)?;
            let rows: Result<Vec<_>, _> = keys.iter().map(|key| outbox::get(tx, *key)).collect();
            outbox::delete(tx, project, keys)?;
            rows
        });
        let rows = taking.await.expect("rows").into_iter().flatten();
        rows.map(|row| {
            let pairs = form_urlencoded::parse(row.body.as_bytes());
            pairs.into_owned().collect()
        })
        .collect()
    }

    /// Sends a text by `send_multi`, which reports `queued`, and returns the report.
    async fn reported(&self, client: &Client, content: &str) -> BTreeMap<String, String> {
        let body = json!({
            "messages": [{ "contact_id": self.contact, "content": content }],
            "replace_variables": true, "status_url": HOOK,
        });
        client.post("send_multi", body).await;
        self.only_report().await
    }

    async fn only_report(&self) -> BTreeMap<String, String> {
        let mut reports = self.reports().await;
        assert_eq!(reports.len(), 1, "one report");
        reports.remove(0)
    }

    async fn send(&self, client: &Client, content: &str) -> Value {
        let body = json!({
            "contact_id": self.contact, "content": content, "replace_variables": true,
        });
        client.post("messages/send", body).await
    }

    /// Sends everything that is due at a moment, in Unix seconds.
    async fn tick(&self, seconds: i64) {
        let hub = &self.test.hub;
        let now = Now::new(hub.now().boot.0, seconds * 1_000);
        while follow::step_all(hub, hub.now()).await.expect("a step") > 0 {}
        fire::all_due(hub, now).await.expect("a tick");
        let mut turns = Turns::default();
        while broadcasts::round(hub, &mut turns, now)
            .await
            .expect("a round")
            > 0
        {}
    }
}

/// Checks that a report tells only whom it is about.
#[track_caller]
fn is_limited(report: &BTreeMap<String, String>, content: &str) {
    let of_contact = report.keys().filter(|name| name.starts_with("contact["));
    let names: Vec<_> = of_contact.map(String::as_str).collect();
    assert_eq!(
        names,
        ["contact[id]", "contact[name]", "contact[phone_number]"]
    );
    assert_eq!(report["contact[name]"], "Ann");
    assert_eq!(report["contact[phone_number]"], TO);
    assert_eq!(report["content"], content);
    assert!(
        !report
            .values()
            .any(|value| value.to_lowercase().contains("oslo"))
    );
}

#[track_caller]
fn is_whole(report: &BTreeMap<String, String>) {
    assert_eq!(report["contact[vars][city]"], "Oslo");
    assert_eq!(report["content"], "Dear Ann of OSLO");
}

#[tokio::test]
async fn a_sender_is_answered_with_the_template_of_what_tells_more() {
    let world = World::new().await;
    let sent = world.send(&world.sender, SECRET).await;
    assert_eq!(sent["content"], SECRET);
    assert_eq!(sent["num_parts"], Value::Null);
    assert_eq!(sent["contact_id"], world.contact);
    let path = format!("messages/{}", id(&sent));
    assert_eq!(world.full.get(&path).await["content"], "Dear Ann of OSLO");
    for content in [
        "[[phone.name]]",
        "[[project.vars.x]]x",
        "[[contact.message_count]]",
    ] {
        assert_eq!(world.send(&world.sender, content).await["content"], content);
    }
    let shown = world.send(&world.sender, OPEN).await;
    assert_eq!(shown["content"], format!("Dear ANN, {TO}, 3"));
    assert_eq!(shown["num_parts"], 1);
    let whole = world.send(&world.full, SECRET).await;
    assert_eq!(whole["content"], "Dear Ann of OSLO");
}

#[tokio::test]
async fn every_later_answer_shows_the_template_too() {
    let world = World::new().await;
    let reader = [Permission::SendMessages, Permission::ViewMessages];
    let reader = World::key(&world.test, &reader).await;
    let sent = world.send(&world.full, SECRET).await;
    let path = format!("messages/{}", id(&sent));
    let asks = [
        (&world.sender, "POST", path.clone()),
        (&world.sender, "POST", format!("{path}/resend")),
        (&reader, "GET", path.clone()),
        (&world.sender, "POST", format!("{path}/cancel")),
    ];
    for (client, method, path) in asks {
        let body = (method == "POST").then(|| json!({}));
        let shown = client.call(method, &path, body).await.ok();
        assert_eq!(shown["content"], SECRET, "{path}");
    }
    let contact = &world.contact;
    for list in ["messages", &format!("contacts/{contact}/messages")] {
        let list = reader.get(list).await;
        assert_eq!(list["data"][0]["content"], SECRET);
    }
}

#[tokio::test]
async fn a_senders_reports_tell_whom_they_are_about_and_no_more() {
    let world = World::new().await;
    is_limited(&world.reported(&world.sender, SECRET).await, SECRET);
    let open = world.reported(&world.sender, OPEN).await;
    is_limited(&open, &format!("Dear ANN, {TO}, 3"));
    is_whole(&world.reported(&world.full, SECRET).await);
    // The operator set the project's own address.
    let hook = json!({ "url": HOOK, "events": ["send_status"] });
    world.full.post("webhooks", hook).await;
    let body = json!({
        "messages": [{ "contact_id": world.contact, "content": SECRET }],
        "replace_variables": true,
    });
    world.sender.post("send_multi", body).await;
    is_whole(&world.only_report().await);
}

#[tokio::test]
async fn what_is_sent_later_keeps_what_its_maker_may_see() {
    let world = World::new().await;
    let start = world.test.hub.now().unix.seconds() + 100;
    for (client, sees) in [(&world.sender, false), (&world.full, true)] {
        let message = json!({
            "content": SECRET, "replace_variables": true, "status_url": HOOK,
        });
        let with = |more: Value| {
            let mut body = message.clone();
            let members = body.as_object_mut().unwrap();
            members.extend(more.as_object().unwrap().clone());
            body
        };
        let group = &world.group;
        client
            .post("send_broadcast", with(json!({ "group_id": group })))
            .await;
        client
            .post("messages/send_batch", with(json!({ "group_id": group })))
            .await;
        client
            .post("messages/send_batch", with(json!({ "to_numbers": [TO] })))
            .await;
        for to in [
            json!({ "contact_id": world.contact }),
            json!({ "group_id": group }),
        ] {
            let body = with(json!({ "start_time": start }));
            let mut body = body.as_object().unwrap().clone();
            body.extend(to.as_object().unwrap().clone());
            client.post("scheduled", body.into()).await;
        }
        let relative = json!({ "group_id": group, "time_of_day": "09:30", "date_variable": "due" });
        client.post("relative_scheduled", with(relative)).await;
        world.tick(start).await;
        world.tick(1_898_600_000).await;
        let reports = world.reports().await;
        assert_eq!(reports.len(), 6, "one of each kind");
        for report in &reports {
            if sees {
                is_whole(report);
            } else {
                is_limited(report, SECRET);
            }
        }
    }
}

#[tokio::test]
async fn who_changes_a_schedule_learns_no_more_by_it() {
    let world = World::new().await;
    let start = world.test.hub.now().unix.seconds() + 100;
    let body = json!({
        "contact_id": world.contact, "content": SECRET, "replace_variables": true,
        "status_url": HOOK, "start_time": start, "rrule": "FREQ=DAILY;COUNT=3",
    });
    let made = world.full.post("scheduled", body).await;
    let path = format!("scheduled/{}", id(&made));
    world.tick(start).await;
    is_whole(&world.only_report().await);
    let moved = json!({ "status_url": format!("{HOOK}?mine") });
    world.sender.post(&path, moved).await;
    world.full.post(&path, json!({ "priority": 2 })).await;
    world.tick(start + 86_400).await;
    is_limited(&world.only_report().await, SECRET);
    world.full.post(&path, json!({ "status_url": HOOK })).await;
    world.tick(start + 2 * 86_400).await;
    is_whole(&world.only_report().await);
}

#[tokio::test]
async fn what_was_made_before_this_was_kept_tells_nobody_more_than_its_maker_could_see() {
    for had_sender in [true, false] {
        let world = World::new().await;
        let sent = world.send(&world.full, SECRET).await;
        let body = json!({
            "contact_id": world.contact, "content": SECRET, "replace_variables": true,
            "status_url": HOOK, "start_time": world.test.hub.now().unix.seconds() + 100,
        });
        world.full.post("scheduled", body).await;
        let age = world.test.hub.store.write(move |tx| {
            tx.execute(
                "UPDATE messages SET maker_sees = NULL, template = NULL",
                &[],
            )?;
            tx.execute(
                "UPDATE schedules SET message = replace(message, 'maker_sees', 'x')",
                &[],
            )?;
            if had_sender {
                Ok(0)
            } else {
                tx.execute(
                    "DELETE FROM api_keys WHERE permissions NOT LIKE '%view_contacts%'",
                    &[],
                )
            }
        });
        age.await.unwrap();
        if had_sender {
            let path = format!("messages/{}", id(&sent));
            let shown = world.sender.post(&path, json!({})).await;
            assert_eq!(
                (&shown["content"], &shown["num_parts"]),
                (&Value::Null, &Value::Null)
            );
        }
        world.tick(world.test.hub.now().unix.seconds() + 100).await;
        let report = world.only_report().await;
        if had_sender {
            is_limited(&report, SECRET);
        } else {
            is_whole(&report);
        }
    }
}

#[tokio::test]
async fn what_tasks_write_and_read_is_had_by_who_may_see_contacts() {
    let world = World::new().await;
    world.send(&world.full, SECRET).await;
    let export = json!({
        "task_type": "export_messages", "filter_type": "query_messages",
        "filter_params": { "all": true }, "task_params": { "filename": "m.csv" },
    });
    let task = format!("tasks/{}", id(&world.full.post("tasks", export).await));
    let hub = &world.test.hub;
    while tasks::round(hub, hub.now()).await.expect("a round") > 0 {}
    let exported = world.full.get(&task).await["file_id"].take();
    let exported = format!("files/{}", exported.as_str().expect("a file"));
    let sheet = given(&world.test, "", "text/csv", "name\nAnn\n").await.ok();
    let sheet = format!("files/{}", id(&sheet));
    let looks = [Permission::ViewMessages];
    let may_look = World::key(&world.test, &looks).await;
    for path in [&exported, &sheet] {
        assert!(world.full.get(path).await["url"].is_string(), "{path}");
        assert_eq!(may_look.get(path).await["url"], Value::Null, "{path}");
    }
}

#[tokio::test]
async fn where_links_lead_is_counted_for_who_may_see_texts() {
    let world = World::new().await;
    let counts = [Permission::ViewStats];
    let may_count = World::key(&world.test, &counts).await;
    let path = "message_stats?start_date=2026-01-01&end_date=2026-01-02&metrics=count&properties=";
    may_count.get(&format!("{path}status")).await;
    let refused = may_count.call("GET", &format!("{path}link"), None).await;
    assert_eq!(refused.refused(401).0, "unauthorized");
    world.full.get(&format!("{path}link")).await;
}

#[tokio::test]
async fn a_kept_answer_is_given_again_only_to_who_may_see_it() {
    let world = World::new().await;
    let body = json!({ "contact_id": world.contact, "content": SECRET, "replace_variables": true });
    let again = |client: Client| {
        let body = body.clone();
        async move {
            let headers = [("Idempotency-Key", "order-1")];
            client
                .call_with("POST", "messages/send", Some(body), &headers)
                .await
        }
    };
    let first = again(world.full.clone()).await.ok();
    assert_eq!(again(world.full.clone()).await.ok(), first);
    let refused = again(world.sender.clone()).await.refused(422);
    assert_eq!(refused.0, "idempotency_mismatch");
}
