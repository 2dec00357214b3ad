//! From the queue to the phone: the window, the credit, the limit.

use super::support::hub;
use postrider_link::ownership::hub::{Fact, HubState};
use postrider_model::WireState;

#[tokio::test]
async fn a_send_is_exposed_before_its_frame_is_written() {
    let hub = hub().await;
    let mut phone = hub.pair().await;
    let id = hub.queue(&phone, "hello").await;
    let mut line = phone.connect().await;
    let frame = line.send().await;
    assert_eq!((frame.id, frame.ep), (id, 1));
    let message = hub.message(id).await;
    let owned = message.ownership.expect("it goes out");
    assert_eq!((owned.state, owned.s), (HubState::Exposed, Some(frame.s)));
    assert_eq!((owned.ep, owned.send_attempts), (1, 1));
    assert!(hub.device(&phone).await.down_sent >= frame.s);
}

#[tokio::test]
async fn a_message_queued_later_wakes_the_link() {
    let hub = hub().await;
    let mut phone = hub.pair().await;
    let mut line = phone.connect().await;
    assert!(line.idle().await.is_empty());
    let id = hub.queue(&phone, "later").await;
    assert_eq!(line.send().await.id, id);
}

#[tokio::test]
async fn the_window_holds_a_backlog_that_other_facts_do_not_lose() {
    let hub = hub().await;
    let mut phone = hub.pair().await;
    hub.change(&phone, |row| row.window_size = Some(1)).await;
    let first = hub.queue(&phone, "first").await;
    let second = hub.queue(&phone, "second").await;
    let mut line = phone.connect().await;
    let frame = line.send().await;
    assert_eq!(frame.id, first);
    line.event(&frame, WireState::OnPhone).await;
    assert!(line.idle().await.is_empty(), "the window is full");
    line.event(&frame, WireState::Sent).await;
    assert_eq!(line.send().await.id, second);
}

#[tokio::test]
async fn credit_that_comes_back_goes_on_with_the_queue() {
    let hub = hub().await;
    let mut phone = hub.pair().await;
    // One setting and two messages.
    phone.room = 3;
    for text in ["one", "two", "three"] {
        hub.queue(&phone, text).await;
    }
    let mut line = phone.connect().await;
    line.send().await;
    line.send().await;
    assert!(line.idle().await.is_empty(), "the credit is used up");
    line.ack().await;
    line.send().await;
}

#[tokio::test]
async fn the_window_frees_when_a_life_ends() {
    let hub = hub().await;
    let mut phone = hub.pair().await;
    hub.change(&phone, |row| row.window_size = Some(1)).await;
    let first = hub.queue(&phone, "first").await;
    let second = hub.queue(&phone, "second").await;
    let mut line = phone.connect().await;
    assert_eq!(line.send().await.id, first);
    hub.end_life(first).await;
    assert_eq!(hub.state(first).await, HubState::Unknown);
    assert_eq!(line.send().await.id, second);
}

#[tokio::test]
async fn the_window_frees_when_another_phones_late_truth_wins() {
    let hub = hub().await;
    let (mut slow, mut other) = (hub.pair().await, hub.pair().await);
    hub.change(&other, |row| row.window_size = Some(1)).await;
    let id = hub.queue_with(&slow, "twice", |it| {
        it.on_unknown = hub_domain::OnUnknown::Resend
    });
    let id = id.await;
    let mut line = slow.connect().await;
    let frame = line.send().await;
    let to = other.row.id;
    hub.write(move |tx| hub_store::pending_reroutes::put(tx, id, to))
        .await;
    line.event(&frame, WireState::Submitting).await;
    line.event(&frame, WireState::Unknown).await;
    line.settle().await;

    let mut other_line = other.connect().await;
    let again = other_line.send().await;
    assert_eq!((again.id, again.ep), (id, 2));
    let next = hub.queue(&other, "next").await;
    assert!(other_line.idle().await.is_empty(), "the window is full");
    line.event(&frame, WireState::Sent).await;
    hub.until(id, HubState::Sent).await;
    assert_eq!(other_line.send().await.id, next);
}

#[tokio::test]
async fn sent_message_limit_exposes_no_more_than_is_left() {
    let hub = hub().await;
    let mut phone = hub.pair().await;
    hub.change(&phone, |row| row.sent_message_limit = Some(2))
        .await;
    for text in ["one", "two", "three"] {
        hub.queue(&phone, text).await;
    }
    let mut line = phone.connect().await;
    let frames = [line.send().await, line.send().await];
    assert!(line.idle().await.is_empty());
    line.event(&frames[0], WireState::Sent).await;
    assert!(line.idle().await.is_empty(), "one is sent and one is out");
    line.event(&frames[1], WireState::Sent).await;
    assert!(line.pause().await, "it pauses by itself");
    let row = hub.phone(&phone).await;
    assert_eq!((row.sent_message_count, row.auto_paused), (2, true));
    let now = hub.hub.now().unix;
    hub.change(&phone, move |row| row.reset_sent_count(now))
        .await;
    line.send().await;
}

#[tokio::test]
async fn higher_priority_goes_first() {
    let hub = hub().await;
    let mut phone = hub.pair().await;
    hub.queue(&phone, "low").await;
    let high = hub.queue_with(&phone, "high", |it| it.priority = 2).await;
    let mut line = phone.connect().await;
    assert_eq!(line.send().await.id, high);
}

#[tokio::test]
async fn what_is_over_is_ended_and_not_exposed() {
    let hub = hub().await;
    let mut phone = hub.pair().await;
    let old = hub
        .queue_with(&phone, "old", |it| it.life_end = Some(it.time_created))
        .await;
    let mut line = phone.connect().await;
    hub.until(old, HubState::Expired).await;
    assert!(line.idle().await.is_empty());
    assert_eq!(
        hub.message(old).await.error_code.as_deref(),
        Some("expired")
    );
}

#[tokio::test]
async fn a_second_sim_in_use_gets_its_phone_and_its_messages() {
    let hub = hub().await;
    let mut phone = hub.pair().await;
    let mut line = phone.connect().await;
    let sims = vec![phone.sims[0].clone(), super::support::sim(1, "second")];
    line.health(sims).await;
    line.settle().await;
    let device = phone.device;
    let on = hub
        .write(move |tx| hub_store::phones::of_device(tx, device))
        .await;
    assert_eq!(on.len(), 2);
    phone.row = on[1].clone();
    let id = hub.queue(&phone, "on the second").await;
    let frame = line.send().await;
    assert_eq!((frame.id, frame.sim.get()), (id, 1));
}

#[tokio::test]
async fn a_message_that_is_lost_with_its_holder_goes_out_again_only_when_asked_for() {
    let hub = hub().await;
    let mut phone = hub.pair().await;
    let id = hub.queue(&phone, "once").await;
    let mut line = phone.connect().await;
    line.send().await;
    hub.apply(id, Fact::HolderLost).await;
    let message = hub.message(id).await;
    assert_eq!(message.error_code.as_deref(), Some("unknown_outcome"));
    assert!(line.idle().await.is_empty());
    hub.apply(id, Fact::ResendAsked { new_route: false }).await;
    let again = line.send().await;
    assert_eq!((again.id, again.ep), (id, 2));
    let message = hub.message(id).await;
    assert_eq!(message.send_attempts(), 2);
    assert_eq!((message.error_code, message.error_message), (None, None));
}
