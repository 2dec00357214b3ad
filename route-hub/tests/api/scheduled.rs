//! Scheduled messages: create, update, list, and sending when their time comes.

use crate::support::{Client, TO, TestHub, add_key, add_project, hub, hub_with, id, new_project};
use hub_app::broadcasts::{self, Turns};
use hub_app::hub::Hub;
use hub_app::schedules::fire;
use hub_domain::Permissions;
use postrider_model::Now;
use serde_json::{Value, json};

const OTHER: &str = "+15005550111";
const DAY: i64 = 86_400;

/// Returns the moment this many seconds after a UNIX timestamp.
fn at(test: &TestHub, seconds: i64) -> Now {
    let now = test.hub.now();
    Now::new(now.boot.0, seconds * 1_000)
}

fn seconds(test: &TestHub) -> i64 {
    test.hub.now().unix.seconds()
}

/// Sends everything that is due at a moment, also to groups.
async fn tick(hub: &Hub, now: Now) -> usize {
    let fired = fire::all_due(hub, now).await.expect("a tick");
    let mut turns = Turns::default();
    while broadcasts::round(hub, &mut turns, now)
        .await
        .expect("a round")
        > 0
    {}
    fired
}

async fn count(client: &Client) -> i64 {
    client.get("messages?count=1").await["count"]
        .as_i64()
        .expect("a count")
}

fn path(schedule: &Value) -> String {
    format!("scheduled/{}", id(schedule))
}

#[tokio::test]
async fn a_scheduled_message_has_all_its_fields() {
    let test = hub().await;
    let client = test.client();
    let start = seconds(&test) + 1_000;
    let body = json!({
        "to_number": "+1 (500) 555-0101", "content": "Hello", "start_time": start,
        "vars": { "a": 1 }, "timezone_id": "europe/vienna",
    });
    let made = client.post("scheduled", body).await;
    let mut shown = made.clone();
    assert!(id(&shown).starts_with("SC"));
    shown["id"] = Value::Null;
    assert!(shown["time_created"].take().is_i64());
    let expected = json!({
        "id": null, "rrule": "COUNT=1", "timezone_id": "Europe/Vienna",
        "recipients": [{ "type": "phone_number", "phone_number": TO }], "recipients_str": TO,
        "group_id": null, "contact_id": null, "to_number": TO, "message_type": "sms",
        "content": "Hello", "route_id": null, "service_id": null, "audio_url": null,
        "tts_lang": null, "tts_voice": null, "replace_variables": false, "is_template": false,
        "track_clicks": false, "media": [], "route_params": null, "vars": { "a": 1 },
        "label_ids": [], "time_created": null, "start_time": start, "end_time": null,
        "prev_time": null, "next_time": start, "occurrences": 0, "relative_scheduled_id": null,
        "waiting_for": null, "next_try_time": null, "project_id": test.project.id,
    });
    assert_eq!(shown, expected);
    assert_eq!(client.get(&path(&made)).await, made);
    assert_eq!(client.get("scheduled").await["data"], json!([made]));
}

#[tokio::test]
async fn what_is_scheduled_once_is_sent_once_when_its_time_comes() {
    let test = hub().await;
    let client = test.client();
    let body = json!({
        "to_number": TO, "content": "Hi [[contact.phone_number]]", "start_time_offset": 60,
        "replace_variables": true, "vars": { "a": 1 }, "media_urls": ["http://a.example/1"],
    });
    let made = client.post("scheduled", body).await;
    let start = made["start_time"].as_i64().unwrap();
    assert_eq!(tick(&test.hub, at(&test, start - 1)).await, 0);
    assert_eq!(tick(&test.hub, at(&test, start)).await, 1);
    assert_eq!(tick(&test.hub, at(&test, start + 1)).await, 0);
    let sent = client
        .get(&format!("messages?scheduled_id={}", id(&made)))
        .await["data"]
        .take();
    assert_eq!(sent.as_array().unwrap().len(), 1);
    assert_eq!(sent[0]["content"], format!("Hi {TO}\nhttp://a.example/1"));
    assert_eq!(sent[0]["source"], "scheduled");
    assert_eq!(sent[0]["scheduled_id"], made["id"]);
    assert_eq!(sent[0]["vars"], json!({ "a": 1 }));
    let shown = client.get(&path(&made)).await;
    assert_eq!(shown["prev_time"], start);
    assert_eq!(shown["next_time"], Value::Null);
    assert_eq!(shown["occurrences"], 1);
}

#[tokio::test]
async fn what_recurs_goes_on_until_its_end() {
    let test = hub().await;
    let client = test.client();
    let start = seconds(&test) + 100;
    let body = json!({
        "to_number": TO, "content": "x", "start_time": start, "rrule": "FREQ=DAILY",
        "end_time": start + 3 * DAY,
    });
    let made = client.post("scheduled", body).await;
    for day in 0..6 {
        tick(&test.hub, at(&test, start + day * DAY + 5)).await;
    }
    assert_eq!(count(&client).await, 4);
    let shown = client.get(&path(&made)).await;
    assert_eq!(
        (&shown["occurrences"], &shown["next_time"]),
        (&json!(4), &Value::Null)
    );
}

#[tokio::test]
async fn what_was_missed_is_made_up_for_once() {
    let test = hub().await;
    let client = test.client();
    let start = seconds(&test) + 100;
    let body = json!({
        "to_number": TO, "content": "x", "start_time": start, "rrule": "FREQ=HOURLY;COUNT=100",
    });
    let made = client.post("scheduled", body).await;
    let late = start + 10 * 3_600 + 1_800;
    assert_eq!(tick(&test.hub, at(&test, late)).await, 1);
    assert_eq!(tick(&test.hub, at(&test, late + 60)).await, 0);
    let shown = client.get(&path(&made)).await;
    assert_eq!(shown["next_time"], start + 11 * 3_600);
    assert_eq!(shown["occurrences"], 1);
    tick(&test.hub, at(&test, start + 500 * 3_600)).await;
    assert_eq!(client.get(&path(&made)).await["next_time"], Value::Null);
    assert_eq!(count(&client).await, 2);
}

#[tokio::test]
async fn a_hub_that_starts_again_sends_what_is_due_and_nothing_twice() {
    let test = hub().await;
    let client = test.client();
    let group = group_of(&client, 450).await;
    for to in [json!({ "to_number": TO }), json!({ "group_id": group })] {
        let mut body = json!({ "content": "x", "start_time_offset": 60 });
        body.as_object_mut()
            .unwrap()
            .extend(to.as_object().unwrap().clone());
        client.post("scheduled", body).await;
    }
    let due = at(&test, seconds(&test) + 61);
    assert_eq!(fire::all_due(&test.hub, due).await.unwrap(), 2);
    assert_eq!(
        broadcasts::round(&test.hub, &mut Turns::default(), due)
            .await
            .unwrap(),
        1
    );
    assert_eq!(count(&client).await, 101);
    // Another process on the same file goes on where the first one stopped.
    let again = test.start_again();
    assert_eq!(tick(&again, due).await, 0);
    assert_eq!(tick(&test.hub, due).await, 0);
    assert_eq!(count(&client).await, 451);
}

/// Makes a group of this many contacts.
async fn group_of(client: &Client, members: usize) -> String {
    let group = client
        .post("groups", json!({ "name": format!("Group of {members}") }))
        .await;
    for start in (0..members).step_by(200) {
        let numbers = start..members.min(start + 200);
        let contact =
            |n| json!({ "phone_number": format!("+1500556{n:04}"), "name": format!("N{n}") });
        let contacts: Vec<_> = numbers.map(contact).collect();
        let body = json!({ "contacts": contacts, "add_group_ids": [id(&group)] });
        client.post("import_contacts", body).await;
    }
    id(&group)
}

#[tokio::test]
async fn a_group_gets_it_each_member_once_and_whoever_joins_later_nothing() {
    let test = hub().await;
    let client = test.client();
    let group = group_of(&client, 5).await;
    let body = json!({
        "group_id": group, "content": "Dear [[contact.name]]", "replace_variables": true,
        "start_time_offset": 0, "rrule": "FREQ=DAILY",
    });
    let made = client.post("scheduled", body).await;
    assert_eq!(made["recipients"][0]["type"], "group");
    assert_eq!(made["recipients_str"], "Group of 5");
    let listed = client.ids(&format!("groups/{group}/scheduled")).await;
    assert_eq!(listed, [id(&made)]);
    let members = client.ids(&format!("groups/{group}/contacts")).await;
    let blocked = json!({ "send_blocked": true });
    client
        .post(&format!("contacts/{}", members[0]), blocked)
        .await;
    let start = made["start_time"].as_i64().unwrap();
    tick(&test.hub, at(&test, start)).await;
    let sent = client.get("messages").await["data"].take();
    let texts: Vec<_> = sent
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["content"].as_str().unwrap())
        .collect();
    assert_eq!(texts, ["Dear N1", "Dear N2", "Dear N3", "Dear N4"]);
    let name = client.get(&format!("groups/{group}")).await["name"].take();
    assert_eq!(name, "Group of 5");
    tick(&test.hub, at(&test, start + DAY)).await;
    assert_eq!(count(&client).await, 8);
    let path = format!("groups/{group}");
    client.post(&path, json!({ "allow_sending": false })).await;
    tick(&test.hub, at(&test, start + 2 * DAY)).await;
    assert_eq!(count(&client).await, 8);
    let shown = client.get(&format!("scheduled/{}", id(&made))).await;
    assert!(shown["error_message"].is_string());
    assert_eq!(shown["occurrences"], 2, "the third was not sent");
}

#[tokio::test]
async fn a_schedule_that_is_cancelled_sends_to_nobody_more() {
    let test = hub().await;
    let client = test.client();
    let group = group_of(&client, 250).await;
    let body = json!({ "group_id": group, "content": "x", "start_time_offset": 0 });
    let made = client.post("scheduled", body).await;
    let due = at(&test, seconds(&test) + 1);
    fire::all_due(&test.hub, due).await.unwrap();
    broadcasts::round(&test.hub, &mut Turns::default(), due)
        .await
        .unwrap();
    let cancelled = client.call("DELETE", &path(&made), None).await;
    assert_eq!(cancelled.ok(), json!({}));
    client.call("DELETE", &path(&made), None).await.refused(404);
    client.call("GET", &path(&made), None).await.refused(404);
    tick(&test.hub, due).await;
    assert_eq!(count(&client).await, 100);
}

#[tokio::test]
async fn a_contacts_list_has_what_is_for_the_contact_itself() {
    let test = hub().await;
    let client = test.client();
    let contact = id(&client
        .post("contacts", json!({ "phone_number": TO, "name": "Ann" }))
        .await);
    let mut own = Vec::new();
    for to in [
        json!({ "contact_id": contact }),
        json!({ "to_number": TO }),
        json!({ "to_number": OTHER }),
    ] {
        let mut body = json!({ "content": "x", "start_time_offset": 60 });
        body.as_object_mut()
            .unwrap()
            .extend(to.as_object().unwrap().clone());
        own.push(client.post("scheduled", body).await);
    }
    assert_eq!(own[0]["recipients_str"], "Ann");
    assert_eq!(own[0]["recipients"][0]["phone_number"], TO);
    let listed = client.ids(&format!("contacts/{contact}/scheduled")).await;
    assert_eq!(listed, [id(&own[0]), id(&own[1])]);
    client
        .call("GET", "contacts/CT0000000000000001/scheduled", None)
        .await
        .refused(404);
    client
        .call("GET", "groups/CG0000000000000001/scheduled", None)
        .await
        .refused(404);
}

#[tokio::test]
async fn a_change_is_checked_as_a_whole_and_times_are_looked_for_anew() {
    let test = hub().await;
    let client = test.client();
    let start = seconds(&test) + 100;
    let body = json!({ "to_number": TO, "content": "one", "start_time": start, "vars": { "a": 1, "b": 2 } });
    let made = client.post("scheduled", body).await;
    let path = path(&made);
    let change = json!({ "content": "two", "vars": { "a": null, "c": 3 } });
    let changed = client.post(&path, change).await;
    assert_eq!(changed["content"], "two");
    assert_eq!(changed["vars"], json!({ "b": 2, "c": 3 }));
    assert_eq!(changed["next_time"], start);
    assert_eq!(client.post(&path, json!({})).await["content"], "two");
    let change =
        json!({ "rrule": "FREQ=WEEKLY", "start_time": start + DAY, "end_time": start + 30 * DAY });
    let changed = client.post(&path, change).await;
    assert_eq!(changed["next_time"], start + DAY);
    tick(&test.hub, at(&test, start + DAY)).await;
    let changed = client.post(&path, json!({ "to_number": OTHER })).await;
    assert_eq!(
        (&changed["occurrences"], &changed["next_time"]),
        (&json!(1), &json!(start + 8 * DAY))
    );
    tick(&test.hub, at(&test, start + 8 * DAY)).await;
    let sent = client.get("messages").await["data"].take();
    assert_eq!(
        (&sent[0]["to_number"], &sent[1]["to_number"]),
        (&json!(TO), &json!(OTHER))
    );
    let once = client
        .post(
            &path,
            json!({ "rrule": null, "start_time": start + 40 * DAY }),
        )
        .await;
    assert_eq!(
        (&once["rrule"], &once["end_time"]),
        (&json!("COUNT=1"), &Value::Null)
    );
    for (change, param) in [
        (json!({ "content": "" }), "content"),
        (json!({ "rrule": "FREQ=MINUTELY" }), "rrule"),
        (json!({ "start_time": "soon" }), "start_time"),
        (json!({ "timezone_id": "Mars/Base" }), "timezone_id"),
        (json!({ "contact_id": "CT0000000000000001" }), "contact_id"),
        (json!({ "message_type": "call" }), "message_type"),
        (json!({ "next_time": 5 }), "next_time"),
        (
            json!({ "replace_variables": true, "content": "[[a|b]]" }),
            "content",
        ),
    ] {
        let refused = client.call("POST", &path, Some(change)).await;
        refused.invalid(param);
    }
    assert_eq!(client.get(&path).await, once);
    client
        .call("POST", "scheduled/SC0000000000000001", Some(json!({})))
        .await
        .refused(404);
}

#[tokio::test]
async fn wrong_parameters_are_named() {
    let test = hub().await;
    let client = test.client();
    let start = seconds(&test) + 100;
    for (wrong, param) in [
        (json!({ "start_time": null }), "start_time"),
        (json!({ "start_time": "x" }), "start_time"),
        (json!({ "start_time_offset": 5 }), "start_time_offset"),
        (
            json!({ "start_time": null, "start_time_offset": -5 }),
            "start_time_offset",
        ),
        (json!({ "content": null }), "content"),
        (json!({ "to_number": null }), "to_number"),
        (json!({ "to_number": "nobody" }), "to_number"),
        (json!({ "contact_id": "CT0000000000000001" }), "to_number"),
        (
            json!({ "to_number": null, "contact_id": "CT0000000000000001" }),
            "contact_id",
        ),
        (json!({ "group_id": "CG0000000000000001" }), "to_number"),
        (
            json!({ "to_number": null, "group_id": "CG0000000000000001" }),
            "group_id",
        ),
        (
            json!({ "to_number": null, "group_id": "PN0000000000000001" }),
            "group_id",
        ),
        (json!({ "rrule": "DAILY" }), "rrule"),
        (json!({ "rrule": "FREQ=SECONDLY" }), "rrule"),
        (json!({ "rrule": 5 }), "rrule"),
        (
            json!({ "rrule": "FREQ=DAILY;COUNT=2", "start_time": 1_000_000_000 }),
            "rrule",
        ),
        (json!({ "end_time": start + 5 }), "end_time"),
        (
            json!({ "end_time": start - 5, "rrule": "FREQ=DAILY" }),
            "end_time",
        ),
        (
            json!({ "end_time": start + 5, "end_time_offset": 5, "rrule": "FREQ=DAILY" }),
            "end_time_offset",
        ),
        (json!({ "timezone_id": "Mars/Base" }), "timezone_id"),
        (json!({ "message_type": "chat" }), "message_type"),
        (json!({ "message_type": "ussd" }), "content"),
        (json!({ "route_id": "PN0000000000000001" }), "route_id"),
        (json!({ "vars": { "a b": 1 } }), "vars[a b]"),
        (
            json!({ "media_urls": ["data:text/plain,x"] }),
            "media_urls[0]",
        ),
        (json!({ "service_id": "SV1" }), "service_id"),
        (json!({ "ttl_sec": 0 }), "ttl_sec"),
    ] {
        let mut body = json!({ "to_number": TO, "content": "x", "start_time": start });
        for (name, value) in wrong.as_object().unwrap() {
            body[name] = value.clone();
        }
        let refused = client.call("POST", "scheduled", Some(body)).await;
        refused.invalid(param);
    }
    assert_eq!(client.get("scheduled?count=1").await["count"], 0);
}

#[tokio::test]
async fn calls_codes_and_data_are_scheduled_too() {
    let test = hub().await;
    let client = test.client();
    for body in [
        json!({ "to_number": "*100#", "message_type": "ussd", "start_time_offset": 0 }),
        json!({ "to_number": TO, "message_type": "call", "start_time_offset": 0 }),
        json!({ "to_number": TO, "route_params": { "port": 7, "data": "AA==" }, "start_time_offset": 0 }),
    ] {
        client.post("scheduled", body).await;
    }
    tick(&test.hub, at(&test, seconds(&test) + 1)).await;
    let sent = client.get("messages").await["data"].take();
    let types: Vec<_> = sent
        .as_array()
        .unwrap()
        .iter()
        .map(|one| &one["message_type"])
        .collect();
    assert_eq!(types, ["ussd", "call", "sms"]);
    assert_eq!(sent[2]["route_params"]["port"], 7);
    let group = group_of(&client, 1).await;
    let body = json!({ "group_id": group, "message_type": "ussd", "start_time_offset": 0 });
    client
        .call("POST", "scheduled", Some(body))
        .await
        .invalid("group_id");
}

#[tokio::test]
async fn what_cannot_be_sent_says_why_and_goes_on() {
    let test = hub().await;
    let client = test.client();
    let contact = id(&client.post("contacts", json!({ "phone_number": TO })).await);
    let body = json!({ "contact_id": contact, "content": "x", "start_time_offset": 0, "rrule": "FREQ=DAILY" });
    let made = client.post("scheduled", body).await;
    client
        .post(
            &format!("contacts/{contact}"),
            json!({ "send_blocked": true }),
        )
        .await;
    let start = made["start_time"].as_i64().unwrap();
    tick(&test.hub, at(&test, start)).await;
    let shown = client.get(&path(&made)).await;
    assert!(
        shown["error_message"]
            .as_str()
            .is_some_and(|text| text.contains("blocked"))
    );
    assert_eq!(shown["next_time"], start + DAY);
    client
        .post(
            &format!("contacts/{contact}"),
            json!({ "send_blocked": false }),
        )
        .await;
    tick(&test.hub, at(&test, start + DAY)).await;
    assert_eq!(client.get(&path(&made)).await.get("error_message"), None);
    assert_eq!(count(&client).await, 1);
}

#[tokio::test]
async fn labels_are_put_on_what_is_sent_as_long_as_they_are_there() {
    let test = hub().await;
    let client = test.client();
    let mut labels = Vec::new();
    for name in ["One", "Two"] {
        labels.push(id(&client.post("labels", json!({ "name": name })).await));
    }
    let body = json!({
        "to_number": TO, "content": "x", "start_time_offset": 0, "rrule": "FREQ=DAILY",
        "label_ids": labels,
    });
    let made = client.post("scheduled", body.clone()).await;
    assert_eq!(made["label_ids"], json!(labels));
    let start = made["start_time"].as_i64().unwrap();
    tick(&test.hub, at(&test, start)).await;
    let label = format!("labels/{}", labels[0]);
    client.call("DELETE", &label, None).await.ok();
    tick(&test.hub, at(&test, start + DAY)).await;
    let sent = client.get("messages").await["data"].take();
    assert_eq!(sent[0]["label_ids"], json!([labels[1]]));
    assert_eq!(sent[1]["label_ids"], json!([labels[1]]));
    let changed = client.post(&path(&made), json!({ "content": "y" })).await;
    assert_eq!(changed["label_ids"], json!([labels[1]]));
    let refused = client.call("POST", "scheduled", Some(body)).await;
    refused.invalid("label_ids[0]");
}

#[tokio::test]
async fn a_full_queue_is_waited_for() {
    let test = hub_with(|project| project.queue_cap = 1).await;
    let client = test.client();
    for _ in 0..2 {
        let body = json!({ "to_number": TO, "content": "x", "start_time_offset": 0 });
        client.post("scheduled", body).await;
    }
    let due = at(&test, seconds(&test) + 1);
    assert_eq!(tick(&test.hub, due).await, 1);
    assert_eq!(tick(&test.hub, due).await, 0);
    assert_eq!(
        client.get("scheduled?next_time[exists]=1&count=1").await["count"],
        1
    );
}

#[tokio::test]
async fn lists_are_filtered_and_sorted() {
    let test = hub().await;
    let client = test.client();
    let now = seconds(&test);
    let mut made = Vec::new();
    for (offset, kind) in [(300, "text"), (100, "call"), (200, "text")] {
        let mut body = json!({ "to_number": TO, "message_type": kind, "start_time": now + offset });
        if kind == "text" {
            body["content"] = json!("x");
        }
        made.push(id(&client.post("scheduled", body).await));
    }
    let ids = async |query: &str| client.ids(&format!("scheduled?{query}")).await;
    let of = |indexes: &[usize]| {
        indexes
            .iter()
            .map(|index| made[*index].clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(ids("").await, of(&[0, 1, 2]));
    assert_eq!(ids("sort=next_time").await, of(&[1, 2, 0]));
    assert_eq!(
        ids("sort=next_time&sort_dir=desc&page_size=2").await,
        of(&[0, 2])
    );
    assert_eq!(ids("message_type=sms").await, of(&[0, 2]));
    assert_eq!(
        ids(&format!("next_time[min]={}", now + 200)).await,
        of(&[0, 2])
    );
    assert_eq!(
        ids(&format!("next_time[max]={}", now + 200)).await,
        of(&[1])
    );
    assert_eq!(
        ids(&format!("time_created[min]={}", now + 5)).await,
        of(&[])
    );
    assert_eq!(
        ids("relative_scheduled_id=RS0000000000000001").await,
        of(&[])
    );
    tick(&test.hub, at(&test, now + 150)).await;
    assert_eq!(ids("next_time[exists]=0").await, of(&[1]));
    let refused = client.call("GET", "scheduled?next_time[ne]=5", None).await;
    refused.invalid("next_time[ne]");
}

#[tokio::test]
async fn another_projects_schedules_are_none() {
    let test = hub().await;
    let client = test.client();
    let body = json!({ "to_number": TO, "content": "x", "start_time_offset": 60 });
    let made = client.post("scheduled", body).await;
    let organization = test.project.organization_id;
    let other = new_project(&test.hub, organization, "Second");
    add_project(&test.hub, &other).await;
    let key = add_key(&test.hub, organization, None, &Permissions::all()).await;
    let stranger = test.client_of(&key, other.id);
    assert_eq!(stranger.ids("scheduled").await, Vec::<String>::new());
    for method in ["GET", "POST", "DELETE"] {
        let answer = stranger.call(method, &path(&made), None).await;
        answer.refused(404);
    }
    assert_eq!(client.get(&path(&made)).await, made);
}

#[tokio::test]
async fn contacts_that_a_filter_finds_at_its_time_get_it() {
    let test = hub().await;
    let client = test.client();
    group_of(&client, 3).await;
    let start = seconds(&test) + DAY;
    let body = json!({
        "filter_type": "query_contacts", "filter_params": { "send_blocked": false },
        "content": "x", "start_time": start,
    });
    let made = client.post("scheduled", body).await;
    assert_eq!(made["recipients"][0]["type"], "filter");
    assert_eq!(
        (&made["group_id"], &made["to_number"]),
        (&Value::Null, &Value::Null)
    );
    client
        .post("contacts", json!({ "phone_number": OTHER, "name": "Late" }))
        .await;
    assert_eq!(tick(&test.hub, at(&test, start)).await, 1);
    assert_eq!(count(&client).await, 4);
    let ids = client.ids("contacts?name=Late").await;
    let ids = json!({ "filter_type": "contact_ids", "filter_params": { "contact_ids": ids } });
    let changed = client.post(&path(&made), ids).await;
    assert_eq!(changed["recipients"][0]["filter_type"], "contact_ids");
    let to_one = client.post(&path(&made), json!({ "to_number": TO })).await;
    assert_eq!(to_one["recipients"][0]["type"], "phone_number");
}
