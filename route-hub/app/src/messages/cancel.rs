//! Cancelling one message: at once while no phone holds it, else when its phone agrees.

use crate::actor::Actor;
use crate::dispatch::transitions::Detail;
use crate::failure::Failure;
use crate::messages::existing::{show, stored};
use crate::messages::{PERMISSION, found};
use crate::transaction::run;
use crate::unit_of_work::UnitOfWork;
use crate::views::message::MessageView;
use hub_domain::{Direction, Message};
use hub_store::{StoreError, messages};
use hub_view::{Refusal, RefusalCode};
use postrider_link::ownership::hub::{Fact, HubState, Verdict};
use postrider_model::MessageId;
use std::time::Duration;
use tokio::time::timeout;

/// How long the phone's answer is waited for.
const ANSWER_WITHIN: Duration = Duration::from_secs(2);

/// Cancels a message, and shows it as it is then.
///
/// A phone that holds it is asked. When it does not answer in time, the message is shown as it still
/// is, and a webhook tells what became of it.
pub async fn cancel(actor: &Actor, id: MessageId) -> Result<MessageView, Failure> {
    actor.require(PERMISSION)?;
    let mut verdict = ask(actor, id).await?;
    if verdict == Verdict::Asked {
        let answered = timeout(ANSWER_WITHIN, answered(actor, id)).await;
        actor.hub.bus.unwatch_message(id);
        verdict = answered.unwrap_or(Ok(Verdict::Asked))?;
    }
    match verdict {
        Verdict::NotCancellable => Err(not_cancellable().into()),
        _ => show(actor, id).await,
    }
}

/// Records the wish and asks the phone, where one holds the message.
async fn ask(actor: &Actor, id: MessageId) -> Result<Verdict, Failure> {
    run(actor, move |work| {
        let message = found(messages::get(work.tx, work.project.id, id)?)?;
        if message.direction == Direction::Incoming {
            return Err(not_cancellable().into());
        }
        Ok::<_, Failure>(ask_for(work, message)?)
    })
    .await
}

/// Cancels a message that is going out, or asks the phone that holds it; does not wait for the phone.
pub(crate) fn begin(work: &mut UnitOfWork<'_, '_>, message: Message) -> Result<(), Failure> {
    if message.direction == Direction::Incoming
        || ask_for(work, message)? == Verdict::NotCancellable
    {
        return Err(not_cancellable().into());
    }
    Ok(())
}

fn ask_for(work: &mut UnitOfWork<'_, '_>, mut message: Message) -> Result<Verdict, StoreError> {
    let applied = work.apply(&mut message, Fact::CancelAsked, &Detail::default())?;
    let verdict = applied.and_then(|outcome| outcome.verdict);
    Ok(verdict.unwrap_or(Verdict::NotCancellable))
}

/// Waits until the message is cancelled, or can no longer be.
async fn answered(actor: &Actor, id: MessageId) -> Result<Verdict, Failure> {
    loop {
        let changed = actor.hub.bus.watch_message(id);
        if let Some(verdict) = verdict(&stored(actor, id).await?) {
            return Ok(verdict);
        }
        // An error says that the watch ended: the message may have changed, so look again.
        let _ = changed.await;
    }
}

fn verdict(message: &Message) -> Option<Verdict> {
    match message.state()? {
        HubState::Waiting | HubState::Exposed | HubState::OnPhone | HubState::Retrying => None,
        HubState::Cancelled => Some(Verdict::Cancelled),
        HubState::Submitting
        | HubState::Unknown
        | HubState::Sent
        | HubState::Failed
        | HubState::NotDelivered
        | HubState::Delivered
        | HubState::Expired => Some(Verdict::NotCancellable),
    }
}

fn not_cancellable() -> Refusal {
    let text = "the message has left, or has ended: it can no longer be cancelled";
    Refusal::new(RefusalCode::NotCancellable, text)
}
