//! `POST /projects/{project_id}/messages/send_batch`, and `messages/outgoing_batch`, its older name.

use crate::broadcasts::named;
use crate::idempotency::Idempotency;
use crate::messages::patch;
use crate::{ApiResult, Call, Failure, accepting, enter, transaction};
use axum::extract::State;
use hub_app::actor::Actor;
use hub_app::broadcasts::new_broadcast::{NewBroadcast, Recipients};
use hub_app::dispatch::unit_of_work::UnitOfWork;
use hub_app::hub::Hub;
use hub_app::messages::draft::{Draft, Path, Recipient, Shared};
use hub_app::messages::outgoing::{self, SendError};
use hub_app::messages::planned;
use hub_app::messages::ready::Ready;
use hub_app::messages::sending::Operation;
use hub_app::messages::stored_message::StoredMessage;
use hub_domain::{Address, Permission};
use hub_store::StoreError;
use hub_store::contacts::{self, Touches};
use hub_web::{Answer, Fields};
use postrider_model::BroadcastId;
use serde::Serialize;

/// Sends one text to a group or to up to five hundred numbers, as a broadcast.
///
/// Numbers have their messages with the answer, members of a group get theirs from then on.
pub async fn send_batch(State(hub): State<Hub>, call: Call) -> ApiResult {
    let project = enter(&hub, &call, Permission::SendMessages).await?;
    let now = hub.now();
    let idempotency = Idempotency::of(&call, "send_batch")?;
    let wanted = Fields::read(&call.params)?;
    let batch = Batch::read(&project, &call).await?;
    accepting(&hub, &project, batch.drafts.len(), now).await?;
    let all: Vec<_> = batch.drafts.iter().map(Some).collect();
    let ready = Ready::of(&hub, &project, &batch.shared, &all, now).await?;

    let decide = move |work: &mut UnitOfWork<'_, '_>| Ok(batch.store(work, &ready)?);
    let show = move |sent: Sent| Answer::value(&sent, &wanted).unwrap_or_else(|_| Answer::void());
    transaction::answer(&project, idempotency, decide, show).await
}

#[derive(Serialize)]
struct Sent {
    count_queued: i64,
    broadcast_id: BroadcastId,
}

/// What a request sends: to a group, or a draft for each number.
struct Batch {
    given: NewBroadcast,
    shared: Shared,
    drafts: Vec<Draft>,
}

impl Batch {
    async fn read(actor: &Actor, call: &Call) -> Result<Self, Failure> {
        let (hub, project, now) = (&actor.hub, &actor.project, actor.now);
        let params = &call.params;
        let message = StoredMessage::new(actor, patch::read(params)?)?;
        let mut shared = Shared::of(hub, project, &message, Operation::Multi, now).await?;
        let body = shared.body(&message.item, &Path::default())?;
        let id = hub.id(now);
        shared.origin.broadcast_id = Some(id);
        let mut numbers = Vec::new();
        let read_numbers = |typed: &[Address]| {
            numbers = planned::numbers(typed, &shared, project)?;
            Ok(numbers.iter().map(Address::from).collect())
        };
        let recipients = Recipients::find(actor, &named(params)?, read_numbers).await?;
        let item = message.item.clone();
        let draft = |number| Draft::of(Recipient::Number(number), body.clone(), &item);
        let given = NewBroadcast {
            id,
            source: shared.origin.source,
            scheduled_id: None,
            message_type: shared.sending.message_type(),
            message,
            title: None,
            recipients: match numbers.is_empty() {
                true => recipients,
                false => recipients.made_at_once(),
            },
        };
        Ok(Self {
            given,
            drafts: numbers.into_iter().map(draft).collect(),
            shared,
        })
    }

    fn store(&self, work: &mut UnitOfWork<'_, '_>, ready: &Ready) -> Result<Sent, StoreError> {
        ready.begin(work);
        let broadcast = self.given.store(work)?;
        let mut touches = Touches::default();
        let mut count_queued = 0;
        for (index, draft) in self.drafts.iter().enumerate() {
            let text = ready.text(index);
            match outgoing::store(work, &self.shared, draft, text, &mut touches) {
                Ok(stored) => {
                    work.tell_status(&stored.0)?;
                    count_queued += 1;
                }
                Err(SendError::Store(error)) => return Err(error),
                Err(_) => {}
            }
        }
        contacts::touch(work.tx, &touches)?;
        Ok(Sent {
            count_queued: match self.drafts.is_empty() {
                true => broadcast.estimated_count,
                false => count_queued,
            },
            broadcast_id: broadcast.id,
        })
    }
}
