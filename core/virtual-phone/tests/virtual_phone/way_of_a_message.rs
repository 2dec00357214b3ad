//! A virtual phone at a small hub: from pairing to the delivery report, over a real WebSocket.

use crate::support::{
    config,
    hub::{CODE, End, TestHub},
    log_of, once_each, radio, start, until,
};
use postrider_link::close::CloseCode;
use postrider_model::WireState;
use serde_json::json;
use virtual_phone::{Incoming, Profile, VirtualPhone, VirtualPhoneError};

#[tokio::test]
async fn a_message_leaves_by_the_radio_and_its_report_comes_home() {
    let hub = TestHub::start().await;
    let folder = tempfile::tempdir().unwrap();
    let phone = start(&hub, folder.path()).await;
    let id = hub.send("+15005550123", "come at noon");
    let delivered = || hub.states(id).contains(&WireState::Delivered);
    until("the report comes home", delivered).await;
    let states = hub.states(id);
    let ranks: Vec<_> = states.iter().filter_map(|state| state.rank()).collect();
    assert!(ranks.is_sorted(), "{states:?}");
    let mut lines = radio(folder.path());
    assert!(lines[0]["at_ms"].is_i64());
    lines[0]["at_ms"] = json!(0);
    let line = json!({
        "at_ms": 0, "phone_id": "PN0000000000000009", "message_id": id, "exposure": 1,
        "to": "+15005550123", "text": "come at noon", "parts": 1,
    });
    assert_eq!(lines, [line]);
    phone.stop().await.unwrap();
    assert_eq!(hub.state().closed_with, [CloseCode::GoingAway]);
}

#[tokio::test]
async fn a_long_message_is_delivered_when_every_part_is() {
    let hub = TestHub::start().await;
    let folder = tempfile::tempdir().unwrap();
    let phone = start(&hub, folder.path()).await;
    let id = hub.send("+15005550123", &"a".repeat(400));
    let delivered = || hub.states(id).contains(&WireState::Delivered);
    until("the report comes home", delivered).await;
    assert_eq!(radio(folder.path())[0]["parts"], 3);
    phone.stop().await.unwrap();
}

#[tokio::test]
async fn a_phone_joins_once_and_shows_the_hubs_digits() {
    let hub = TestHub::start().await;
    let folder = tempfile::tempdir().unwrap();
    let shown = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let screen = shown.clone();
    let mut waiting = config(&hub, folder.path());
    waiting.watcher = Some(std::sync::Arc::new(move |seen| {
        screen.lock().unwrap().push(seen.to_string());
    }));
    let starting = tokio::spawn(VirtualPhone::start(waiting));
    until("it asks again", || hub.state().pair_requests >= 3).await;
    hub.confirm();
    let phone = starting.await.unwrap().unwrap();
    let digits = format!("joins with the digits {}", hub.state().digits);
    let joined = [digits, "has joined".to_owned()];
    assert_eq!(shown.lock().unwrap()[..2], joined);
    until("it connects", || hub.state().is_connected()).await;
    phone.stop().await.unwrap();

    let requests = hub.state().pair_requests;
    let phone = VirtualPhone::start(config(&hub, folder.path()))
        .await
        .unwrap();
    until("it connects again", || hub.state().is_connected()).await;
    assert_eq!(hub.state().pair_requests, requests);
    phone.stop().await.unwrap();
}

#[tokio::test]
async fn a_wrong_code_is_refused_in_the_hubs_words() {
    let hub = TestHub::start().await;
    let folder = tempfile::tempdir().unwrap();
    let mut wrong = config(&hub, folder.path());
    wrong.code = Some(postrider_model::Secret::new(CODE.replace('1', "9")));
    let refused = VirtualPhone::start(wrong).await.err().unwrap();
    assert!(matches!(refused, VirtualPhoneError::Pairing(_)));
    let text = refused.to_string();
    assert!(text.contains("there is no such code"), "{text}");
}

#[tokio::test]
async fn a_phone_without_a_pairing_needs_a_code() {
    let hub = TestHub::start().await;
    let folder = tempfile::tempdir().unwrap();
    let mut without = config(&hub, folder.path());
    without.code = None;
    let refused = VirtualPhone::start(without).await.err().unwrap();
    assert!(matches!(refused, VirtualPhoneError::NotPaired));
}

#[tokio::test]
async fn what_comes_in_reaches_the_hub_once_in_order() {
    let hub = TestHub::start().await;
    let folder = tempfile::tempdir().unwrap();
    let phone = start(&hub, folder.path()).await;
    for text in ["yes", "no", "yes"] {
        let line = format!("+15005550199 {text}");
        assert!(phone.receive(Incoming::parse(&line).unwrap()));
    }
    until("all came in", || hub.incoming().len() >= 3).await;
    let texts: Vec<_> = hub.incoming().into_iter().map(|(_, text)| text).collect();
    assert_eq!(texts, ["yes", "no", "yes"]);
    phone.stop().await.unwrap();
}

#[tokio::test]
async fn a_cut_link_loses_and_repeats_nothing() {
    let hub = TestHub::start().await;
    let folder = tempfile::tempdir().unwrap();
    let phone = start(&hub, folder.path()).await;
    let mut ids = Vec::new();
    for round in 1..=5 {
        for n in 0..20 {
            ids.push(hub.send("+15005550123", &format!("{round}/{n}")));
        }
        until("some are taken", || !hub.state().exposed.is_empty()).await;
        hub.end(End::Cut);
        phone.network_changed().await;
        until("it is back", || hub.state().connections > round).await;
    }
    let delivered = |id| hub.states(id).contains(&WireState::Delivered);
    until("all are delivered", || ids.iter().all(|id| delivered(*id))).await;
    assert_eq!(once_each(folder.path()), ids.len());
    phone.stop().await.unwrap();
}

#[tokio::test]
async fn facts_that_the_hub_lost_are_told_again() {
    let hub = TestHub::start().await;
    let folder = tempfile::tempdir().unwrap();
    let phone = start(&hub, folder.path()).await;
    until("it connects", || hub.state().is_connected()).await;
    hub.state().loses_facts = true;
    let id = hub.send("+15005550123", "come at noon");
    until("it is on the air", || !radio(folder.path()).is_empty()).await;
    until("the link is gone", || !hub.state().is_connected()).await;
    hub.state().loses_facts = false;
    phone.network_changed().await;
    let delivered = || hub.states(id).contains(&WireState::Delivered);
    until("the report comes home", delivered).await;
    assert_eq!(once_each(folder.path()), 1);
    phone.stop().await.unwrap();
}

#[tokio::test]
async fn a_phone_that_was_stopped_goes_on_from_its_folder() {
    let hub = TestHub::start().await;
    let folder = tempfile::tempdir().unwrap();
    let phone = start(&hub, folder.path()).await;
    let first = hub.send("+15005550123", "first");
    let sent = |id| hub.states(id).contains(&WireState::Sent);
    until("the first is sent", || sent(first)).await;
    phone.stop().await.unwrap();
    let second = hub.send("+15005550123", "second");
    let mut again = config(&hub, folder.path());
    again.code = None;
    let phone = VirtualPhone::start(again).await.unwrap();
    until("the second is sent", || sent(second)).await;
    assert_eq!(once_each(folder.path()), 2);
    phone.stop().await.unwrap();
}

#[tokio::test]
async fn garbage_from_the_hub_ends_the_connection_and_not_the_phone() {
    let hub = TestHub::start().await;
    let folder = tempfile::tempdir().unwrap();
    let phone = start(&hub, folder.path()).await;
    until("it connects", || hub.state().is_connected()).await;
    hub.end(End::Garbage);
    let refused = || hub.state().closed_with.contains(&CloseCode::ProtocolError);
    until("it says what is wrong", refused).await;
    phone.network_changed().await;
    let id = hub.send("+15005550123", "still here");
    let sent = || hub.states(id).contains(&WireState::Sent);
    until("it goes on", sent).await;
    phone.stop().await.unwrap();
}

#[tokio::test]
async fn a_revoked_phone_stops_erases_itself_and_may_join_anew() {
    let hub = TestHub::start().await;
    let folder = tempfile::tempdir().unwrap();
    let phone = start(&hub, folder.path()).await;
    until("it connects", || hub.state().is_connected()).await;
    let install = hub.state().device.as_ref().unwrap().link.install.clone();
    hub.end(End::Close(CloseCode::NotPaired));
    phone.closed().await;
    phone.stop().await.unwrap();
    assert!(!folder.path().join("journal.db").exists());
    assert!(!folder.path().join("pairing.json").exists());
    hub.state().device = None;
    let phone = VirtualPhone::start(config(&hub, folder.path()))
        .await
        .unwrap();
    until("it connects again", || hub.state().is_connected()).await;
    let anew = hub.state().device.as_ref().unwrap().link.install.clone();
    assert_ne!(anew, install);
    phone.stop().await.unwrap();
}

#[tokio::test]
async fn a_damaged_journal_is_an_error_and_stays_as_it_is() {
    let hub = TestHub::start().await;
    let folder = tempfile::tempdir().unwrap();
    start(&hub, folder.path()).await.stop().await.unwrap();
    let journal = folder.path().join("journal.db");
    std::fs::write(&journal, b"this is no journal at all").unwrap();
    let refused = VirtualPhone::start(config(&hub, folder.path()))
        .await
        .err()
        .unwrap();
    assert!(matches!(refused, VirtualPhoneError::Start(_)), "{refused}");
    assert_eq!(
        std::fs::read(&journal).unwrap(),
        b"this is no journal at all"
    );
}

#[tokio::test]
async fn a_silent_radio_leaves_a_message_submitting() {
    let hub = TestHub::start().await;
    let folder = tempfile::tempdir().unwrap();
    hub.confirm();
    let mut silent = config(&hub, folder.path());
    silent.profile = Profile::Silent;
    let phone = VirtualPhone::start(silent).await.unwrap();
    let id = hub.send("+15005550123", "hello?");
    until("it is handed over", || {
        log_of(folder.path()).metadata().unwrap().len() > 0
    })
    .await;
    phone.stop().await.unwrap();

    // Started again it counts as rebooted: no sent row, so nobody can know.
    let phone = VirtualPhone::start(config(&hub, folder.path()))
        .await
        .unwrap();
    let unknown = || hub.states(id).contains(&WireState::Unknown);
    until("its outcome is unknown", unknown).await;
    assert_eq!(once_each(folder.path()), 1);
    phone.stop().await.unwrap();
}
