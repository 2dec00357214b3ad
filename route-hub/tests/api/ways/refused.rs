//! To whom nothing may be sent gets nothing, whichever way it is tried.

use super::{DATE, DATE_S, NUMBER, Way, World, id, json, planned, relative, way};
use crate::support::{Reply, hub};
use hub_store::projects;
use serde_json::Value;
use std::collections::BTreeSet;

/// The table of URLs.
const ROUTES: &str = include_str!("../../../src/routes.rs");

/// What a request is answered that would send to a blocked contact.
#[derive(Debug, Clone, Copy)]
enum Answer {
    /// It is refused, for this parameter.
    Param(&'static str),
    /// It is refused as it stands.
    Refused,
    /// It is taken, with this item in place of a message.
    NullItem,
    /// It is taken, and the contact is left out now or later.
    LeftOut,
}

use Answer::{LeftOut, NullItem, Param, Refused};

/// Every way to send to somebody, with the answer when that somebody is blocked.
fn ways() -> Vec<(Way, Answer)> {
    let send = |body| way("/messages/send", body);
    let multi = |mut item: Value| {
        item["content"] = "x".into();
        way("/send_multi", json!({ "messages": [item] }))
    };
    let mut titled = multi(json!({ "to_number": "{number}" }));
    titled.body["broadcast_title"] = "B".into();
    let mut ways = vec![
        (send(json!({ "to_number": "{number}" })), Param("to_number")),
        (
            send(json!({ "to_number": "(500) 555-0122" })),
            Param("to_number"),
        ),
        (
            send(json!({ "contact_id": "{contact}" })),
            Param("contact_id"),
        ),
        (
            send(json!({ "contact_id": "{contact}", "to_number": "{number}" })),
            Param("contact_id"),
        ),
        (
            way("/messages/outgoing", json!({ "to_number": "{number}" })),
            Param("to_number"),
        ),
        (multi(json!({ "to_number": "{number}" })), NullItem),
        (multi(json!({ "contact_id": "{contact}" })), NullItem),
        (titled, NullItem),
    ];
    for url in [
        "/messages/send_batch",
        "/messages/outgoing_batch",
        "/send_broadcast",
    ] {
        for whom in many() {
            ways.push((way(url, whom), LeftOut));
        }
    }
    for whom in one() {
        ways.push((planned("/scheduled", whom.clone()), LeftOut));
        ways.push((planned("/scheduled/{scheduled_id}", whom.clone()), LeftOut));
        ways.push((relative("/relative_scheduled", whom.clone()), LeftOut));
        let url = "/relative_scheduled/{relative_scheduled_id}";
        ways.push((relative(url, whom), LeftOut));
    }
    let to_dynamic = json!({ "group_id": "{dynamic}" });
    ways.push((planned("/scheduled", to_dynamic), LeftOut));
    for (url, body) in [
        ("/messages/{message_id}/resend", json!({})),
        (
            "/messages/{message_id}/resend",
            json!({ "route_id": "{test_phone}" }),
        ),
        ("/messages/{delivered}/resend", json!({})),
    ] {
        ways.push((Way { url, body }, Refused));
    }
    calls_and_data(&mut ways);
    ways
}

/// Calls and data messages go every way that one recipient is named on.
fn calls_and_data(ways: &mut Vec<(Way, Answer)>) {
    for kind in [
        json!({ "message_type": "call", "content": null }),
        json!({ "route_params": { "port": 7, "data": "AA==" }, "content": null }),
    ] {
        let with_kind = |mut way: Way| {
            for (name, value) in kind.as_object().expect("parameters") {
                way.body[name] = value.clone();
            }
            way
        };
        let to = json!({ "to_number": "{number}" });
        let multi = json!({ "messages": [{ "to_number": "{number}", "content": null }] });
        let group = json!({ "group_id": "{group}" });
        for (way, answer) in [
            (way("/messages/send", to.clone()), Param("to_number")),
            (way("/send_multi", multi), NullItem),
            (way("/send_broadcast", group), LeftOut),
            (planned("/scheduled", to), LeftOut),
        ] {
            ways.push((with_kind(way), answer));
        }
    }
}

fn one() -> [Value; 3] {
    [
        json!({ "to_number": "{number}" }),
        json!({ "contact_id": "{contact}" }),
        json!({ "group_id": "{group}" }),
    ]
}

fn many() -> [Value; 3] {
    [
        json!({ "to_numbers": ["{number}"] }),
        json!({ "group_id": "{group}" }),
        json!({ "group_id": "{dynamic}" }),
    ]
}

/// The `POST`s and `PUT`s that send nothing.
const SENDS_NOTHING: &[&str] = &[
    "/",
    "/projects",
    "/projects/{project_id}",
    "/messages/receive",
    "/messages/{message_id}",
    "/messages/{message_id}/cancel",
    "/messages/{message_id}/send_read_receipt",
    "/messages/{message_id}/send_typing_indicator",
    "/broadcasts/{broadcast_id}/cancel",
    "/phones",
    "/phones/{phone_id}",
    "/phones/{phone_id}/release_quiet_hours",
    "/phones/{phone_id}/reset_sent_message_count",
    "/routes",
    "/routes/{route_id}",
    "/contacts",
    "/import_contacts",
    "/contacts/{contact_id}",
    "/groups",
    "/create_group",
    "/groups/{group_id}",
    "/groups/{group_id}/contacts/{contact_id}",
    "/contact_fields",
    "/contact_fields/{variable}",
    "/message_fields",
    "/message_fields/{variable}",
    "/labels",
    "/labels/{label_id}",
    "/labels/{label_id}/messages/{message_id}",
    "/campaigns",
    "/campaigns/{campaign_id}",
    "/campaigns/{campaign_id}/send",
    "/campaigns/{campaign_id}/unschedule",
    "/message_templates",
    "/message_templates/{template_id}",
    "/files",
    "/files/{file_id}",
    "/tables",
    "/tables/{table_id}",
    "/tables/{table_id}/rows",
    "/tables/{table_id}/rows/{row_id}",
    "/tables/{table_id}/import_rows",
    "/tables/{table_id}/fields",
    "/tables/{table_id}/fields/{variable}",
    "/tables/{table_id}/views",
    "/tables/{table_id}/views/{view_id}",
    "/tasks",
    "/tasks/{task_id}/cancel",
    "/webhooks",
    "/webhooks/{webhook_id}",
    "/webhook_deliveries/{webhook_delivery_id}/replay",
];

#[test]
fn every_url_that_takes_something_sends_or_is_known_not_to() {
    let takes = |line: &&str| line.contains("post(") || line.contains("put(");
    let urls = ROUTES.lines().filter(takes);
    let urls: BTreeSet<_> = urls.filter_map(|line| line.split('"').nth(1)).collect();
    let ways = ways();
    let sends = ways.iter().map(|(way, _)| way.url);
    let sends = sends.filter(|url| *url != "/messages/{delivered}/resend");
    let known: BTreeSet<_> = sends.chain(SENDS_NOTHING.iter().copied()).collect();
    assert_eq!(urls, known);
}

#[tokio::test]
async fn every_kind_of_message_has_its_rows_or_is_not_offered() {
    let test = hub().await;
    let client = test.client();
    for kind in ["chat", "service"] {
        let body = json!({ "message_type": kind, "to_number": NUMBER, "content": "x" });
        let reply = client.call("POST", "messages/send", Some(body)).await;
        reply.invalid("message_type");
    }
}

/// A contact who is in two groups and has had two messages, one of which was cancelled.
async fn world() -> World {
    let mut world = World::new(|_| {}).await;
    let client = world.client.clone();
    let group = id(&client.post("groups", json!({ "name": "Normal" })).await);
    let filters = json!({ "name": "Dynamic", "filters": { "vars.due": DATE } });
    let dynamic = id(&client.post("create_group", filters).await);
    let contact = json!({
        "phone_number": NUMBER, "vars": { "due": DATE }, "add_group_ids": [group],
    });
    let contact = id(&client.post("contacts", contact).await);
    let test_phone = world.test.test_phone().await.id.to_string();
    let mut body = json!({ "to_number": NUMBER, "content": "x" });
    let cancelled = id(&client.post("messages/send", body.clone()).await);
    let path = format!("messages/{cancelled}/cancel");
    client.call("POST", &path, None).await.ok();
    body["route_id"] = test_phone.clone().into();
    let delivered = id(&client.post("messages/send", body).await);
    world.play().await;
    let other = json!({
        "to_number": "+15005550123", "content": "x", "start_time": DATE_S, "date_variable": "due",
        "time_of_day": "00:00",
    });
    let scheduled = id(&client.post("scheduled", other.clone()).await);
    let relative = id(&client.post("relative_scheduled", other).await);
    world.names.extend([
        ("{group}", group),
        ("{dynamic}", dynamic),
        ("{contact}", contact),
        ("{test_phone}", test_phone),
        ("{message_id}", cancelled),
        ("{delivered}", delivered),
        ("{scheduled_id}", scheduled),
        ("{relative_scheduled_id}", relative),
    ]);
    world
}

/// What forbids to send.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stop {
    Contact,
    Group,
    Project,
}

impl Stop {
    async fn put(self, world: &World) {
        let client = &world.client;
        match self {
            Self::Contact => {
                let path = format!("contacts/{}", world.name("{contact}"));
                client.post(&path, json!({ "send_blocked": true })).await;
            }
            Self::Group => {
                for group in ["{group}", "{dynamic}"] {
                    let path = format!("groups/{}", world.name(group));
                    client.post(&path, json!({ "allow_sending": false })).await;
                }
            }
            Self::Project => {
                let mut project = world.test.project.clone();
                project.stopped = true;
                let id = project.id;
                let store = &world.test.hub.store;
                let stopped = store.write(move |tx| projects::update(tx, &project));
                assert!(stopped.await.expect("an update"));
                world.test.hub.cache.forget_project(id);
            }
        }
    }

    /// Says whether it concerns what a way sends.
    fn concerns(self, way: &Way) -> bool {
        self != Self::Group || !way.body["group_id"].is_null()
    }
}

/// What the other message of the world, to another number, adds to what waits.
fn others(way: &Way) -> i64 {
    i64::from(way.url != "/scheduled/{scheduled_id}")
}

#[tokio::test]
async fn each_way_sends_once_where_nothing_forbids_it() {
    for (way, _) in ways() {
        let world = world().await;
        world.go(&way).await.ok();
        world.go_out().await;
        let sent = world.queued().await - others(&way);
        assert_eq!(sent, 1, "{} {}", way.url, way.body);
    }
}

#[tokio::test]
async fn no_way_leads_to_whom_nothing_may_be_sent() {
    for stop in [Stop::Contact, Stop::Group, Stop::Project] {
        for (way, answer) in ways().into_iter().filter(|(way, _)| stop.concerns(way)) {
            let world = world().await;
            stop.put(&world).await;
            let reply = world.go(&way).await;
            let what = format!("{stop:?} {} {}: {}", way.url, way.body, reply.json);
            check(stop, &way, answer, &reply, &what);
            world.go_out().await;
            expect_none(stop, &world, &way, &what).await;
        }
    }
}

#[tokio::test]
async fn what_goes_out_later_stops_for_who_was_blocked_meanwhile() {
    for stop in [Stop::Contact, Stop::Group, Stop::Project] {
        for (way, _) in ways().into_iter().filter(|(way, _)| stop.concerns(way)) {
            let world = world().await;
            world.go(&way).await.ok();
            if world.queued().await > 0 {
                continue;
            }
            stop.put(&world).await;
            world.go_out().await;
            let what = format!("{stop:?} {} {}", way.url, way.body);
            expect_none(stop, &world, &way, &what).await;
        }
    }
}

fn check(stop: Stop, way: &Way, answer: Answer, reply: &Reply, what: &str) {
    let is_planned = way.url.contains("scheduled");
    match (stop, answer) {
        (Stop::Project, _) if is_planned => assert_eq!(reply.status, 200, "{what}"),
        (Stop::Project, _) => assert_eq!(reply.json["error"]["code"], "limit_exceeded", "{what}"),
        (Stop::Group, _) => assert_eq!(reply.json["error"]["param"], "group_id", "{what}"),
        (Stop::Contact, Param(param)) => {
            assert_eq!(reply.json["error"]["param"], param, "{what}");
        }
        (Stop::Contact, Refused) => {
            let (code, param) = reply.refused(400);
            assert_eq!(
                (code.as_str(), param.as_deref()),
                ("invalid_param", Some("message_id"))
            );
        }
        (Stop::Contact, NullItem) => {
            let nothing = json!({ "id": null, "status": null });
            assert_eq!(reply.json["messages"], json!([nothing]), "{what}");
        }
        (Stop::Contact, LeftOut) => assert_eq!(reply.status, 200, "{what}"),
    }
}

async fn expect_none(stop: Stop, world: &World, way: &Way, what: &str) {
    let others = match stop {
        Stop::Project => 0,
        // What a change was refused for goes on as it was.
        Stop::Group => 1,
        Stop::Contact => others(way),
    };
    assert!(world.queued().await <= others, "{what}");
    let path = format!("contacts/{}/messages?count=1", world.name("{contact}"));
    assert_eq!(world.count(&path).await, 2, "{what}");
}
