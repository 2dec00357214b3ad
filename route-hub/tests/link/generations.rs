//! A hub that went backwards.

use super::facts::incoming;
use super::support::{Line, Phone, TestHub, hub};
use hub_store::meta;
use postrider_link::frame::{HeldRow, HubFrame};
use postrider_link::ownership::hub::{Fact, HubState};
use postrider_model::WireState;

/// Has the hub forget everything that it gave the phone and heard from it.
async fn forget(hub: &TestHub, phone: &Phone) {
    hub.until_connected(0).await;
    hub.change_device(phone, |device| {
        (device.down_sent, device.down_acked, device.up) = (0, 0, 0)
    })
    .await;
}

/// Waits for the second challenge and answers with one page.
async fn reconcile(line: &mut Line, rows: Vec<HeldRow>) -> u64 {
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

#[tokio::test]
async fn a_hub_that_went_backwards_freezes_and_reconciles_by_pages() {
    let hub = hub().await;
    let (mut phone, mut other) = (hub.pair().await, hub.pair().await);
    let line = other.connect().await;
    other.cut(line);
    let id = hub.queue(&phone, "forgotten").await;
    let mut line = phone.connect().await;
    line.send().await;
    line.inbound(1, "counted").await;
    line.settle().await;
    phone.cut(line);
    forget(&hub, &phone).await;
    // The backup knew the message as queued.
    hub.write(move |tx| {
        let mut message = hub_store::messages::by_key(tx, id)?.expect("it is there");
        message.ownership.state = HubState::Waiting.code();
        (message.ownership.ep, message.ownership.down_s) = (0, None);
        (message.ownership.device_id, message.ownership.install) = (None, None);
        hub_store::messages::update_ownership(tx, &message)
    })
    .await;

    let mut line = phone.greet(|_| {}).await;
    let row = HeldRow {
        id,
        ep: 1,
        state: WireState::Submitting,
    };
    assert_eq!(hub.hub.generation(), 1);
    let generation = reconcile(&mut line, vec![row]).await;
    assert_eq!(generation, 2);
    assert_eq!(
        hub.state(id).await,
        HubState::Submitting,
        "it is not sent a second time"
    );
    assert!(line.idle().await.is_empty());
    assert!(!hub.device(&phone).await.frozen);
    assert!(hub.device(&other).await.frozen, "it has not answered");
    assert!(!hub.alerts().await.contains(&"hub_frozen"));

    let waiting = hub.queue(&other, "after its answer").await;
    let mut others = other.greet(|_| {}).await;
    reconcile(&mut others, Vec::new()).await;
    assert_eq!(others.send().await.id, waiting);
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
async fn a_phone_that_is_connected_when_the_hub_finds_out_comes_again() {
    let hub = hub().await;
    let (mut finder, mut other) = (hub.pair().await, hub.pair().await);
    let mut line = finder.connect().await;
    line.inbound(1, "counted").await;
    line.settle().await;
    finder.cut(line);
    forget(&hub, &finder).await;
    let mut others = other.connect().await;
    let mut line = finder.greet(|_| {}).await;
    reconcile(&mut line, Vec::new()).await;
    assert_eq!(others.close_code().await, 1001);
    other.cut(others);
    let mut others = other.greet(|_| {}).await;
    assert_eq!(reconcile(&mut others, Vec::new()).await, 2);
    assert!(!hub.device(&other).await.frozen);
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
async fn a_generation_far_ahead_is_refused_and_freezes_nobody() {
    let hub = hub().await;
    let mut phone = hub.pair().await;
    let mut line = phone.greet(|hello| hello.generation = (1 << 53) - 1).await;
    assert_eq!(line.close_code().await, 4400);
    assert_eq!(hub.write(meta::generation).await, 1);
    assert!(!hub.device(&phone).await.frozen);
}
