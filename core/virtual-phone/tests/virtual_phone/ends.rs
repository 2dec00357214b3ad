//! The end of a pairing: by the hub, by the owner, and because of an untrusted journal.

use crate::support::{config, happen, hub::TestHub, radio, start, until};
use postrider_link::close::CloseCode;
use postrider_model::WireState;
use std::{collections::BTreeSet, path::Path, time::Duration};
use virtual_phone::VirtualPhone;

const PATIENCE: Duration = Duration::from_secs(600);

fn is_erased(folder: &Path) -> bool {
    let is_gone = |name: &str| !folder.join(name).exists();
    ["journal.db", "journal.db-wal", "pairing.json", "leaving"]
        .into_iter()
        .all(is_gone)
}

/// Loses the facts from now on, and the connection with them.
async fn lose_facts(hub: &TestHub, phone: &VirtualPhone, texts: &[&str]) {
    hub.state().loses_facts = true;
    for text in texts {
        happen(phone, &format!("+15005550199 {text}")).await;
    }
    until("the link is gone", || !hub.state().is_connected()).await;
}

/// Refuses the phone for good at its next hello, and waits for its end.
async fn refuse(hub: &TestHub, phone: VirtualPhone, code: CloseCode) {
    hub.state().refuses = Some(code);
    phone.network_changed().await;
    phone.closed().await;
    phone.stop().await.unwrap();
    let mut state = hub.state();
    state.refuses = None;
    state.loses_facts = false;
    state.device = None;
}

#[tokio::test]
async fn what_came_in_under_an_untrusted_journal_is_told_once_after_pairing_again() {
    let hub = TestHub::start().await;
    let folder = tempfile::tempdir().unwrap();
    let phone = start(&hub, folder.path()).await;
    happen(&phone, "+15005550199 told before").await;
    until("the first is told", || hub.incoming().len() == 1).await;
    happen(&phone, r#"{"kind":"pause","on":true}"#).await;
    let waiting = hub.send("+15005550123", "never from here");
    let on_phone = || {
        let device = hub.state().device.clone();
        device.is_some_and(|device| device.link.down_acked == 1)
    };
    until("it waits on the phone", on_phone).await;
    lose_facts(&hub, &phone, &["one", "two", "one"]).await;
    let install = hub.state().device.as_ref().unwrap().link.install.clone();
    refuse(&hub, phone, CloseCode::JournalWentBack).await;
    assert!(is_erased(folder.path()));
    assert!(folder.path().join("set-aside-journal.db").exists());

    let phone = VirtualPhone::start(config(&hub, folder.path()))
        .await
        .unwrap();
    until("it is told", || hub.incoming().len() >= 4).await;
    happen(&phone, "+15005550199 told after").await;
    until("the last is told", || hub.incoming().len() >= 5).await;
    let texts: Vec<_> = hub.incoming().into_iter().map(|(_, text)| text).collect();
    assert_eq!(texts, ["told before", "one", "two", "one", "told after"]);
    let installs: Vec<_> = hub
        .state()
        .inbound()
        .into_iter()
        .map(|it| it.install)
        .collect();
    // The copy was not reported before the end: the platform's log has it.
    assert_eq!(installs[..3], [None, Some(install.clone()), Some(install)]);
    assert_eq!(installs[4], None);
    phone.stop().await.unwrap();
    assert!(!folder.path().join("set-aside-journal.db").exists());
    assert!(hub.states(waiting).is_empty());
    assert_eq!(radio(folder.path()).len(), 0);
}

#[tokio::test]
async fn a_journal_from_a_backup_is_not_trusted_and_sends_nothing_twice() {
    let hub = TestHub::start().await;
    let folder = tempfile::tempdir().unwrap();
    let journal = folder.path().join("journal.db");
    start(&hub, folder.path()).await.stop().await.unwrap();
    let backup = std::fs::read(&journal).unwrap();
    let phone = start(&hub, folder.path()).await;
    let id = hub.send("+15005550123", "once");
    let delivered = || hub.states(id).contains(&WireState::Delivered);
    until("it is delivered", delivered).await;
    phone.stop().await.unwrap();
    std::fs::write(&journal, backup).unwrap();
    let phone = start(&hub, folder.path()).await;
    phone.closed().await;
    phone.stop().await.unwrap();
    let refused = hub
        .state()
        .closed_with
        .contains(&CloseCode::JournalWentBack);
    assert!(refused);
    assert!(is_erased(folder.path()));
    assert_eq!(radio(folder.path()).len(), 1);
}

#[tokio::test]
async fn a_revoked_phone_keeps_what_came_in_and_no_more_until_it_joins_that_hub_again() {
    let hub = TestHub::start().await;
    let folder = tempfile::tempdir().unwrap();
    let phone = start(&hub, folder.path()).await;
    until("it connects", || hub.state().is_connected()).await;
    happen(&phone, r#"{"kind":"pause","on":true}"#).await;
    let waiting = hub.send("+15005550123", "never from here");
    let on_phone = || {
        let device = hub.state().device.clone();
        device.is_some_and(|device| device.link.down_acked == 1)
    };
    until("it waits on the phone", on_phone).await;
    lose_facts(&hub, &phone, &["one"]).await;
    refuse(&hub, phone, CloseCode::NotPaired).await;
    assert!(is_erased(folder.path()));
    let aside = folder.path().join("set-aside-journal.db");
    let kept = std::fs::read(&aside).unwrap();
    let has = |text: &str| kept.windows(text.len()).any(|at| at == text.as_bytes());
    assert!(has("one") && !has("never from here"));
    let phone = VirtualPhone::start(config(&hub, folder.path()))
        .await
        .unwrap();
    until("it is told", || hub.incoming().len() == 1).await;
    phone.stop().await.unwrap();
    assert!(!aside.exists());
    assert!(hub.states(waiting).is_empty());
}

#[tokio::test]
async fn what_came_in_for_one_project_reaches_another_by_the_owners_word_alone() {
    let hub = TestHub::start().await;
    let folder = tempfile::tempdir().unwrap();
    let phone = start(&hub, folder.path()).await;
    until("it connects", || hub.state().is_connected()).await;
    lose_facts(&hub, &phone, &["one", "two"]).await;
    refuse(&hub, phone, CloseCode::NotPaired).await;
    hub.state().project = 7;
    let aside = folder.path().join("set-aside-journal.db");
    for _ in 0..2 {
        let phone = VirtualPhone::start(config(&hub, folder.path()))
            .await
            .unwrap();
        until("it connects", || hub.state().is_connected()).await;
        happen(&phone, "+15005550199 of its own").await;
        until("its own is told", || !hub.incoming().is_empty()).await;
        phone.stop().await.unwrap();
        let texts: BTreeSet<_> = hub.incoming().into_iter().map(|(_, text)| text).collect();
        assert_eq!(texts, BTreeSet::from(["of its own".to_owned()]));
        assert!(aside.exists());
    }
    let phone = VirtualPhone::start(config(&hub, folder.path()))
        .await
        .unwrap();
    assert!(phone.upload_aside(0).await.unwrap());
    assert!(!aside.exists());
    let told = |text: &str| {
        let incoming = hub.incoming();
        incoming.iter().filter(|(_, its)| its == text).count()
    };
    until("they are told", || told("two") == 1).await;
    assert_eq!(told("one"), 1);
    assert!(phone.upload_aside(0).await.is_err(), "it is gone");
    phone.stop().await.unwrap();
}

#[tokio::test]
async fn unpairing_gives_back_what_waits_tells_the_rest_and_erases() {
    let hub = TestHub::start().await;
    let folder = tempfile::tempdir().unwrap();
    let phone = start(&hub, folder.path()).await;
    happen(&phone, r#"{"kind":"pause","on":true}"#).await;
    let ids: Vec<_> = (0..3)
        .map(|n| hub.send("+15005550123", &format!("{n}")))
        .collect();
    let on_phone = || {
        let device = hub.state().device.clone();
        device.is_some_and(|device| device.link.down_acked == 3)
    };
    until("they wait on the phone", on_phone).await;
    happen(&phone, "+15005550199 a last word").await;
    assert!(phone.unpair(PATIENCE).await.unwrap(), "all is told");
    for id in ids {
        assert_eq!(hub.states(id), [WireState::Revoked]);
    }
    assert_eq!(hub.incoming().len(), 1);
    assert_eq!(hub.state().byes, [CloseCode::NotPaired.code()]);
    assert!(hub.state().unpaired, "its device is out of service");
    assert!(is_erased(folder.path()));
    assert_eq!(radio(folder.path()).len(), 0);
}

#[tokio::test]
async fn unpairing_waits_for_what_the_radio_has_in_hand() {
    let hub = TestHub::start().await;
    let folder = tempfile::tempdir().unwrap();
    hub.confirm();
    let mut slow = config(&hub, folder.path());
    slow.profile = virtual_phone::Profile::Slow;
    let phone = VirtualPhone::start(slow).await.unwrap();
    let id = hub.send("+15005550123", "in the air");
    until("it is handed over", || radio(folder.path()).len() == 1).await;
    assert!(phone.unpair(PATIENCE).await.unwrap(), "all is told");
    assert!(hub.states(id).contains(&WireState::Sent));
}

#[tokio::test]
async fn unpairing_without_a_network_erases_in_the_end_and_says_that_not_all_is_told() {
    let hub = TestHub::start().await;
    let folder = tempfile::tempdir().unwrap();
    let phone = start(&hub, folder.path()).await;
    until("it connects", || hub.state().is_connected()).await;
    happen(&phone, r#"{"kind":"network","up":false}"#).await;
    until("the link is gone", || !hub.state().is_connected()).await;
    happen(&phone, "+15005550199 unheard").await;
    assert!(!phone.unpair(Duration::ZERO).await.unwrap());
    assert!(is_erased(folder.path()));
}

#[tokio::test]
async fn what_the_hub_sends_to_a_phone_that_unpairs_comes_back() {
    let hub = TestHub::start().await;
    let folder = tempfile::tempdir().unwrap();
    let phone = start(&hub, folder.path()).await;
    until("it connects", || hub.state().is_connected()).await;
    happen(&phone, r#"{"kind":"network","up":false}"#).await;
    until("the link is gone", || !hub.state().is_connected()).await;
    happen(&phone, "+15005550199 a last word").await;
    happen(&phone, r#"{"kind":"unpair","within_s":600}"#).await;
    let id = hub.send("+15005550123", "too late");
    happen(&phone, r#"{"kind":"network","up":true}"#).await;
    phone.closed().await;
    phone.stop().await.unwrap();
    assert_eq!(hub.incoming().len(), 1);
    let states = hub.states(id);
    assert!(
        states.is_empty() || states == [WireState::Revoked],
        "{states:?}"
    );
    assert_eq!(radio(folder.path()).len(), 0);
    assert!(is_erased(folder.path()));
}
