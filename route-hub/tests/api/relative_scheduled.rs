//! Relative scheduled messages follow each contact's date and groups.

use crate::support::{Client, TO, TestHub, add_key, add_project, hub, id, new_project};
use hub_app::schedules::fire;
use hub_app::schedules::relative::follow;
use hub_domain::Permissions;
use postrider_model::Now;
use serde_json::{Value, json};

/// Brings every contact's schedule up to date.
async fn follow_all(test: &TestHub) {
    let now = test.hub.now();
    while follow::step_all(&test.hub, now).await.expect("a step") > 0 {}
}

async fn fire_at(test: &TestHub, seconds: i64) -> usize {
    let now = Now::new(test.hub.now().boot.0, seconds * 1_000);
    fire::all_due(&test.hub, now).await.expect("a tick")
}

async fn contact(client: &Client, n: usize, vars: Value, groups: &[&str]) -> String {
    let body = json!({
        "phone_number": format!("+1500557{n:04}"), "name": format!("N{n}"), "vars": vars,
        "add_group_ids": groups,
    });
    id(&client.post("contacts", body).await)
}

async fn group(client: &Client) -> String {
    id(&client.post("groups", json!({ "name": "Guests" })).await)
}

/// Makes a relative schedule for a group, on the day of its members' `due`.
async fn relative(client: &Client, group: &str) -> Value {
    let body = json!({
        "group_id": group, "content": "x", "time_of_day": "09:30", "date_variable": "due",
    });
    client.post("relative_scheduled", body).await
}

/// Returns what a relative schedule has made: contact and next time, in the order of contacts.
async fn made(client: &Client, relative: &Value) -> Vec<(String, i64)> {
    let path = format!(
        "scheduled?relative_scheduled_id={}&page_size=500",
        id(relative)
    );
    let list = client.get(&path).await;
    let one = |one: &Value| {
        let contact = one["contact_id"].as_str().expect("a contact").to_owned();
        (contact, one["next_time"].as_i64().unwrap_or_default())
    };
    let mut made: Vec<_> = list["data"]
        .as_array()
        .expect("a list")
        .iter()
        .map(one)
        .collect();
    made.sort();
    made
}

/// 2100-01-01 09:30 in UTC.
const NEW_YEAR: i64 = 4_102_479_000;
const DAY: i64 = 86_400;

#[tokio::test]
async fn a_relative_schedule_has_all_its_fields() {
    let test = hub().await;
    let client = test.client();
    let group = group(&client).await;
    let body = json!({
        "group_id": group, "content": "x", "time_of_day": "09:30", "date_variable": "due",
        "offset_scale": "W", "offset_count": -2, "vars": { "a": 1 },
    });
    let relative = client.post("relative_scheduled", body).await;
    let mut shown = relative.clone();
    assert!(id(&shown).starts_with("RS"));
    shown["id"] = Value::Null;
    assert!(shown["time_created"].take().is_i64());
    let expected = json!({
        "id": null, "time_of_day": "09:30", "date_variable": "due", "offset_scale": "W",
        "offset_count": -2, "rrule": "COUNT=1", "timezone_id": "UTC", "end_time": null,
        "recipients_str": "Guests", "group_id": group, "contact_id": null, "to_number": null,
        "message_type": "sms", "content": "x", "route_id": null, "service_id": null,
        "audio_url": null, "tts_lang": null, "tts_voice": null, "replace_variables": false,
        "is_template": false, "track_clicks": false, "media": [], "route_params": null,
        "vars": { "a": 1 }, "label_ids": [], "time_created": null, "campaign_id": null,
        "project_id": test.project.id,
    });
    assert_eq!(shown, expected);
    let path = format!("relative_scheduled/{}", id(&relative));
    assert_eq!(client.get(&path).await, relative);
    let ids = async |query: &str| client.ids(&format!("relative_scheduled?{query}")).await;
    let own = [id(&relative)];
    assert_eq!(ids("").await, own);
    assert_eq!(ids(&format!("group_id={group}")).await, own);
    assert_eq!(ids("message_type=sms&time_created[min]=5").await, own);
    assert_eq!(
        ids("contact_id=CT0000000000000001").await,
        Vec::<String>::new()
    );
    assert_eq!(ids("message_type=call").await, Vec::<String>::new());
    let defaults =
        json!({ "to_number": TO, "content": "x", "time_of_day": "00:00", "date_variable": "d" });
    let relative = client.post("relative_scheduled", defaults).await;
    assert_eq!(
        (&relative["offset_scale"], &relative["offset_count"]),
        (&json!("D"), &json!(0))
    );
}

#[tokio::test]
async fn each_member_gets_it_at_the_time_of_its_own_date() {
    let test = hub().await;
    let client = test.client();
    let group = group(&client).await;
    let a = contact(&client, 1, json!({ "due": "2100-01-02" }), &[&group]).await;
    let b = contact(&client, 2, json!({ "due": "2100-01-03 20:00" }), &[&group]).await;
    contact(&client, 3, json!({ "due": "soon" }), &[&group]).await;
    contact(&client, 4, json!({ "other": "2100-01-02" }), &[&group]).await;
    contact(&client, 5, json!({ "due": "2001-01-02" }), &[&group]).await;
    contact(&client, 6, json!({ "due": "2100-01-02" }), &[]).await;
    let body = json!({
        "group_id": group, "content": "Dear [[contact.name]]", "replace_variables": true,
        "time_of_day": "09:30", "date_variable": "due", "offset_count": -1,
    });
    let relative = client.post("relative_scheduled", body).await;
    follow_all(&test).await;
    assert_eq!(
        made(&client, &relative).await,
        [(a.clone(), NEW_YEAR), (b, NEW_YEAR + DAY)]
    );
    let listed = client.get(&format!("contacts/{a}/scheduled")).await["data"].take();
    assert_eq!(listed[0]["relative_scheduled_id"], relative["id"]);
    assert_eq!(fire_at(&test, NEW_YEAR + 2).await, 1);
    let sent = client.get("messages").await["data"].take();
    assert_eq!(sent[0]["content"], "Dear N1");
    follow_all(&test).await;
    assert_eq!(fire_at(&test, NEW_YEAR + 3).await, 0);
}

#[tokio::test]
async fn nothing_is_sent_by_it_to_a_group_that_nothing_may_be_sent_to_any_more() {
    let test = hub().await;
    let client = test.client();
    let group = group(&client).await;
    contact(&client, 1, json!({ "due": "2100-01-01" }), &[&group]).await;
    let relative = relative(&client, &group).await;
    follow_all(&test).await;
    let path = format!("groups/{group}");
    client.post(&path, json!({ "allow_sending": false })).await;
    fire_at(&test, NEW_YEAR + 2).await;
    assert_eq!(client.ids("messages").await, [""; 0]);
    let path = format!("scheduled?relative_scheduled_id={}", id(&relative));
    let shown = client.get(&path).await["data"][0]["error_message"].take();
    assert_eq!(shown, "sending to the group is not allowed");
}

/// Follows and sends, this many seconds after the turn of the year.
async fn look(test: &TestHub, after: i64) -> usize {
    let now = Now::new(test.hub.now().boot.0, (NEW_YEAR + after) * 1_000);
    while follow::step_all(&test.hub, now).await.expect("a step") > 0 {}
    fire::all_due(&test.hub, now).await.expect("a tick")
}

#[tokio::test]
async fn who_changed_a_moment_ago_is_followed_before_anything_is_sent() {
    let test = hub().await;
    let client = test.client();
    let group = group(&client).await;
    let contacts = [1, 2, 3].map(|n| contact(&client, n, json!({ "due": "2100-01-01" }), &[]));
    let mut paths = Vec::new();
    for contact in contacts {
        paths.push(format!("contacts/{}", contact.await));
    }
    for path in &paths {
        let member = format!("groups/{group}/{path}");
        client.call("PUT", &member, None).await.ok();
    }
    let relative = relative(&client, &group).await;
    assert_eq!(look(&test, -9).await, 0);
    client
        .post(&paths[0], json!({ "vars": { "due": null } }))
        .await;
    let member = format!("groups/{group}/{}", paths[1]);
    client.call("DELETE", &member, None).await.ok();
    assert_eq!(fire_at(&test, NEW_YEAR + 1).await, 1);
    assert_eq!(look(&test, 2).await, 0);
    for path in &paths {
        client
            .post(path, json!({ "vars": { "due": "2100-01-02" } }))
            .await;
    }
    assert_eq!(look(&test, 9).await, 0);
    let later = json!({ "content": "y", "offset_count": 1 });
    let path = format!("relative_scheduled/{}", id(&relative));
    client.post(&path, later).await;
    assert_eq!(fire_at(&test, NEW_YEAR + DAY + 1).await, 0);
    assert_eq!(look(&test, 2 * DAY + 1).await, 2);
}

#[tokio::test]
async fn who_leaves_and_comes_back_in_the_minute_of_its_date_gets_it_once() {
    let test = hub().await;
    let client = test.client();
    let group = group(&client).await;
    let a = contact(&client, 1, json!({ "due": "2100-01-01" }), &[&group]).await;
    let body = json!({
        "group_id": group, "content": "x", "time_of_day": "09:30", "date_variable": "due",
        "rrule": "FREQ=DAILY",
    });
    client.post("relative_scheduled", body).await;
    assert_eq!(look(&test, -9).await, 0);
    assert_eq!(look(&test, 1).await, 1);
    let member = format!("groups/{group}/contacts/{a}");
    client.call("DELETE", &member, None).await.ok();
    assert_eq!(look(&test, 5).await, 0);
    client.call("PUT", &member, None).await.ok();
    assert_eq!(look(&test, 9).await, 0);
    assert_eq!(look(&test, DAY + 1).await, 1);
    client.call("DELETE", &member, None).await.ok();
    assert_eq!(look(&test, 2 * DAY + 1).await, 0);
    client.call("PUT", &member, None).await.ok();
    assert_eq!(look(&test, 3 * DAY - 9).await, 0);
    assert_eq!(look(&test, 3 * DAY + 1).await, 1);
}

#[tokio::test]
async fn a_number_stands_for_the_contact_that_has_it_now() {
    let test = hub().await;
    let client = test.client();
    let a = contact(&client, 1, json!({ "due": "2100-01-01" }), &[]).await;
    let b = contact(&client, 2, json!({ "due": "2100-01-02" }), &[]).await;
    let body = json!({
        "to_number": TO, "content": "x", "time_of_day": "09:30", "date_variable": "due",
    });
    let relative = client.post("relative_scheduled", body).await;
    let expect = async |expected: Option<(&String, i64)>| {
        look(&test, -DAY).await;
        let expected: Vec<_> = expected
            .map(|(id, next)| (id.clone(), next))
            .into_iter()
            .collect();
        assert_eq!(made(&client, &relative).await, expected);
    };
    let set = async |contact: &String, number: &str| {
        let path = format!("contacts/{contact}");
        client.post(&path, json!({ "phone_number": number })).await;
    };
    expect(None).await;
    set(&b, TO).await;
    expect(Some((&b, NEW_YEAR + DAY))).await;
    set(&a, TO).await;
    expect(Some((&a, NEW_YEAR))).await;
    set(&a, "+15005570001").await;
    expect(Some((&b, NEW_YEAR + DAY))).await;
    set(&a, TO).await;
    expect(Some((&a, NEW_YEAR))).await;
    let path = format!("contacts/{a}");
    client.call("DELETE", &path, None).await.ok();
    expect(Some((&b, NEW_YEAR + DAY))).await;
}

#[tokio::test]
async fn it_follows_dates_and_membership_as_these_change() {
    let test = hub().await;
    let client = test.client();
    let group = group(&client).await;
    let relative = relative(&client, &group).await;
    let a = contact(&client, 1, json!({ "due": "2100-01-01" }), &[&group]).await;
    let path = format!("contacts/{a}");
    let member = format!("groups/{group}/contacts/{a}");
    let expect = async |expected: Option<i64>| {
        follow_all(&test).await;
        let expected: Vec<_> = expected.map(|next| (a.clone(), next)).into_iter().collect();
        assert_eq!(made(&client, &relative).await, expected);
    };
    expect(Some(NEW_YEAR)).await;
    client
        .post(&path, json!({ "vars": { "due": "2100-01-05" } }))
        .await;
    expect(Some(NEW_YEAR + 4 * DAY)).await;
    client.post(&path, json!({ "vars": { "due": null } })).await;
    expect(None).await;
    client
        .post(&path, json!({ "vars": { "due": "2100-01-02" } }))
        .await;
    expect(Some(NEW_YEAR + DAY)).await;
    client.call("DELETE", &member, None).await.ok();
    expect(None).await;
    client.call("PUT", &member, None).await.ok();
    expect(Some(NEW_YEAR + DAY)).await;
    let import =
        json!({ "contacts": [{ "id": a, "vars": { "due": "2100-01-03" } }], "lookup_key": "id" });
    client.post("import_contacts", import).await;
    expect(Some(NEW_YEAR + 2 * DAY)).await;
    let clear = json!({ "metadata": [{ "variable": "due", "delete": true }] });
    client.post("contact_fields", clear).await;
    expect(None).await;
    client
        .post(&path, json!({ "vars": { "due": "2100-01-01" } }))
        .await;
    expect(Some(NEW_YEAR)).await;
    client.call("DELETE", &path, None).await.ok();
    expect(None).await;
}

#[tokio::test]
async fn a_change_or_an_end_of_it_reaches_every_contact() {
    let test = hub().await;
    let client = test.client();
    let group = group(&client).await;
    for start in [0, 200, 400] {
        let contact = |n: usize| json!({ "phone_number": format!("+1500558{n:04}"), "vars": { "due": "2100-01-01" } });
        let contacts: Vec<_> = (start..(start + 200).min(450)).map(contact).collect();
        let body = json!({ "contacts": contacts, "add_group_ids": [group] });
        client.post("import_contacts", body).await;
    }
    let relative = relative(&client, &group).await;
    follow_all(&test).await;
    let all = made(&client, &relative).await;
    assert_eq!((all.len(), all[449].1), (450, NEW_YEAR));
    let path = format!("relative_scheduled/{}", id(&relative));
    let change = json!({ "offset_count": 7, "offset_scale": "D", "content": "y", "timezone_id": "Asia/Tokyo" });
    let changed = client.post(&path, change).await;
    assert_eq!(
        (&changed["content"], &changed["offset_count"]),
        (&json!("y"), &json!(7))
    );
    follow_all(&test).await;
    let all = made(&client, &relative).await;
    assert_eq!(
        (all.len(), all[0].1, all[449].1),
        (450, NEW_YEAR + 7 * DAY - 9 * 3_600, all[0].1)
    );
    client.call("DELETE", &path, None).await.ok();
    client.call("GET", &path, None).await.refused(404);
    assert_eq!(fire_at(&test, NEW_YEAR + 9 * DAY).await, 0);
    follow_all(&test).await;
    assert_eq!(made(&client, &relative).await, []);
    assert_eq!(client.get("messages?count=1").await["count"], 0);
}

#[tokio::test]
async fn a_group_that_goes_takes_its_schedules_along() {
    let test = hub().await;
    let client = test.client();
    let group = group(&client).await;
    contact(&client, 1, json!({ "due": "2100-01-01" }), &[&group]).await;
    let relative = relative(&client, &group).await;
    follow_all(&test).await;
    assert_eq!(made(&client, &relative).await.len(), 1);
    client
        .call("DELETE", &format!("groups/{group}"), None)
        .await
        .ok();
    follow_all(&test).await;
    assert_eq!(made(&client, &relative).await, []);
}

#[tokio::test]
async fn one_whose_contact_is_gone_or_whose_group_was_stopped_can_still_be_changed() {
    let test = hub().await;
    let client = test.client();
    let group = group(&client).await;
    let a = contact(&client, 1, json!({ "due": "2100-01-01" }), &[&group]).await;
    let mut paths = Vec::new();
    for (name, value) in [("contact_id", &a), ("group_id", &group)] {
        let mut body = json!({ "content": "x", "time_of_day": "09:30", "date_variable": "due" });
        body[name] = value.clone().into();
        let relative = client.post("relative_scheduled", body).await;
        paths.push(format!("relative_scheduled/{}", id(&relative)));
    }
    client
        .call("DELETE", &format!("contacts/{a}"), None)
        .await
        .ok();
    let path = format!("groups/{group}");
    client.post(&path, json!({ "allow_sending": false })).await;
    for path in paths {
        let changed = client.post(&path, json!({ "content": "y" })).await;
        assert_eq!(changed["content"], "y");
    }
}

#[tokio::test]
async fn a_birthday_comes_every_year() {
    let test = hub().await;
    let client = test.client();
    let a = contact(&client, 1, json!({ "born": "1990-05-17" }), &[]).await;
    let body = json!({
        "contact_id": a, "content": "x", "time_of_day": "08:00", "date_variable": "born",
        "rrule": "FREQ=YEARLY",
    });
    let relative = client.post("relative_scheduled", body).await;
    follow_all(&test).await;
    let next = made(&client, &relative).await[0].1;
    let now = test.hub.now().unix.seconds();
    assert!((now..now + 367 * DAY).contains(&next));
    assert_eq!(fire_at(&test, next + 1).await, 1);
    let after = made(&client, &relative).await[0].1;
    assert!((364 * DAY..368 * DAY).contains(&(after - next)));
}

#[tokio::test]
async fn wrong_parameters_are_named() {
    let test = hub().await;
    let client = test.client();
    let dynamic = json!({ "name": "Dynamic", "filters": { "vars.city": "Oslo" } });
    let dynamic = id(&client.post("create_group", dynamic).await);
    for (wrong, param) in [
        (json!({ "time_of_day": null }), "time_of_day"),
        (json!({ "time_of_day": "24:00" }), "time_of_day"),
        (json!({ "date_variable": "" }), "date_variable"),
        (json!({ "date_variable": "a b" }), "date_variable"),
        (json!({ "offset_scale": "H" }), "offset_scale"),
        (json!({ "offset_count": 1.5 }), "offset_count"),
        (json!({ "offset_count": 100_001 }), "offset_count"),
        (json!({ "content": "" }), "content"),
        (json!({ "to_number": null }), "to_number"),
        (json!({ "to_number": "nobody" }), "to_number"),
        (
            json!({ "to_number": null, "group_id": dynamic }),
            "group_id",
        ),
        (json!({ "group_id": dynamic }), "to_number"),
        (
            json!({ "to_number": null, "contact_id": "CT0000000000000001" }),
            "contact_id",
        ),
        (json!({ "rrule": "DAILY" }), "rrule"),
        (json!({ "end_time": 5_000_000_000_i64 }), "end_time"),
        (json!({ "timezone_id": "Mars/Base" }), "timezone_id"),
        (
            json!({ "message_type": "ussd", "content": null, "to_number": "*100#" }),
            "message_type",
        ),
    ] {
        let mut body = json!({
            "to_number": TO, "content": "x", "time_of_day": "09:30", "date_variable": "due",
        });
        for (name, value) in wrong.as_object().unwrap() {
            body[name] = value.clone();
        }
        let refused = client.call("POST", "relative_scheduled", Some(body)).await;
        refused.invalid(param);
    }
    assert_eq!(client.get("relative_scheduled?count=1").await["count"], 0);
}

#[tokio::test]
async fn another_projects_are_none() {
    let test = hub().await;
    let client = test.client();
    let body =
        json!({ "to_number": TO, "content": "x", "time_of_day": "09:30", "date_variable": "due" });
    let relative = client.post("relative_scheduled", body).await;
    let organization = test.project.organization_id;
    let other = new_project(&test.hub, organization, "Second");
    add_project(&test.hub, &other).await;
    let key = add_key(&test.hub, organization, None, &Permissions::all()).await;
    let stranger = test.client_of(&key, other.id);
    let path = format!("relative_scheduled/{}", id(&relative));
    for method in ["GET", "POST", "DELETE"] {
        stranger.call(method, &path, None).await.refused(404);
    }
    assert_eq!(
        stranger.ids("relative_scheduled").await,
        Vec::<String>::new()
    );
    assert_eq!(client.get(&path).await, relative);
}

#[tokio::test]
async fn a_date_before_1970_is_shown_as_it_is_described() {
    let test = hub().await;
    let client = test.client();
    let group = group(&client).await;
    contact(&client, 1, json!({ "due": "1960-05-05" }), &[&group]).await;
    let body = json!({
        "group_id": group, "content": "x", "time_of_day": "09:30", "date_variable": "due",
        "rrule": "FREQ=YEARLY",
    });
    let yearly = client.post("relative_scheduled", body).await;
    follow_all(&test).await;
    let made = client
        .get(&format!("scheduled?relative_scheduled_id={}", id(&yearly)))
        .await;
    let start = made["data"][0]["start_time"].as_i64().expect("a time");
    assert!(start < 0, "{start}");
    let document = client.get("/openapi.json").await;
    let schemas = &document["components"]["schemas"];
    let described = &schemas["ScheduledMessage"]["properties"]["start_time"];
    assert_eq!(described["type"], "number");
    let least = described["minimum"].as_i64();
    assert!(least.is_none_or(|least| least <= start), "{described}");
}
