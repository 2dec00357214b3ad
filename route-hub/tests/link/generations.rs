//! A hub that went backwards.

use super::facts::incoming;
use super::pages::proven;
use super::support::{Line, Phone, TestHub, fresh_id, hub};
use hub_domain::DeviceState;
use hub_store::meta;
use postrider_link::frame::{HeldRow, HubFrame};
use postrider_link::ownership::hub::{Fact, HubState, Ownership};
use postrider_model::{MessageId, WireState};

/// Has the hub forget everything that it gave the phone and heard from it.
pub(crate) async fn forget(hub: &TestHub, phone: &Phone) {
    hub.until_connected(0).await;
    hub.change_device(phone, |device| {
        (device.down_sent, device.down_acked, device.up) = (0, 0, 0)
    })
    .await;
}

/// Has the hub know a message as it was before it was given to a phone.
pub(crate) async fn forget_exposure(hub: &TestHub, id: MessageId) {
    hub.write(move |tx| {
        let mut message = hub_store::messages::by_key(tx, id)?.expect("it is there");
        message.ownership = Some(Ownership {
            send_attempts: message.send_attempts(),
            ..Ownership::new()
        });
        hub_store::messages::update_ownership(tx, &message)
    })
    .await;
}

pub(crate) fn row(id: MessageId, state: WireState) -> HeldRow {
    HeldRow {
        id,
        ep: 1,
        state,
        proof: None,
    }
}

/// Waits for the second challenge and answers with one page.
pub(crate) async fn reconcile(line: &mut Line, rows: Vec<HeldRow>) -> u64 {
    let asked = line
        .wait(|frame| match frame {
            HubFrame::Challenge(challenge) => Some(challenge),
            _ => None,
        })
        .await;
    assert!(asked.down_sent.is_some() && asked.up.is_some());
    line.held(rows).await;
    (line.down, line.up, line.up_acked) = (0, 0, 0);
    line.welcome().await.generation
}

/// Gives a phone a message and takes one of its own, all of which the hub then forgets.
async fn forgotten(hub: &TestHub, phone: &mut Phone) -> MessageId {
    let id = hub.queue(phone, "forgotten").await;
    let mut line = phone.connect().await;
    line.send().await;
    line.inbound(1, "counted").await;
    line.settle().await;
    phone.cut(line);
    forget(hub, phone).await;
    forget_exposure(hub, id).await;
    id
}

/// Pairs two phones that are away, of which the first is out of service.
async fn one_out_of_service(hub: &TestHub) -> (Phone, Phone) {
    let (mut away, mut other) = (hub.pair().await, hub.pair().await);
    for phone in [&mut away, &mut other] {
        let line = phone.connect().await;
        phone.cut(line);
    }
    hub.until_connected(0).await;
    let revoked = |device: &mut hub_domain::Device| device.state = DeviceState::Revoked;
    hub.change_device(&away, revoked).await;
    (away, other)
}

#[tokio::test]
async fn a_hub_that_went_backwards_reconciles_by_pages() {
    let hub = hub().await;
    let mut phone = hub.pair().await;
    let id = forgotten(&hub, &mut phone).await;

    let mut line = phone.greet(|_| {}).await;
    let generation = reconcile(&mut line, vec![row(id, WireState::Submitting)]).await;
    assert_eq!(generation, 2);
    assert_eq!(hub.hub.generation(), 1, "a restore alone raises the hub's");
    assert_eq!(
        hub.state(id).await,
        HubState::Submitting,
        "it is not sent a second time"
    );
    assert!(line.idle().await.is_empty());
    assert!(!hub.device(&phone).await.frozen);
    assert!(!hub.alerts().await.contains(&"hub_frozen"));
}

#[tokio::test]
async fn a_forgotten_failure_without_proof_is_told_as_unknown_since_its_code_is_not() {
    let hub = hub().await;
    let mut phone = hub.pair().await;
    let id = forgotten(&hub, &mut phone).await;
    let mut line = phone.greet(|_| {}).await;
    reconcile(&mut line, vec![row(id, WireState::Failed)]).await;
    let message = hub.message(id).await;
    assert_eq!(message.error_code.as_deref(), Some("unknown_outcome"));
}

#[tokio::test]
async fn one_phone_that_says_that_the_hub_went_backwards_holds_up_no_other() {
    let hub = hub().await;
    let (mut claimant, mut other) = (hub.pair().await, hub.pair().await);
    let mut others = other.connect().await;
    let line = claimant.connect().await;
    claimant.cut(line);
    for ahead in [3, 4, 900] {
        let line = claimant.greet(|hello| hello.generation += ahead).await;
        let asked = hub.until_frozen(&claimant).await;
        assert!(asked && !hub.device(&other).await.frozen);
        claimant.cut(line);
        hub.until_connected(1).await;
    }
    let id = hub.queue(&other, "goes on").await;
    assert_eq!(others.send().await.id, id);
    assert_eq!(hub.alerts().await, ["hub_frozen"]);
}

#[tokio::test]
async fn no_number_of_phones_that_say_so_holds_up_another_one() {
    let hub = hub().await;
    let (mut first, mut second) = (hub.pair().await, hub.pair().await);
    let mut third = hub.pair().await;
    for phone in [&mut first, &mut second] {
        let mut line = phone.connect().await;
        line.inbound(1, "counted").await;
        line.settle().await;
        phone.cut(line);
    }
    let mut thirds = third.connect().await;
    hub.until_connected(1).await;
    for phone in [&first, &second] {
        hub.change_device(phone, |device| device.up = 0).await;
    }
    for phone in [&mut first, &mut second] {
        let mut line = phone.greet(|_| {}).await;
        assert_eq!(reconcile(&mut line, Vec::new()).await, 2);
        assert!(!hub.device(&third).await.frozen);
        phone.cut(line);
    }
    let id = hub.queue(&third, "goes on").await;
    assert_eq!(thirds.send().await.id, id);
    assert!(hub.alerts().await.is_empty());
}

#[tokio::test]
async fn a_frozen_project_waits_for_the_last_of_its_phones() {
    let hub = hub().await;
    let (mut first, mut away) = (hub.pair().await, hub.pair().await);
    for phone in [&mut first, &mut away] {
        let line = phone.connect().await;
        phone.cut(line);
    }
    hub.until_connected(0).await;
    let waiting = hub.queue(&away, "perhaps given to it").await;
    let old = hub.queue(&first, "old").await;
    hub.freeze().await;
    let mut line = first.greet(|_| {}).await;
    reconcile(&mut line, Vec::new()).await;
    assert_eq!(hub.alerts().await, ["hub_frozen"]);

    // What is new goes on; what may be on the phone that is away waits for its word.
    let new = hub.queue(&first, "new").await;
    assert_eq!(line.send().await.id, new);
    assert_eq!(hub.state(old).await, HubState::Waiting);
    let mut aways = away.greet(|_| {}).await;
    let shown = proven(&hub, &away, old, 1, WireState::Sent);
    reconcile(&mut aways, vec![shown]).await;
    assert_eq!(hub.state(old).await, HubState::Sent, "it had gone there");
    assert_eq!(aways.send().await.id, waiting);
    assert!(line.idle().await.is_empty());
    assert!(hub.alerts().await.is_empty());
}

#[tokio::test]
async fn what_a_phone_that_never_comes_back_may_hold_is_unknown() {
    let hub = hub().await;
    let (mut lost, mut other) = (hub.pair().await, hub.pair().await);
    let held = hub.queue(&lost, "held").await;
    let mut line = lost.connect().await;
    line.send().await;
    lost.cut(line);
    let line = other.connect().await;
    other.cut(line);
    hub.until_connected(0).await;
    let queued = hub.queue(&lost, "queued").await;
    let others = hub.queue(&other, "others").await;
    hub.freeze().await;
    let newer = hub.queue(&lost, "newer").await;

    let mut line = other.greet(|_| {}).await;
    reconcile(&mut line, Vec::new()).await;
    assert!(line.idle().await.is_empty(), "the other phone may have it");
    hub.give_up(&lost).await;
    assert!(line.idle().await.is_empty(), "the lost phone may have it");
    for id in [held, queued, others] {
        assert_eq!(hub.state(id).await, HubState::Unknown);
    }
    assert_eq!(hub.state(newer).await, HubState::Waiting);
    assert!(hub.alerts().await.is_empty());

    // It comes back after all: what it did counts, and what it did not do is taken back.
    let mut line = lost.greet(|_| {}).await;
    let rows = vec![row(held, WireState::Sent), row(queued, WireState::OnPhone)];
    reconcile(&mut line, rows).await;
    assert_eq!(hub.state(held).await, HubState::Sent);
    assert!(matches!(line.asked().await, HubFrame::Revoke(revoke) if revoke.id == queued));
    assert_eq!(line.send().await.id, newer);
}

#[tokio::test]
async fn what_was_given_back_and_may_have_gone_to_a_lost_phone_is_unknown() {
    let hub = hub().await;
    let (mut lost, mut other) = (hub.pair().await, hub.pair().await);
    let line = lost.connect().await;
    lost.cut(line);
    let moved = hub.queue(&other, "moved").await;
    let mut line = other.connect().await;
    line.send().await;
    other.cut(line);
    hub.until_connected(0).await;
    hub.freeze().await;
    hub.give_up(&lost).await;
    assert_eq!(hub.state(moved).await, HubState::Exposed);
    let mut line = other.greet(|_| {}).await;
    reconcile(&mut line, vec![row(moved, WireState::Revoked)]).await;
    assert_eq!(hub.state(moved).await, HubState::Unknown);
    assert!(line.idle().await.is_empty());
    let new = hub.queue(&other, "new").await;
    assert_eq!(line.send().await.id, new);
}

#[tokio::test]
async fn what_waits_for_a_device_out_of_service_is_unknown_when_it_is_given_up() {
    let hub = hub().await;
    let (away, mut other) = one_out_of_service(&hub).await;
    let (old, others) = (
        hub.queue(&away, "old").await,
        hub.queue(&other, "others").await,
    );
    hub.freeze().await;
    let mut line = other.greet(|_| {}).await;
    reconcile(&mut line, Vec::new()).await;
    assert_eq!(line.send().await.id, others, "nobody waits for its word");
    assert!(hub.alerts().await.is_empty());
    let newer = hub.queue(&away, "newer").await;
    assert_eq!(hub.state(old).await, HubState::Waiting);
    // It may have been paired again since the backup: what it was given then is known to nobody.
    hub.give_up(&away).await;
    assert_eq!(hub.state(old).await, HubState::Unknown);
    assert_eq!(hub.state(newer).await, HubState::Waiting);
    assert!(!hub.device(&away).await.frozen);
}

#[tokio::test]
async fn what_its_phone_may_have_sent_goes_to_another_one_only_as_its_senders_second_try() {
    let hub = hub().await;
    let (away, mut other) = one_out_of_service(&hub).await;
    let id = hub.queue(&away, "old").await;
    hub.freeze().await;
    let mut line = other.greet(|_| {}).await;
    reconcile(&mut line, Vec::new()).await;
    let path = format!("messages/{id}/resend");
    let body = serde_json::json!({"route_id": other.row.id});
    hub.rest().await.post(&path, body).await;
    let again = line.send().await;
    assert_eq!(again.id, id);
    line.event(&again, WireState::Expired).await;
    line.settle().await;
    // The first one's outcome stays unknown, whatever became of the second.
    assert_eq!(hub.state(id).await, HubState::Unknown);
}

#[tokio::test]
async fn a_life_that_ends_while_phones_are_waited_for_is_not_called_unsent() {
    let hub = hub().await;
    let mut phone = hub.pair().await;
    let line = phone.connect().await;
    phone.cut(line);
    hub.until_connected(0).await;
    let id = hub.queue(&phone, "old").await;
    hub.freeze().await;
    let new = hub.queue(&phone, "new").await;
    hub.end_life(id).await;
    hub.end_life(new).await;
    assert_eq!(hub.state(id).await, HubState::Unknown);
    assert_eq!(hub.state(new).await, HubState::Expired);
    let mut line = phone.greet(|_| {}).await;
    reconcile(&mut line, vec![row(id, WireState::Delivered)]).await;
    assert_eq!(hub.state(id).await, HubState::Delivered);
}

#[tokio::test]
async fn a_phone_with_another_installation_ends_the_wait_for_the_old_one() {
    let hub = hub().await;
    let mut phone = hub.pair().await;
    let line = phone.connect().await;
    phone.cut(line);
    hub.until_connected(0).await;
    let id = hub.queue(&phone, "old").await;
    hub.freeze().await;
    (phone.install, phone.conn, phone.generation) = ("install-of-tests-2".to_owned(), 0, 2);
    let mut line = phone.connect().await;
    assert_eq!(hub.state(id).await, HubState::Unknown);
    assert!(!hub.device(&phone).await.frozen);
    let new = hub.queue(&phone, "new").await;
    assert_eq!(line.send().await.id, new);
}

#[tokio::test]
async fn what_a_phone_holds_and_the_hub_has_forgotten_altogether_is_kept_aside() {
    let hub = hub().await;
    let mut phone = hub.pair().await;
    let line = phone.connect().await;
    phone.cut(line);
    hub.until_connected(0).await;
    hub.freeze().await;
    let nowhere = fresh_id(&hub.hub, hub.hub.now());
    let mut line = phone.greet(|_| {}).await;
    reconcile(&mut line, vec![row(nowhere, WireState::Sent)]).await;
    assert_eq!(
        hub.aside().await,
        ["held messages that the hub has forgotten"]
    );
    assert!(!hub.device(&phone).await.frozen);
}

#[tokio::test]
async fn inbound_is_counted_once_after_a_new_generation() {
    let hub = hub().await;
    let mut phone = hub.pair().await;
    let mut line = phone.connect().await;
    line.inbound(1, "counted").await;
    line.settle().await;
    phone.cut(line);
    hub.until_connected(0).await;
    hub.write(meta::raise_generation).await;
    let mut line = phone.greet(|_| {}).await;
    reconcile(&mut line, Vec::new()).await;
    line.inbound(1, "counted").await;
    line.inbound(2, "new").await;
    line.settle().await;
    assert_eq!(incoming(&hub).await, 2);
}

#[tokio::test]
async fn a_phone_that_is_connected_when_its_project_is_frozen_comes_again() {
    let hub = hub().await;
    let mut phone = hub.pair().await;
    let mut line = phone.connect().await;
    hub.freeze().await;
    assert_eq!(line.close_code().await, 1001);
    phone.cut(line);
    let mut line = phone.greet(|_| {}).await;
    assert_eq!(reconcile(&mut line, Vec::new()).await, 2);
    assert!(!hub.device(&phone).await.frozen);
}

#[tokio::test]
async fn a_cancel_is_asked_again_after_the_numbers_began_anew() {
    let hub = hub().await;
    let mut phone = hub.pair().await;
    let id = hub.queue(&phone, "stop").await;
    let mut line = phone.connect().await;
    line.send().await;
    phone.cut(line);
    hub.until_connected(0).await;
    hub.apply(id, Fact::CancelAsked).await;
    hub.write(meta::raise_generation).await;
    let row = HeldRow {
        id,
        ep: 1,
        state: WireState::OnPhone,
        proof: None,
    };
    let mut line = phone.greet(|_| {}).await;
    reconcile(&mut line, vec![row]).await;
    assert!(matches!(line.asked().await, HubFrame::Cancel(cancel) if cancel.id == id));
}

#[tokio::test]
async fn a_device_that_was_never_here_is_not_held_by_a_freeze() {
    let hub = hub().await;
    let mut phone = hub.pair().await;
    hub.change_device(&phone, |device| device.frozen = true)
        .await;
    let id = hub.queue(&phone, "first").await;
    let mut line = phone.connect().await;
    assert_eq!(line.send().await.id, id);
}

#[tokio::test]
async fn a_device_that_was_replaced_and_not_seen_since_is_not_held_by_a_freeze() {
    let hub = hub().await;
    let mut phone = hub.pair().await;
    let line = phone.connect().await;
    phone.cut(line);
    hub.until_connected(0).await;
    hub.change_device(&phone, |device| {
        device.install = "install-of-tests-2".to_owned();
        (device.down_sent, device.down_acked, device.up) = (0, 0, 0);
        (device.conn, device.gen_seen, device.frozen) = (0, 0, true);
    })
    .await;
    (phone.install, phone.conn) = ("install-of-tests-2".to_owned(), 0);
    (phone.down, phone.up, phone.up_acked) = (0, 0, 0);
    let id = hub.queue(&phone, "first").await;
    let mut line = phone.connect().await;
    assert_eq!(line.send().await.id, id);
}

#[tokio::test]
async fn a_generation_far_ahead_is_refused_and_freezes_nobody() {
    let hub = hub().await;
    let mut phone = hub.pair().await;
    let mut line = phone.greet(|hello| hello.generation = (1 << 53) - 1).await;
    assert_eq!(line.close_code().await, 4400);
    assert_eq!(hub.write(meta::generation).await, 1);
    assert!(!hub.device(&phone).await.frozen);
}
