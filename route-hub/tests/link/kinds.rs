//! Every kind of message, out and in.

use super::facts::incoming;
use super::support::{SENDER, TO, TestHub, hub};
use hub_domain::{Direction, Message, MessageType, OutboxRow};
use hub_store::list::{Filter, ListQuery, Op, Operand};
use hub_store::{messages, outbox, projects};
use postrider_link::frame::{Address, Bytes, Data, Kind};
use postrider_link::ownership::hub::HubState;
use postrider_model::{MessageStatus, UnixMs, WireState};
use serde_json::json;
use std::collections::BTreeMap;

/// Returns what came in, oldest first.
async fn received(hub: &TestHub) -> Vec<Message> {
    let id = hub.project.id;
    let query = ListQuery {
        filters: vec![Filter::new(
            messages::by::DIRECTION,
            Op::Eq,
            Operand::Int(Direction::Incoming.code()),
        )],
        ..ListQuery::default()
    };
    hub.write(move |tx| messages::list(tx, id, &query))
        .await
        .rows
}

fn text(address: Option<&hub_domain::Address>) -> Option<&str> {
    address.map(|address| address.as_str())
}

#[tokio::test]
async fn each_kind_goes_out_as_its_frame() {
    let hub = hub().await;
    let mut phone = hub.pair().await;
    let mut line = phone.connect().await;
    let rest = hub.rest().await;
    let route = phone.row.id;
    let send = async |body: serde_json::Value| {
        let mut body = body;
        body["route_id"] = json!(route);
        rest.post("messages/send", body).await
    };

    send(json!({ "message_type": "ussd", "to_number": "*100#" })).await;
    let frame = line.send().await;
    assert_eq!((frame.kind, frame.to.as_str()), (Kind::Ussd, "*100#"));
    assert!(frame.text.is_none() && frame.data.is_none() && !frame.report);

    send(json!({ "message_type": "call", "to_number": TO })).await;
    let frame = line.send().await;
    assert_eq!((frame.kind, frame.to.as_str()), (Kind::Call, TO));
    assert!(frame.text.is_none() && !frame.report);

    let params = json!({ "port": 16_000, "data": "00ff", "encoding": "hex" });
    send(json!({ "to_number": TO, "route_params": params })).await;
    let frame = line.send().await;
    let payload = Data {
        port: 16_000,
        base64: Bytes(vec![0, 255]),
    };
    assert_eq!((frame.kind, frame.data), (Kind::DataSms, Some(payload)));
    assert!(frame.text.is_none() && frame.report);

    send(json!({ "to_number": TO, "content": "plain" })).await;
    let frame = line.send().await;
    assert_eq!((frame.kind, frame.report), (Kind::Sms, true));
}

#[tokio::test]
async fn a_placed_call_gets_its_length_and_its_ring_with_its_event() {
    let hub = hub().await;
    let mut phone = hub.pair().await;
    let mut line = phone.connect().await;
    let rest = hub.rest().await;
    let body = json!({ "message_type": "call", "to_number": TO });
    let call = rest.post("messages/send", body.clone()).await;
    let path = format!("messages/{}", call["id"].as_str().expect("an id"));
    let frame = line.send().await;
    line.event(&frame, WireState::Submitting).await;
    line.settle().await;
    let shown = rest.get(&path).await;
    assert_eq!(
        (&shown["status"], &shown["in_progress"]),
        (&json!("queued"), &json!(true))
    );
    line.event_with(&frame, WireState::Sent, |event| {
        (event.duration_s, event.ring_s) = (Some(61), Some(4));
    })
    .await;
    line.settle().await;
    let shown = rest.get(&path).await;
    assert_eq!(
        (&shown["status"], &shown["in_progress"]),
        (&json!("sent"), &json!(false))
    );
    assert_eq!(
        (&shown["duration"], &shown["ring_time"]),
        (&json!(61), &json!(4))
    );

    rest.post("messages/send", body).await;
    let frame = line.send().await;
    line.event_with(&frame, WireState::Sent, |event| {
        (event.duration_s, event.ring_s) = (Some(-1), Some(-1));
    })
    .await;
    line.settle().await;
    let message = hub.message(frame.id).await;
    assert_eq!(message.status, MessageStatus::Sent);
    assert_eq!(
        (message.duration_sec, message.ring_time_sec),
        (Some(-1), None)
    );
}

#[tokio::test]
async fn a_kind_that_the_phone_cannot_do_ends_as_failed_with_its_word() {
    let hub = hub().await;
    let mut phone = hub.pair().await;
    let mut line = phone.connect().await;
    let rest = hub.rest().await;
    let body = json!({ "message_type": "ussd", "to_number": "*#06#" });
    rest.post("messages/send", body).await;
    let frame = line.send().await;
    line.event_with(&frame, WireState::Failed, |event| {
        event.unsent = true;
        event.code = Some("ussd_refused".to_owned());
    })
    .await;
    hub.until(frame.id, HubState::Failed).await;
    let message = hub.message(frame.id).await;
    assert_eq!(message.error_code.as_deref(), Some("ussd_refused"));
}

#[tokio::test]
async fn every_kind_that_comes_in_becomes_a_message() {
    let hub = hub().await;
    let mut phone = hub.pair().await;
    let mut line = phone.connect().await;
    line.inbound_with(1, |inbound| {
        inbound.kind = Kind::DataSms;
        inbound.data = Some(Data {
            port: 9,
            base64: Bytes(vec![0, 255]),
        });
        inbound.sent_at = Some(1_700_000_000_000);
    })
    .await;
    line.inbound_with(2, |inbound| {
        inbound.kind = Kind::Call;
        (inbound.duration_s, inbound.ring_s) = (Some(-1), Some(12));
    })
    .await;
    line.inbound_with(3, |inbound| {
        inbound.kind = Kind::Call;
        (inbound.duration_s, inbound.ring_s) = (Some(30), Some(-1));
        inbound.from = Address::new("");
    })
    .await;
    line.inbound_with(4, |inbound| {
        inbound.kind = Kind::Ussd;
        inbound.from = Address::new("*100#");
        inbound.text = Some("Your balance is 5".into());
    })
    .await;
    line.inbound_with(5, |inbound| {
        inbound.kind = Kind::Mms;
        inbound.text = Some("A picture".into());
    })
    .await;
    line.settle().await;
    assert!(hub.aside().await.is_empty());
    let came = received(&hub).await;
    let [data, missed, withheld, ussd, mms] = &came[..] else {
        panic!("{} came in", came.len());
    };
    assert_eq!(data.message_type, MessageType::Sms);
    assert_eq!(data.data().map(|data| data.bytes.0), Some(vec![0, 255]));
    assert_eq!(data.time_sent, Some(UnixMs(1_700_000_000_000)));
    assert!(data.content.is_none() && data.contact_id.is_some());
    assert_eq!(
        (missed.duration_sec, missed.ring_time_sec),
        (Some(-1), Some(12))
    );
    assert_eq!(text(missed.from_number.as_ref()), Some(SENDER));
    assert_eq!(
        (withheld.duration_sec, withheld.ring_time_sec),
        (Some(30), None)
    );
    assert_eq!((&withheld.from_number, withheld.contact_id), (&None, None));
    assert_eq!(text(ussd.from_number.as_ref()), Some("*100#"));
    assert_eq!(
        (ussd.message_type, ussd.contact_id),
        (MessageType::Ussd, None)
    );
    assert_eq!(mms.message_type, MessageType::Mms);
    assert!(came.iter().all(|it| it.status == MessageStatus::Received));

    let rest = hub.rest().await;
    let shown = rest.get(&format!("messages/{}", mms.id)).await;
    let part = json!({
        "cid": null, "type": "text/plain", "filename": null, "size": 9, "url": null,
    });
    assert_eq!(shown["mms_parts"], json!([part]));
    let listed = rest.get("messages?message_type=mms").await;
    assert!(listed["data"][0].get("mms_parts").is_none());
    let parts = rest.get(&format!("messages/{}/mms_parts", mms.id)).await;
    assert_eq!(parts, json!([part]));
}

#[tokio::test]
async fn senders_are_one_in_every_form_and_kept_in_none() {
    let hub = hub().await;
    let mut phone = hub.pair().await;
    let mut line = phone.connect().await;
    let from = [
        SENDER,
        "5005550102",
        "1 500 555 0102",
        "The Corner Shop",
        "+1*",
    ];
    for (n, from) in (1..).zip(from) {
        line.inbound_with(n, |inbound| inbound.from = Address::new(from))
            .await;
    }
    line.settle().await;
    let came = received(&hub).await;
    let shown: Vec<_> = came
        .iter()
        .map(|it| text(it.from_number.as_ref()))
        .collect();
    let one = Some(SENDER);
    assert_eq!(shown, [one, one, one, Some("The Corner Shop"), Some("+1*")]);
    assert_eq!(came[0].contact_id, came[1].contact_id);
    assert_eq!(came[0].contact_id, came[2].contact_id);
    assert!(came[3].contact_id.is_some() && came[3].contact_id != came[0].contact_id);
}

/// Returns the events that wait for `http://in.example/`, each as the pairs of its form.
async fn told(hub: &TestHub) -> Vec<BTreeMap<String, String>> {
    let id = hub.project.id;
    let rows = hub
        .write(move |tx| {
            let keys = outbox::due_keys(tx, id, "http://in.example:80", UnixMs(i64::MAX), 99)?;
            keys.into_iter().map(|key| outbox::get(tx, key)).collect()
        })
        .await;
    let rows: Vec<Option<OutboxRow>> = rows;
    let form = |row: OutboxRow| {
        form_urlencoded::parse(row.body.as_bytes())
            .into_owned()
            .collect()
    };
    rows.into_iter().flatten().map(form).collect()
}

#[tokio::test]
async fn what_comes_in_is_told_with_its_sender_in_both_forms_and_all_its_fields() {
    let hub = hub().await;
    let mut project = hub.project.clone();
    project.incoming_url = Some("http://in.example/".to_owned());
    hub.write(move |tx| projects::update(tx, &project)).await;
    let mut phone = hub.pair().await;
    let mut line = phone.connect().await;
    line.inbound_with(1, |inbound| {
        inbound.kind = Kind::Call;
        inbound.from = Address::new("(500) 555-0102");
        (inbound.duration_s, inbound.ring_s) = (Some(-1), Some(12));
    })
    .await;
    line.inbound_with(2, |inbound| {
        inbound.kind = Kind::DataSms;
        inbound.from = Address::new("The Corner Shop");
        inbound.data = Some(Data {
            port: 9,
            base64: Bytes(vec![0]),
        });
    })
    .await;
    line.inbound_with(3, |inbound| {
        inbound.kind = Kind::Ussd;
        inbound.from = Address::new("*100#");
        inbound.text = Some("5".into());
    })
    .await;
    line.settle().await;
    let told = told(&hub).await;
    let [call, data, ussd] = &told[..] else {
        panic!("{} were told", told.len());
    };
    for (name, value) in [
        ("event", "incoming_message"),
        ("message_type", "call"),
        ("from_number", "(500) 555-0102"),
        ("from_number_e164", SENDER),
        ("contact[phone_number]", SENDER),
        ("duration", "-1"),
        ("ring_time", "12"),
    ] {
        assert_eq!(call.get(name).map(String::as_str), Some(value), "{name}");
    }
    assert_eq!(data["from_number"], "The Corner Shop");
    assert_eq!(data["route_params[port]"], "9");
    assert_eq!(data["route_params[data]"], "AA==");
    assert_eq!((&*ussd["from_number"], &*ussd["content"]), ("*100#", "5"));
    for form in [data, ussd] {
        assert!(!form.contains_key("from_number_e164"));
    }
    assert!(!ussd.contains_key("contact_id"));
}

#[tokio::test]
async fn what_came_in_counts_once_in_each_installation() {
    let hub = hub().await;
    let mut phone = hub.pair().await;
    let mut line = phone.connect().await;
    let earlier = "an-earlier-install-1";
    for (n, install) in [
        (7, None),
        (7, None),
        (3, Some(earlier)),
        (3, Some(earlier)),
        (8, None),
    ] {
        line.inbound_with(n, |inbound| {
            inbound.kind = Kind::Call;
            inbound.install = install.map(|name| name.parse().expect("a name"));
        })
        .await;
    }
    line.settle().await;
    assert_eq!(incoming(&hub).await, 3);
}
