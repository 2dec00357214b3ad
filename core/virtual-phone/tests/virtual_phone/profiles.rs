//! What the phone reports to its hub for each profile of the radio.

use crate::support::{config, happen, hub::TestHub, once_each, radio, start, until};
use postrider_model::{MessageId, WireState};
use std::path::Path;
use virtual_phone::{Profile, VirtualPhone};

async fn start_with(hub: &TestHub, folder: &Path, profile: Profile) -> VirtualPhone {
    hub.confirm();
    let mut config = config(hub, folder);
    config.profile = profile;
    VirtualPhone::start(config).await.unwrap()
}

async fn reaches(hub: &TestHub, id: MessageId, state: WireState) {
    let reached = || hub.states(id).contains(&state);
    until(&format!("it is {state}"), reached).await;
}

#[tokio::test]
async fn what_is_said_twice_counts_once() {
    let hub = TestHub::start().await;
    let folder = tempfile::tempdir().unwrap();
    let phone = start_with(&hub, folder.path(), Profile::Repeat).await;
    let id = hub.send("+15005550123", &"a".repeat(400));
    happen(&phone, "+15005550199 said twice").await;
    reaches(&hub, id, WireState::Delivered).await;
    let code = hub.dial("*100#");
    reaches(&hub, code, WireState::Sent).await;
    happen(&phone, "+15005550199 the last").await;
    until("the last comes in", || hub.incoming().len() >= 3).await;
    let states = hub.states(id);
    let delivered = states
        .iter()
        .filter(|state| **state == WireState::Delivered);
    assert_eq!(delivered.count(), 1, "{states:?}");
    let texts: Vec<_> = hub.incoming().into_iter().map(|(_, text)| text).collect();
    let twice = texts.iter().filter(|text| *text == "said twice").count();
    assert_eq!((texts.len(), twice), (3, 1), "{texts:?}");
    assert_eq!(once_each(folder.path()), 2);
    phone.stop().await.unwrap();
}

#[tokio::test]
async fn words_that_prove_nothing_end_a_message_and_send_nothing_again() {
    let hub = TestHub::start().await;
    let folder = tempfile::tempdir().unwrap();
    let phone = start_with(&hub, folder.path(), Profile::Ambiguous).await;
    let id = hub.send("+15005550123", "did it go?");
    reaches(&hub, id, WireState::Failed).await;
    let event = hub.state().last_event(id).unwrap();
    assert!(!event.unsent && !event.partial);
    assert_eq!(once_each(folder.path()), 1);
    phone.stop().await.unwrap();
}

#[tokio::test]
async fn a_message_of_which_a_part_failed_says_so() {
    let hub = TestHub::start().await;
    let folder = tempfile::tempdir().unwrap();
    let phone = start_with(&hub, folder.path(), Profile::Partial).await;
    let id = hub.send("+15005550123", &"a".repeat(400));
    reaches(&hub, id, WireState::Failed).await;
    let event = hub.state().last_event(id).unwrap();
    assert!(event.partial && !event.unsent);
    phone.stop().await.unwrap();
}

#[tokio::test]
async fn what_is_refused_for_good_is_proven_unsent() {
    let hub = TestHub::start().await;
    let folder = tempfile::tempdir().unwrap();
    let phone = start_with(&hub, folder.path(), Profile::Refused).await;
    let ids = [
        hub.send("+15005550123", "refused"),
        hub.dial("*100#"),
        hub.call("+15005550123"),
    ];
    for id in ids {
        reaches(&hub, id, WireState::Failed).await;
        let event = hub.state().last_event(id).unwrap();
        assert!(event.unsent, "{event:?}");
    }
    assert_eq!(radio(folder.path()).len(), 0);
    phone.stop().await.unwrap();
}

#[tokio::test]
async fn a_result_that_comes_after_the_phone_gave_up_corrects_it() {
    let hub = TestHub::start().await;
    let folder = tempfile::tempdir().unwrap();
    let phone = start_with(&hub, folder.path(), Profile::Late).await;
    let mut ids = Vec::new();
    for n in 0..6 {
        let id = hub.send("+15005550123", &format!("late {n}"));
        until("it is handed over", || radio(folder.path()).len() == n + 1).await;
        // Past the silence, past giving up, past the latest answer.
        for _ in 0..24 {
            happen(&phone, r#"{"kind":"clock","sleep_ms":30000}"#).await;
        }
        // The radio may have taken it only after the first of these.
        while !hub.states(id).contains(&WireState::Delivered) {
            happen(&phone, r#"{"kind":"clock","sleep_ms":1000}"#).await;
            tokio::task::yield_now().await;
        }
        ids.push(id);
    }
    let were_unknown = |id: &&MessageId| hub.states(**id).contains(&WireState::Unknown);
    let unknown = ids.iter().filter(were_unknown).count();
    assert!((1..6).contains(&unknown), "{unknown} of 6");
    assert_eq!(once_each(folder.path()), 6);
    phone.stop().await.unwrap();
}

#[tokio::test]
async fn at_the_platforms_limit_nothing_is_lost_and_nothing_doubled() {
    let hub = TestHub::start().await;
    let folder = tempfile::tempdir().unwrap();
    let phone = start_with(&hub, folder.path(), Profile::Limit).await;
    let ids: Vec<_> = (0..7)
        .map(|n| hub.send("+15005550123", &format!("{n}")))
        .collect();
    until("the limit is reached", || radio(folder.path()).len() == 5).await;
    let delivered = |id: &MessageId| hub.states(*id).contains(&WireState::Delivered);
    while !ids.iter().all(delivered) {
        happen(&phone, r#"{"kind":"clock","sleep_ms":60000}"#).await;
        tokio::task::yield_now().await;
    }
    assert_eq!(once_each(folder.path()), 7);
    phone.stop().await.unwrap();
}

#[tokio::test]
async fn a_phone_that_never_had_service_sends_once_it_has_some() {
    let hub = TestHub::start().await;
    let folder = tempfile::tempdir().unwrap();
    let phone = start_with(&hub, folder.path(), Profile::NoService).await;
    let id = hub.send("+15005550123", "at last");
    let on_phone = || {
        let device = hub.state().device.clone();
        device.is_some_and(|device| device.link.down_acked == 1)
    };
    until("it is on the phone", on_phone).await;
    assert_eq!(radio(folder.path()).len(), 0);
    happen(&phone, r#"{"kind":"service","in":true}"#).await;
    reaches(&hub, id, WireState::Delivered).await;
    phone.stop().await.unwrap();
}

#[tokio::test]
async fn a_code_that_nobody_answers_is_unknown_and_holds_up_no_message() {
    let hub = TestHub::start().await;
    let folder = tempfile::tempdir().unwrap();
    let phone = start_with(&hub, folder.path(), Profile::Silent).await;
    let code = hub.dial("*100#");
    until("it is dialled", || radio(folder.path()).len() == 1).await;
    happen(&phone, r#"{"kind":"clock","sleep_ms":61000}"#).await;
    reaches(&hub, code, WireState::Unknown).await;
    phone.stop().await.unwrap();
    let phone = start(&hub, folder.path()).await;
    let next = hub.send("+15005550123", "still here");
    reaches(&hub, next, WireState::Delivered).await;
    assert_eq!(once_each(folder.path()), 2);
    phone.stop().await.unwrap();
}
