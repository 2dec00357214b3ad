//! Making a broadcast, whatever its size: its messages are made from then on.

use crate::actor::Actor;
use crate::broadcasts::PERMISSION;
use crate::broadcasts::new_broadcast::{Named, NewBroadcast, Recipients};
use crate::commands::stored_message::{MessagePatch, StoredMessage};
use crate::failure::Failure;
use crate::holds::Holds;
use crate::transaction::{Once, Repeat, run_once};
use crate::views::broadcast::BroadcastView;
use hub_domain::MessageSource;

/// A broadcast that somebody wants.
#[derive(Debug, Clone, Default)]
pub struct WantedBroadcast {
    /// What its messages say.
    pub message: MessagePatch,
    /// What people call it; without it what its recipients are called.
    pub title: Option<String>,
    /// Whom it is for.
    pub to: Named,
}

/// Makes a broadcast.
pub async fn create(
    actor: &Actor,
    command: WantedBroadcast,
    repeat: Option<Repeat>,
    show: impl Fn(BroadcastView) -> String + Send + 'static,
) -> Result<Once<BroadcastView>, Failure> {
    actor.require(PERMISSION)?;
    let given = checked(actor, command).await?;
    actor.make_room(0).await?;
    run_once(
        actor,
        repeat,
        move |work| {
            let broadcast = given.store(work)?;
            let (addresses, mut holds) = (work.addresses(), Holds::within(work));
            let view = BroadcastView::read(work.tx, broadcast, &addresses, &mut holds);
            Ok::<_, Failure>(view?)
        },
        show,
    )
    .await
}

async fn checked(actor: &Actor, command: WantedBroadcast) -> Result<NewBroadcast, Failure> {
    let message = StoredMessage::new(actor, command.message).await?;
    let planned = message.planned_for_many(actor).await?;
    let numbers = |typed: &[_]| Ok(planned.numbers(typed, &actor.project)?);
    let recipients = Recipients::find(actor, &command.to, numbers).await?;
    Ok(NewBroadcast {
        source: MessageSource::Api,
        scheduled_id: None,
        campaign_id: None,
        message_type: planned.message_type(),
        message,
        title: command.title,
        recipients,
    })
}
