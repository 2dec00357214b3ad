//! Cancelling messages, sending them again, deleting them.

use crate::dispatch::transitions::Detail;
use crate::failure::Failure;
use crate::messages::cancel::cancel;
use crate::messages::change::{MessageChange, delete, update};
use crate::messages::resend::{Resend, resend};
use crate::messages::tests::{Desk, add_phone};
use crate::test_routes::play_once;
use crate::transaction::{Once, run};
use crate::views::message::MessageView;
use hub_domain::{Message, PhoneType, RouteId};
use hub_store::{StoreError, messages};
use hub_view::{Refusal, RefusalCode};
use postrider_link::ownership::hub::{Fact, Flags, Holder, Report};
use postrider_model::{MessageId, MessageStatus, PhoneId, WireState};

impl Desk {
    fn holder(&self) -> Holder {
        Holder {
            device: "DV0000000000000001".parse().unwrap(),
            install: "install-of-tests-0001".parse().unwrap(),
        }
    }

    /// Does what the link would.
    async fn apply(&self, id: MessageId, fact: impl Fn(&Holder) -> Fact<'_> + Send + 'static) {
        let holder = self.holder();
        let applying = run(&self.actor, move |work| {
            let mut message = messages::by_key(work.tx, id)?.unwrap();
            let applied = work.apply(&mut message, fact(&holder), &Detail::default())?;
            assert!(applied.is_some());
            Ok::<_, StoreError>(())
        });
        applying.await.unwrap();
    }

    async fn expose(&self, id: MessageId) {
        self.apply(id, |holder| Fact::Exposed {
            holder: holder.clone(),
            s: 1,
        })
        .await;
    }

    async fn report(&self, id: MessageId, state: WireState) {
        let report = Report {
            state,
            partial: false,
            unsent: false,
        };
        self.apply(id, move |by| Fact::Reported { ep: 1, by, report })
            .await;
    }

    /// Reports a state once the phone is asked to cancel.
    async fn answer(&self, id: MessageId, state: WireState) {
        loop {
            let changed = self.actor.hub.bus.watch_message(id);
            let owned = self.stored(id).await.ownership;
            if owned.is_some_and(|owned| owned.flags.has(Flags::CANCEL_ASKED)) {
                return self.report(id, state).await;
            }
            let _ = changed.await;
        }
    }

    async fn resend(&self, message: &Message, to: Option<PhoneId>) -> Result<Message, Refusal> {
        let command = Resend {
            message_id: message.id,
            route_id: to.map(RouteId::Phone),
        };
        let resent = resend(&self.actor, command, None, |_| String::new()).await;
        match resent.map_err(Failure::into_refusal)? {
            Once::Done(view) => Ok(view.message),
            Once::Answer(_) => panic!("there was no key"),
        }
    }
}

fn status(cancelled: Result<MessageView, Failure>) -> Result<MessageStatus, RefusalCode> {
    let status = cancelled.map(|view| view.message.status);
    status.map_err(|failure| failure.into_refusal().code())
}

#[tokio::test]
async fn what_waits_is_cancelled_at_once_and_again() {
    let desk = Desk::new().await;
    let id = desk.send().await.id;
    for _ in 0..2 {
        let cancelled = cancel(&desk.actor, id).await.unwrap();
        assert_eq!(cancelled.message.status, MessageStatus::Cancelled);
        assert_eq!(cancelled.waiting, None);
    }
}

#[tokio::test]
async fn what_a_phone_holds_is_cancelled_when_the_phone_agrees() {
    for (answer, expected) in [
        (WireState::Cancelled, Ok(MessageStatus::Cancelled)),
        (WireState::Sent, Err(RefusalCode::NotCancellable)),
    ] {
        let desk = Desk::new().await;
        let id = desk.send().await.id;
        desk.expose(id).await;
        let (cancelled, ()) = tokio::join!(cancel(&desk.actor, id), desk.answer(id, answer));
        assert_eq!(status(cancelled), expected);
        assert_eq!(status(cancel(&desk.actor, id).await), expected);
    }
}

#[tokio::test]
async fn what_waits_changes_its_phone_when_it_is_sent_again() {
    let desk = Desk::new().await;
    let other = add_phone(&desk.actor, PhoneType::Android, "+15005550109").await;
    let sent = desk.send().await;
    let resent = desk.resend(&sent, Some(other.id)).await.unwrap();
    assert_eq!((resent.id, resent.phone_id), (sent.id, other.id));
    assert_eq!(resent.from_number, "+15005550109".parse().ok());
    assert!(desk.queue(&desk.phone).await.is_empty());
}

#[tokio::test]
async fn what_a_phone_holds_is_asked_back_and_then_goes_to_the_other() {
    let desk = Desk::new().await;
    let other = add_phone(&desk.actor, PhoneType::Android, "+15005550109").await;
    let sent = desk.send().await;
    desk.expose(sent.id).await;
    let resent = desk.resend(&sent, Some(other.id)).await.unwrap();
    assert_eq!((resent.id, resent.phone_id), (sent.id, sent.phone_id));
    desk.report(sent.id, WireState::Revoked).await;
    let moved = desk.queue(&other).await;
    assert_eq!(moved.iter().map(|it| it.id).collect::<Vec<_>>(), [sent.id]);
    assert_eq!(moved[0].from_number, "+15005550109".parse().ok());
    assert_eq!(moved[0].status, MessageStatus::Queued);
}

#[tokio::test]
async fn what_was_cancelled_is_queued_again() {
    let desk = Desk::new().await;
    let other = add_phone(&desk.actor, PhoneType::Android, "+15005550109").await;
    let sent = desk.send().await;
    cancel(&desk.actor, sent.id).await.unwrap();
    let resent = desk.resend(&sent, Some(other.id)).await.unwrap();
    assert_eq!((resent.id, resent.phone_id), (sent.id, other.id));
    assert_eq!(resent.status, MessageStatus::Queued);
}

#[tokio::test]
async fn what_was_sent_is_copied_with_nothing_of_how_it_went() {
    let desk = Desk::new().await;
    let sent = desk.send().await;
    desk.expose(sent.id).await;
    desk.report(sent.id, WireState::Sent).await;
    let noted = MessageChange {
        starred: Some(true),
        error_message: Some(Some("Nobody there".to_owned())),
        ..MessageChange::default()
    };
    update(&desk.actor, sent.id, noted).await.unwrap();
    let resent = desk.resend(&sent, None).await.unwrap();
    assert_eq!((resent.starred, &resent.error_message), (false, &None));
    assert_ne!(resent.id, sent.id);
    assert_eq!((&resent.content, resent.time_sent), (&sent.content, None));
    assert_eq!(resent.ownership, sent.ownership, "waits as a new one does");
    assert_eq!(desk.queue(&desk.phone).await.len(), 1);
    assert!(desk.stored(sent.id).await.time_sent.is_some());
}

#[tokio::test]
async fn what_is_sent_again_over_a_test_route_is_only_a_test() {
    let desk = Desk::new().await;
    let route = add_phone(&desk.actor, PhoneType::Simulated, "+15005550110").await;
    let sent = desk.send().await;
    let moved = desk.resend(&sent, Some(route.id)).await.unwrap();
    assert!(!sent.simulated && moved.simulated);
    while play_once(&desk.actor.hub).await.unwrap() {}
    let played = desk.stored(sent.id).await;
    assert_eq!(played.status, MessageStatus::Sent);
}

#[tokio::test]
async fn nobody_elses_phone_sends_a_message_again() {
    let desk = Desk::new().await;
    let sent = desk.send().await;
    let nobody = "PN0000000000000001".parse().ok();
    let refusal = desk.resend(&sent, nobody).await.unwrap_err();
    assert_eq!(refusal.param(), Some("route_id"));
}

#[tokio::test]
async fn a_change_keeps_what_it_does_not_name_and_a_deleted_message_takes_none() {
    let desk = Desk::new().await;
    let id = desk.send().await.id;
    let star = MessageChange {
        starred: Some(true),
        ..MessageChange::default()
    };
    let error = MessageChange {
        error_message: Some(Some("Nobody there".to_owned())),
        ..MessageChange::default()
    };
    update(&desk.actor, id, star.clone()).await.unwrap();
    let changed = update(&desk.actor, id, error).await.unwrap().message;
    assert!(changed.starred);
    assert_eq!(changed.error_message.as_deref(), Some("Nobody there"));
    delete(&desk.actor, id).await.unwrap();
    assert!(desk.queue(&desk.phone).await.is_empty());
    let gone = update(&desk.actor, id, star).await.unwrap_err();
    assert_eq!(gone.into_refusal().code(), RefusalCode::NotFound);
}
