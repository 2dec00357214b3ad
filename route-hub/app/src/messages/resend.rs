//! Sending a message again.

use crate::actor::Actor;
use crate::commands::new_message::Given;
use crate::dispatch::connectors;
use crate::dispatch::freeze;
use crate::dispatch::routing::Wanted;
use crate::dispatch::transitions::Detail;
use crate::failure::Failure;
use crate::messages::sender::Sender;
use crate::messages::{PERMISSION, found, linking, outgoing, waiting};
use crate::transaction::{Once, Repeat, once, run_audited};
use crate::unit_of_work::UnitOfWork;
use crate::views::message::MessageView;
use hub_domain::{Direction, Message, MessageType, Phone, Project, RouteId, recipients};
use hub_store::contacts::{self, Touches};
use hub_store::{StoreError, Tx, messages, pending_reroutes, phones};
use hub_view::Refusal;
use postrider_link::ownership::hub::{Fact, HubState, Verdict};
use postrider_model::{CustomRouteId, MessageId};
use std::sync::Arc;

/// A resend is in the audit log: the message may be sent twice by it.
const ACTION: &str = "message.resend";

/// A message to be sent again.
#[derive(Debug, Clone, Copy)]
pub struct Resend {
    /// The message.
    pub message_id: MessageId,
    /// What is to send it; `None` for what sent it before.
    pub route_id: Option<RouteId>,
}

/// Sends a message again.
///
/// While no phone holds it, only its route changes. A phone that holds it is asked to give it back
/// first; the new phone gets it when it was not sent. What failed, is unknown or was cancelled is
/// queued again; what was sent is copied to a new message.
pub async fn resend(
    actor: &Actor,
    command: Resend,
    repeat: Option<Repeat>,
    show: impl Fn(MessageView) -> String + Send + 'static,
) -> Result<Once<MessageView>, Failure> {
    actor.require(PERMISSION)?;
    let (hub, project) = (&actor.hub, &actor.project);
    let route = match command.route_id {
        Some(id) => Some(Sender::named(hub, &Given::new("route_id", id), project).await?),
        None => None,
    };
    actor.make_room(1).await?;
    let viewer = actor.clone();
    let decide = move |work: &mut UnitOfWork<'_, '_>| {
        let message = messages::get(work.tx, work.project.id, command.message_id)?;
        let message = found(message)?;
        let resent = one(work, message, route.as_ref())?;
        Ok::<_, Failure>(waiting::show(&viewer, work.tx, resent)?)
    };
    run_audited(actor, once(repeat, decide, show)).await
}

/// Sends one message again; it is refused before the first write.
pub(crate) fn one(
    work: &mut UnitOfWork<'_, '_>,
    message: Message,
    route: Option<&Sender>,
) -> Result<Message, Failure> {
    check(work.tx, &message)?;
    let target = target(work, &message, route)?;
    Ok(again(work, message, target.as_ref())?)
}

/// Refuses what cannot be sent again.
fn check(tx: &mut Tx<'_>, message: &Message) -> Result<(), Failure> {
    let rule = if message.direction == Direction::Incoming {
        "cannot be an incoming message: it was not sent"
    } else if is_blocked(tx, message)? {
        "cannot be a message to a blocked contact"
    } else {
        return Ok(());
    };
    Err(Refusal::invalid_param("message_id", rule).into())
}

/// Says whether nothing may be sent to the message's contact, or to the contact that has its number
/// now.
fn is_blocked(tx: &mut Tx<'_>, message: &Message) -> Result<bool, StoreError> {
    let project = message.project_id;
    let own = match message.contact_id {
        Some(id) => contacts::get(tx, project, id)?,
        None => None,
    };
    let contact = match (own, &message.to_number) {
        (None, Some(number)) => contacts::find_to_send_to(tx, project, number)?,
        (own, _) => own,
    };
    Ok(contact.is_some_and(|contact| contact.send_blocked))
}

/// The phone that a message is to go to, and the custom route that picked it.
struct Target {
    phone: Arc<Phone>,
    route_id: Option<CustomRouteId>,
}

/// Finds where the message is to go; `None` when it stays where it is.
fn target(
    work: &mut UnitOfWork<'_, '_>,
    message: &Message,
    route: Option<&Sender>,
) -> Result<Option<Target>, Failure> {
    let refused = |rule: &str| Err(Refusal::invalid_param("route_id", rule).into());
    let (Some(route), Some(wanted)) = (route, Wanted::of(message)) else {
        let own = phones::get(work.tx, work.project.id, message.phone_id)?;
        let missing = own.as_ref().and_then(connectors::missing);
        return match missing.filter(|_| !message.simulated) {
            Some(_) => refused("is required: this hub has no connector for the message's phone"),
            None => Ok(None),
        };
    };
    let Some(phone) = route.phone_for(work, &wanted)? else {
        return refused(outgoing::NO_PHONE);
    };
    if connectors::missing(&phone).is_some() && !message.simulated {
        return refused("is a phone that this hub has no connector for yet");
    }
    if let Some(rule) = forbidden(work.project, message, &phone) {
        return refused(&rule);
    }
    let route_id = route.route_id();
    Ok(Some(Target { phone, route_id }))
}

/// Says why the settings of a phone forbid the message's recipient.
fn forbidden(project: &Project, message: &Message, phone: &Phone) -> Option<String> {
    if message.message_type == MessageType::Ussd {
        return None;
    }
    let number = message.to_number.as_ref()?.number()?;
    let region = phone.country.as_deref().or(project.country.as_deref());
    let refused = recipients::check(phone, &number, region).err()?;
    Some(format!("cannot be this phone: the recipient {refused}"))
}

/// Asks ownership what sending again means for this message, and does it.
fn again(
    work: &mut UnitOfWork<'_, '_>,
    mut message: Message,
    target: Option<&Target>,
) -> Result<Message, StoreError> {
    let target = target.filter(|target| target.phone.id != message.phone_id);
    let new_route = target.is_some();
    let state = message.state();
    let is_held = state.is_some_and(HubState::is_open);
    let is_waiting = state == Some(HubState::Waiting);
    if !is_held && !is_waiting {
        let life_ms = work.project.message_life_ms;
        message.life_end = Some(work.now.unix.plus_ms(life_ms));
    }
    if new_route && is_waiting && freeze::may_be_with_its_phone(work.tx, &message)? {
        let forgotten = Fact::ExposureForgotten;
        work.apply(&mut message, forgotten, &Detail::default())?;
    }
    let asked = Fact::ResendAsked { new_route };
    let applied = work.apply(&mut message, asked, &Detail::default())?;
    match (applied.and_then(|outcome| outcome.verdict), target) {
        (Some(Verdict::Requeued), target) => {
            work.note(ACTION, message.id)?;
            linking::renew(work, &message)?;
            move_to(work, &mut message, target)?;
            work.wake(&message);
        }
        (Some(Verdict::NewMessage), target) => return copy(work, &message, target),
        (_, Some(target)) if is_held => {
            pending_reroutes::put(work.tx, message.id, target.phone.id)?;
            message.route_id = target.route_id;
            messages::update_route(work.tx, &message)?;
        }
        (_, target) => move_to(work, &mut message, target)?,
    }
    Ok(message)
}

fn move_to(
    work: &mut UnitOfWork<'_, '_>,
    message: &mut Message,
    target: Option<&Target>,
) -> Result<(), StoreError> {
    let Some(target) = target else {
        return Ok(());
    };
    message.route_id = target.route_id;
    work.route_to(message, &target.phone)?;
    work.effects.changed(message.id);
    Ok(())
}

/// Makes a new message that says the same.
fn copy(
    work: &mut UnitOfWork<'_, '_>,
    sent: &Message,
    target: Option<&Target>,
) -> Result<Message, StoreError> {
    let life_end = work.now.unix.plus_ms(work.project.message_life_ms);
    let mut message = sent.copied(work.id(), work.now.unix, life_end);
    match target {
        Some(target) => {
            message.send_by(&target.phone);
            message.route_id = target.route_id;
        }
        // A phone that was removed is still the message's.
        None => {
            if let Some(phone) = phones::get(work.tx, work.project.id, sent.phone_id)? {
                message.send_by(&phone);
            }
        }
    }
    linking::copy(work, sent, &mut message)?;
    messages::insert(work.tx, &message)?;
    let mut touches = Touches::default();
    touches.add(&message);
    contacts::touch(work.tx, &touches)?;
    work.note(ACTION, message.id)?;
    work.wake(&message);
    Ok(message)
}
