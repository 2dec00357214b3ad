//! Whom a phone may send to.

use crate::support::{TO, hub, id};
use serde_json::{Value, json};

#[tokio::test]
async fn a_phone_that_validates_sends_to_valid_numbers_alone() {
    let test = hub().await;
    let client = test.client();
    let path = format!("phones/{}", test.phone.id);
    let unassigned = json!({ "to_number": "+19995550001", "content": "x" });
    let sent = client.post("messages/send", unassigned.clone()).await;
    let changed = client
        .post(&path, json!({ "validate_recipient_numbers": true }))
        .await;
    assert_eq!(changed["validate_recipient_numbers"], true);
    let refused = client
        .call("POST", "messages/send", Some(unassigned.clone()))
        .await;
    refused.invalid("to_number");
    let contact = json!({ "contact_id": sent["contact_id"], "content": "x" });
    let refused = client.call("POST", "messages/send", Some(contact)).await;
    refused.invalid("contact_id");
    client.send("valid").await;
    let both = json!({ "messages": [unassigned, { "to_number": TO, "content": "x" }] });
    let answer = client.post("send_multi", both).await;
    let first = &answer["messages"][0];
    assert_eq!(
        (&first["id"], &first["status"]),
        (&Value::Null, &Value::Null)
    );
    assert!(
        first["error_message"]
            .as_str()
            .is_some_and(|text| text.contains("valid"))
    );
    assert_eq!(answer["messages"][1]["status"], "queued");
}

#[tokio::test]
async fn a_phone_sends_to_the_named_countries_alone() {
    let test = hub().await;
    let client = test.client();
    let path = format!("phones/{}", test.phone.id);
    let set = async |countries: Value| {
        let change = json!({ "allowed_recipient_countries": countries });
        client.post(&path, change).await["allowed_recipient_countries"].clone()
    };
    assert_eq!(set(json!(["ke", "TZ"])).await, json!(["KE", "TZ"]));
    let body = json!({ "to_number": TO, "content": "x" });
    let refused = client
        .call("POST", "messages/send", Some(body.clone()))
        .await;
    refused.invalid("to_number");
    let call = json!({ "to_number": TO, "message_type": "call" });
    client
        .call("POST", "messages/send", Some(call))
        .await
        .invalid("to_number");
    let ussd = json!({ "to_number": "*100#", "message_type": "ussd" });
    client.post("messages/send", ussd).await;
    let wrong = json!({ "allowed_recipient_countries": ["US", "Kenya"] });
    let refused = client.call("POST", &path, Some(wrong)).await;
    refused.invalid("allowed_recipient_countries[1]");
    assert_eq!(set(json!(["US"])).await, json!(["US"]));
    client.post("messages/send", body.clone()).await;
    assert_eq!(set(Value::Null).await, Value::Null);
    client.post("messages/send", body).await;
}

#[tokio::test]
async fn nothing_is_moved_to_a_phone_that_may_not_send_it() {
    let test = hub().await;
    let client = test.client();
    let route = test.test_phone().await.id;
    let change = json!({ "allowed_recipient_countries": ["KE"] });
    client.post(&format!("phones/{route}"), change).await;
    let sent = client.send("x").await;
    let path = format!("messages/{}/resend", id(&sent));
    let body = Some(json!({ "route_id": route }));
    client.call("POST", &path, body).await.invalid("route_id");
    let shown = client.get(&format!("messages/{}", id(&sent))).await;
    assert_eq!(shown["phone_id"], test.phone.id.to_string());
}

#[tokio::test]
async fn the_hubs_own_limit_is_set_and_taken_away() {
    let test = hub().await;
    let client = test.client();
    let path = format!("phones/{}", test.phone.id);
    let limited = client.post(&path, json!({ "send_limit_max": 60 })).await;
    assert_eq!(limited["send_limit_max"], 60);
    let free = client.post(&path, json!({ "send_limit_max": null })).await;
    assert_eq!(free["send_limit_max"], Value::Null);
    client.post(&path, json!({ "unknown_after": 60 })).await;
    for (name, wrong) in [
        ("send_limit_max", 0),
        ("device_send_limit_max", 0),
        ("silent_after", 29),
        ("silent_after", 61),
        ("unknown_after", 86_401),
        ("report_window", 3_599),
        ("report_window", 14 * 86_400 + 1),
    ] {
        let body = Some(json!({ name: wrong }));
        client.call("POST", &path, body).await.invalid(name);
    }
}
