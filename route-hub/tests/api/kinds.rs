//! USSD, calls and data messages, out and in.

use crate::support::{Client, OWN, TO, TestHub, hub, id};
use hub_app::test_routes;
use serde_json::{Value, json};

async fn play(test: &TestHub) {
    while test_routes::play_once(&test.hub)
        .await
        .expect("it is played")
    {}
}

async fn refused(client: &Client, path: &str, body: Value, param: &str) {
    let reply = client.call("POST", path, Some(body.clone())).await;
    let (code, named) = reply.refused(400);
    assert_eq!(code, "invalid_param", "{body}");
    assert_eq!(named.as_deref(), Some(param), "{body}");
}

#[tokio::test]
async fn a_ussd_request_goes_to_a_code_and_is_nobody_s() {
    let test = hub().await;
    let client = test.client();
    let body = json!({ "message_type": "ussd", "to_number": "*100*1#" });
    let sent = client.post("messages/send", body).await;
    assert_eq!(sent["message_type"], "ussd");
    assert_eq!(sent["to_number"], "*100*1#");
    assert_eq!(sent["from_number"], OWN);
    for name in ["content", "contact_id", "num_parts", "route_params"] {
        assert_eq!(sent[name], Value::Null, "{name}");
    }
    assert_eq!(sent["waiting_for"], "phone_offline");
    assert!(sent.get("duration").is_none());
    assert_eq!(client.get(&format!("messages/{}", id(&sent))).await, sent);
    assert_eq!(client.ids("messages?message_type=ussd").await, [id(&sent)]);

    for (to, content, param) in [
        (json!("*100"), Value::Null, "to_number"),
        (json!("100#"), Value::Null, "to_number"),
        (json!(TO), Value::Null, "to_number"),
        (Value::Null, Value::Null, "to_number"),
        (json!("*100#"), json!("1"), "content"),
    ] {
        let body = json!({ "message_type": "ussd", "to_number": to, "content": content });
        refused(&client, "messages/send", body, param).await;
    }
    let body = json!({ "message_type": "ussd", "contact_id": "CT0000000000000001" });
    refused(&client, "messages/send", body, "contact_id").await;
    let body = json!({ "message_type": "ussd", "messages": [{ "to_number": "*100#" }] });
    refused(&client, "send_multi", body, "message_type").await;
}

#[tokio::test]
async fn a_call_is_placed_to_a_full_number_and_says_nothing() {
    let test = hub().await;
    let client = test.client();
    let body = json!({ "message_type": "call", "to_number": "(500) 555-0101" });
    let sent = client.post("messages/send", body).await;
    assert_eq!(sent["message_type"], "call");
    assert_eq!(sent["to_number"], TO);
    assert!(sent["contact_id"].is_string());
    let nothing = [&sent["content"], &sent["duration"], &sent["ring_time"]];
    assert_eq!(nothing, [&Value::Null; 3]);
    assert_eq!(sent["in_progress"], false);
    let contact = &sent["contact_id"];
    let again = json!({ "message_type": "call", "contact_id": contact });
    assert_eq!(client.post("messages/send", again).await["to_number"], TO);

    for (name, value) in [
        ("to_number", json!("911")),
        ("to_number", json!("72255")),
        ("to_number", json!("MyBank")),
        ("content", json!("Hello")),
        ("service_id", json!("SV0000000000000001")),
        ("audio_url", json!("http://a.example/x.mp3")),
        ("tts_lang", json!("de-DE")),
        ("route_params", json!({ "port": 1, "data": "AA==" })),
    ] {
        let mut body = json!({ "message_type": "call", "to_number": TO });
        body[name] = value;
        refused(&client, "messages/send", body, name).await;
    }
    let shop = json!({ "from_number": "72255", "content": "x", "phone_id": test.phone.id });
    let shop = client.post("messages/receive", shop).await;
    let body = json!({ "message_type": "call", "contact_id": shop["contact_id"] });
    refused(&client, "messages/send", body, "contact_id").await;
}

#[tokio::test]
async fn a_data_message_is_carried_by_route_params() {
    let test = hub().await;
    let client = test.client();
    let params = json!({ "port": 16_000, "data": "DEADbeef", "encoding": "hex" });
    let body = json!({ "to_number": TO, "route_params": params });
    let sent = client.post("messages/send", body).await;
    assert_eq!(sent["message_type"], "sms");
    assert_eq!(sent["content"], Value::Null);
    assert_eq!(sent["num_parts"], 1);
    let shown = json!({ "port": 16_000, "data": "3q2+7w==", "encoding": "base64" });
    assert_eq!(sent["route_params"], shown);
    assert_eq!(client.get(&format!("messages/{}", id(&sent))).await, sent);

    let long = "00".repeat(134);
    for (params, param) in [
        (json!({ "port": 16_000 }), "route_params[data]"),
        (json!({ "data": "AA==" }), "route_params[port]"),
        (
            json!({ "port": 70_000, "data": "AA==" }),
            "route_params[port]",
        ),
        (
            json!({ "port": 1, "data": long, "encoding": "hex" }),
            "route_params[data]",
        ),
        (json!({ "whatsapp": true }), "route_params[whatsapp]"),
    ] {
        let body = json!({ "to_number": TO, "route_params": params });
        refused(&client, "messages/send", body, param).await;
    }
    let params = json!({ "port": 1, "data": "AA==" });
    let both = json!({ "to_number": TO, "content": "x", "route_params": params });
    refused(&client, "messages/send", both, "content").await;
}

#[tokio::test]
async fn many_calls_or_one_payload_for_many_go_out_at_once() {
    let test = hub().await;
    let client = test.client();
    let to = json!([{ "to_number": "+15005550111" }, { "to_number": "+15005550112" }]);
    let calls = json!({ "message_type": "call", "messages": to });
    let answer = client.post("send_multi", calls).await;
    assert_eq!(answer["messages"][1]["status"], "queued");
    let params = json!({ "port": 9, "data": "AA==" });
    let payload = json!({ "route_params": params, "messages": to });
    let answer = client.post("send_multi", payload).await;
    let last = id(&answer["messages"][1]);
    let last = client.get(&format!("messages/{last}")).await;
    assert_eq!(last["route_params"]["port"], 9);
    assert_eq!(last["to_number"], "+15005550112");
    let own = json!({ "messages": [{ "to_number": TO, "route_params": params }] });
    refused(&client, "send_multi", own, "messages[0][route_params]").await;
}

#[tokio::test]
async fn the_test_route_answers_every_kind() {
    let test = hub().await;
    let client = test.client();
    let route = test.test_phone().await.id;
    let send = async |body: Value| {
        let mut body = body;
        body["route_id"] = json!(route);
        client.post("messages/send", body).await
    };
    let ussd = send(json!({ "message_type": "ussd", "to_number": "*100#" })).await;
    let params = json!({ "port": 9, "data": "AA==" });
    let data = send(json!({ "to_number": "+15005550012", "route_params": params })).await;
    let answered = send(json!({ "message_type": "call", "to_number": TO })).await;
    let missed = send(json!({ "message_type": "call", "to_number": "+15005550013" })).await;
    let failed = send(json!({ "message_type": "call", "to_number": "+15005550011" })).await;
    play(&test).await;
    let shown = async |sent: &Value| client.get(&format!("messages/{}", id(sent))).await;
    assert_eq!(shown(&ussd).await["status"], "sent");
    assert_eq!(shown(&data).await["status"], "delivered");
    let call = shown(&answered).await;
    assert_eq!(
        (&call["status"], &call["duration"]),
        (&json!("sent"), &json!(10))
    );
    assert_eq!(call["ring_time"], 3);
    let call = shown(&missed).await;
    assert_eq!(call["status"], "not_delivered");
    assert_eq!(call["duration"], -1);
    assert_eq!(shown(&failed).await["duration"], Value::Null);

    let incoming = client.ids("messages?direction=incoming").await;
    let answer = client.get(&format!("messages/{}", incoming[0])).await;
    assert_eq!(incoming.len(), 1);
    assert_eq!(answer["message_type"], "ussd");
    assert_eq!(answer["from_number"], "*100#");
    assert_eq!(answer["content"], "Example USSD answer.");
    assert_eq!(answer["simulated"], true);
    assert_eq!(answer["contact_id"], Value::Null);
    assert!(
        !test_routes::play_once(&test.hub).await.unwrap(),
        "it is over"
    );
}

#[tokio::test]
async fn what_is_sent_again_is_of_its_kind_and_has_no_length_yet() {
    let test = hub().await;
    let client = test.client();
    let route = test.test_phone().await.id;
    let body = json!({ "message_type": "call", "to_number": TO, "route_id": route });
    let first = client.post("messages/send", body).await;
    play(&test).await;
    let path = format!("messages/{}/resend", id(&first));
    let again = client.post(&path, json!({})).await;
    assert_ne!(again["id"], first["id"]);
    assert_eq!(again["message_type"], "call");
    assert_eq!(again["duration"], Value::Null);
    play(&test).await;
    let shown = client.get(&format!("messages/{}", id(&again))).await;
    assert_eq!(shown["duration"], 10);
}

#[tokio::test]
async fn senders_become_e164_where_they_can_and_are_kept_where_not() {
    let test = hub().await;
    let client = test.client();
    let receive = async |from: &str| {
        let body = json!({ "from_number": from, "content": "in", "phone_id": test.phone.id });
        client.post("messages/receive", body).await
    };
    let national = receive("(500) 555-0101").await;
    assert_eq!(national["from_number"], TO);
    let full = receive(TO).await;
    assert_eq!(full["contact_id"], national["contact_id"]);
    let shop = receive("The Corner Shop").await;
    assert_eq!(shop["from_number"], "The Corner Shop");
    let again = receive("The Corner Shop").await;
    assert_eq!(again["contact_id"], shop["contact_id"]);
    let contact = shop["contact_id"].as_str().unwrap();
    let contact = client.get(&format!("contacts/{contact}")).await;
    assert_eq!(contact["phone_number"], "The Corner Shop");
    assert_eq!(contact["incoming_message_count"], 2);
    let reply = json!({ "contact_id": shop["contact_id"], "content": "x" });
    refused(&client, "messages/send", reply, "contact_id").await;
}

#[tokio::test]
async fn only_what_came_in_as_mms_has_parts() {
    let test = hub().await;
    let client = test.client();
    let sent = client.send("x").await;
    let path = format!("messages/{}", id(&sent));
    assert!(client.get(&path).await.get("mms_parts").is_none());
    assert_eq!(client.get(&format!("{path}/mms_parts")).await, json!([]));
    let nobody = client
        .call("GET", "messages/SM0000000000000001/mms_parts", None)
        .await;
    nobody.refused(404);
}

#[tokio::test]
async fn a_simulated_call_costs_its_minutes() {
    let test = hub().await;
    let client = test.client();
    let route = test.test_phone().await.id;
    let tariff = json!({ "currency": "KES", "per_message": "0.1", "per_minute": "3" });
    client
        .post(&format!("phones/{route}"), json!({ "tariff": tariff }))
        .await;
    let body = json!({ "message_type": "call", "to_number": TO, "route_id": route });
    let call = id(&client.post("messages/send", body).await);
    play(&test).await;
    let shown = client.get(&format!("messages/{call}")).await;
    assert_eq!(
        (&shown["duration"], &shown["price"]),
        (&json!(10), &json!(3.1))
    );
}
