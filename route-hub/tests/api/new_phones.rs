//! Creating phones: test routes and phones at providers.

use crate::support::{TO, hub, id};
use hub_app::test_routes;
use hub_domain::PhoneType;
use hub_store::phone_accounts;
use postrider_model::PhoneId;
use serde_json::{Value, json};

const NUMBER: &str = "+15005550130";

#[tokio::test]
async fn a_test_route_is_made_with_its_settings_and_sends() {
    let test = hub().await;
    let client = test.client();
    let body = json!({
        "phone_number": "(500) 555-0130", "phone_type": "simulated", "name": "Rehearsal",
        "send_paused": false, "timezone_id": "africa/nairobi", "send_delay": 2,
        "validate_recipient_numbers": true, "allowed_recipient_countries": ["US"],
        "quiet_mode": "off", "vars": { "room": 4 },
    });
    let made = client.post("phones", body).await;
    for (name, value) in [
        ("phone_number", json!(NUMBER)),
        ("phone_type", json!("simulated")),
        ("name", json!("Rehearsal")),
        ("timezone_id", json!("Africa/Nairobi")),
        ("send_delay", json!(2)),
        ("validate_recipient_numbers", json!(true)),
        ("allowed_recipient_countries", json!(["US"])),
        ("vars", json!({ "room": 4 })),
        ("send_paused", json!(false)),
        ("sent_message_count", json!(0)),
    ] {
        assert_eq!(made[name], value, "{name}");
    }
    assert!(made.get("external_config").is_none());
    let path = format!("phones/{}", id(&made));
    assert_eq!(client.get(&path).await, made);
    let body = json!({ "to_number": TO, "content": "x", "route_id": made["id"] });
    let sent = client.post("messages/send", body).await;
    while test_routes::play_once(&test.hub).await.unwrap() {}
    let shown = client.get(&format!("messages/{}", id(&sent))).await;
    assert_eq!(
        (&shown["status"], &shown["from_number"]),
        (&json!("sent"), &json!(NUMBER))
    );
    assert_eq!(client.call("DELETE", &path, None).await.ok(), json!({}));
    assert_eq!(
        client.call("GET", &path, None).await.refused(404).0,
        "not_found"
    );
    let kept = client.get(&format!("messages/{}", id(&sent))).await;
    assert_eq!(kept["phone_id"], made["id"]);
    let of_device = format!("phones/{}", test.phone.id);
    let refused = client.call("DELETE", &of_device, None).await;
    assert_eq!(refused.refused(400).0, "invalid_param");
}

#[tokio::test]
async fn every_provider_is_taken_and_its_secret_is_never_shown() {
    let test = hub().await;
    let client = test.client();
    let providers = PhoneType::ALL.iter().filter(|kind| kind.is_provider());
    for kind in providers {
        let body = json!({
            "phone_number": NUMBER, "phone_type": kind.as_str(), "external_account_id": "AC1",
            "external_id": "X1", "external_config": { "region": "eu", "n": 5 },
            "external_secret": "hush",
        });
        let made = client.post("phones", body).await;
        assert_eq!(made["phone_type"], kind.as_str());
        assert_eq!(made["name"], format!("{kind} {NUMBER}"));
        assert_eq!(made["country"], "US");
        assert_eq!(made["external_account_id"], "AC1");
        assert_eq!(made["external_config"], json!({ "region": "eu", "n": 5 }));
        assert_eq!(made["external_setup"]["incoming_message_url"], Value::Null);
        let path = format!("phones/{}", id(&made));
        let change = json!({ "external_config": null, "external_secret": "new" });
        let changed = client.post(&path, change).await;
        assert_eq!(changed["external_config"], json!({}));
        assert_eq!(changed["external_id"], "X1");
        for shown in [
            &made,
            &changed,
            &client.get(&path).await,
            &client.get("phones").await,
        ] {
            let text = shown.to_string();
            assert!(
                !text.contains("hush") && !text.contains("external_secret"),
                "{text}"
            );
        }
        let key: PhoneId = id(&made).parse().unwrap();
        let account = test
            .hub
            .store
            .read(move |tx| phone_accounts::get(tx, key))
            .await;
        let secret = account.unwrap().and_then(|account| account.external_secret);
        assert_eq!(secret.unwrap().as_str(), "new");
        let moved = json!({ "external_account_id": "AC2", "external_id": null });
        let moved = client.post(&path, moved).await;
        assert_eq!(moved["external_account_id"], "AC2");
        assert_eq!(moved["external_id"], Value::Null);
        client
            .call("POST", &path, Some(json!({ "phone_type": "telesign" })))
            .await
            .invalid("phone_type");
        client.call("DELETE", &path, None).await.ok();
        let account = test
            .hub
            .store
            .read(move |tx| phone_accounts::get(tx, key))
            .await;
        assert_eq!(account.unwrap(), None);
    }
}

#[tokio::test]
async fn a_message_by_a_provider_without_a_connector_fails_at_once() {
    let test = hub().await;
    let client = test.client();
    let body = json!({
        "phone_number": "+15005550139", "phone_type": "africas_talking", "country": "ke",
    });
    let phone = client.post("phones", body).await;
    assert_eq!(phone["country"], "KE");
    let body = json!({ "to_number": TO, "content": "x", "route_id": phone["id"] });
    let sent = client.post("messages/send", body.clone()).await;
    assert_eq!(sent["status"], "failed");
    assert_eq!(sent["error_code"], "no_connector");
    assert!(
        sent["error_message"]
            .as_str()
            .unwrap()
            .contains("africas_talking")
    );
    assert!(sent.get("waiting_for").is_none());
    assert_eq!(client.get(&format!("messages/{}", id(&sent))).await, sent);
    let item = json!({ "to_number": TO, "content": "x" });
    let many = json!({ "route_id": phone["id"], "messages": [item] });
    let item = client.post("send_multi", many).await["messages"][0].clone();
    assert_eq!(item["status"], "failed");
    assert!(item["error_message"].is_string());
    let resend = format!("messages/{}/resend", id(&sent));
    client.call("POST", &resend, None).await.invalid("route_id");
    let again = client
        .post(&resend, json!({ "route_id": test.phone.id }))
        .await;
    assert_eq!(
        (&again["id"], &again["status"]),
        (&sent["id"], &json!("queued"))
    );
    let there = Some(json!({ "route_id": phone["id"] }));
    client
        .call("POST", &resend, there)
        .await
        .invalid("route_id");
    let mut tried = body;
    tried["simulated"] = json!(true);
    let tried = client.post("messages/send", tried).await;
    while test_routes::play_once(&test.hub).await.unwrap() {}
    let shown = client.get(&format!("messages/{}", id(&tried))).await;
    assert_eq!(shown["status"], "sent");
    // A route skips it.
    let offer = json!({ "type": "use_phone", "phone_ids": [phone["id"], test.phone.id] });
    let route = client
        .post("routes", json!({ "name": "x", "actions": [offer] }))
        .await;
    let body = json!({ "to_number": TO, "content": "x", "route_id": route["id"] });
    let sent = client.post("messages/send", body).await;
    assert_eq!(
        (&sent["phone_id"], &sent["status"]),
        (&json!(test.phone.id), &json!("queued"))
    );
}

#[tokio::test]
async fn what_cannot_be_is_refused_by_name() {
    let test = hub().await;
    let client = test.client();
    for (change, param) in [
        (json!({ "phone_type": null }), "phone_type"),
        (json!({ "phone_type": "android" }), "phone_type"),
        (json!({ "phone_type": "pigeon" }), "phone_type"),
        (json!({ "phone_number": null }), "phone_number"),
        (
            json!({ "phone_number": "no number at all" }),
            "phone_number",
        ),
        (json!({ "country": "XX" }), "country"),
        (json!({ "name": "" }), "name"),
        (json!({ "send_delay": 3_601 }), "send_delay"),
        (json!({ "quiet_mode": "delay" }), "quiet_start"),
        (json!({ "timezone_id": "Mars" }), "timezone_id"),
        (json!({ "battery": 5 }), "battery"),
        (json!({ "id": "x" }), "id"),
        (json!({ "external_setup": {} }), "external_setup"),
        (json!({ "external_secret": "x" }), "external_secret"),
        (json!({ "external_config": { "a": 1 } }), "external_config"),
        (json!({ "external_account_id": "x" }), "external_account_id"),
        (json!({ "external_id": "x" }), "external_id"),
        (json!({ "vars": { "a b": 1 } }), "vars[a b]"),
    ] {
        let mut body = json!({ "phone_number": NUMBER, "phone_type": "simulated" });
        body.as_object_mut()
            .unwrap()
            .extend(change.as_object().unwrap().clone());
        client
            .call("POST", "phones", Some(body))
            .await
            .invalid(param);
    }
    let at_provider = |change: Value| {
        let mut body = json!({ "phone_number": NUMBER, "phone_type": "twilio" });
        body.as_object_mut()
            .unwrap()
            .extend(change.as_object().unwrap().clone());
        Some(body)
    };
    for (change, param) in [
        (json!({ "external_config": "x" }), "external_config"),
        (
            json!({ "external_config": { "a": "x".repeat(9_000) } }),
            "external_config",
        ),
        (json!({ "external_secret": 5 }), "external_secret"),
        (json!({ "external_id": "x".repeat(201) }), "external_id"),
    ] {
        client
            .call("POST", "phones", at_provider(change))
            .await
            .invalid(param);
    }
    assert_eq!(client.get("phones?count=1").await, json!({ "count": 1 }));
}
