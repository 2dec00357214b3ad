//! Organizations: get, update, usage.

use crate::support::{Client, TO, TestHub, add_key, add_organization, hub, only, router, state};
use axum::Router;
use hub_app::hub::request_counts::By;
use hub_domain::{Day, Permission, Permissions, UsageType, Zone};
use postrider_model::UnixMs;
use route_hub::router;
use serde_json::{Value, json};
use std::time::Duration;

async fn wide(test: &TestHub) -> Client {
    let key = add_key(
        &test.hub,
        test.project.organization_id,
        None,
        &Permissions::all(),
    )
    .await;
    test.client_of(&key, test.project.id)
}

#[tokio::test]
async fn the_organization_of_the_key_is_listed_shown_and_changed() {
    let test = hub().await;
    add_organization(&test.hub).await;
    let client = wide(&test).await;
    let own = test.project.organization_id.to_string();
    assert_eq!(client.ids("/organizations").await, [own.as_str()]);
    for (filter, count) in [
        ("name=ORGANIZATION", 1),
        ("name[ne]=organization", 0),
        ("name[prefix]=org", 1),
        ("name[not_prefix]=Org", 0),
        ("name[gte]=organization&name[lte]=organization", 1),
        ("name[gt]=organization", 0),
        ("name[lt]=organization", 0),
        ("name[lt]=p&name[gt]=o", 1),
    ] {
        let path = format!("/organizations?count=1&{filter}");
        assert_eq!(
            client.get(&path).await,
            json!({ "count": count }),
            "{filter}"
        );
    }
    assert_eq!(
        client.ids("/organizations?offset=1&sort=name").await,
        [""; 0]
    );
    client
        .call("GET", "/organizations?marker=x", None)
        .await
        .invalid("marker");
    client
        .call("GET", "/organizations?sort=age", None)
        .await
        .invalid("sort");
    client
        .call("GET", "/organizations?name[exists]=1", None)
        .await
        .invalid("name[exists]");
    let path = format!("/organizations/{own}");
    let shown = client.get(&path).await;
    assert_eq!(
        shown,
        json!({ "id": own, "name": "Organization", "timezone_id": "UTC" })
    );
    let change = json!({ "name": "Renamed", "timezone_id": "europe/vienna" });
    let changed = client.post(&path, change).await;
    assert_eq!(
        changed,
        json!({ "id": own, "name": "Renamed", "timezone_id": "Europe/Vienna" })
    );
    assert_eq!(client.get(&path).await, changed);
    for (body, param) in [
        (json!({ "name": "" }), "name"),
        (json!({ "timezone_id": "Nowhere" }), "timezone_id"),
        (json!({ "id": own }), "id"),
    ] {
        client.call("POST", &path, Some(body)).await.invalid(param);
    }
    // A project's key sees its organization but cannot change it.
    let bound = test.client();
    assert_eq!(bound.get(&path).await, changed);
    let refused = bound
        .call("POST", &path, Some(json!({ "name": "x" })))
        .await;
    assert_eq!(refused.refused(401).0, "unauthorized");
    let nobody = client
        .call("GET", "/organizations/OR0000000000000001", None)
        .await;
    assert_eq!(nobody.refused(404).0, "not_found");
}

#[tokio::test]
async fn what_is_used_is_counted() {
    let test = hub().await;
    let client = wide(&test).await;
    let route = test.test_phone().await.id;
    client.send("one").await;
    client
        .post(
            "messages/send",
            json!({ "to_number": "+15005550102", "content": "x" }),
        )
        .await;
    client
        .post(
            "messages/send",
            json!({ "to_number": TO, "content": "x", "route_id": route }),
        )
        .await;
    let incoming = json!({ "from_number": TO, "content": "in", "phone_id": test.phone.id });
    client.post("messages/receive", incoming).await;
    client.post("create_group", json!({ "name": "VIP" })).await;
    let path = format!("/organizations/{}", test.project.organization_id);
    for (usage, count) in [
        ("groups", 1),
        ("custom_contact_fields", 0),
        ("contacts", 2),
        ("phones", 2),
        ("projects", 1),
        ("stored_messages", 4),
        ("external_messages_day", 2),
        ("messages_day", 2),
        ("external_messages_period", 2),
        ("users", 0),
        ("active_services", 0),
    ] {
        assert_eq!(
            client.get(&format!("{path}/usage/{usage}")).await,
            json!(count),
            "{usage}"
        );
    }
    let unknown = client
        .call("GET", &format!("{path}/usage/pigeons"), None)
        .await;
    assert_eq!(unknown.refused(404).0, "not_found");
    let billing = client.get(&format!("{path}/billing?usage=true")).await;
    assert_eq!(billing["usage"]["stored_messages"], 4);
    for of in ["usage", "plan_limits"] {
        let counted = billing[of].as_object().unwrap();
        for kind in UsageType::ALL {
            let value = counted.get(kind.as_str());
            // Messages are limited by the day or by the period, never by both.
            let is_there = *kind != UsageType::ExternalMessagesPeriod;
            assert_eq!(value.is_some(), is_there, "{kind}");
            let formed = |value: &Value| value.is_u64() == (of == "usage");
            assert!(value.is_none_or(formed), "{kind}");
        }
    }
    let billing = client.get(&format!("{path}/billing")).await;
    assert!(billing.get("usage").is_none());
    assert_eq!(billing["balance"], "0.00");
    assert_eq!(billing["plan_features"]["soft_limits"], false);
    assert_eq!(billing["minimum_usage_fees"], json!([]));
    let bound = test.client();
    for path in [format!("{path}/billing"), format!("{path}/usage/contacts")] {
        assert_eq!(
            bound.call("GET", &path, None).await.refused(401).0,
            "unauthorized"
        );
    }
}

#[tokio::test]
async fn a_history_has_an_entry_for_each_day_up_to_today() {
    let test = hub().await;
    let client = wide(&test).await;
    client.send("one").await;
    let path = format!(
        "/organizations/{}/usage_history",
        test.project.organization_id
    );
    let today: Day = Day::of(&Zone::UTC, test.hub.now().unix).unwrap();
    let days = format!("start_date={}&end_date={today}", today.plus(-29).unwrap());
    for (usage, today) in [("messages_day", 1), ("contacts", 1)] {
        let shown = client
            .get(&format!("{path}?usage_type={usage}&{days}"))
            .await;
        assert_eq!(shown["timezone_id"], "UTC");
        let history = shown["history"].as_array().unwrap();
        assert_eq!(history.len(), 30);
        let (last, earlier) = history.split_last().unwrap();
        assert_eq!(
            (&last["usage"], &last["current"]),
            (&json!(today), &json!(true))
        );
        assert!(
            earlier
                .iter()
                .all(|day| day["usage"] == 0 && day.get("current").is_none())
        );
        let day = last["date"].as_str().unwrap();
        let only = client
            .get(&format!(
                "{path}?usage_type={usage}&start_date={day}&end_date={day}"
            ))
            .await;
        assert_eq!(only["history"], json!([last]));
    }
    for (query, param) in [
        ("start_date=2026-01-01&end_date=2026-01-02", "usage_type"),
        ("usage_type=pigeons", "usage_type"),
        ("usage_type=phones&end_date=2026-01-02", "start_date"),
        ("usage_type=phones&start_date=2026-01-02", "end_date"),
        (
            "usage_type=phones&start_date=2026-01-02&end_date=",
            "end_date",
        ),
        (
            "usage_type=phones&start_date=yesterday&end_date=2026-01-02",
            "start_date",
        ),
        (
            "usage_type=phones&start_date=2026-01-02&end_date=2026-01-01",
            "end_date",
        ),
        (
            "usage_type=phones&start_date=2025-01-01&end_date=2026-05-16",
            "start_date",
        ),
        (
            "usage_type=phones&start_date=2026-01-02&end_date=2026-02-30",
            "end_date",
        ),
    ] {
        client
            .call("GET", &format!("{path}?{query}"), None)
            .await
            .invalid(param);
    }
    let most = format!("{path}?usage_type=phones&start_date=2025-01-01&end_date=2026-05-15");
    let most = client.get(&most).await;
    assert_eq!(most["history"].as_array().unwrap().len(), 500);
}

#[tokio::test]
async fn requests_with_a_key_are_counted_and_survive_a_restart() {
    let test = hub().await;
    let client = wide(&test).await;
    let own = test.project.organization_id;
    let path = format!("/organizations/{own}/usage/api_requests_day");
    assert_eq!(client.get(&path).await, 1, "the question itself");
    client.send("one").await;
    test.client().get("messages").await;
    let mute = add_key(&test.hub, own, None, &only(Permission::ViewBilling)).await;
    let mute = test.client_of(&mute, test.project.id);
    mute.call("GET", "messages", None).await.refused(401);
    let nobody = test.client_of("prk_0", test.project.id);
    nobody.call("GET", "messages", None).await.refused(401);
    let other = add_organization(&test.hub).await;
    let others = add_key(&test.hub, other, None, &Permissions::all()).await;
    let others = test.client_of(&others, test.project.id);
    let path_of_others = format!("/organizations/{other}/usage/api_requests_day");
    assert_eq!(others.get(&path_of_others).await, 1);
    assert_eq!(client.get(&path).await, 5);
    let again = client.to(router(&test.start_again()));
    assert_eq!(again.get(&path).await, 6);
    let billing = again
        .get(&format!("/organizations/{own}/billing?usage=1"))
        .await;
    assert_eq!(billing["usage"]["api_requests_day"], 7);
}

#[tokio::test]
async fn a_request_belongs_to_the_day_that_the_organizations_clocks_show() {
    let test = hub().await;
    let client = wide(&test).await;
    let organization = format!("/organizations/{}", test.project.organization_id);
    let zone = "Asia/Kathmandu";
    client
        .post(&organization, json!({ "timezone_id": zone }))
        .await;
    let day: Day = "2026-03-08".parse().unwrap();
    let start = day.start(&Zone::find(zone).unwrap()).unwrap();
    let count = |by, at: UnixMs| test.hub.request_counts.count(by, at);
    for _ in 0..3 {
        count(
            By::Organization(test.project.organization_id),
            start.plus_ms(-1),
        );
    }
    count(By::Project(test.project.id), start);
    count(
        By::Organization(test.project.organization_id),
        start.plus_ms(86_399_999),
    );
    let days = "start_date=2026-03-06&end_date=2026-03-09";
    let path = format!("{organization}/usage_history?usage_type=api_requests_day&{days}");
    let shown = client.get(&path).await;
    let history = shown["history"].as_array().unwrap();
    let counted: Vec<_> = history.iter().map(|day| day["usage"].clone()).collect();
    assert_eq!(counted, [0, 3, 2, 0]);
}

#[tokio::test]
async fn a_request_whose_readings_take_too_long_together_is_told_so() {
    let test = hub().await;
    let organization = format!("/organizations/{}", test.project.organization_id);
    let days = "start_date=2026-01-01&end_date=2026-12-31";
    let client = wide(&test).await;
    let paths = [
        format!("{organization}/usage_history?usage_type=messages_day&{days}"),
        format!("{organization}/usage_history?usage_type=api_requests_day&{days}"),
        format!("{organization}/billing?usage=true"),
        format!("{organization}/usage/contacts"),
        "messages".to_owned(),
        "contacts?count=1".to_owned(),
    ];
    for path in &paths {
        client.get(path).await;
    }
    let no_time = router::router_within(state(&test.hub), Router::new(), Duration::ZERO);
    let client = client.to(no_time);
    for path in &paths {
        let refused = client.call("GET", path, None).await;
        assert_eq!(refused.refused(503).0, "unavailable", "{path}");
        assert!(refused.headers.contains_key("retry-after"), "{path}");
    }
}
