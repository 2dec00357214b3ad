//! What plans refuse, and what they never do.

use crate::support::{Client, Reply, TO, TestHub, add_key, hub, id};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hub_app::actor::Who;
use hub_app::broadcasts::{self, Turns};
use hub_app::hub_work::HubWork;
use hub_app::operator::{PlanPatch, set_plan};
use hub_app::schedules::fire;
use hub_app::tasks;
use hub_app::test_routes;
use hub_domain::{Day, Feature, Overage, Permissions, Rate, UsageType, Zone};
use hub_store::{StoreError, Tx};
use postrider_model::{MessageStatus, Now, UnixMs};
use serde_json::{Value, json};

const DAY_MS: i64 = 86_400_000;

async fn set(test: &TestHub, patch: PlanPatch) {
    let (hub, now, owner) = (
        test.hub.clone(),
        test.hub.now(),
        test.project.organization_id,
    );
    let job = move |tx: &mut Tx<'_>| {
        let mut work = HubWork::new(&hub, tx, Who::Operator, now);
        set_plan(&mut work, owner, &patch).map_err(|_| StoreError::Closed)?;
        Ok::<_, StoreError>(work.effects)
    };
    let effects = test.hub.store.write(job).await.expect("a plan");
    effects.perform(&test.hub);
}

async fn whole(test: &TestHub) -> Client {
    let owner = test.project.organization_id;
    let key = add_key(&test.hub, owner, None, &Permissions::all()).await;
    test.client_of(&key, test.project.id)
}

async fn limit(test: &TestHub, kind: UsageType, most: u64) {
    let limits = vec![(kind, Some(most))];
    set(
        test,
        PlanPatch {
            limits,
            ..PlanPatch::default()
        },
    )
    .await;
}

async fn try_post(client: &Client, path: &str, body: Value) -> Reply {
    client.call("POST", path, Some(body)).await
}

/// Checks that a limit refused, named with its value and the use.
#[track_caller]
fn names(reply: &Reply, limit: &str, most: u64, used: u64) {
    assert_eq!(reply.refused(402).0, "limit_exceeded");
    let message = reply.json["error"]["message"].as_str().unwrap_or_default();
    let text = format!("the plan's limit {limit} is {most}, {used} are used, and this is more");
    assert_eq!(message, text);
}

async fn used(test: &TestHub, kind: &str) -> Value {
    let organization = test.project.organization_id;
    let path = format!("/organizations/{organization}/usage/{kind}");
    whole(test).await.get(&path).await
}

/// A limit, who makes what it counts, where, and what the nth of them is made of.
type Case<'c> = (UsageType, &'c Client, &'c str, fn(u32) -> Value);

#[tokio::test]
async fn what_is_at_a_limit_stays_and_one_more_is_refused() {
    let test = hub().await;
    let client = test.client();
    let table = client.post("tables", json!({ "name": "Visits" })).await;
    let rows = format!("tables/{}/rows", id(&table));
    let organization = format!("/organizations/{}/projects", test.project.organization_id);
    let whole = whole(&test).await;
    let cases: [Case<'_>; 6] = [
        (
            UsageType::Contacts,
            &client,
            "contacts",
            |n| json!({ "phone_number": format!("+1500555020{n}") }),
        ),
        (
            UsageType::Groups,
            &client,
            "groups",
            |n| json!({ "name": format!("Group {n}") }),
        ),
        (
            UsageType::CustomContactFields,
            &client,
            "contact_fields",
            |n| json!({ "metadata": [{ "variable": format!("field_{n}"), "name": "Field" }] }),
        ),
        (UsageType::Phones, &client, "phones", |n| {
            json!({ "name": format!("P{n}"), "phone_type": "simulated",
                "phone_number": format!("+1500555017{n}") })
        }),
        (
            UsageType::Projects,
            &whole,
            &organization,
            |n| json!({ "name": format!("Project {n}") }),
        ),
        (
            UsageType::DataRows,
            &client,
            &rows,
            |n| json!({ "vars": { "n": n } }),
        ),
    ];
    for (kind, client, path, body) in cases {
        let before = used(&test, kind.as_str()).await.as_u64().expect("a number");
        limit(&test, kind, before + 2).await;
        for n in 0..2 {
            try_post(client, path, body(n)).await.ok();
        }
        names(
            &try_post(client, path, body(2)).await,
            kind.as_str(),
            before + 2,
            before + 2,
        );
        assert_eq!(used(&test, kind.as_str()).await, before + 2, "{kind}");
    }
    let known = json!({ "phone_number": "+15005550200", "name": "Known" });
    try_post(&client, "contacts", known).await.ok();
}

#[tokio::test]
async fn messages_beyond_a_limit_are_refused_together_or_not_at_all() {
    let test = hub().await;
    let client = test.client();
    limit(&test, UsageType::StoredMessages, 3).await;
    client.send("one").await;
    client.send("two").await;
    let two = json!({ "messages": [
        { "to_number": TO, "content": "three" }, { "to_number": TO, "content": "four" },
    ] });
    names(
        &try_post(&client, "send_multi", two).await,
        "stored_messages",
        3,
        2,
    );
    assert_eq!(client.ids("messages").await.len(), 2);
    let third = client.send("three").await;
    let fourth = json!({ "to_number": TO, "content": "four" });
    names(
        &try_post(&client, "messages/send", fourth.clone()).await,
        "stored_messages",
        3,
        3,
    );
    let incoming =
        json!({ "from_number": "+15005550199", "content": "in", "phone_id": test.phone.id });
    client.post("messages/receive", incoming).await;
    client
        .call("DELETE", &format!("messages/{}", id(&third)), None)
        .await
        .ok();
    assert_eq!(used(&test, "stored_messages").await, 3);
    client
        .call(
            "DELETE",
            &format!("messages/{}", client.ids("messages").await[0]),
            None,
        )
        .await
        .ok();
    try_post(&client, "messages/send", fourth).await.ok();
}

#[tokio::test]
async fn contacts_are_imported_all_or_none_and_messages_to_new_numbers_need_room() {
    let test = hub().await;
    let client = test.client();
    client.send("one").await;
    limit(&test, UsageType::Contacts, 2).await;
    let two = json!({ "contacts": [
        { "phone_number": "+15005550301" }, { "phone_number": "+15005550302" },
    ] });
    names(
        &try_post(&client, "import_contacts", two).await,
        "contacts",
        2,
        2,
    );
    assert_eq!(used(&test, "contacts").await, 1);
    let to = |number: &str| json!({ "to_number": number, "content": "x" });
    client.post("messages/send", to("+15005550303")).await;
    names(
        &try_post(&client, "messages/send", to("+15005550304")).await,
        "contacts",
        2,
        2,
    );
    client.post("messages/send", to("+15005550303")).await;
}

#[tokio::test]
async fn two_at_once_do_not_go_beyond_a_limit_together() {
    let test = hub().await;
    limit(&test, UsageType::StoredMessages, 5).await;
    let send = |n: u32| {
        let client = test.client();
        let body = json!({ "to_number": format!("+1500555{:04}", 400 + n), "content": "x" });
        tokio::spawn(async move { try_post(&client, "messages/send", body).await.status })
    };
    let sending: Vec<_> = (0..20).map(send).collect();
    let mut sent = 0;
    for one in sending {
        match one.await.expect("an answer") {
            200 => sent += 1,
            status => assert_eq!(status, 402),
        }
    }
    assert_eq!(sent, 5);
    assert_eq!(used(&test, "stored_messages").await, 5);
}

#[tokio::test]
async fn soft_limits_refuse_nothing_and_show_what_more_costs() {
    let test = hub().await;
    let client = test.client();
    set(
        &test,
        PlanPatch {
            name: Some(Some("Small".to_owned())),
            limits: vec![
                (UsageType::StoredMessages, Some(0)),
                (UsageType::ApiRequestsDay, Some(0)),
            ],
            features: vec![(Feature::SoftLimits, Some(true))],
            overage_rates: vec![(
                Overage::Message,
                Some(Rate::new("0.0025".parse().unwrap(), "USD".parse().unwrap())),
            )],
            ..PlanPatch::default()
        },
    )
    .await;
    client.send("one").await;
    let path = format!(
        "/organizations/{}/billing?usage=1",
        test.project.organization_id
    );
    let bill = whole(&test).await.get(&path).await;
    assert_eq!(bill["plan_name"], "Small");
    assert_eq!(bill["plan_limits"]["stored_messages"], 0);
    assert_eq!(bill["plan_limits"]["contacts"], Value::Null);
    assert_eq!(bill["plan_features"]["soft_limits"], true);
    assert_eq!(bill["usage"]["stored_messages"], 1);
    let rates = json!({ "message": { "amount": 0.0025, "currency": "USD" } });
    assert_eq!(bill["overage_rates"], rates);
}

#[tokio::test]
async fn a_suspended_plan_sends_nothing_and_does_the_rest() {
    let test = hub().await;
    let client = test.client();
    let to = json!({ "to_number": TO, "content": "x", "simulated": true });
    let group = id(&client.post("groups", json!({ "name": "Before" })).await);
    let campaign = json!({
        "campaign_type": "broadcast_text", "content": "x", "group_id": group, "schedule_mode": "immediate",
    });
    let campaign = id(&client.post("campaigns", campaign).await);
    let queued = id(&client.post("messages/send", to.clone()).await);
    let suspend = |at: Option<UnixMs>| PlanPatch {
        suspend_time: Some(at),
        ..PlanPatch::default()
    };
    set(&test, suspend(Some(test.hub.now().unix))).await;
    let send_campaign = format!("campaigns/{campaign}/send");
    for (path, body) in [
        ("messages/send", to.clone()),
        (
            "send_broadcast",
            json!({ "to_numbers": [TO], "content": "x" }),
        ),
        (send_campaign.as_str(), json!({})),
    ] {
        let refused = try_post(&client, path, body).await;
        assert_eq!(refused.refused(402).0, "limit_exceeded", "{path}");
    }
    let play = async || while test_routes::play_once(&test.hub).await.expect("a turn") {};
    let queued = format!("messages/{queued}");
    play().await;
    let waiting = client.get(&queued).await;
    assert_eq!(
        (&waiting["status"], &waiting["waiting_for"]),
        (&json!("queued"), &json!("plan_suspended"))
    );
    client.post("groups", json!({ "name": "After" })).await;
    client.get("messages").await;
    set(&test, suspend(None)).await;
    play().await;
    assert_eq!(client.get(&queued).await["status"], "sent");
    client.post("messages/send", to).await;
}

#[tokio::test]
async fn requests_beyond_the_days_are_refused_and_what_is_used_stays_to_be_seen() {
    let test = hub().await;
    let client = test.client();
    let whole = whole(&test).await;
    limit(&test, UsageType::ApiRequestsDay, 2).await;
    client.get("messages").await;
    client.get("messages").await;
    names(
        &client.call("GET", "messages", None).await,
        "api_requests_day",
        2,
        2,
    );
    let organization = format!("/organizations/{}", test.project.organization_id);
    let bill = whole.get(&format!("{organization}/billing?usage=1")).await;
    assert_eq!(bill["usage"]["api_requests_day"], 3, "these are counted");
    whole.get(&format!("{organization}/usage/contacts")).await;
}

/// Returns what something waits for, and when it is tried again.
fn held(shown: &Value) -> (Value, Value) {
    (shown["waiting_for"].clone(), shown["next_try_time"].clone())
}

#[tokio::test]
async fn schedules_and_broadcasts_wait_for_the_next_day() {
    let test = hub().await;
    let client = test.client();
    let now = test.hub.now();
    let at = |days: i64| Now::new(now.boot.0, now.unix.0 + days * DAY_MS);
    let group = id(&client.post("groups", json!({ "name": "All" })).await);
    for n in 0..3 {
        let number = format!("+1500555050{n}");
        client
            .post(
                "contacts",
                json!({ "phone_number": number, "add_group_ids": [group] }),
            )
            .await;
    }
    limit(&test, UsageType::ExternalMessagesDay, 2).await;
    let broadcast = client
        .post(
            "send_broadcast",
            json!({ "group_id": group, "content": "x" }),
        )
        .await;
    let path = format!("broadcasts/{}", id(&broadcast));
    let mut turns = Turns::default();
    while broadcasts::round(&test.hub, &mut turns, at(0))
        .await
        .expect("a round")
        > 0
    {}
    assert_eq!(client.get(&path).await["message_count"], 2);
    let midnight = (now.unix.0.div_euclid(DAY_MS) + 1) * DAY_MS / 1_000;
    let waits = (json!("plan_limit"), json!(midnight));
    let shown = client.get(&path).await;
    assert_eq!(shown["status"], "queuing");
    assert_eq!(held(&shown), waits);
    assert_eq!(held(&client.get("broadcasts").await["data"][0]), waits);
    let start = (now.unix.0 / 1_000) + 60;
    let scheduled = json!({ "to_number": TO, "content": "later", "start_time": start });
    client.post("scheduled", scheduled).await;
    let soon = Now::new(now.boot.0, now.unix.0 + 61_000);
    assert_eq!(fire::all_due(&test.hub, soon).await.expect("a tick"), 0);
    names(
        &try_post(
            &client,
            "messages/send",
            json!({ "to_number": TO, "content": "x" }),
        )
        .await,
        "external_messages_day",
        2,
        2,
    );
    while broadcasts::round(&test.hub, &mut turns, at(1))
        .await
        .expect("a round")
        > 0
    {}
    let shown = client.get(&path).await;
    assert_eq!(shown["message_count"], 3);
    assert_eq!(held(&shown), (Value::Null, Value::Null));
    assert_eq!(fire::all_due(&test.hub, at(1)).await.expect("a tick"), 1);
}

#[tokio::test]
async fn messages_are_limited_by_the_plans_period_instead_of_the_day() {
    let test = hub().await;
    let client = test.client();
    let whole = whole(&test).await;
    let organization = format!("/organizations/{}", test.project.organization_id);
    let message = json!({ "to_number": TO, "content": "x" });
    limit(&test, UsageType::ExternalMessagesDay, 1).await;
    limit(&test, UsageType::ExternalMessagesPeriod, 2).await;
    client.post("messages/send", message.clone()).await;
    client.post("messages/send", message.clone()).await;
    let refused = try_post(&client, "messages/send", message.clone()).await;
    names(&refused, "external_messages_period", 2, 2);
    let bill = whole.get(&format!("{organization}/billing?usage=1")).await;
    for of in ["plan_limits", "usage"] {
        assert_eq!(bill[of]["external_messages_period"], 2, "{of}");
        assert!(bill[of].get("external_messages_day").is_none(), "{of}");
    }
    let today = Day::of(&Zone::UTC, test.hub.now().unix).expect("a day");
    let history = format!(
        "{organization}/usage_history?usage_type=external_messages_period&start_date={}&end_date={}",
        today.plus(-1).expect("a day"),
        today
    );
    let counts = |history: &Value| {
        [
            &history["history"][0]["usage"],
            &history["history"][1]["usage"],
        ]
        .map(Value::clone)
    };
    assert_eq!(counts(&whole.get(&history).await), [0, 2]);
    // The next period begins: what was sent before does not count in it.
    let begins = UnixMs(test.hub.now().unix.0 + 900_000);
    let start_time = Some(Some(begins));
    set(
        &test,
        PlanPatch {
            start_time,
            ..PlanPatch::default()
        },
    )
    .await;
    client.post("messages/send", message).await;
    limit(&test, UsageType::ExternalMessagesDay, 100).await;
    let bill = whole.get(&format!("{organization}/billing")).await;
    assert_eq!(bill["plan_limits"]["external_messages_day"], 100);
    assert!(
        bill["plan_limits"]
            .get("external_messages_period")
            .is_none()
    );
}

#[tokio::test]
async fn a_task_that_sends_waits_for_the_next_day() {
    let test = hub().await;
    let client = test.client();
    for _ in 0..3 {
        let message = json!({ "to_number": TO, "content": "x" });
        client.post("messages/send", message).await;
    }
    // Only what was sent is sent again as another message.
    let sent = hub_domain::status_code(MessageStatus::Sent);
    let sending = move |tx: &mut Tx<'_>| {
        let sql = "UPDATE messages SET status = $1, state = 60";
        tx.run(sql, &[hub_store::Value::Int(sent)])
    };
    test.hub.store.write(sending).await.expect("they are sent");
    limit(&test, UsageType::ExternalMessagesDay, 4).await;
    let again = json!({
        "task_type": "resend_messages", "filter_type": "query_messages",
        "filter_params": { "status": "sent" },
    });
    let path = format!("tasks/{}", id(&client.post("tasks", again).await));
    let now = test.hub.now();
    let label = id(&client.post("labels", json!({ "name": "Seen" })).await);
    let other = json!({
        "task_type": "add_label", "filter_type": "query_messages",
        "filter_params": { "all": true }, "task_params": { "label_id": label },
    });
    let other = format!("tasks/{}", id(&client.post("tasks", other).await));
    let run = async |days: i64| {
        let at = Now::new(now.boot.0, now.unix.0 + days * DAY_MS);
        while tasks::round(&test.hub, at).await.expect("a round") > 0 {}
        let task = client.get(&path).await;
        (task["status"].clone(), task["current_row"].clone())
    };
    assert_eq!(run(0).await, (json!("active"), json!(1)));
    assert_eq!(
        run(0).await,
        (json!("active"), json!(1)),
        "the day is the same"
    );
    assert_eq!(client.get(&path).await["waiting_for"], "plan_limit");
    assert_eq!(client.get(&other).await["waiting_for"], Value::Null);
    let passed = client.get(&other).await["status"].take();
    assert_eq!(passed, "complete", "who sends nothing need not wait");
    assert_eq!(run(1).await, (json!("complete"), json!(3)));
    let queued = client.ids("messages?status=queued").await;
    assert_eq!(queued.len(), 3);
}

#[tokio::test]
async fn a_file_that_there_is_no_room_for_leaves_nothing() {
    let test = hub().await;
    let client = test.client();
    limit(&test, UsageType::StoredFileMb, 0).await;
    let gif = STANDARD.encode(b"GIF89a\x01\x00\x01\x00\x00\x00\x00;");
    let file = json!({ "data": gif, "type": "image/gif", "filename": "a.gif" });
    let refused = try_post(&client, "files", file.clone()).await;
    names(&refused, "stored_file_mb", 0, 0);
    let media = json!([{ "url": format!("data:image/gif;base64,{gif}") }]);
    let message = json!({ "to_number": TO, "media": media, "message_type": "mms" });
    let refused = try_post(&client, "messages/send", message).await;
    names(&refused, "stored_file_mb", 0, 0);
    assert!(client.ids("files").await.is_empty());
    limit(&test, UsageType::StoredFileMb, 1).await;
    client.post("files", file).await;
}

#[tokio::test]
async fn recipients_for_whom_there_is_no_room_are_left_out_with_the_reason() {
    let test = hub().await;
    let client = test.client();
    limit(&test, UsageType::Contacts, 1).await;
    let group = id(&client.post("groups", json!({ "name": "One" })).await);
    client
        .post(
            "contacts",
            json!({ "phone_number": "+15005550601", "add_group_ids": [group] }),
        )
        .await;
    limit(&test, UsageType::StoredMessages, 1).await;
    client
        .post(
            "messages/send",
            json!({ "to_number": "+15005550601", "content": "x" }),
        )
        .await;
    let sent = client
        .post(
            "send_broadcast",
            json!({ "group_id": group, "content": "x" }),
        )
        .await;
    let mut turns = Turns::default();
    while broadcasts::round(&test.hub, &mut turns, test.hub.now())
        .await
        .expect("a round")
        > 0
    {}
    let path = format!("broadcasts/{}", id(&sent));
    let shown = client.get(&path).await;
    assert_eq!(
        (&shown["message_count"], &shown["status"]),
        (&json!(0), &json!("complete"))
    );
    let problem = shown["error_message"].as_str().expect("a reason");
    assert!(
        problem.contains("stored_messages is 1, 1 are used"),
        "{problem}"
    );
}

#[tokio::test]
async fn a_tariff_prices_what_is_sent_and_what_was_sent_keeps_its_price() {
    let test = hub().await;
    let client = test.client();
    let route = test.test_phone().await;
    let path = format!("phones/{}", route.id);
    let tariff = json!({
        "currency": "KES", "per_part": "0.5", "per_message": "0.25",
        "prefixes": { "1500": { "per_part": "0.000001" } },
    });
    let changed = client.post(&path, json!({ "tariff": tariff })).await;
    assert_eq!(changed["tariff"]["currency"], "KES");
    assert_eq!(
        client
            .post(&path, json!({ "tariff": changed["tariff"] }))
            .await["tariff"],
        changed["tariff"]
    );
    let send = async |number: &str| {
        let body = json!({ "to_number": number, "content": "x", "route_id": route.id });
        let sent = client.post("messages/send", body).await;
        assert_eq!(sent["price"], Value::Null, "before it is sent");
        while test_routes::play_once(&test.hub).await.expect("a step") {}
        client.get(&format!("messages/{}", id(&sent))).await
    };
    let sent = send(TO).await;
    assert_eq!(
        (&sent["price"], &sent["price_currency"]),
        (&json!(0.000_001), &json!("KES"))
    );
    client
        .post(
            &path,
            json!({ "tariff": { "currency": "USD", "per_message": "2" } }),
        )
        .await;
    assert_eq!(
        client.get(&format!("messages/{}", id(&sent))).await["price"],
        json!(0.000_001)
    );
    assert_eq!(send("+254722000001").await["price_currency"], "USD");
    let today = Day::of(&Zone::UTC, test.hub.now().unix).expect("a day");
    let stats = format!(
        "message_stats?start_date={today}&end_date={today}&metrics=count,price.KES,price.USD"
    );
    let counted = client.get(&stats).await;
    let metrics = &counted["intervals"][0]["groups"][0]["metrics"];
    assert_eq!(metrics["price.KES"], json!(0.000_001));
    assert_eq!(metrics["price.USD"], json!(2.0));
    client.post(&path, json!({ "tariff": null })).await;
    assert_eq!(send(TO).await["price"], Value::Null);
}

#[tokio::test]
async fn a_tariff_takes_numbers_and_shows_texts() {
    let test = hub().await;
    let client = test.client();
    let path = format!("phones/{}", test.phone.id);
    for (given, shown) in [
        (json!(1), "1"),
        (json!(0.5), "0.5"),
        (json!(0.000_001), "0.000001"),
        (json!(1e6), "1000000"),
        (json!("0.80"), "0.80"),
    ] {
        let tariff = json!({ "currency": "KES", "prefixes": { "254": { "per_part": given } } });
        let changed = client.post(&path, json!({ "tariff": tariff })).await;
        assert_eq!(
            changed["tariff"]["prefixes"]["254"]["per_part"], shown,
            "{given}"
        );
    }
    for wrong in [json!(-1), json!(1e-7), json!(1_000_001), json!(true)] {
        let tariff = json!({ "currency": "KES", "per_part": wrong });
        try_post(&client, &path, json!({ "tariff": tariff }))
            .await
            .invalid("tariff[per_part]");
    }
}

#[tokio::test]
async fn what_is_wrong_about_a_tariff_is_named() {
    let test = hub().await;
    let client = test.client();
    let path = format!("phones/{}", test.phone.id);
    for (tariff, param) in [
        (json!({}), "tariff[currency]"),
        (json!({ "currency": "usd" }), "tariff[currency]"),
        (
            json!({ "currency": "USD", "per_part": "-1" }),
            "tariff[per_part]",
        ),
        (
            json!({ "currency": "USD", "per_hour": "1" }),
            "tariff[per_hour]",
        ),
        (
            json!({ "currency": "USD", "prefixes": { "+1": {} } }),
            "tariff[prefixes][+1]",
        ),
        (
            json!({ "currency": "USD", "prefixes": { "1": { "per_part": "x" } } }),
            "tariff[prefixes][1][per_part]",
        ),
    ] {
        try_post(&client, &path, json!({ "tariff": tariff }))
            .await
            .invalid(param);
    }
}

#[tokio::test]
async fn a_broadcast_adds_up_what_its_messages_cost() {
    let test = hub().await;
    let client = test.client();
    let route = test.test_phone().await;
    let tariff = json!({ "currency": "KES", "per_part": "0.1" });
    client
        .post(&format!("phones/{}", route.id), json!({ "tariff": tariff }))
        .await;
    let body = json!({
        "to_numbers": ["+15005550701", "+15005550702", "+15005550703"], "content": "x",
        "route_id": route.id,
    });
    let sent = client.post("send_broadcast", body).await;
    let mut turns = Turns::default();
    while broadcasts::round(&test.hub, &mut turns, test.hub.now())
        .await
        .expect("a round")
        > 0
    {}
    while test_routes::play_once(&test.hub).await.expect("a step") {}
    let path = format!("broadcasts/{}", id(&sent));
    let shown = client.get(&path).await;
    assert_eq!(
        (&shown["price"], &shown["price_currency"]),
        (&json!(0.3), &json!("KES"))
    );
}
