//! Campaigns: prepared, sent once or by the dates of contacts, taken back.

use crate::support::{Client, TestHub, hub, id};
use hub_app::broadcasts::{self, Turns};
use hub_app::campaigns;
use hub_app::schedules::fire;
use hub_app::schedules::relative::follow;
use hub_app::test_routes;
use postrider_model::Now;
use serde_json::{Value, json};

/// 2100-01-01 09:30 in UTC.
const NEW_YEAR: i64 = 4_102_479_000;
const DAY: i64 = 86_400;

fn at(test: &TestHub, seconds: i64) -> Now {
    Now::new(test.hub.now().boot.0, seconds * 1_000)
}

/// Expands every broadcast to its end, and plays the test route.
async fn expand(test: &TestHub) {
    let mut turns = Turns::default();
    let mut round = async || broadcasts::round(&test.hub, &mut turns, test.hub.now()).await;
    while round().await.expect("a round") > 0 {}
    while test_routes::play_once(&test.hub).await.expect("a step") {}
}

async fn follow_all(test: &TestHub) {
    let now = test.hub.now();
    while follow::step_all(&test.hub, now).await.expect("a step") > 0 {}
}

async fn group(client: &Client, name: &str) -> String {
    id(&client.post("groups", json!({ "name": name })).await)
}

async fn contact(client: &Client, n: usize, vars: Value, groups: &[&str]) -> String {
    let body = json!({
        "phone_number": format!("+1500557{n:04}"), "name": format!("N{n}"), "vars": vars,
        "add_group_ids": groups,
    });
    id(&client.post("contacts", body).await)
}

async fn make(client: &Client, campaign_type: &str, more: Value) -> Value {
    let mut body = json!({ "campaign_type": campaign_type });
    for (name, value) in more.as_object().expect("parameters") {
        body[name] = value.clone();
    }
    client.post("campaigns", body).await
}

fn path(campaign: &Value) -> String {
    format!("campaigns/{}", id(campaign))
}

async fn send(client: &Client, campaign: &Value) -> Value {
    client
        .post(&format!("{}/send", path(campaign)), json!({}))
        .await
}

async fn refused(client: &Client, campaign: &Value, to: &str, body: Value, param: &str) {
    let path = format!("{}{to}", path(campaign));
    client.call("POST", &path, Some(body)).await.invalid(param);
}

/// Returns the texts of all messages, in their order.
async fn texts(client: &Client) -> Vec<String> {
    let list = client.get("messages?page_size=500").await;
    let text = |message: &Value| message["content"].as_str().unwrap_or_default().to_owned();
    list["data"]
        .as_array()
        .expect("rows")
        .iter()
        .map(text)
        .collect()
}

#[tokio::test]
async fn a_campaign_has_all_its_fields() {
    let test = hub().await;
    let client = test.client();
    let news = group(&client, "News").await;
    contact(&client, 1, json!({}), &[&news]).await;
    let more = json!({ "name": "Opening", "group_id": news, "content": "Hi", "vars": { "a": 1 } });
    let made = make(&client, "broadcast_text", more).await;
    let mut shown = made.clone();
    assert!(id(&shown).starts_with("CP"));
    for name in ["id", "time_created", "time_updated"] {
        shown[name] = Value::Null;
    }
    let expected = json!({
        "id": null, "campaign_type": "broadcast_text", "name": "Opening", "status": "draft",
        "group_id": news, "exclude_group_id": null, "respondent_group_id": null,
        "clicked_group_id": null, "schedule_mode": "immediate", "schedule_time": null,
        "timezone_id": "UTC", "date_variable": null, "items": [], "message_type": "sms",
        "content": "Hi", "route_id": null, "service_id": null, "audio_url": null,
        "tts_lang": null, "tts_voice": null, "replace_variables": true, "is_template": true,
        "track_clicks": false, "route_params": null, "vars": { "a": 1 }, "label_ids": [],
        "media": [], "short_link_params": null, "broadcast_id": null, "estimated_count": 1,
        "message_count": 0, "time_created": null, "time_updated": null, "url": null,
        "url_edit": null, "url_send": null, "user_id": null, "waiting_for": null,
        "next_try_time": null, "project_id": test.project.id,
    });
    assert_eq!(shown, expected);
    assert_eq!(client.get(&path(&made)).await, made);
    let unnamed = make(&client, "relative", json!({})).await;
    assert_eq!(unnamed["name"], unnamed["id"]);
    let taken = json!({ "campaign_type": "relative", "name": "OPENING" });
    client
        .call("POST", "campaigns", Some(taken))
        .await
        .invalid("name");
}

#[tokio::test]
async fn what_is_sent_goes_out_once_to_those_of_the_group_now() {
    let test = hub().await;
    let client = test.client();
    let (news, silent) = (group(&client, "News").await, group(&client, "Silent").await);
    let phone = test.test_phone().await.id;
    contact(&client, 1, json!({}), &[&news]).await;
    contact(&client, 2, json!({}), &[&news, &silent]).await;
    let more = json!({
        "name": "Opening", "group_id": news, "exclude_group_id": silent, "route_id": phone,
        "content": "Hi [[contact.name]]",
    });
    let made = make(&client, "broadcast_text", more).await;
    contact(&client, 3, json!({}), &[&news]).await;
    let sent = send(&client, &made).await;
    assert_eq!(sent["status"], "sent");
    let broadcast = client
        .get(&format!(
            "broadcasts/{}",
            sent["broadcast_id"].as_str().expect("an id")
        ))
        .await;
    assert_eq!(
        (
            &broadcast["title"],
            &broadcast["campaign_id"],
            &broadcast["exclude_group_id"]
        ),
        (&json!("Opening"), &made["id"], &json!(silent))
    );
    expand(&test).await;
    assert_eq!(texts(&client).await, ["Hi N1", "Hi N3"]);
    let shown = client.get(&path(&made)).await;
    assert_eq!(
        (&shown["message_count"], &shown["estimated_count"]),
        (&json!(2), &json!(3))
    );
    refused(&client, &made, "/send", json!({}), "status").await;
    refused(&client, &made, "/unschedule", json!({}), "status").await;
    refused(&client, &made, "", json!({ "content": "Other" }), "status").await;
    let same = client
        .post(&path(&made), json!({ "content": "Hi [[contact.name]]" }))
        .await;
    assert_eq!(same, shown, "what changes nothing is no change");
    client.call("DELETE", &path(&made), None).await.ok();
    client.call("GET", &path(&made), None).await.refused(404);
}

#[tokio::test]
async fn a_repeat_under_a_key_is_answered_as_the_first_time() {
    let test = hub().await;
    let client = test.client();
    let news = group(&client, "News").await;
    let more = json!({ "group_id": news, "content": "Hi" });
    let made = make(&client, "broadcast_text", more).await;
    let send = format!("{}/send", path(&made));
    let key = [("idempotency-key", "a-key")];
    let first = client.call_with("POST", &send, None, &key).await.ok();
    assert_eq!(first["status"], "sent");
    let again = client.call_with("POST", &send, None, &key).await.ok();
    assert_eq!(again, first);
    assert_eq!(client.ids("broadcasts").await.len(), 1);
}

#[tokio::test]
async fn at_its_time_a_campaign_goes_out_once_or_is_a_draft_again() {
    let test = hub().await;
    let client = test.client();
    let (news, gone) = (group(&client, "News").await, group(&client, "Gone").await);
    let more =
        |group: &str| json!({ "group_id": group, "content": "Hi", "schedule_time": NEW_YEAR });
    let good = make(&client, "broadcast_text", more(&news)).await;
    assert_eq!(good["schedule_mode"], "at_time");
    let bad = make(&client, "broadcast_text", more(&gone)).await;
    let back = make(&client, "broadcast_text", more(&news)).await;
    for campaign in [&good, &bad, &back] {
        assert_eq!(send(&client, campaign).await["status"], "scheduled");
    }
    let unscheduled = client
        .post(&format!("{}/unschedule", path(&back)), json!({}))
        .await;
    assert_eq!(unscheduled["status"], "draft");
    client
        .call("DELETE", &format!("groups/{gone}"), None)
        .await
        .ok();
    let due = async |seconds| campaigns::all_due(&test.hub, at(&test, seconds)).await;
    assert_eq!(due(NEW_YEAR - 1).await.expect("a look"), 0);
    assert_eq!(due(NEW_YEAR).await.expect("a look"), 2);
    assert_eq!(due(NEW_YEAR).await.expect("a look"), 0);
    assert_eq!(client.ids("broadcasts").await.len(), 1);
    assert_eq!(client.get(&path(&good)).await["status"], "sent");
    let shown = client.get(&path(&bad)).await;
    assert_eq!(shown["status"], "draft");
    let problem = "group_id is the id of a group that is gone";
    assert_eq!(shown["error_message"], problem);
    let changed = client.post(&path(&bad), json!({ "group_id": news })).await;
    assert_eq!(changed["error_message"], problem, "until it is sent");
    let sent = send(&client, &bad).await;
    assert_eq!(
        (&sent["status"], sent.get("error_message")),
        (&json!("scheduled"), None)
    );
}

#[tokio::test]
async fn what_waits_for_its_time_is_checked_when_it_changes() {
    let test = hub().await;
    let client = test.client();
    let news = group(&client, "News").await;
    let more = json!({ "group_id": news, "content": "Hi", "schedule_time": NEW_YEAR });
    let made = make(&client, "broadcast_text", more).await;
    send(&client, &made).await;
    refused(&client, &made, "", json!({ "content": "" }), "content").await;
    refused(&client, &made, "", json!({ "group_id": null }), "group_id").await;
    let immediate = json!({ "schedule_mode": "immediate" });
    refused(&client, &made, "", immediate, "schedule_time").await;
    let later = json!({ "content": "Ho", "schedule_time": NEW_YEAR + DAY });
    client.post(&path(&made), later).await;
    let due = async |seconds| campaigns::all_due(&test.hub, at(&test, seconds)).await;
    assert_eq!(due(NEW_YEAR).await.expect("a look"), 0);
    assert_eq!(due(NEW_YEAR + DAY).await.expect("a look"), 1);
    let sent = client.get(&path(&made)).await;
    let broadcast = sent["broadcast_id"].as_str().expect("an id");
    assert_eq!(
        client.get(&format!("broadcasts/{broadcast}")).await["content"],
        "Ho"
    );
}

#[tokio::test]
async fn a_campaign_that_cannot_go_out_is_refused_by_what_is_wrong() {
    let test = hub().await;
    let client = test.client();
    let (news, silent) = (group(&client, "News").await, group(&client, "Silent").await);
    client
        .post(
            &format!("groups/{silent}"),
            json!({ "allow_sending": false }),
        )
        .await;
    let item = json!({ "time_of_day": "09:30", "content": "x" });
    for (campaign_type, more, param) in [
        ("broadcast_text", json!({ "content": "x" }), "group_id"),
        ("broadcast_text", json!({ "group_id": news }), "content"),
        (
            "broadcast_text",
            json!({ "group_id": silent, "content": "x" }),
            "group_id",
        ),
        (
            "broadcast_text",
            json!({ "group_id": news, "content": "x", "schedule_mode": "at_time" }),
            "schedule_time",
        ),
        (
            "broadcast_call",
            json!({ "group_id": news, "content": "x" }),
            "content",
        ),
        (
            "relative",
            json!({ "group_id": news, "items": [item] }),
            "date_variable",
        ),
        (
            "relative",
            json!({ "group_id": news, "date_variable": "d" }),
            "items",
        ),
        (
            "anniversary",
            json!({ "group_id": news, "date_variable": "d", "items": [item, { "time_of_day": "09:30" }] }),
            "items[1][content]",
        ),
    ] {
        let made = make(&client, campaign_type, more.clone()).await;
        refused(&client, &made, "/send", json!({}), param).await;
        assert_eq!(client.get(&path(&made)).await["status"], "draft", "{more}");
    }
    for (campaign_type, more, param) in [
        ("broadcast_text", json!({ "items": [item] }), "items"),
        (
            "broadcast_text",
            json!({ "date_variable": "d" }),
            "date_variable",
        ),
        ("relative", json!({ "content": "x" }), "content"),
        (
            "relative",
            json!({ "schedule_time": NEW_YEAR }),
            "schedule_time",
        ),
        (
            "relative",
            json!({ "schedule_mode": "at_time" }),
            "schedule_mode",
        ),
        ("broadcast_svc", json!({}), "campaign_type"),
        (
            "relative",
            json!({ "items": [{ "content": "x" }] }),
            "items[0][time_of_day]",
        ),
        (
            "relative",
            json!({ "respondent_group_id": "CG0000000000000001" }),
            "respondent_group_id",
        ),
    ] {
        let mut body = more;
        body["campaign_type"] = campaign_type.into();
        client
            .call("POST", "campaigns", Some(body))
            .await
            .invalid(param);
    }
}

#[tokio::test]
async fn items_are_sent_by_the_dates_of_contacts_while_the_campaign_runs() {
    let test = hub().await;
    let client = test.client();
    let (guests, silent) = (
        group(&client, "Guests").await,
        group(&client, "Silent").await,
    );
    let phone = test.test_phone().await.id;
    let due = json!({ "due": "2100-01-01" });
    contact(&client, 1, due.clone(), &[&guests]).await;
    contact(&client, 2, due, &[&guests, &silent]).await;
    let more = json!({
        "group_id": guests, "exclude_group_id": silent, "route_id": phone, "date_variable": "due",
        "items": [
            { "time_of_day": "09:30", "content": "Today, [[contact.name]]" },
            { "time_of_day": "09:30", "offset_count": -1, "content": "Tomorrow" },
            { "time_of_day": "09:30", "offset_scale": "W", "offset_count": 1, "content": "Over" },
        ],
    });
    let made = make(&client, "relative", more).await;
    assert_eq!(send(&client, &made).await["status"], "scheduled");
    assert_eq!(
        send(&client, &made).await["status"],
        "scheduled",
        "and nothing twice"
    );
    let items = client.get("relative_scheduled").await;
    let items = items["data"].as_array().expect("rows").clone();
    assert_eq!(items.len(), 3);
    for item in &items {
        assert_eq!(
            (&item["campaign_id"], &item["rrule"]),
            (&made["id"], &json!("COUNT=1"))
        );
        let path = format!("relative_scheduled/{}", id(item));
        let own = client.call("DELETE", &path, None).await;
        own.invalid("relative_scheduled_id");
        let own = client
            .call("POST", &path, Some(json!({ "content": "x" })))
            .await;
        own.invalid("relative_scheduled_id");
    }
    refused(&client, &made, "", json!({ "items": [] }), "status").await;
    follow_all(&test).await;
    for own in client.ids("scheduled").await {
        let path = format!("scheduled/{own}");
        let changed = client.call("POST", &path, Some(json!({ "content": "x" })));
        changed.await.invalid("scheduled_id");
        let deleted = client.call("DELETE", &path, None);
        deleted.await.invalid("scheduled_id");
    }
    let fire = async |seconds| fire::all_due(&test.hub, at(&test, seconds)).await;
    fire(NEW_YEAR - DAY).await.expect("a tick");
    fire(NEW_YEAR).await.expect("a tick");
    assert_eq!(texts(&client).await, ["Tomorrow", "Today, N1"]);
    assert_eq!(client.get(&path(&made)).await["message_count"], 2);
    let draft = client
        .post(&format!("{}/unschedule", path(&made)), json!({}))
        .await;
    assert_eq!(draft["status"], "draft");
    follow_all(&test).await;
    assert_eq!(fire(NEW_YEAR + 30 * DAY).await.expect("a tick"), 0);
    assert_eq!(client.ids("relative_scheduled").await, Vec::<String>::new());
    assert_eq!(client.ids("scheduled").await, Vec::<String>::new());
}

#[tokio::test]
async fn an_item_takes_media_as_its_campaign_does() {
    let test = hub().await;
    let client = test.client();
    let items = |more: Value| {
        let mut item = json!({ "time_of_day": "09:30", "content": "x" });
        let (item_members, more) = (item.as_object_mut().unwrap(), more.as_object().unwrap());
        item_members.extend(more.clone());
        json!({ "items": [item] })
    };
    let page = "https://a.example/1.jpg";
    let made = make(&client, "relative", items(json!({ "media_urls": [page] }))).await;
    assert_eq!(made["items"][0]["media"][0]["url"], page);
    for (more, param) in [
        (json!({ "media_urls": ["x"] }), "items[0][media_urls][0]"),
        (
            json!({ "media_urls": ["data:text/html,x"] }),
            "items[0][media_urls][0]",
        ),
        (
            json!({ "media_urls": [page], "media": [{ "url": page }] }),
            "items[0][media]",
        ),
    ] {
        refused(&client, &made, "", items(more), param).await;
    }
}

#[tokio::test]
async fn an_anniversary_comes_each_year_until_its_campaign_is_deleted() {
    let test = hub().await;
    let client = test.client();
    let guests = group(&client, "Guests").await;
    contact(&client, 1, json!({ "born": "1990-01-01" }), &[&guests]).await;
    let more = json!({
        "group_id": guests, "route_id": test.test_phone().await.id, "date_variable": "born",
        "items": [{ "time_of_day": "09:30", "content": "Happy birthday" }],
    });
    let made = make(&client, "anniversary", more).await;
    send(&client, &made).await;
    follow_all(&test).await;
    let fire = async |seconds| fire::all_due(&test.hub, at(&test, seconds)).await;
    assert_eq!(fire(NEW_YEAR).await.expect("a tick"), 1);
    assert_eq!(fire(NEW_YEAR + 364 * DAY).await.expect("a tick"), 0);
    assert_eq!(fire(NEW_YEAR + 365 * DAY).await.expect("a tick"), 1);
    client.call("DELETE", &path(&made), None).await.ok();
    assert_eq!(fire(NEW_YEAR + 730 * DAY).await.expect("a tick"), 0);
    assert_eq!(texts(&client).await.len(), 2);
}

/// Returns when each schedule sends next.
async fn next_times(client: &Client) -> Vec<Value> {
    let list = client.get("scheduled?page_size=200").await;
    let rows = list["data"].as_array().expect("rows");
    rows.iter().map(|row| row["next_time"].clone()).collect()
}

#[tokio::test]
async fn an_anniversary_counts_its_offset_from_the_date_of_each_year() {
    // 2101 has no 29 February, as the years of birth have.
    let june = NEW_YEAR + 151 * DAY;
    let of_2101 = |day: i64| NEW_YEAR + (365 + day - 1) * DAY;
    for (born, scale, count, day) in [
        ("2000-03-01", "D", -1, of_2101(59)),
        ("2000-02-28", "D", 1, of_2101(60)),
        ("2000-02-20", "D", 10, of_2101(61)),
        ("2000-03-02", "W", -1, of_2101(54)),
        ("2000-01-31", "M", 1, of_2101(59)),
        ("2000-03-01 08:00", "I", -1_440, of_2101(59) - 5_400),
    ] {
        let test = hub().await;
        let client = test.client();
        let guests = group(&client, "Guests").await;
        contact(&client, 1, json!({ "born": born }), &[&guests]).await;
        let item = json!({
            "time_of_day": "09:30", "offset_scale": scale, "offset_count": count, "content": "x",
        });
        let more = json!({ "group_id": guests, "date_variable": "born", "items": [item] });
        let made = make(&client, "anniversary", more).await;
        send(&client, &made).await;
        let follow = async || follow::step_all(&test.hub, at(&test, june)).await;
        while follow().await.expect("a step") > 0 {}
        assert_eq!(
            next_times(&client).await,
            [json!(day)],
            "{born} {count} {scale}"
        );
    }
}

#[tokio::test]
async fn what_a_campaign_sent_is_not_sent_again_when_it_is_unscheduled_and_sent() {
    for (campaign_type, left) in [("relative", 0), ("anniversary", 1)] {
        let test = hub().await;
        let client = test.client();
        let guests = group(&client, "Guests").await;
        let now = test.hub.now().unix.0 / 1_000;
        contact(&client, 1, json!({ "due": now - 20 }), &[&guests]).await;
        let items = json!([{ "time_of_day": "09:30", "offset_scale": "I", "content": "Due" }]);
        let phone = test.test_phone().await.id;
        let more = json!({
            "group_id": guests, "route_id": phone, "date_variable": "due", "items": items,
        });
        let made = make(&client, campaign_type, more).await;
        let fire = async || fire::all_due(&test.hub, test.hub.now()).await;
        for sends in [1, 0] {
            send(&client, &made).await;
            follow_all(&test).await;
            assert_eq!(fire().await.expect("a tick"), sends, "{campaign_type}");
            let unschedule = format!("{}/unschedule", path(&made));
            let next = next_times(&client).await;
            assert_eq!(next.iter().filter(|next| !next.is_null()).count(), left);
            client.post(&unschedule, json!({})).await;
            follow_all(&test).await;
        }
        assert_eq!(texts(&client).await, ["Due"]);
    }
}

#[tokio::test]
async fn who_answers_joins_the_group_of_those_who_do() {
    let test = hub().await;
    let client = test.client();
    let (news, answered) = (
        group(&client, "News").await,
        group(&client, "Answered").await,
    );
    let phone = test.test_phone().await.id;
    contact(&client, 1, json!({}), &[&news]).await;
    let other = contact(&client, 2, json!({}), &[]).await;
    let more = json!({
        "group_id": news, "respondent_group_id": answered, "route_id": phone, "content": "Hi",
    });
    let made = make(&client, "broadcast_text", more).await;
    send(&client, &made).await;
    let answer = async |number: &str| {
        let body = json!({ "content": "Yes", "from_number": number, "phone_id": phone });
        client.post("messages/receive", body).await
    };
    let joined = format!("groups/{answered}/contacts");
    answer("+15005570001").await;
    assert_eq!(
        client.ids(&joined).await,
        Vec::<String>::new(),
        "nothing was sent yet"
    );
    expand(&test).await;
    for number in ["+15005570001", "+15005570001", "+15005570002"] {
        answer(number).await;
    }
    let members = client.ids(&joined).await;
    assert_eq!(members.len(), 1);
    assert_ne!(members, [other]);
}

#[tokio::test]
async fn a_broadcast_ends_when_the_group_that_it_leaves_out_is_gone() {
    let test = hub().await;
    let client = test.client();
    let (news, silent) = (group(&client, "News").await, group(&client, "Silent").await);
    contact(&client, 1, json!({}), &[&news, &silent]).await;
    let more = json!({ "group_id": news, "exclude_group_id": silent, "content": "Hi" });
    let made = make(&client, "broadcast_text", more).await;
    let sent = send(&client, &made).await;
    client
        .call("DELETE", &format!("groups/{silent}"), None)
        .await
        .ok();
    expand(&test).await;
    assert_eq!(texts(&client).await, Vec::<String>::new());
    let broadcast = sent["broadcast_id"].as_str().expect("an id");
    let shown = client.get(&format!("broadcasts/{broadcast}")).await;
    assert_eq!(
        shown["error_message"],
        "the group that it leaves out is gone"
    );
}

#[tokio::test]
async fn a_campaign_with_a_group_that_is_gone_is_refused_by_its_name() {
    let test = hub().await;
    let client = test.client();
    let news = group(&client, "News").await;
    for param in [
        "group_id",
        "exclude_group_id",
        "respondent_group_id",
        "clicked_group_id",
    ] {
        let gone = group(&client, param).await;
        let mut more = json!({ "group_id": news, "content": "Hi" });
        more[param] = json!(gone);
        let now = make(&client, "broadcast_text", more.clone()).await;
        more["schedule_time"] = json!(NEW_YEAR);
        let later = make(&client, "broadcast_text", more).await;
        send(&client, &later).await;
        remove_group(&client, &gone).await;
        refused(&client, &now, "/send", json!({}), param).await;
        campaigns::all_due(&test.hub, at(&test, NEW_YEAR))
            .await
            .expect("a look");
        let shown = client.get(&path(&later)).await;
        assert_eq!(
            (&shown["status"], &shown["error_message"]),
            (
                &json!("draft"),
                &json!(format!("{param} is the id of a group that is gone"))
            )
        );
    }
    assert_eq!(client.ids("broadcasts").await.len(), 0);
}

async fn remove_group(client: &Client, group: &str) {
    let path = format!("groups/{group}");
    client.call("DELETE", &path, None).await.ok();
}

#[tokio::test]
async fn a_campaign_that_runs_says_that_a_group_is_gone() {
    let test = hub().await;
    let client = test.client();
    for param in ["group_id", "exclude_group_id", "respondent_group_id"] {
        let gone = group(&client, param).await;
        let mut more = json!({
            "group_id": group(&client, "News").await, "date_variable": "due",
            "items": [{ "time_of_day": "09:30", "content": "Today" }],
        });
        more[param] = json!(gone);
        let made = make(&client, "relative", more).await;
        let running = send(&client, &made).await;
        assert_eq!(running.get("error_message"), None);
        remove_group(&client, &gone).await;
        refused(&client, &made, "/send", json!({}), param).await;
        let problem = json!(format!("{param} is the id of a group that is gone"));
        let shown = client.get(&path(&made)).await;
        assert_eq!(
            (&shown["status"], &shown["error_message"]),
            (&json!("scheduled"), &problem)
        );
        let listed = client.get("campaigns?status=scheduled").await;
        assert_eq!(listed["data"][0]["error_message"], problem);
        let draft = client
            .post(&format!("{}/unschedule", path(&made)), json!({}))
            .await;
        assert_eq!(draft.get("error_message"), None);
    }
}
