//! Looking at messages.

use crate::actor::Actor;
use crate::failure::Failure;
use crate::listing::{self, ListRequest, Listed};
use crate::messages::{PERMISSION, VIEW, found, waiting};
use crate::views::message::{self, Alone, MessageView};
use hub_domain::Message;
use hub_store::list::{Filter, Op, Operand};
use hub_store::messages::{self, by};
use hub_view::Refusal;
use postrider_model::{ContactId, LabelId, MessageId, PhoneId};
use serde_json::Value;
use std::convert::Infallible;

/// Which messages of a project a list has.
#[derive(Debug, Clone, Copy)]
pub enum Within {
    /// All.
    Project,
    /// Those of one phone.
    Phone(PhoneId),
    /// Those of one contact.
    Contact(ContactId),
    /// Those that have a label.
    Label(LabelId),
}

impl Within {
    fn filter(self) -> Option<Filter> {
        let (column, key) = match self {
            Self::Project => return None,
            Self::Phone(id) => (by::PHONE_ID, id.get()),
            Self::Contact(id) => (by::CONTACT_ID, id.get()),
            Self::Label(id) => return Some(Filter::within(by::LABEL, id.get())),
        };
        Some(Filter::new(column, Op::Eq, Operand::Int(key)))
    }
}

/// Lists messages.
pub async fn list(
    actor: &Actor,
    within: Within,
    mut request: ListRequest,
) -> Result<Listed<MessageView>, Failure> {
    actor.require(VIEW)?;
    request.query.filters.extend(within.filter());
    let (of, viewer) = (actor.project.id, actor.clone());
    listing::list(
        actor.hub.store.of(of),
        request,
        move |tx, query| messages::list(tx, of, query),
        move |tx, query| messages::count(tx, of, query),
        move |tx, rows| waiting::show_all(&viewer, tx, rows),
    )
    .await
}

/// Shows one message.
pub async fn get(actor: &Actor, id: MessageId) -> Result<Alone, Failure> {
    actor.require(VIEW)?;
    Ok(Alone(show(actor, id).await?))
}

/// Shows a message as it is now.
pub(super) async fn show(actor: &Actor, id: MessageId) -> Result<MessageView, Failure> {
    let viewer = actor.clone();
    let reading = actor.hub.store.of(actor.project.id).read(move |tx| {
        let message = found(messages::get(tx, viewer.project.id, id)?)?;
        Ok::<_, Failure>(waiting::show(&viewer, tx, message)?)
    });
    reading.await
}

/// Lists the parts of a multimedia message that came in; any other message has none.
pub async fn mms_parts(actor: &Actor, id: MessageId) -> Result<Vec<Value>, Failure> {
    actor.require(VIEW)?;
    Ok(message::mms_parts(&stored(actor, id).await?).unwrap_or_default())
}

/// Returns a message as it is stored.
pub(super) async fn stored(actor: &Actor, id: MessageId) -> Result<Message, Failure> {
    let project = actor.project.id;
    let share = actor.hub.store.of(project);
    let message = share.read(move |tx| messages::get(tx, project, id)).await?;
    Ok(found(message)?)
}

/// What the sender of a `WhatsApp` message can be told of it.
#[derive(Debug, Clone, Copy)]
pub enum Receipt {
    /// That it was read.
    Read,
    /// That an answer is being written.
    Typing,
}

/// Refuses to tell a message's sender of it: no message came by `WhatsApp` here.
pub async fn tell_sender(
    actor: &Actor,
    id: MessageId,
    receipt: Receipt,
) -> Result<Infallible, Failure> {
    actor.require(PERMISSION)?;
    stored(actor, id).await?;
    let rule = match receipt {
        Receipt::Read => "must be an incoming message of WhatsApp to get a read receipt",
        Receipt::Typing => "must be an incoming message of WhatsApp to get a typing indicator",
    };
    Err(Refusal::invalid_param("message_id", rule).into())
}
