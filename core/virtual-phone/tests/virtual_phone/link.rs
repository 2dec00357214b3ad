//! The link over a real socket: liveness, reconnecting, drain, and a hub that was restored.

use crate::support::{
    config, happen,
    hub::{End, HEARTBEAT_S, TestHub},
    noticed, once_each, shows, start, start_watched, until, watch,
};
use postrider_link::close::CloseCode;
use postrider_model::WireState;
use std::time::Duration;
use virtual_phone::VirtualPhone;

/// Less than a dial may take by itself, so that a test sees that it was given up before.
const BEFORE_A_DIAL_ENDS: Duration = Duration::from_secs(12);

#[tokio::test]
async fn a_new_network_is_dialled_at_once_also_while_a_dial_runs() {
    let hub = TestHub::start().await;
    let folder = tempfile::tempdir().unwrap();
    let phone = start(&hub, folder.path()).await;
    until("it connects", || hub.state().is_connected()).await;
    hub.state().hangs = true;
    phone.network_changed().await;
    until("a dial hangs", || hub.state().hanging == 1).await;
    hub.state().hangs = false;
    phone.network_changed().await;
    let back = until("it is back", || hub.state().is_connected());
    let back = tokio::time::timeout(BEFORE_A_DIAL_ENDS, back).await;
    assert!(back.is_ok(), "it waited for the dial that hung");
    phone.stop().await.unwrap();
}

#[tokio::test]
async fn without_a_network_it_goes_on_sending_and_tells_it_on_the_next() {
    let hub = TestHub::start().await;
    let folder = tempfile::tempdir().unwrap();
    let phone = start(&hub, folder.path()).await;
    happen(&phone, r#"{"kind":"pause","on":true}"#).await;
    let ids: Vec<_> = (0..3)
        .map(|n| hub.send("+15005550123", &format!("{n}")))
        .collect();
    let held = || {
        let device = hub.state().device.clone();
        device.is_some_and(|device| device.link.down_acked == 3)
    };
    until("all are on the phone", held).await;
    happen(&phone, r#"{"kind":"network","up":false}"#).await;
    until("the link is gone", || !hub.state().is_connected()).await;
    happen(&phone, r#"{"kind":"pause","on":false}"#).await;
    until("all are sent", || once_each(folder.path()) == 3).await;
    assert!(!hub.state().is_connected());
    happen(&phone, r#"{"kind":"network","up":true,"name":"mobile"}"#).await;
    let delivered = |id| hub.states(id).contains(&WireState::Delivered);
    until("all is told", || ids.iter().all(|id| delivered(*id))).await;
    phone.stop().await.unwrap();
}

#[tokio::test]
async fn on_battery_the_beat_slows_down_and_a_loss_quickens_it() {
    let hub = TestHub::start().await;
    let folder = tempfile::tempdir().unwrap();
    let (phone, screen) = start_watched(&hub, folder.path()).await;
    noticed(&screen, "is connected", 1).await;
    happen(
        &phone,
        r#"{"kind":"battery","percent":80,"charging":false}"#,
    )
    .await;
    let slept = format!(r#"{{"kind":"clock","sleep_ms":{}}}"#, HEARTBEAT_S * 1_000);
    for beat in 1..=10 {
        happen(&phone, &slept).await;
        until("it pings", || hub.state().pings.len() == beat).await;
    }
    happen(&phone, r#"{"kind":"clock","sleep_ms":90000}"#).await;
    until("it pings again", || hub.state().pings.len() == 11).await;
    assert_eq!(hub.state().pings[..10], [HEARTBEAT_S; 10]);
    assert_eq!(hub.state().pings[10], 2 * HEARTBEAT_S);

    hub.state().is_mute = true;
    happen(&phone, r#"{"kind":"clock","sleep_ms":90000}"#).await;
    happen(&phone, r#"{"kind":"clock","sleep_ms":15000}"#).await;
    noticed(&screen, "is not connected", 1).await;
    hub.state().is_mute = false;
    phone.network_changed().await;
    noticed(&screen, "is connected", 2).await;
    let pings = hub.state().pings.len();
    happen(&phone, &slept).await;
    until("it pings once more", || hub.state().pings.len() > pings).await;
    assert_eq!(hub.state().pings.last(), Some(&HEARTBEAT_S));
    phone.stop().await.unwrap();
}

#[tokio::test]
async fn on_the_charger_it_pings_as_often_as_ever() {
    let hub = TestHub::start().await;
    let folder = tempfile::tempdir().unwrap();
    let (phone, screen) = start_watched(&hub, folder.path()).await;
    noticed(&screen, "is connected", 1).await;
    let slept = format!(r#"{{"kind":"clock","sleep_ms":{}}}"#, HEARTBEAT_S * 1_000);
    for beat in 1..=12 {
        happen(&phone, &slept).await;
        until("it pings", || hub.state().pings.len() == beat).await;
    }
    assert_eq!(hub.state().pings, [HEARTBEAT_S; 12]);
    phone.stop().await.unwrap();
}

#[tokio::test]
async fn three_protocol_errors_in_a_row_are_shown() {
    let hub = TestHub::start().await;
    let folder = tempfile::tempdir().unwrap();
    hub.confirm();
    let mut shown = config(&hub, folder.path());
    let screen = watch(&mut shown);
    let phone = VirtualPhone::start(shown).await.unwrap();
    for round in 1..=3 {
        assert!(!shows(&screen, "LinkFailing"));
        noticed(&screen, "is connected", round).await;
        hub.end(End::Close(CloseCode::ProtocolError));
        until("it is cut off", || !hub.state().is_connected()).await;
        noticed(&screen, "is not connected", round).await;
        phone.network_changed().await;
    }
    until("it shows it", || shows(&screen, "LinkFailing")).await;
    until("it goes on", || hub.state().is_connected()).await;
    phone.stop().await.unwrap();
}

#[tokio::test]
async fn a_phone_that_is_too_old_shows_it_and_tries_once_a_day() {
    for code in [CloseCode::NeedsNewerApp, CloseCode::VersionNotSpoken] {
        let hub = TestHub::start().await;
        let folder = tempfile::tempdir().unwrap();
        hub.confirm();
        let mut shown = config(&hub, folder.path());
        let screen = watch(&mut shown);
        let phone = VirtualPhone::start(shown).await.unwrap();
        until("it connects", || hub.state().is_connected()).await;
        hub.end(End::Close(code));
        until("it shows it", || shows(&screen, "UpdateNeeded")).await;
        phone.network_changed().await;
        happen(&phone, r#"{"kind":"clock","sleep_ms":86000000}"#).await;
        happen(&phone, r#"{"kind":"pause","on":false}"#).await;
        assert_eq!(hub.state().connections, 1);
        happen(&phone, r#"{"kind":"clock","sleep_ms":400000}"#).await;
        until("it tries again", || hub.state().is_connected()).await;
        assert_eq!(hub.state().connections, 2);
        phone.stop().await.unwrap();
    }
}

#[tokio::test]
async fn a_phone_that_is_not_known_keeps_all_hands_nothing_over_and_comes_back_by_itself() {
    let hub = TestHub::start().await;
    let folder = tempfile::tempdir().unwrap();
    let (phone, screen) = start_watched(&hub, folder.path()).await;
    happen(&phone, r#"{"kind":"pause","on":true}"#).await;
    let ids: Vec<_> = (0..3)
        .map(|n| hub.send("+15005550123", &format!("{n}")))
        .collect();
    let held = || {
        let device = hub.state().device.clone();
        device.is_some_and(|device| device.link.down_acked == 3)
    };
    until("all are on the phone", held).await;
    hub.state().refuses = Some(CloseCode::NotKnown);
    hub.end(End::Cut);
    until("it shows it", || shows(&screen, "is not known to the hub")).await;
    happen(&phone, r#"{"kind":"pause","on":false}"#).await;
    happen(&phone, "+15005550199 came in meanwhile").await;
    // Its own restart changes nothing.
    phone.stop().await.unwrap();
    let (phone, screen) = start_watched(&hub, folder.path()).await;
    until("it says so again", || {
        shows(&screen, "is not known to the hub")
    })
    .await;
    assert_eq!(once_each(folder.path()), 0);
    hub.state().refuses = None;
    let delivered = |id| hub.states(id).contains(&WireState::Delivered);
    until("all is sent", || ids.iter().all(|id| delivered(*id))).await;
    assert_eq!(once_each(folder.path()), 3);
    assert_eq!(hub.incoming().len(), 1);
    phone.stop().await.unwrap();
}

#[tokio::test]
async fn the_end_of_its_older_connection_disturbs_nobody() {
    let hub = TestHub::start().await;
    let folder = tempfile::tempdir().unwrap();
    let phone = start(&hub, folder.path()).await;
    until("it connects", || hub.state().is_connected()).await;
    // Nobody notices the older connection's end; the newer one replaces it.
    phone.network_changed().await;
    until("it is on the new network", || {
        hub.state().connected.contains(&2)
    })
    .await;
    let id = hub.send("+15005550123", "on the new one");
    let delivered = || hub.states(id).contains(&WireState::Delivered);
    until("it is delivered", delivered).await;
    assert_eq!(hub.state().connections, 2);
    phone.stop().await.unwrap();
}

#[tokio::test]
async fn a_drained_phone_comes_back_when_it_was_told() {
    let hub = TestHub::start().await;
    let folder = tempfile::tempdir().unwrap();
    let (phone, screen) = start_watched(&hub, folder.path()).await;
    let first = hub.send("+15005550123", "before");
    let told = |id| !hub.states(id).is_empty();
    until("the first is told", || told(first)).await;
    hub.end(End::Drain(3_000_000));
    noticed(&screen, "is not connected", 1).await;
    let second = hub.send("+15005550123", "after");
    happen(&phone, r#"{"kind":"clock","sleep_ms":2900000}"#).await;
    happen(&phone, r#"{"kind":"pause","on":false}"#).await;
    assert_eq!(hub.state().connections, 1);
    happen(&phone, r#"{"kind":"clock","sleep_ms":100000}"#).await;
    until("the second is told", || told(second)).await;
    assert_eq!(hub.state().connections, 2);
    phone.stop().await.unwrap();
    assert_eq!(once_each(folder.path()), 2);
}

#[tokio::test]
async fn after_a_restore_it_shows_what_it_holds_and_uploads_what_came_in_again() {
    let hub = TestHub::start().await;
    let folder = tempfile::tempdir().unwrap();
    let phone = start(&hub, folder.path()).await;
    happen(&phone, r#"{"kind":"pause","on":true}"#).await;
    let waiting = hub.send("+15005550123", "not yet");
    happen(&phone, "+15005550199 before the restore").await;
    let on_phone = || {
        let state = hub.state();
        let acked = state.device.as_ref().map(|device| device.link.down_acked);
        state.inbound().len() == 1 && acked == Some(1)
    };
    until("both have it", on_phone).await;
    // The restored hub has forgotten the exposure and what came in.
    {
        let mut state = hub.state();
        state.restores = 1;
        state.facts.clear();
        if let Some(device) = &mut state.device {
            device.link.up = 0;
            device.link.down_sent = 0;
            device.link.down_acked = 0;
        }
    }
    hub.end(End::Cut);
    phone.network_changed().await;
    until("it is uploaded again", || hub.state().inbound().len() == 1).await;
    let (shown, number) = {
        let state = hub.state();
        (state.shown.clone(), state.inbound()[0].n)
    };
    assert_eq!(number, 1);
    let is_waiting =
        |row: &postrider_link::frame::HeldRow| (row.id, row.state) == (waiting, WireState::OnPhone);
    assert!(shown.iter().any(is_waiting), "{shown:?}");
    happen(&phone, r#"{"kind":"pause","on":false}"#).await;
    let delivered = || hub.states(waiting).contains(&WireState::Delivered);
    until("it goes on", delivered).await;
    assert_eq!(once_each(folder.path()), 1);
    phone.stop().await.unwrap();
}

#[tokio::test]
async fn a_change_of_its_condition_is_told_within_a_minute() {
    let hub = TestHub::start().await;
    let folder = tempfile::tempdir().unwrap();
    let (phone, screen) = start_watched(&hub, folder.path()).await;
    until("it tells how it is", || hub.state().health().count() == 1).await;
    happen(
        &phone,
        r#"{"kind":"battery","percent":15,"charging":false}"#,
    )
    .await;
    happen(&phone, r#"{"kind":"network","up":true,"name":"mobile"}"#).await;
    until("it is back", || hub.state().connections == 2).await;
    let tells = |network: &str| {
        let state = hub.state();
        let told = state.health().next_back();
        told.is_some_and(|told| {
            (told.battery, told.charging) == (Some(15), Some(false))
                && told.network.as_deref() == Some(network)
        })
    };
    noticed(&screen, "is connected", 2).await;
    for _ in 0..2 {
        happen(&phone, r#"{"kind":"clock","sleep_ms":60000}"#).await;
        until("it tells again", || hub.state().health().count() >= 2).await;
    }
    until("both are told", || tells("mobile")).await;
    phone.stop().await.unwrap();
}

#[tokio::test]
async fn what_waits_on_the_phone_can_be_taken_back() {
    let hub = TestHub::start().await;
    let folder = tempfile::tempdir().unwrap();
    let phone = start(&hub, folder.path()).await;
    happen(&phone, r#"{"kind":"pause","on":true}"#).await;
    let id = hub.send("+15005550123", "never mind");
    hub.revoke(id);
    until("it is taken back", || {
        hub.states(id).contains(&WireState::Revoked)
    })
    .await;
    happen(&phone, r#"{"kind":"pause","on":false}"#).await;
    phone.stop().await.unwrap();
    assert_eq!(once_each(folder.path()), 0);
}
