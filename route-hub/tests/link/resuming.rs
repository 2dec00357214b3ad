//! After a cut: the same numbers, voids, and proofs.

use super::settings::clock;
use super::support::hub;
use hub_domain::QuietMode;
use postrider_link::frame::{HeldRow, HubFrame};
use postrider_link::ownership::hub::{Fact, HubState};
use postrider_model::WireState;

#[tokio::test]
async fn a_phone_that_never_received_gets_the_same_number_again() {
    let hub = hub().await;
    let mut phone = hub.pair().await;
    let id = hub.queue(&phone, "again").await;
    let mut line = phone.connect().await;
    let first = line.send().await;
    line.down = 0;
    phone.cut(line);
    let mut line = phone.connect().await;
    let again = line.send().await;
    assert_eq!((again.s, again.id, again.ep), (first.s, id, 1));
    assert!(again.ttl_ms <= first.ttl_ms);
    assert_eq!(hub.message(id).await.send_attempts(), 1);
}

#[tokio::test]
async fn a_cancelled_one_is_voided_on_resume() {
    let hub = hub().await;
    let mut phone = hub.pair().await;
    let id = hub.queue(&phone, "never mind").await;
    let mut line = phone.connect().await;
    let frame = line.send().await;
    line.down = frame.s - 1;
    phone.cut(line);
    hub.until_connected(0).await;
    hub.apply(id, Fact::CancelAsked).await;
    assert_eq!(
        hub.state(id).await,
        HubState::Exposed,
        "the phone may have it"
    );
    let mut line = phone.connect().await;
    assert!(matches!(line.next().await, HubFrame::Void(void) if void.s == frame.s));
    assert_eq!(hub.state(id).await, HubState::Cancelled);
}

#[tokio::test]
async fn what_was_paused_meanwhile_is_voided_and_goes_out_anew() {
    let hub = hub().await;
    let mut phone = hub.pair().await;
    let id = hub.queue(&phone, "hold it").await;
    let mut line = phone.connect().await;
    let frame = line.send().await;
    line.down = frame.s - 1;
    phone.cut(line);
    hub.until_connected(0).await;
    hub.change(&phone, |row| row.set_paused(true)).await;
    let mut line = phone.connect().await;
    assert!(matches!(line.next().await, HubFrame::Void(void) if void.s == frame.s));
    assert_eq!(hub.state(id).await, HubState::Waiting);
    hub.change(&phone, |row| row.set_paused(false)).await;
    let again = line.send().await;
    assert_eq!((again.id, again.ep), (id, 2));
    assert!(again.s > frame.s);
}

#[tokio::test]
async fn what_never_came_waits_for_quiet_hours_that_the_phone_has_not_heard_of() {
    let hub = hub().await;
    let mut phone = hub.pair().await;
    let id = hub.queue(&phone, "not at night").await;
    let mut line = phone.connect().await;
    let frame = line.send().await;
    line.down = frame.s - 1;
    phone.cut(line);
    hub.until_connected(0).await;
    let (start, end) = (clock(&hub, -2), clock(&hub, 2));
    let quiet = move |row: &mut hub_domain::Phone| {
        row.quiet_mode = QuietMode::Confirm;
        row.quiet_start = Some(start.clone());
        row.quiet_end = Some(end.clone());
    };
    hub.change(&phone, quiet).await;
    let mut line = phone.connect().await;
    assert!(matches!(line.next().await, HubFrame::Void(void) if void.s == frame.s));
    assert!(
        !line.config().await.quiet.is_empty(),
        "it hears of them first"
    );
    let again = line.send().await;
    assert_eq!((again.id, again.ep), (id, 2));
}

#[tokio::test]
async fn what_the_phone_has_is_not_sent_again_and_not_freed() {
    let hub = hub().await;
    let mut phone = hub.pair().await;
    let id = hub.queue(&phone, "once").await;
    let mut line = phone.connect().await;
    line.send().await;
    phone.cut(line);
    let held = vec![HeldRow {
        id,
        ep: 1,
        state: WireState::Submitting,
        proof: None,
    }];
    let mut line = phone.connect_with(|hello| hello.held = held).await;
    assert!(line.idle().await.is_empty());
    assert_eq!(hub.state(id).await, HubState::Submitting);
    phone.cut(line);
    let mut line = phone.connect().await;
    assert!(line.idle().await.is_empty());
    assert_eq!(
        hub.state(id).await,
        HubState::Submitting,
        "absence proves nothing"
    );
}

#[tokio::test]
async fn a_told_unknown_is_corrected_when_the_phone_never_received_it() {
    let hub = hub().await;
    let mut phone = hub.pair().await;
    let id = hub.queue(&phone, "perhaps").await;
    let mut line = phone.connect().await;
    let frame = line.send().await;
    line.down = frame.s - 1;
    phone.cut(line);
    hub.until_connected(0).await;
    hub.end_life(id).await;
    assert_eq!(
        hub.message(id).await.error_code.as_deref(),
        Some("unknown_outcome")
    );
    let mut line = phone.connect().await;
    assert!(matches!(line.next().await, HubFrame::Void(void) if void.s == frame.s));
    assert_eq!(
        hub.message(id).await.error_code.as_deref(),
        Some("never_sent")
    );
}

#[tokio::test]
async fn another_install_proves_nothing_and_its_numbers_begin_anew() {
    let hub = hub().await;
    let mut phone = hub.pair().await;
    let id = hub.queue(&phone, "stranded").await;
    let mut old = phone.connect().await;
    old.send().await;
    phone.install = "install-of-tests-2".to_owned();
    (phone.conn, phone.down) = (0, 0);
    let mut line = phone.connect().await;
    assert_eq!(old.close_code().await, 4409);
    assert_eq!(hub.state(id).await, HubState::Unknown);
    let next = hub.queue(&phone, "anew").await;
    assert_eq!(line.send().await.id, next);
    drop(old);
    assert!(line.idle().await.is_empty());
    assert!(
        hub.hub.links.is_connected(phone.device),
        "the older one's end is not this one's"
    );
    assert_eq!(hub.device(&phone).await.offline_since, None);
}

#[tokio::test]
async fn an_installation_whose_place_was_taken_is_never_believed_again() {
    let hub = hub().await;
    let mut phone = hub.pair().await;
    let id = hub.queue(&phone, "perhaps sent").await;
    let mut line = phone.connect().await;
    line.send().await;
    phone.cut(line);
    let first = std::mem::replace(&mut phone.install, "install-of-tests-2".to_owned());
    (phone.conn, phone.down) = (0, 0);
    let line = phone.connect().await;
    phone.cut(line);
    // The first one's journal comes back as it was before it had anything.
    phone.install = first;
    (phone.conn, phone.down) = (0, 0);
    let mut line = phone.greet(|_| {}).await;
    assert_eq!(line.close_code().await, 4410);
    let message = hub.message(id).await;
    assert_eq!(message.error_code.as_deref(), Some("unknown_outcome"));
}
