//! Sending one text to a group or to numbers, as a broadcast.

use crate::actor::Actor;
use crate::broadcasts::PERMISSION;
use crate::broadcasts::new_broadcast::{Named, NewBroadcast, Recipients};
use crate::commands::stored_message::{MessagePatch, StoredMessage};
use crate::failure::Failure;
use crate::messages::draft::{Draft, Path, Recipient, Shared};
use crate::messages::outgoing::{self, SendError};
use crate::messages::planned;
use crate::messages::ready::Ready;
use crate::messages::sending::Operation;
use crate::transaction::{Once, Repeat, run_once};
use crate::unit_of_work::UnitOfWork;
use crate::webhooks::enqueue;
use hub_domain::Address;
use hub_store::StoreError;
use hub_store::contacts::{self, Touches};
use postrider_model::BroadcastId;

/// A text to many.
#[derive(Debug, Clone, Default)]
pub struct WantedBatch {
    /// What its messages say.
    pub message: MessagePatch,
    /// Whom it is for.
    pub to: Named,
}

/// What became of a batch.
#[derive(Debug, Clone, Copy)]
pub struct SentBatch {
    /// How many messages are queued, or will be.
    pub count_queued: i64,
    /// The broadcast that they are part of.
    pub broadcast_id: BroadcastId,
}

/// Sends a batch: numbers have their messages at once, members of a group get theirs from then on.
pub async fn send(
    actor: &Actor,
    command: WantedBatch,
    repeat: Option<Repeat>,
    show: impl Fn(SentBatch) -> String + Send + 'static,
) -> Result<Once<SentBatch>, Failure> {
    actor.require(PERMISSION)?;
    let (hub, project, now) = (&actor.hub, &actor.project, actor.now);
    let mut batch = Batch::of(actor, command).await?;
    actor.make_room(batch.drafts.len()).await?;
    let all: Vec<_> = batch.drafts.iter().map(Some).collect();
    let ready = Ready::of(hub, project, &batch.shared, &all, now).await?;
    let decide = move |work: &mut UnitOfWork<'_, '_>| Ok::<_, Failure>(batch.store(work, &ready)?);
    run_once(actor, repeat, decide, show).await
}

/// What is sent: to a group, or a draft for each number.
struct Batch {
    given: NewBroadcast,
    shared: Shared,
    drafts: Vec<Draft>,
}

impl Batch {
    async fn of(actor: &Actor, command: WantedBatch) -> Result<Self, Failure> {
        let (hub, project, now) = (&actor.hub, &actor.project, actor.now);
        let message = StoredMessage::new(actor, command.message).await?;
        let (options, sees) = (&message.options, message.maker_sees);
        let shared = Shared::of(hub, project, options, sees, Operation::Multi, now).await?;
        let body = shared.body(&message.item, &Path::default())?;
        let mut numbers = Vec::new();
        let read_numbers = |typed: &[Address]| {
            numbers = planned::numbers(typed, &shared, project)?;
            Ok(numbers.iter().map(Address::from).collect())
        };
        let recipients = Recipients::find(actor, &command.to, read_numbers).await?;
        let item = message.item.clone();
        let draft = |number| Draft::of(Recipient::Number(number), body.clone(), &item);
        let given = NewBroadcast {
            source: shared.origin.source,
            scheduled_id: None,
            campaign_id: None,
            message_type: shared.sending.message_type(),
            message,
            title: None,
            recipients: if numbers.is_empty() {
                recipients
            } else {
                recipients.made_at_once()
            },
        };
        Ok(Self {
            given,
            drafts: numbers.into_iter().map(draft).collect(),
            shared,
        })
    }

    fn store(
        &mut self,
        work: &mut UnitOfWork<'_, '_>,
        ready: &Ready,
    ) -> Result<SentBatch, StoreError> {
        ready.begin(work);
        outgoing::look_up(work, self.drafts.iter().map(|draft| &draft.to))?;
        let broadcast = self.given.store(work)?;
        self.shared.origin.broadcast_id = Some(broadcast.id);
        let mut touches = Touches::default();
        let mut count_queued = 0;
        for (index, draft) in self.drafts.iter().enumerate() {
            let text = ready.text(index);
            match outgoing::store(work, &self.shared, draft, text, &mut touches) {
                Ok(stored) => {
                    enqueue::send_status(work, &stored.0)?;
                    count_queued += 1;
                }
                Err(SendError::Store(error)) => return Err(error),
                Err(_) => {}
            }
        }
        contacts::touch(work.tx, &touches)?;
        Ok(SentBatch {
            count_queued: if self.drafts.is_empty() {
                broadcast.estimated_count
            } else {
                count_queued
            },
            broadcast_id: broadcast.id,
        })
    }
}
