//! Broadcasts: made at once, expanded in steps, counted live, cancelled.

mod counts;
mod makers;
mod recipients;

use crate::support::{Client, TO, TestHub, add_key, add_project, hub, id, new_project, only};
use hub_app::broadcasts::{self, Turns};
use hub_app::hub::Hub;
use hub_app::test_routes;
use hub_domain::{Permission, Permissions};
use serde_json::{Value, json};

const OTHER: &str = "+15005550111";

/// Expands every broadcast to its end.
async fn expand(hub: &Hub) -> usize {
    let mut turns = Turns::default();
    let mut rounds = 0;
    while broadcasts::round(hub, &mut turns, hub.now())
        .await
        .expect("a round")
        > 0
    {
        rounds += 1;
    }
    rounds
}

/// Expands each project's next broadcast by one step.
async fn one_step(hub: &Hub) -> usize {
    let mut turns = Turns::default();
    let stepped = broadcasts::round(hub, &mut turns, hub.now());
    stepped.await.expect("a round")
}

/// Plays the test route to its end.
async fn play(hub: &Hub) {
    while test_routes::play_once(hub).await.expect("a step") {}
}

async fn count(client: &Client, filter: &str) -> i64 {
    let path = format!("messages?count=1&{filter}");
    client.get(&path).await["count"].as_i64().expect("a count")
}

fn path(broadcast: &Value) -> String {
    format!("broadcasts/{}", id(broadcast))
}

fn number(n: usize) -> String {
    format!("+1500556{n:04}")
}

/// Makes a group of this many contacts.
async fn group_of(client: &Client, members: usize) -> String {
    let name = json!({ "name": format!("Group of {members}") });
    let group = id(&client.post("groups", name).await);
    join(client, &group, 0..members).await;
    group
}

async fn join(client: &Client, group: &str, numbers: std::ops::Range<usize>) {
    for start in numbers.clone().step_by(200) {
        let some = start..numbers.end.min(start + 200);
        let contact = |n| json!({ "phone_number": number(n), "name": format!("N{n}") });
        let contacts: Vec<_> = some.map(contact).collect();
        let body = json!({ "contacts": contacts, "add_group_ids": [group] });
        client.post("import_contacts", body).await;
    }
}

async fn send(client: &Client, more: Value) -> Value {
    let mut body = json!({ "content": "Hello" });
    for (name, value) in more.as_object().expect("parameters") {
        body[name] = value.clone();
    }
    client.post("send_broadcast", body).await
}

/// Status counts with only these.
fn counts(some: &[(&str, i64)]) -> Value {
    let mut counts = json!({
        "queued": 0, "sent": 0, "failed": 0, "failed_queued": 0, "delivered": 0,
        "not_delivered": 0, "cancelled": 0,
    });
    for (status, count) in some {
        counts[status] = json!(count);
    }
    counts
}

#[tokio::test]
async fn a_broadcast_has_all_its_fields() {
    let test = hub().await;
    let client = test.client();
    let label = id(&client.post("labels", json!({ "name": "News" })).await);
    let body = json!({
        "to_numbers": ["+1 (500) 555-0101", OTHER, TO], "title": " Opening ", "vars": { "a": 1 },
        "label_ids": [label], "route_id": test.phone.id, "media_urls": ["http://a.example/1"],
    });
    let made = send(&client, body).await;
    assert!(id(&made).starts_with("BC"));
    let mut shown = made.clone();
    shown["id"] = Value::Null;
    assert!(shown["time_created"].is_i64());
    assert_eq!(shown["last_message_time"], shown["time_created"]);
    shown["time_created"] = Value::Null;
    shown["last_message_time"] = Value::Null;
    let shown_number = |number| json!({ "type": "phone_number", "phone_number": number });
    let media = json!({
        "url": "http://a.example/1", "type": null, "filename": null, "size": null, "file_id": null,
    });
    let mut expected = json!({
        "id": null, "recipients": [shown_number(TO), shown_number(OTHER)],
        "recipients_str": format!("{TO}, {OTHER}"), "exclude_contact_id": null,
        "exclude_group_id": null, "campaign_id": null, "title": "Opening",
        "time_created": null, "last_message_time": null, "last_send_time": null,
        "status_counts": counts(&[]), "message_count": 0, "estimated_count": 2, "num_parts": 0,
        "message_type": "sms", "content": "Hello", "audio_url": null, "tts_lang": null,
        "tts_voice": null, "replace_variables": false, "is_template": false, "status": "queuing",
        "source": "api", "simulated": false, "track_clicks": false, "clicked_count": null,
        "label_ids": [label], "media": [media], "vars": { "a": 1 }, "route_params": null,
        "price": null, "price_currency": null, "reply_count": 0, "last_reply_time": null,
        "route_id": test.phone.id, "service_id": null, "url": null, "user_id": null,
        "scheduled_id": null, "project_id": test.project.id,
    });
    for nothing in ["waiting_for", "next_try_time"] {
        expected[nothing] = Value::Null;
    }
    assert_eq!(shown, expected);
    assert_eq!(client.get(&path(&made)).await, made);
    assert_eq!(client.get("broadcasts").await["data"], json!([made]));
    expand(&test.hub).await;
    let sent = client
        .get(&format!("messages?broadcast_id={}", id(&made)))
        .await["data"]
        .take();
    assert_eq!(sent.as_array().map(Vec::len), Some(2));
    for (message, to) in sent.as_array().unwrap().iter().zip([TO, OTHER]) {
        assert_eq!(message["broadcast_id"], made["id"]);
        assert_eq!(message["to_number"], to);
        assert_eq!(message["content"], "Hello\nhttp://a.example/1");
        assert_eq!(message["vars"], json!({ "a": 1 }));
        assert_eq!(message["label_ids"], json!([label]));
        assert_eq!(message["source"], "api");
    }
}

#[tokio::test]
async fn lists_go_by_the_times_of_broadcasts() {
    let test = hub().await;
    let client = test.client();
    let mut made = Vec::new();
    for n in 0..3 {
        made.push(send(&client, json!({ "to_numbers": [number(n)] })).await);
    }
    let ids: Vec<_> = made.iter().map(id).collect();
    let second = made[0]["time_created"].as_i64().unwrap();
    for (query, expected) in [
        ("sort_dir=desc".to_owned(), 3),
        ("sort=last_message_time".to_owned(), 3),
        (format!("time_created[min]={second}"), 3),
        (format!("time_created[max]={second}"), 0),
        (format!("last_message_time[min]={}", second + 3_600), 0),
        (
            format!(
                "sort=last_message_time&last_message_time[max]={}",
                second + 3_600
            ),
            3,
        ),
    ] {
        let found = client.ids(&format!("broadcasts?{query}")).await;
        assert_eq!(found.len(), expected, "{query}");
        let count = client.get(&format!("broadcasts?count=1&{query}")).await;
        assert_eq!(count, json!({ "count": expected }), "{query}");
    }
    assert_eq!(client.ids("broadcasts").await, ids);
    let page = client
        .get("broadcasts?page_size=2&sort=last_message_time")
        .await;
    assert_eq!(page["truncated"], true);
    let marker = page["next_marker"].as_str().unwrap();
    let rest = format!("broadcasts?page_size=2&sort=last_message_time&marker={marker}");
    assert_eq!(client.ids(&rest).await, ids[2..]);
    let fields = client.get("broadcasts?page_size=1&fields=title").await;
    assert_eq!(
        fields["data"],
        json!([{ "id": ids[0], "title": number(0) }])
    );
    for (query, param) in [
        ("time_created[gte]=1", "time_created[gte]"),
        ("last_message_time[exists]=1", "last_message_time[exists]"),
        ("last_message_time[min]=x", "last_message_time[min]"),
        ("sort=title", "sort"),
        ("page_size=501", "page_size"),
    ] {
        let path = format!("broadcasts?{query}");
        client.call("GET", &path, None).await.invalid(param);
    }
}

#[tokio::test]
async fn wrong_parameters_are_named() {
    let test = hub().await;
    let client = test.client();
    let group = group_of(&client, 1).await;
    let closed = json!({ "name": "Closed", "allow_sending": false });
    let closed = id(&client.post("create_group", closed).await);
    for (wrong, param) in [
        (json!({ "to_numbers": null }), "to_numbers"),
        (json!({ "to_numbers": [] }), "to_numbers"),
        (json!({ "to_numbers": TO }), "to_numbers"),
        (json!({ "to_numbers": [TO, "nobody"] }), "to_numbers[1]"),
        (json!({ "to_numbers": vec![TO; 501] }), "to_numbers"),
        (json!({ "group_id": group }), "to_numbers"),
        (json!({ "to_numbers": null, "group_id": "x" }), "group_id"),
        (
            json!({ "to_numbers": null, "group_id": "CG0000000000000001" }),
            "group_id",
        ),
        (
            json!({ "to_numbers": null, "group_id": closed }),
            "group_id",
        ),
        (
            json!({ "exclude_contact_id": "CT0000000000000001" }),
            "exclude_contact_id",
        ),
        (
            json!({
                "to_numbers": null, "group_id": group,
                "exclude_contact_id": "CT0000000000000001",
            }),
            "exclude_contact_id",
        ),
        (json!({ "content": null }), "content"),
        (json!({ "content": 5 }), "content"),
        (json!({ "content": "x".repeat(5_000) }), "content"),
        (
            json!({ "content": "[[a|b]]", "replace_variables": true }),
            "content",
        ),
        (json!({ "title": "x".repeat(256) }), "title"),
        (json!({ "title": 5 }), "title"),
        (json!({ "message_type": "ussd" }), "message_type"),
        (json!({ "message_type": "chat" }), "message_type"),
        (json!({ "route_id": "PN0000000000000001" }), "route_id"),
        (json!({ "status_url": "ftp://a.example/" }), "status_url"),
        (json!({ "status_secret": "x".repeat(201) }), "status_secret"),
        (json!({ "label_ids": ["LB1"] }), "label_ids[0]"),
        (json!({ "label_ids": vec!["LB1"; 6] }), "label_ids"),
        (json!({ "media_urls": ["x"] }), "media_urls[0]"),
        (json!({ "vars": { "a b": 1 } }), "vars[a b]"),
        (json!({ "route_params": { "a": 1 } }), "route_params[a]"),
        (json!({ "track_clicks": "maybe" }), "track_clicks"),
        (json!({ "short_link_params": 5 }), "short_link_params"),
        (json!({ "service_id": "SV1" }), "service_id"),
        (json!({ "tts_lang": "de-DE" }), "tts_lang"),
        (json!({ "tts_voice": "male" }), "tts_voice"),
        (
            json!({ "audio_url": "http://a.example/1.mp3" }),
            "audio_url",
        ),
    ] {
        let mut body = json!({ "to_numbers": [TO], "content": "x" });
        for (name, value) in wrong.as_object().unwrap() {
            body[name] = value.clone();
        }
        let refused = client.call("POST", "send_broadcast", Some(body)).await;
        assert_eq!(refused.status, 400, "{wrong}: {}", refused.json);
        refused.invalid(param);
    }
    assert_eq!(client.get("broadcasts?count=1").await["count"], 0);
}

#[tokio::test]
async fn permissions_and_projects_are_kept_apart() {
    let test = hub().await;
    let client = test.client();
    let made = send(&client, json!({ "to_numbers": [TO] })).await;
    let viewer = key_of(&test, Permission::ViewMessages).await;
    let sender = key_of(&test, Permission::SendMessages).await;
    viewer.get(&path(&made)).await;
    let cancel = format!("{}/cancel", path(&made));
    for (client, method, path) in [
        (&viewer, "POST", "send_broadcast"),
        (&viewer, "POST", &*cancel),
        (&sender, "GET", "broadcasts"),
        (&sender, "GET", &*path(&made)),
    ] {
        let body = json!({ "content": "x", "to_numbers": [TO] });
        client.call(method, path, Some(body)).await.refused(401);
    }
    let other = new_project(&test.hub, test.project.organization_id, "Other");
    add_project(&test.hub, &other).await;
    let organization = other.organization_id;
    let key = add_key(&test.hub, organization, None, &Permissions::all()).await;
    let elsewhere = test.client_of(&key, other.id);
    for (method, path) in [("GET", &*path(&made)), ("POST", &*cancel)] {
        elsewhere.call(method, path, None).await.refused(404);
    }
    assert_eq!(elsewhere.get("broadcasts").await["data"], json!([]));
    assert_eq!(client.get(&path(&made)).await["status"], "queuing");
}

async fn key_of(test: &TestHub, permission: Permission) -> Client {
    let (organization, project) = (test.project.organization_id, test.project.id);
    let permissions = only(permission);
    let key = add_key(&test.hub, organization, Some(project), &permissions).await;
    test.client_of(&key, project)
}
