//! Every kind of message, both ways, and two SIMs.

use crate::support::{config, happen, hub::TestHub, once_each, radio, start, until};
use postrider_link::frame::Kind;
use postrider_model::{MessageId, SimSlot, WireState};
use virtual_phone::VirtualPhone;

async fn reaches(hub: &TestHub, id: MessageId, state: WireState) {
    let reached = || hub.states(id).contains(&state);
    until(&format!("it is {state}"), reached).await;
}

#[tokio::test]
async fn a_data_message_leaves_with_its_port_and_its_bytes() {
    let hub = TestHub::start().await;
    let folder = tempfile::tempdir().unwrap();
    let phone = start(&hub, folder.path()).await;
    let id = hub.send_data("+15005550123", 2_948, &[1, 2, 250]);
    reaches(&hub, id, WireState::Delivered).await;
    let line = &radio(folder.path())[0];
    assert_eq!((&line["kind"], &line["parts"]), (&"data".into(), &1.into()));
    assert_eq!(line["data"]["port"], 2_948);
    assert_eq!(line["data"]["base64"], "AQL6");
    let too_long = hub.send_data("+15005550123", 2_948, &[0; 134]);
    reaches(&hub, too_long, WireState::Failed).await;
    assert_eq!(once_each(folder.path()), 1);
    phone.stop().await.unwrap();
}

#[tokio::test]
async fn a_code_is_dialled_and_its_answer_comes_in() {
    let hub = TestHub::start().await;
    let folder = tempfile::tempdir().unwrap();
    let phone = start(&hub, folder.path()).await;
    let id = hub.dial("*100#");
    reaches(&hub, id, WireState::Sent).await;
    until("the answer comes in", || !hub.incoming().is_empty()).await;
    let answer = hub.state().inbound().remove(0);
    assert_eq!((answer.kind, answer.from.as_str()), (Kind::Ussd, "*100#"));
    assert!(answer.text.unwrap().as_str().contains("balance"));
    assert_eq!(radio(folder.path())[0]["kind"], "ussd");
    let refused = hub.dial("*#06#");
    reaches(&hub, refused, WireState::Failed).await;
    assert_eq!(once_each(folder.path()), 1);
    phone.stop().await.unwrap();
}

#[tokio::test]
async fn a_call_is_placed_and_its_length_is_told() {
    let hub = TestHub::start().await;
    let folder = tempfile::tempdir().unwrap();
    let phone = start(&hub, folder.path()).await;
    let id = hub.call("+15005550123");
    reaches(&hub, id, WireState::Sent).await;
    let event = hub.state().last_event(id).unwrap();
    assert_eq!(event.duration_s, Some(1));
    assert!(event.ring_s.is_some());
    assert_eq!(radio(folder.path())[0]["kind"], "call");
    assert_eq!(hub.state().inbound().len(), 0);
    phone.stop().await.unwrap();
}

#[tokio::test]
async fn calls_from_outside_come_in_once_each_answered_and_missed() {
    let hub = TestHub::start().await;
    let folder = tempfile::tempdir().unwrap();
    let phone = start(&hub, folder.path()).await;
    until("it connects", || hub.state().is_connected()).await;
    for (line, duration_s, calls) in [
        (r#"{"kind":"call","from":"+15005550199"}"#, -1, 1),
        (
            r#"{"kind":"call","from":"+15005550198","ring_s":1,"duration_s":1}"#,
            1,
            2,
        ),
        (
            r#"{"kind":"call","from":"+15005550197","rejected":true}"#,
            -1,
            3,
        ),
    ] {
        happen(&phone, line).await;
        until("it is told", || hub.state().inbound().len() >= calls).await;
        let inbound = hub.state().inbound();
        let call = &inbound[calls - 1];
        assert_eq!(
            (&call.kind, call.duration_s),
            (&Kind::Call, Some(duration_s))
        );
    }
    assert_eq!(hub.state().inbound().len(), 3);
    phone.stop().await.unwrap();
}

#[tokio::test]
async fn data_and_multimedia_messages_come_in_once_each() {
    let hub = TestHub::start().await;
    let folder = tempfile::tempdir().unwrap();
    let phone = start(&hub, folder.path()).await;
    let data = r#"{"kind":"data","from":"+15005550199","port":7,"base64":"AQI="}"#;
    happen(&phone, data).await;
    until("the data is told", || hub.state().inbound().len() == 1).await;
    let mms = r#"{"kind":"mms","from":"+15005550199","subject":"hello","text":"a picture"}"#;
    happen(&phone, mms).await;
    until("the picture is told", || hub.state().inbound().len() == 2).await;
    happen(&phone, "+15005550199 the last").await;
    until("the last is told", || hub.state().inbound().len() == 3).await;
    let inbound = hub.state().inbound();
    let kinds: Vec<_> = inbound.iter().map(|it| it.kind.clone()).collect();
    assert_eq!(kinds, [Kind::DataSms, Kind::Mms, Kind::Sms]);
    let data = inbound[0].data.as_ref().unwrap();
    assert_eq!((data.port, &data.base64.0[..]), (7, &[1, 2][..]));
    assert!(
        inbound[1]
            .text
            .as_ref()
            .unwrap()
            .as_str()
            .contains("a picture")
    );
    phone.stop().await.unwrap();
}

#[tokio::test]
async fn two_sims_are_two_phones() {
    let hub = TestHub::start().await;
    let folder = tempfile::tempdir().unwrap();
    hub.confirm();
    let mut two = config(&hub, folder.path());
    two.numbers.push("+15005550002".parse().unwrap());
    let phone = VirtualPhone::start(two).await.unwrap();
    let second = SimSlot::new(1).unwrap();
    let first_id = hub.send("+15005550123", "by the first");
    let second_id = hub.send_by(second, "+15005550123", "by the second");
    reaches(&hub, first_id, WireState::Delivered).await;
    reaches(&hub, second_id, WireState::Delivered).await;
    let mut phones: Vec<_> = radio(folder.path())
        .iter()
        .map(|line| (line["text"].to_string(), line["phone_id"].to_string()))
        .collect();
    phones.sort();
    let [first, second] = &phones[..] else {
        panic!("{phones:?}");
    };
    assert_ne!(first.1, second.1);
    happen(
        &phone,
        r#"{"kind":"sms","from":"+15005550199","text":"hello","sim":1}"#,
    )
    .await;
    until("it is told", || hub.state().inbound().len() == 1).await;
    assert_eq!(hub.state().inbound()[0].sim.get(), 1);
    phone.stop().await.unwrap();
}

#[tokio::test]
async fn another_sim_in_the_slot_sends_nothing_until_the_owner_confirms_it() {
    let hub = TestHub::start().await;
    let folder = tempfile::tempdir().unwrap();
    let phone = start(&hub, folder.path()).await;
    until("it connects", || hub.state().is_connected()).await;
    happen(
        &phone,
        r#"{"kind":"sim_changed","sim":0,"fingerprint":"another"}"#,
    )
    .await;
    let id = hub.send("+15005550123", "from which number?");
    let on_phone = || {
        let device = hub.state().device.clone();
        device.is_some_and(|device| device.link.down_acked == 1)
    };
    until("it is on the phone", on_phone).await;
    happen(&phone, r#"{"kind":"pause","on":false}"#).await;
    assert_eq!(radio(folder.path()).len(), 0);
    happen(&phone, r#"{"kind":"confirm_sim","sim":0}"#).await;
    reaches(&hub, id, WireState::Delivered).await;
    phone.stop().await.unwrap();
}

#[tokio::test]
async fn without_service_a_message_waits_and_leaves_when_it_comes_back() {
    let hub = TestHub::start().await;
    let folder = tempfile::tempdir().unwrap();
    let phone = start(&hub, folder.path()).await;
    until("it connects", || hub.state().is_connected()).await;
    for (off, on) in [
        (
            r#"{"kind":"service","in":false}"#,
            r#"{"kind":"service","in":true}"#,
        ),
        (
            r#"{"kind":"airplane","on":true}"#,
            r#"{"kind":"airplane","on":false}"#,
        ),
    ] {
        let sent_before = radio(folder.path()).len();
        happen(&phone, off).await;
        let id = hub.send("+15005550123", off);
        happen(&phone, r#"{"kind":"pause","on":false}"#).await;
        assert_eq!(radio(folder.path()).len(), sent_before);
        happen(&phone, on).await;
        reaches(&hub, id, WireState::Delivered).await;
    }
    assert_eq!(once_each(folder.path()), 2);
    phone.stop().await.unwrap();
}

#[tokio::test]
async fn a_clock_that_is_set_back_neither_doubles_nor_loses_what_comes_in() {
    let hub = TestHub::start().await;
    let folder = tempfile::tempdir().unwrap();
    let phone = start(&hub, folder.path()).await;
    for (n, by_ms) in [0_i64, -3_600_000, 7_200_000, -86_400_000]
        .into_iter()
        .enumerate()
    {
        happen(&phone, &format!(r#"{{"kind":"clock","by_ms":{by_ms}}}"#)).await;
        happen(&phone, &format!("+15005550199 message {n}")).await;
        until("it is told", || hub.incoming().len() == n + 1).await;
    }
    phone.stop().await.unwrap();
    let phone = start(&hub, folder.path()).await;
    happen(&phone, "+15005550199 the last").await;
    until("the last is told", || hub.incoming().len() >= 5).await;
    let texts: Vec<_> = hub.incoming().into_iter().map(|(_, text)| text).collect();
    assert_eq!(
        texts,
        [
            "message 0",
            "message 1",
            "message 2",
            "message 3",
            "the last"
        ]
    );
    phone.stop().await.unwrap();
}
