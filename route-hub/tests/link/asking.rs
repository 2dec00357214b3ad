//! Revoke and cancel.

use super::support::hub;
use postrider_link::frame::HubFrame;
use postrider_link::ownership::hub::{Fact, HubState};
use postrider_model::WireState;

#[tokio::test]
async fn a_cancel_is_asked_again_on_each_connection_until_it_is_answered() {
    let hub = hub().await;
    let mut phone = hub.pair().await;
    let id = hub.queue(&phone, "stop").await;
    let mut line = phone.connect().await;
    let frame = line.send().await;
    hub.apply(id, Fact::CancelAsked).await;
    assert!(matches!(line.asked().await, HubFrame::Cancel(cancel) if cancel.id == id));
    phone.cut(line);
    let mut line = phone.connect().await;
    assert!(matches!(line.asked().await, HubFrame::Cancel(cancel) if cancel.id == id));
    line.event(&frame, WireState::Cancelled).await;
    line.settle().await;
    assert_eq!(hub.state(id).await, HubState::Cancelled);
    phone.cut(line);
    let mut line = phone.connect().await;
    line.idle().await;
    assert_eq!(
        line.down,
        phone.down + 1,
        "one setting, and nothing is asked"
    );
}

#[tokio::test]
async fn a_revoked_message_goes_to_the_phone_that_was_asked_for() {
    let hub = hub().await;
    let (mut first, mut second) = (hub.pair().await, hub.pair().await);
    let (mut line, mut other) = (first.connect().await, second.connect().await);
    let id = hub.queue(&first, "elsewhere").await;
    let frame = line.send().await;
    let to = second.row.id;
    hub.write(move |tx| hub_store::pending_reroutes::put(tx, id, to))
        .await;
    hub.apply(id, Fact::ResendAsked { new_route: true }).await;
    assert!(matches!(line.asked().await, HubFrame::Revoke(revoke) if revoke.id == id));
    assert!(other.idle().await.is_empty(), "not without proof");
    line.event(&frame, WireState::Revoked).await;
    let again = other.send().await;
    assert_eq!((again.id, again.ep), (id, 2));
    assert_eq!(hub.message(id).await.phone_id, to);
}

#[tokio::test]
async fn a_late_sent_of_an_earlier_exposure_wins_and_the_newer_is_taken_back() {
    let hub = hub().await;
    let mut phone = hub.pair().await;
    let id = hub.queue_with(&phone, "twice", |it| {
        it.on_unknown = hub_domain::OnUnknown::Resend
    });
    let id = id.await;
    let mut line = phone.connect().await;
    let first = line.send().await;
    line.event(&first, WireState::Submitting).await;
    line.event(&first, WireState::Unknown).await;
    let second = line.send().await;
    assert_eq!((second.id, second.ep), (id, 2));
    line.event_with(&first, WireState::Sent, |event| event.part = Some(1))
        .await;
    line.settle().await;
    assert_eq!(
        hub.state(id).await,
        HubState::Exposed,
        "one part is not the message"
    );
    line.event(&first, WireState::Sent).await;
    assert!(matches!(line.asked().await, HubFrame::Revoke(revoke) if revoke.ep == 2));
    assert_eq!(hub.state(id).await, HubState::Sent);
    line.event(&second, WireState::Revoked).await;
    line.settle().await;
    assert_eq!(hub.state(id).await, HubState::Sent);
}

#[tokio::test]
async fn what_a_phone_gives_back_unasked_it_is_not_given_again_at_once() {
    let hub = hub().await;
    let mut phone = hub.pair().await;
    let (in_hand, waits) = (hub.queue(&phone, "1").await, hub.queue(&phone, "2").await);
    let mut line = phone.connect().await;
    let (first, second) = (line.send().await, line.send().await);
    assert_eq!((first.id, second.id), (in_hand, waits));
    line.event(&first, WireState::Submitting).await;
    line.event(&second, WireState::Revoked).await;
    assert!(line.settle().await.is_empty());
    assert!(line.idle().await.is_empty(), "it would give it back again");
    assert_eq!(hub.state(waits).await, HubState::Waiting);
    // A result makes room on the phone.
    line.event(&first, WireState::Sent).await;
    let again = line.send().await;
    assert_eq!((again.id, again.ep), (waits, 2));
    line.event(&again, WireState::Revoked).await;
    assert!(line.settle().await.is_empty());
    assert!(line.idle().await.is_empty());
    phone.cut(line);
    let mut line = phone.connect().await;
    assert_eq!(line.send().await.ep, 3);
}
