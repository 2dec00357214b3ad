//! Custom routes: create, update, and which phone they choose.

use crate::support::{Client, TO, TestHub, add_phone, hub, id};
use hub_app::dispatch::failover;
use hub_app::test_routes;
use hub_domain::{Phone, PhoneType};
use serde_json::{Value, json};
use std::time::Duration;

/// Another recipient, with another prefix.
const OTHER: &str = "+15005550111";

fn by(phone: &Phone) -> Value {
    json!({ "type": "use_phone", "phone_id": phone.id })
}

fn when(kind: &str, variable: &str, value: &str, phone: &Phone) -> Value {
    let test = json!({ "type": kind, "variable": variable, "value": value });
    json!({ "type": "condition", "conditions": [test], "actions": [by(phone)] })
}

async fn route(client: &Client, actions: Value) -> String {
    let body = json!({ "name": "Route", "actions": actions });
    id(&client.post("routes", body).await)
}

async fn send(client: &Client, route: &str, to: &str) -> Value {
    let body = json!({ "to_number": to, "content": "x", "route_id": route });
    client.post("messages/send", body).await
}

async fn second(test: &TestHub) -> Phone {
    add_phone(
        &test.hub,
        test.project.id,
        PhoneType::Android,
        "+15005550120",
    )
    .await
}

#[tokio::test]
async fn a_route_is_made_shown_changed_listed_and_removed() {
    let test = hub().await;
    let client = test.client();
    let body = json!({ "name": "Main", "actions": [by(&test.phone)], "vars": { "a": 1 } });
    let made = client.post("routes", body).await;
    let own = id(&made);
    assert!(own.starts_with("RT"));
    let expected = json!({
        "id": own, "name": "Main", "vars": { "a": 1 }, "project_id": test.project.id, "url": null,
        "actions": [{
            "type": "use_phone", "phone_ids": [test.phone.id], "pick": "first", "offline_sec": null,
        }],
    });
    assert_eq!(made, expected);
    let path = format!("routes/{own}");
    assert_eq!(client.get(&path).await, expected);
    let second = second(&test).await;
    let actions = json!([{ "type": "use_phone", "phone_ids": [test.phone.id, second.id],
        "pick": "weight", "weights": [3, 1], "offline_sec": 60 }]);
    let change = json!({ "name": "Shared", "actions": actions, "vars": { "a": null } });
    let changed = client.post(&path, change).await;
    assert_eq!(changed["name"], "Shared");
    assert_eq!(changed["actions"], actions);
    assert_eq!(changed["vars"], json!({}));
    // What was shown can be given again.
    let again = client
        .post(&path, json!({ "actions": changed["actions"] }))
        .await;
    assert_eq!(again, changed);
    let other = route(&client, json!([by(&second)])).await;
    assert_eq!(client.ids("routes").await, [own.as_str(), other.as_str()]);
    for (query, found) in [
        ("name=SHARED", vec![&own]),
        ("name[prefix]=sh", vec![&own]),
        ("name[ne]=shared", vec![&other]),
        ("name[not_prefix]=Sh", vec![&other]),
        ("name[gte]=shared", vec![&own]),
        ("name[lt]=shared", vec![&other]),
        ("sort=name", vec![&other, &own]),
        ("sort=name&sort_dir=desc", vec![&own, &other]),
    ] {
        let ids = client.ids(&format!("routes?{query}")).await;
        assert_eq!(ids.iter().collect::<Vec<_>>(), found, "{query}");
    }
    assert_eq!(client.get("routes?count=1").await, json!({ "count": 2 }));
    client
        .call("GET", "routes?sort=actions", None)
        .await
        .invalid("sort");
    let all = client.get("route_list").await;
    let ids: Vec<_> = all.as_array().unwrap().iter().map(id).collect();
    let phones = [test.phone.id.to_string(), second.id.to_string()];
    let [first, second] = phones;
    assert_eq!(ids, [first, second, own.clone(), other]);
    assert_eq!(client.call("DELETE", &path, None).await.ok(), json!({}));
    assert_eq!(
        client.call("GET", &path, None).await.refused(404).0,
        "not_found"
    );
    assert_eq!(
        client.call("DELETE", &path, None).await.refused(404).0,
        "not_found"
    );
}

#[tokio::test]
async fn rules_that_cannot_be_are_refused_by_their_place() {
    let test = hub().await;
    let client = test.client();
    let own = route(&client, json!([by(&test.phone)])).await;
    for (body, param) in [
        (json!({ "name": "" }), "name"),
        (json!({ "actions": [] }), "actions"),
        (json!({ "actions": null }), "actions"),
        (json!({ "actions": "x" }), "actions"),
        (
            json!({ "actions": [{ "type": "pigeon" }] }),
            "actions[0][type]",
        ),
        (
            json!({ "actions": [{ "type": "use_phone" }] }),
            "actions[0][phone_ids]",
        ),
        (json!({ "vars": [1] }), "vars"),
        (json!({ "id": "x" }), "id"),
        (json!({ "project_id": "x" }), "project_id"),
    ] {
        let path = format!("routes/{own}");
        client
            .call("POST", &path, Some(body.clone()))
            .await
            .invalid(param);
        let mut made = json!({ "name": "New", "actions": [by(&test.phone)] });
        made.as_object_mut()
            .unwrap()
            .extend(body.as_object().unwrap().clone());
        client
            .call("POST", "routes", Some(made))
            .await
            .invalid(param);
    }
    client
        .call("POST", "routes", Some(json!({ "name": "x" })))
        .await
        .invalid("actions");
    let bare = json!({ "actions": [by(&test.phone)] });
    client
        .call("POST", "routes", Some(bare))
        .await
        .invalid("name");
}

#[tokio::test]
async fn conditions_choose_by_number_country_and_group() {
    let test = hub().await;
    let client = test.client();
    let (first, second) = (test.phone.clone(), second(&test).await);
    let named = async |route: &str, to: &str| {
        let sent = send(&client, route, to).await;
        assert_eq!(sent["route_id"], route);
        sent["phone_id"].as_str().unwrap().to_owned()
    };
    let (one, two) = (first.id.to_string(), second.id.to_string());
    for condition in [
        when("starts_with", "to_number", "+1500555011", &second),
        when("ends_with", "to_number", "11", &second),
    ] {
        let route = route(&client, json!([condition, by(&first)])).await;
        assert_eq!(named(&route, OTHER).await, two);
        assert_eq!(named(&route, TO).await, one);
        let several = json!({ "route_id": route, "messages": [
            { "to_number": TO, "content": "a" }, { "to_number": OTHER, "content": "b" },
        ] });
        let answer = client.post("send_multi", several).await;
        for (item, phone) in [(0, &one), (1, &two)] {
            let path = format!("messages/{}", id(&answer["messages"][item]));
            assert_eq!(client.get(&path).await["phone_id"], phone.as_str());
        }
    }
    for (country, phone) in [("us", &two), ("KE", &one)] {
        let route = route(
            &client,
            json!([when("is", "country", country, &second), by(&first)]),
        );
        assert_eq!(&named(&route.await, TO).await, phone, "{country}");
    }
    let group = client.post("create_group", json!({ "name": "VIP" })).await;
    let contact = client.send("known").await["contact_id"]
        .as_str()
        .unwrap()
        .to_owned();
    let test_of = json!({ "type": "contact_is_in_group", "value": "vip" });
    let vip = json!({ "type": "condition", "conditions": [test_of], "actions": [by(&second)] });
    let route = route(&client, json!([vip, by(&first)])).await;
    let shown = client.get(&format!("routes/{route}")).await;
    assert_eq!(shown["actions"][0]["conditions"][0]["value"], group["id"]);
    assert_eq!(named(&route, TO).await, one);
    let member = format!("groups/{}/contacts/{contact}", id(&group));
    client.call("PUT", &member, None).await.ok();
    assert_eq!(named(&route, TO).await, two);
}

#[tokio::test]
async fn a_recipient_that_no_phone_may_send_to_is_refused() {
    let test = hub().await;
    let client = test.client();
    let (first, second) = (test.phone.clone(), second(&test).await);
    for (phone, country) in [(&first, "US"), (&second, "KE")] {
        let change = json!({ "allowed_recipient_countries": [country] });
        client.post(&format!("phones/{}", phone.id), change).await;
    }
    let both = json!([{ "type": "use_phone", "phone_ids": [first.id, second.id] }]);
    let both = route(&client, both).await;
    assert_eq!(
        send(&client, &both, TO).await["phone_id"],
        first.id.to_string()
    );
    let nowhere = json!({ "allowed_recipient_countries": ["KE"] });
    client.post(&format!("phones/{}", first.id), nowhere).await;
    let body = json!({ "to_number": TO, "content": "x", "route_id": both });
    let refused = client.call("POST", "messages/send", Some(body)).await;
    refused.invalid("route_id");
    let items = json!({ "route_id": both, "messages": [{ "to_number": TO, "content": "x" }] });
    let item = client.post("send_multi", items).await["messages"][0].clone();
    assert_eq!((&item["id"], &item["status"]), (&Value::Null, &Value::Null));
    assert!(
        item["error_message"]
            .as_str()
            .is_some_and(|text| text.contains("no phone"))
    );
    let only_kenya = route(&client, json!([when("is", "country", "KE", &second)])).await;
    let body = json!({ "to_number": TO, "content": "x", "route_id": only_kenya });
    client
        .call("POST", "messages/send", Some(body))
        .await
        .invalid("route_id");
    let unknown = json!({ "to_number": TO, "content": "x", "route_id": "RT0000000000000001" });
    client
        .call("POST", "messages/send", Some(unknown))
        .await
        .invalid("route_id");
}

#[tokio::test]
async fn what_is_held_is_passed_over_and_the_shortest_queue_is_found() {
    let test = hub().await;
    let client = test.client();
    let (first, second) = (test.phone.clone(), second(&test).await);
    let ids = [first.id, second.id];
    let (one, two) = (json!(first.id), json!(second.id));
    let in_order = route(&client, json!([{ "type": "use_phone", "phone_ids": ids }])).await;
    let paused = format!("phones/{}", first.id);
    client.post(&paused, json!({ "send_paused": true })).await;
    assert_eq!(send(&client, &in_order, TO).await["phone_id"], two);
    client
        .post(
            &format!("phones/{}", second.id),
            json!({ "send_paused": true }),
        )
        .await;
    let waits = send(&client, &in_order, TO).await;
    assert_eq!(
        (&waits["phone_id"], &waits["waiting_for"]),
        (&one, &json!("paused"))
    );
    for id in ids {
        client
            .post(&format!("phones/{id}"), json!({ "send_paused": false }))
            .await;
    }
    let shortest = json!([{ "type": "use_phone", "phone_ids": ids, "pick": "shortest_queue" }]);
    let shortest = route(&client, shortest).await;
    // One waits for each; one more for the first phone.
    client.send("queued").await;
    assert_eq!(send(&client, &shortest, TO).await["phone_id"], two);
    let message = json!({ "to_number": TO, "content": "x" });
    let many = json!({ "route_id": shortest, "messages": vec![message; 10] });
    client.post("send_multi", many).await;
    for id in ids {
        let count = client.get(&format!("messages?count=1&phone_id={id}")).await;
        assert_eq!(count, json!({ "count": 7 }), "{id}");
    }
    let shared =
        json!([{ "type": "use_phone", "phone_ids": ids, "pick": "weight", "weights": [1, 1] }]);
    let shared = route(&client, shared).await;
    let mut drawn = std::collections::BTreeSet::new();
    for _ in 0..64 {
        drawn.insert(send(&client, &shared, TO).await["phone_id"].to_string());
    }
    assert_eq!(drawn.len(), 2, "each is drawn");
}

#[tokio::test]
async fn a_route_is_the_default_of_a_project_and_of_a_contact() {
    let test = hub().await;
    let client = test.client();
    let (first, second) = (test.phone.clone(), second(&test).await);
    let to_first = route(&client, json!([by(&first)])).await;
    let to_second = route(&client, json!([by(&second)])).await;
    let project = format!("/projects/{}", test.project.id);
    let changed = client
        .post(&project, json!({ "default_route_id": to_second }))
        .await;
    assert_eq!(changed["default_route_id"], to_second);
    let sent = client.send("by the project's").await;
    assert_eq!(
        (&sent["route_id"], &sent["phone_id"]),
        (&json!(to_second), &json!(second.id))
    );
    let contact = format!("contacts/{}", sent["contact_id"].as_str().unwrap());
    client
        .post(&contact, json!({ "default_route_id": to_first }))
        .await;
    let sent = client.send("by the contact's").await;
    assert_eq!(
        (&sent["route_id"], &sent["phone_id"]),
        (&json!(to_first), &json!(first.id))
    );
    for route in [&to_first, &to_second] {
        client
            .call("DELETE", &format!("routes/{route}"), None)
            .await
            .ok();
    }
    let sent = client.send("by the first phone").await;
    assert_eq!(
        (&sent["route_id"], &sent["phone_id"]),
        (&Value::Null, &json!(first.id))
    );
}

#[tokio::test]
async fn a_queued_message_is_resent_by_a_route() {
    let test = hub().await;
    let client = test.client();
    let second = second(&test).await;
    let route = route(&client, json!([by(&second)])).await;
    let sent = client.send("x").await;
    let path = format!("messages/{}/resend", id(&sent));
    let moved = client.post(&path, json!({ "route_id": route })).await;
    assert_eq!(
        (&moved["id"], &moved["phone_id"]),
        (&sent["id"], &json!(second.id))
    );
    assert_eq!(moved["route_id"], route);
    let back = client
        .post(&path, json!({ "route_id": test.phone.id }))
        .await;
    assert_eq!(
        (&back["phone_id"], &back["route_id"]),
        (&json!(test.phone.id), &Value::Null)
    );
}

#[tokio::test]
async fn what_waits_for_a_phone_that_stays_away_goes_to_another() {
    let test = hub().await;
    let client = test.client();
    let spare = test.test_phone().await;
    let offer =
        json!({ "type": "use_phone", "phone_ids": [test.phone.id, spare.id], "offline_sec": 300 });
    let route = route(&client, json!([offer])).await;
    let sent = send(&client, &route, TO).await;
    assert_eq!(sent["phone_id"], test.phone.id.to_string());
    let pinned = client.send("for this phone alone").await;
    let sweep = async |seconds: u64| {
        let now = test.hub.now().plus_ms(seconds * 1_000);
        failover::sweep(&test.hub, now, Duration::ZERO)
            .await
            .unwrap()
    };
    assert_eq!(sweep(290).await, 0);
    assert_eq!(sweep(310).await, 1);
    assert_eq!(sweep(310).await, 0);
    while test_routes::play_once(&test.hub).await.unwrap() {}
    let shown = client.get(&format!("messages/{}", id(&sent))).await;
    assert_eq!(
        (&shown["phone_id"], &shown["status"]),
        (&json!(spare.id), &json!("sent"))
    );
    assert_eq!(shown["route_id"], route);
    let shown = client.get(&format!("messages/{}", id(&pinned))).await;
    assert_eq!(
        (&shown["phone_id"], &shown["status"]),
        (&json!(test.phone.id), &json!("queued"))
    );
}
