//! Broadcasts: made at once, expanded in steps, counted live, cancelled.

use crate::support::{
    Client, TO, TestHub, add_key, add_project, hub, hub_with, id, new_project, only,
};
use hub_domain::{Permission, Permissions, WebhookEvent};
use hub_store::{outbox, projects};
use postrider_model::UnixMs;
use route_hub::broadcasts::{self, Turns};
use route_hub::dispatch::simulated;
use route_hub::hub::Hub;
use serde_json::{Value, json};

const OTHER: &str = "+15005550111";

/// Takes every broadcast as far as it goes.
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

/// Takes each project's next broadcast one step further.
async fn one_step(hub: &Hub) -> usize {
    let mut turns = Turns::default();
    let stepped = broadcasts::round(hub, &mut turns, hub.now());
    stepped.await.expect("a round")
}

/// Plays the test route to its end.
async fn play(hub: &Hub) {
    while simulated::play_once(hub).await.expect("a step") {}
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

/// Makes a group with so many contacts.
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

/// The status counts with these, and no others.
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
    let expected = json!({
        "id": null, "recipients": [shown_number(TO), shown_number(OTHER)],
        "recipients_str": format!("{TO}, {OTHER}"), "exclude_contact_id": null, "title": "Opening",
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
async fn each_member_gets_its_own_text_once_but_for_who_is_blocked_or_excluded() {
    let test = hub().await;
    let client = test.client();
    let group = group_of(&client, 6).await;
    let members = client.ids(&format!("groups/{group}/contacts")).await;
    let blocked = json!({ "send_blocked": true });
    let member = format!("contacts/{}", members[0]);
    client.post(&member, blocked).await;
    let made = send(
        &client,
        json!({
            "group_id": group, "exclude_contact_id": members[5], "replace_variables": true,
            "content": "Dear [[contact.name]]",
        }),
    )
    .await;
    assert_eq!(made["title"], "Group of 6");
    assert_eq!(made["recipients_str"], "Group of 6");
    let recipient = json!({ "type": "group", "group_id": group, "group_name": "Group of 6" });
    assert_eq!(made["recipients"], json!([recipient]));
    assert_eq!(made["exclude_contact_id"], members[5]);
    assert_eq!(made["estimated_count"], 6);
    expand(&test.hub).await;
    let sent = client.get("messages").await["data"].take();
    let sent = sent.as_array().unwrap();
    let texts: Vec<_> = sent.iter().map(|one| &one["content"]).collect();
    assert_eq!(texts, ["Dear N1", "Dear N2", "Dear N3", "Dear N4"]);
    let contacts: Vec<_> = sent.iter().map(|one| &one["contact_id"]).collect();
    assert_eq!(contacts, members[1..5].iter().collect::<Vec<_>>());
    let shown = client.get(&path(&made)).await;
    assert_eq!(shown["status"], "sending");
    assert_eq!(shown["message_count"], 4);
    assert_eq!(shown["estimated_count"], 5);
}

#[tokio::test]
async fn who_is_in_the_group_when_it_is_made_gets_it_unless_it_leaves_before() {
    let test = hub().await;
    let client = test.client();
    let group = group_of(&client, 300).await;
    let later = client
        .post("contacts", json!({ "phone_number": TO, "name": "Known" }))
        .await;
    let made = send(&client, json!({ "group_id": group })).await;
    let before = made["time_created"].as_i64().unwrap() * 1_000 + 1_000;
    // Whoever joins within the same millisecond is still in: wait for another one.
    while test.hub.now().unix.0 <= before - 1_000 {
        tokio::task::yield_now().await;
    }
    assert_eq!(one_step(&test.hub).await, 1);
    let stamp = test.hub.now().unix;
    while test.hub.now().unix == stamp {
        tokio::task::yield_now().await;
    }
    join(&client, &group, 300..310).await;
    let path_of = |contact: &str| format!("groups/{group}/contacts/{contact}");
    client.call("PUT", &path_of(&id(&later)), None).await.ok();
    let members = client
        .ids(&format!(
            "groups/{group}/contacts?sort=name&page_size=200&sort_dir=desc"
        ))
        .await;
    let last = client
        .post("contacts", json!({ "phone_number": number(299) }))
        .await;
    client.call("DELETE", &path_of(&id(&last)), None).await.ok();
    assert_eq!(members.len(), 200);
    expand(&test.hub).await;
    assert_eq!(count(&client, "").await, 299);
    assert_eq!(
        count(&client, &format!("contact_id={}", id(&later))).await,
        0
    );
    assert_eq!(
        count(&client, &format!("contact_id={}", id(&last))).await,
        0
    );
    let shown = client.get(&path(&made)).await;
    assert_eq!(shown["message_count"], 299);
    assert_eq!(shown["estimated_count"], 299);
}

#[tokio::test]
async fn a_dynamic_group_is_who_meets_its_conditions() {
    let test = hub().await;
    let client = test.client();
    for (name, to) in [("Ann", TO), ("Bob", OTHER)] {
        let contact = json!({ "name": name, "phone_number": to, "vars": { "city": name } });
        client.post("contacts", contact).await;
    }
    let dynamic = json!({ "name": "In Ann", "filters": { "vars.city": "ann" } });
    let group = id(&client.post("create_group", dynamic).await);
    let made = send(&client, json!({ "group_id": group })).await;
    assert_eq!(made["estimated_count"], 1);
    let new = json!({ "phone_number": "+15005550133", "vars": { "city": "ann" } });
    client.post("contacts", new).await;
    expand(&test.hub).await;
    let sent = client.get("messages").await["data"].take();
    assert_eq!(sent.as_array().map(Vec::len), Some(1));
    assert_eq!(sent[0]["to_number"], TO);
}

#[tokio::test]
async fn a_hub_that_starts_again_goes_on_where_it_was() {
    let test = hub().await;
    let client = test.client();
    let group = group_of(&client, 450).await;
    let made = send(&client, json!({ "group_id": group })).await;
    assert_eq!(one_step(&test.hub).await, 1);
    assert_eq!(count(&client, "").await, 200);
    // Another process on the same file, and the first one with what it knew before.
    let again = test.start_again();
    assert_eq!(one_step(&again).await, 1);
    assert_eq!(one_step(&test.hub).await, 1);
    assert_eq!(expand(&again).await, 0);
    assert_eq!(expand(&test.hub).await, 0);
    assert_eq!(count(&client, "").await, 450);
    let mut numbers = std::collections::BTreeSet::new();
    for page in 0..9 {
        let path = format!("messages?page_size=50&offset={}", page * 50);
        let list = client.get(&path).await["data"].take();
        for message in list.as_array().unwrap() {
            assert!(numbers.insert(message["to_number"].to_string()));
        }
    }
    assert_eq!(numbers.len(), 450);
    let shown = client.get(&path(&made)).await;
    assert_eq!(shown["status_counts"], counts(&[("queued", 450)]));
}

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
    assert!(simulated::play_once(&test.hub).await.unwrap());
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
    // What became of a message stays counted when it is deleted.
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
async fn a_cancelled_broadcast_makes_and_sends_nothing_more() {
    let test = hub().await;
    let client = test.client();
    let group = group_of(&client, 450).await;
    let route = test.test_phone().await.id;
    let made = send(&client, json!({ "group_id": group, "route_id": route })).await;
    let cancel = format!("{}/cancel", path(&made));
    one_step(&test.hub).await;
    one_step(&test.hub).await;
    let cancelled = client.post(&cancel, json!({})).await;
    assert_eq!(cancelled["status"], "cancelled");
    let expected = counts(&[("cancelled", 200), ("queued", 200)]);
    assert_eq!(cancelled["status_counts"], expected);
    // What was not walked to yet is not sent either.
    play(&test.hub).await;
    let shown = client.get(&path(&made)).await;
    assert_eq!(shown["status_counts"], counts(&[("cancelled", 400)]));
    expand(&test.hub).await;
    assert_eq!(count(&client, "").await, 400);
    assert_eq!(client.post(&cancel, json!({})).await["status"], "cancelled");
    // One that somebody sends again all the same is sent.
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

#[tokio::test]
async fn requests_send_as_part_of_a_broadcast() {
    let test = hub().await;
    let client = test.client();
    let blocked = json!({ "phone_number": OTHER, "send_blocked": true });
    client.post("contacts", blocked).await;
    let messages = json!([
        { "to_number": TO, "content": "one" },
        { "to_number": OTHER, "content": "two" },
    ]);
    let body = json!({ "broadcast_title": "In parts", "messages": messages });
    let first = client.post("send_multi", body).await;
    let broadcast = first["broadcast_id"]
        .as_str()
        .expect("a broadcast")
        .to_owned();
    let path = format!("broadcasts/{broadcast}");
    let shown = client.get(&path).await;
    assert_eq!(shown["title"], "In parts");
    assert_eq!(
        (&shown["content"], &shown["recipients"]),
        (&Value::Null, &json!([]))
    );
    assert_eq!(shown["status"], "sending");
    let counted = |shown: &Value| {
        let numbers = ["message_count", "estimated_count"].map(|name| shown[name].as_i64());
        numbers.map(Option::unwrap)
    };
    assert_eq!(counted(&shown), [1, 2]);
    let body = json!({
        "broadcast_id": broadcast, "broadcast_title": "passed over",
        "messages": [{ "to_number": "+15005550133", "content": "three" }],
    });
    let second = client.post("send_multi", body).await;
    assert_eq!(second["broadcast_id"], broadcast.as_str());
    assert_eq!(counted(&client.get(&path).await), [2, 3]);
    assert_eq!(
        client.ids("broadcasts").await,
        std::slice::from_ref(&broadcast)
    );
    let of_it = count(&client, &format!("broadcast_id={broadcast}")).await;
    assert_eq!(of_it, 2);
    let alone = client
        .post(
            "send_multi",
            json!({ "messages": [{ "to_number": TO, "content": "x" }] }),
        )
        .await;
    assert_eq!(alone.get("broadcast_id"), None);
    for (wrong, param) in [
        (
            json!({ "broadcast_id": "BC0000000000000001" }),
            "broadcast_id",
        ),
        (json!({ "broadcast_id": "x" }), "broadcast_id"),
        (
            json!({ "broadcast_title": "x".repeat(256) }),
            "broadcast_title",
        ),
    ] {
        let mut body = json!({ "messages": [{ "to_number": TO, "content": "x" }] });
        for (name, value) in wrong.as_object().unwrap() {
            body[name] = value.clone();
        }
        let refused = client.call("POST", "send_multi", Some(body)).await;
        refused.invalid(param);
    }
    let inside = json!({ "to_number": TO, "content": "x", "broadcast_id": broadcast });
    let body = json!({ "messages": [inside] });
    let refused = client.call("POST", "send_multi", Some(body)).await;
    refused.invalid("messages[0][broadcast_id]");
}

#[tokio::test]
async fn a_batch_to_a_group_is_a_broadcast() {
    let test = hub().await;
    let client = test.client();
    let group = group_of(&client, 3).await;
    let body = json!({ "group_id": group, "content": "x" });
    let answer = client.post("messages/send_batch", body).await;
    assert_eq!(answer["count_queued"], 3);
    expand(&test.hub).await;
    let filter = format!("broadcast_id={}", answer["broadcast_id"].as_str().unwrap());
    assert_eq!(count(&client, &filter).await, 3);
}

#[tokio::test]
async fn what_a_schedule_sends_to_a_group_is_a_broadcast() {
    let test = hub().await;
    let client = test.client();
    let group = group_of(&client, 3).await;
    let body = json!({ "group_id": group, "content": "x", "start_time_offset": 0 });
    let schedule = client.post("scheduled", body).await;
    let fired = route_hub::schedules::fire::all_due(&test.hub, test.hub.now());
    assert_eq!(fired.await.unwrap(), 1);
    expand(&test.hub).await;
    let made = client.get("broadcasts").await["data"][0].take();
    assert_eq!(made["source"], "scheduled");
    assert_eq!(made["scheduled_id"], schedule["id"]);
    assert_eq!(made["message_count"], 3);
    let both = format!("broadcast_id={}&scheduled_id={}", id(&made), id(&schedule));
    assert_eq!(count(&client, &both).await, 3);
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
        (json!({ "message_type": "mms" }), "message_type"),
        (json!({ "route_id": "PN0000000000000001" }), "route_id"),
        (json!({ "status_url": "ftp://a.example/" }), "status_url"),
        (json!({ "status_secret": "x".repeat(201) }), "status_secret"),
        (json!({ "label_ids": ["LB1"] }), "label_ids[0]"),
        (json!({ "label_ids": vec!["LB1"; 6] }), "label_ids"),
        (json!({ "media_urls": ["x"] }), "media_urls[0]"),
        (json!({ "vars": { "a b": 1 } }), "vars[a b]"),
        (json!({ "route_params": { "a": 1 } }), "route_params[a]"),
        (json!({ "track_clicks": true }), "track_clicks"),
        (
            json!({ "short_link_params": { "a": 1 } }),
            "short_link_params",
        ),
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
async fn a_group_that_goes_away_ends_its_broadcast_with_the_reason() {
    let test = hub().await;
    let client = test.client();
    let group = group_of(&client, 250).await;
    let made = send(&client, json!({ "group_id": group })).await;
    one_step(&test.hub).await;
    client
        .call("DELETE", &format!("groups/{group}"), None)
        .await
        .ok();
    expand(&test.hub).await;
    let shown = client.get(&path(&made)).await;
    assert_eq!(shown["message_count"], 200);
    assert_eq!(shown["status"], "sending");
    assert_eq!(shown["error_message"], "the group is gone");
    assert_eq!(shown["title"], "Group of 250");
}

#[tokio::test]
async fn a_full_queue_holds_a_broadcast_up_and_others_go_on() {
    let test = hub_with(|project| project.queue_cap = 300).await;
    let client = test.client();
    let group = group_of(&client, 450).await;
    let made = send(&client, json!({ "group_id": group })).await;
    let other = new_project(&test.hub, test.project.organization_id, "Other");
    add_project(&test.hub, &other).await;
    crate::support::add_phone(
        &test.hub,
        other.id,
        hub_domain::PhoneType::Simulated,
        "+15005550198",
    )
    .await;
    let (organization, all) = (other.organization_id, Permissions::all());
    let key = add_key(&test.hub, organization, Some(other.id), &all).await;
    let others = test.client_of(&key, other.id);
    let theirs = send(&others, json!({ "to_numbers": [TO] })).await;
    expand(&test.hub).await;
    assert_eq!(client.get(&path(&made)).await["status"], "queuing");
    assert_eq!(count(&client, "").await, 200);
    assert_eq!(others.get(&path(&theirs)).await["message_count"], 1);
    let project = test.project.id;
    let raise = test.hub.store.write(move |tx| {
        let mut row = projects::get(tx, project)?.expect("the project");
        row.queue_cap = 10_000;
        projects::update(tx, &row)
    });
    assert!(raise.await.unwrap());
    test.hub.rows_changed();
    expand(&test.hub).await;
    assert_eq!(count(&client, "").await, 450);
}

#[tokio::test]
async fn broadcasts_of_a_project_take_turns() {
    let test = hub().await;
    let client = test.client();
    let group = group_of(&client, 450).await;
    let large = send(&client, json!({ "group_id": group })).await;
    let small = send(&client, json!({ "to_numbers": [TO] })).await;
    let mut turns = Turns::default();
    for _ in 0..2 {
        let round = broadcasts::round(&test.hub, &mut turns, test.hub.now());
        assert_eq!(round.await.unwrap(), 1);
    }
    assert_eq!(client.get(&path(&large)).await["message_count"], 200);
    assert_eq!(client.get(&path(&small)).await["message_count"], 1);
}

#[tokio::test]
async fn a_broadcast_is_told_of_with_what_it_is() {
    let test = hub().await;
    let client = test.client();
    let hook = json!({ "url": "http://127.0.0.1:9/x", "events": ["send_broadcast"] });
    client.post("webhooks", hook).await;
    let made = send(&client, json!({ "to_numbers": [TO, OTHER] })).await;
    let (project, later) = (test.project.id, UnixMs(i64::MAX / 4));
    let rows = test.hub.store.read(move |tx| {
        let keys = outbox::due_keys(tx, project, "http://127.0.0.1:9", later, 100)?;
        let rows = keys.into_iter().map(|key| outbox::get(tx, key));
        rows.collect::<Result<Vec<_>, _>>()
    });
    let rows = rows.await.expect("the outbox");
    let [Some(row)] = &*rows else {
        panic!("one event")
    };
    assert_eq!(row.event, WebhookEvent::SendBroadcast);
    let encode = |text: &str| {
        text.replace('+', "%2B")
            .replace([','], "%2C")
            .replace(' ', "+")
    };
    let expected = [
        "event=send_broadcast".to_owned(),
        format!("id={}", id(&made)),
        "content=Hello".to_owned(),
        format!("recipients_str={}", encode(&format!("{TO}, {OTHER}"))),
        "recipients%5B0%5D%5Btype%5D=phone_number".to_owned(),
        format!("recipients%5B0%5D%5Bphone_number%5D={}", encode(TO)),
        "recipients%5B1%5D%5Btype%5D=phone_number".to_owned(),
        format!("recipients%5B1%5D%5Bphone_number%5D={}", encode(OTHER)),
        "estimated_count=2".to_owned(),
        format!("project_id={}", test.project.id),
    ];
    let mut told: Vec<_> = row.body.split('&').collect();
    let mut expected: Vec<_> = expected.iter().map(String::as_str).collect();
    told.sort_unstable();
    expected.sort_unstable();
    assert_eq!(told, expected);
}

#[tokio::test]
async fn a_repeat_under_its_key_makes_no_second_broadcast() {
    let test = hub().await;
    let client = test.client();
    let headers = [("idempotency-key", "one")];
    let body = json!({ "content": "x", "to_numbers": [TO] });
    let mut answers = Vec::new();
    for _ in 0..2 {
        let answer = client.call_with("POST", "send_broadcast", Some(body.clone()), &headers);
        answers.push(answer.await.ok());
    }
    assert_eq!(answers[0], answers[1]);
    assert_eq!(client.get("broadcasts?count=1").await["count"], 1);
    let other = json!({ "content": "y", "to_numbers": [TO] });
    let refused = client.call_with("POST", "send_broadcast", Some(other), &headers);
    refused.await.refused(422);
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
