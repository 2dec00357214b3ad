//! Projects: create, update, unique names and slugs.

use crate::support::{
    self, Client, TO, TestHub, add_key, add_organization, add_phone, add_project, hub, new_project,
    only,
};
use hub_app::schedules::fire;
use hub_domain::{Permission, Permissions, PhoneType};
use postrider_model::Now;
use serde_json::{Value, json};

/// A client whose key is for the whole organization.
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

fn below(test: &TestHub, path: &str) -> String {
    format!("/organizations/{}/{path}", test.project.organization_id)
}

#[tokio::test]
async fn a_project_is_made_with_its_settings_and_used_at_once() {
    let test = hub().await;
    let client = wide(&test).await;
    let made = client
        .post(
            &below(&test, "projects"),
            json!({
                "name": " Clinic ", "timezone_id": "africa/nairobi", "url_slug": "clinic-1",
                "country": "ke", "auto_create_contacts": false, "message_retention_days": 90,
                "short_link_scheme": false, "sms_parts_max": 3, "vars": { "ward": 3 },
            }),
        )
        .await;
    for (name, value) in [
        ("name", json!("Clinic")),
        ("timezone_id", json!("Africa/Nairobi")),
        ("url_slug", json!("clinic-1")),
        ("country", json!("KE")),
        ("default_route_id", Value::Null),
        ("auto_create_contacts", json!(false)),
        ("message_retention_days", json!(90)),
        ("short_link_scheme", json!(false)),
        ("sms_parts_max", json!(3)),
        ("vars", json!({ "ward": 3 })),
        ("organization_id", json!(test.project.organization_id)),
        ("url", Value::Null),
    ] {
        assert_eq!(made[name], value, "{name}");
    }
    let id = made["id"].as_str().unwrap();
    assert_eq!(client.get(&format!("/projects/{id}")).await, made);
    let own = test.client_of(
        &add_key(
            &test.hub,
            test.project.organization_id,
            id.parse().ok(),
            &Permissions::all(),
        )
        .await,
        id.parse().unwrap(),
    );
    assert_eq!(own.get("phones").await["data"], json!([]));
    let bare = client
        .post(&below(&test, "projects"), json!({ "name": "Bare" }))
        .await;
    assert_eq!(bare["url_slug"], "bare");
    for (name, begins) in [
        ("Bare!", "bare-"),
        ("Ö", ""),
        ("A rather long name of it", "a-rather-long-name"),
    ] {
        let made = client
            .post(&below(&test, "projects"), json!({ "name": name }))
            .await;
        let slug = made["url_slug"].as_str().unwrap();
        assert!(
            slug.starts_with(begins) && (3..=18).contains(&slug.len()),
            "{slug}"
        );
    }
    assert_eq!(bare["timezone_id"], "UTC");
    assert_eq!(
        (&bare["auto_create_contacts"], &bare["short_link_scheme"]),
        (&json!(true), &json!(true))
    );
    assert_eq!(bare["message_retention_days"], Value::Null);
}

#[tokio::test]
async fn settings_are_changed_one_by_one_and_taken_away_by_null() {
    let test = hub().await;
    let client = test.client();
    let path = format!("/projects/{}", test.project.id);
    let change = json!({
        "name": "Renamed", "timezone_id": "Asia/Kathmandu", "url_slug": "first_one",
        "default_route_id": test.phone.id, "message_retention_days": 7, "vars": { "a": 1, "b": "x" },
    });
    let changed = client.post(&path, change).await;
    assert_eq!(changed["name"], "Renamed");
    assert_eq!(changed["default_route_id"], test.phone.id.to_string());
    assert_eq!(client.get(&path).await, changed);
    // The phone's own zone is the project's.
    let phone = client.get(&format!("phones/{}", test.phone.id)).await;
    assert_eq!(phone["timezone_id"], "Asia/Kathmandu");
    let cleared = json!({
        "timezone_id": null, "url_slug": null, "default_route_id": null,
        "message_retention_days": null, "country": null, "vars": { "a": null },
    });
    let cleared = client.post(&path, cleared).await;
    for name in [
        "url_slug",
        "default_route_id",
        "message_retention_days",
        "country",
    ] {
        assert_eq!(cleared[name], Value::Null, "{name}");
    }
    assert_eq!(cleared["timezone_id"], "UTC");
    assert_eq!(cleared["name"], "Renamed");
    assert_eq!(cleared["vars"], json!({ "b": "x" }));
    assert_eq!(client.post(&path, json!({})).await, cleared);
}

#[tokio::test]
async fn names_and_slugs_are_unique_whatever_their_case() {
    let test = hub().await;
    let client = wide(&test).await;
    let projects = below(&test, "projects");
    let second = client
        .post(&projects, json!({ "name": "Second", "url_slug": "second" }))
        .await;
    let twice = |body: Value| {
        let (client, path) = (client.clone(), projects.clone());
        async move { client.call("POST", &path, Some(body)).await }
    };
    twice(json!({ "name": "SECOND" })).await.invalid("name");
    twice(json!({ "name": "Third", "url_slug": "second" }))
        .await
        .invalid("url_slug");
    let path = format!("/projects/{}", test.project.id);
    client
        .call("POST", &path, Some(json!({ "name": "second" })))
        .await
        .invalid("name");
    client
        .call("POST", &path, Some(json!({ "url_slug": "second" })))
        .await
        .invalid("url_slug");
    // A project keeps its own.
    let own = format!("/projects/{}", second["id"].as_str().unwrap());
    client
        .post(&own, json!({ "name": "SECOND", "url_slug": "second" }))
        .await;
    // Another organization has names of its own.
    let organization = add_organization(&test.hub).await;
    let theirs = new_project(&test.hub, organization, "Second");
    add_project(&test.hub, &theirs).await;
    let key = add_key(&test.hub, organization, None, &Permissions::all()).await;
    let others = test.client_of(&key, theirs.id);
    let path = format!("/organizations/{organization}/projects");
    let body = json!({ "name": "Third", "url_slug": "second" });
    assert_eq!(others.post(&path, body).await["url_slug"], "second");
    let named = others.post(&path, json!({ "name": "Second!" })).await;
    let slug = named["url_slug"].as_str().unwrap();
    assert!(slug.starts_with("second-") && slug.len() == 17, "{slug}");
}

#[tokio::test]
async fn what_cannot_be_is_refused_by_name() {
    let test = hub().await;
    let client = wide(&test).await;
    let projects = below(&test, "projects");
    client
        .call("POST", &projects, Some(json!({})))
        .await
        .invalid("name");
    let path = format!("/projects/{}", test.project.id);
    let organization = add_organization(&test.hub).await;
    let theirs = new_project(&test.hub, organization, "Theirs");
    add_project(&test.hub, &theirs).await;
    let phone = add_phone(&test.hub, theirs.id, PhoneType::Android, "+15005550180").await;
    for (body, param) in [
        (json!({ "name": "" }), "name"),
        (json!({ "name": "  " }), "name"),
        (json!({ "name": null }), "name"),
        (json!({ "name": 5 }), "name"),
        (json!({ "name": "x".repeat(128) }), "name"),
        (json!({ "timezone_id": "Mars/Olympus" }), "timezone_id"),
        (json!({ "country": "XX" }), "country"),
        (json!({ "country": "Kenya" }), "country"),
        (json!({ "url_slug": "ab" }), "url_slug"),
        (json!({ "url_slug": "x".repeat(19) }), "url_slug"),
        (json!({ "url_slug": "Ab c" }), "url_slug"),
        (json!({ "default_route_id": phone.id }), "default_route_id"),
        (
            json!({ "default_route_id": "RT0000000000000001" }),
            "default_route_id",
        ),
        (
            json!({ "default_route_id": "CT0000000000000001" }),
            "default_route_id",
        ),
        (
            json!({ "auto_create_contacts": "yes" }),
            "auto_create_contacts",
        ),
        (
            json!({ "message_retention_days": 0 }),
            "message_retention_days",
        ),
        (
            json!({ "message_retention_days": 1.5 }),
            "message_retention_days",
        ),
        (
            json!({ "message_retention_days": 36_501 }),
            "message_retention_days",
        ),
        (json!({ "short_link_scheme": 2 }), "short_link_scheme"),
        (json!({ "sms_parts_max": 0 }), "sms_parts_max"),
        (json!({ "sms_parts_max": 26 }), "sms_parts_max"),
        (json!({ "sms_parts_max": "all" }), "sms_parts_max"),
        (json!({ "vars": { "a b": 1 } }), "vars[a b]"),
        (json!({ "id": "PJ0000000000000001" }), "id"),
        (
            json!({ "organization_id": organization }),
            "organization_id",
        ),
        (json!({ "url": "x" }), "url"),
    ] {
        client
            .call("POST", &path, Some(body.clone()))
            .await
            .invalid(param);
        let mut made = json!({ "name": "New" });
        made.as_object_mut()
            .unwrap()
            .extend(body.as_object().unwrap().clone());
        client
            .call("POST", &projects, Some(made))
            .await
            .invalid(param);
    }
    assert_eq!(client.get("/projects?count=1").await, json!({ "count": 1 }));
}

#[tokio::test]
async fn each_change_needs_its_permission_and_a_key_that_reaches_it() {
    let test = hub().await;
    let organization = test.project.organization_id;
    let path = format!("/projects/{}", test.project.id);
    let body = || Some(json!({ "name": "New" }));
    let view = add_key(
        &test.hub,
        organization,
        None,
        &only(Permission::ViewProjects),
    )
    .await;
    let view = test.client_of(&view, test.project.id);
    assert_eq!(
        view.call("POST", &path, body()).await.refused(401).0,
        "unauthorized"
    );
    let projects = below(&test, "projects");
    assert_eq!(
        view.call("POST", &projects, body()).await.refused(401).0,
        "unauthorized"
    );
    let bound = test.client();
    assert_eq!(
        bound.call("POST", &projects, body()).await.refused(401).0,
        "unauthorized"
    );
    let other = add_organization(&test.hub).await;
    let key = add_key(&test.hub, other, None, &Permissions::all()).await;
    let them = test.client_of(&key, test.project.id);
    assert_eq!(
        them.call("POST", &path, body()).await.refused(404).0,
        "not_found"
    );
    assert_eq!(
        them.call("POST", &projects, body()).await.refused(404).0,
        "not_found"
    );
    assert_eq!(view.get("users").await, json!([]));
    assert_eq!(
        them.call("GET", "users", None).await.refused(404).0,
        "not_found"
    );
}

#[tokio::test]
async fn a_text_may_need_no_more_parts_than_its_project_allows() {
    let test = hub().await;
    let client = test.client();
    let path = format!("/projects/{}", test.project.id);
    let of_parts = |parts: usize| "a".repeat(parts * 153);
    let body = |content: &str| json!({ "to_number": TO, "content": content });
    let most = client.post("messages/send", body(&of_parts(25))).await;
    assert_eq!(most["num_parts"], 25);
    let later = json!({ "to_number": TO, "content": of_parts(3), "start_time_offset": 0 });
    let later = client.post("scheduled", later).await;
    client.post(&path, json!({ "sms_parts_max": 2 })).await;
    let two = client.post("messages/send", body(&of_parts(2))).await;
    assert_eq!(two["num_parts"], 2);
    for (operation, long, param) in [
        ("messages/send", body(&of_parts(3)), "content"),
        (
            "scheduled",
            json!({ "to_number": TO, "content": of_parts(3), "start_time_offset": 9 }),
            "content",
        ),
        (
            "send_broadcast",
            json!({ "to_numbers": [TO], "content": of_parts(3) }),
            "content",
        ),
        (
            "send_multi",
            json!({ "messages": [body("x"), body(&of_parts(3))] }),
            "messages[1][content]",
        ),
    ] {
        client
            .call("POST", operation, Some(long))
            .await
            .invalid(param);
    }
    client
        .post(
            "contacts",
            json!({ "phone_number": TO, "vars": { "long": of_parts(3) } }),
        )
        .await;
    let mut rendered = body("[[contact.vars.long]]");
    rendered["replace_variables"] = json!(true);
    client
        .call("POST", "messages/send", Some(rendered))
        .await
        .invalid("content");
    // What was made before says why it is not sent.
    let now = test.hub.now();
    fire::all_due(&test.hub, Now::new(now.boot.0, now.unix.0 + 1_000))
        .await
        .unwrap();
    let later = client
        .get(&format!("scheduled/{}", support::id(&later)))
        .await;
    assert!(
        later["error_message"]
            .as_str()
            .unwrap()
            .contains("2 SMS parts"),
        "{later}"
    );
    client.post(&path, json!({ "sms_parts_max": null })).await;
    client.post("messages/send", body(&of_parts(3))).await;
}
