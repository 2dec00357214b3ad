//! `POST /projects/{project_id}/messages/{message_id}/resend`

use crate::idempotency::Idempotency;
use crate::messages::found;
use crate::{ApiResult, Call, Failure, enter, parse, transaction};
use axum::extract::State;
use hub_app::dispatch::connectors;
use hub_app::dispatch::freeze;
use hub_app::dispatch::routing::Wanted;
use hub_app::dispatch::transitions::Detail;
use hub_app::hub::Hub;
use hub_app::messages::new_message::Given;
use hub_app::messages::sender::Sender;
use hub_app::messages::{outgoing, waiting};
use hub_app::unit_of_work::UnitOfWork;
use hub_domain::{
    Address, Direction, Message, MessageSource, MessageType, OwnershipRow, Permission, Phone,
    PhoneType, Project, recipients,
};
use hub_store::contacts::{self, Touches};
use hub_store::{StoreError, Tx, messages, pending_reroutes, phones};
use hub_web::{Answer, ApiError, Fields};
use postrider_link::ownership::hub::{Fact, HubState, Verdict};
use postrider_model::{ApiKeyId, CustomRouteId, MessageStatus};
use std::sync::Arc;

/// A person's resend stands in the audit log: it may be a second message on the air.
const RESEND: &str = "message.resend";

/// Sends a message again.
///
/// What no phone holds only changes its route; from a phone that holds it, it is asked back first,
/// and goes to the new one when it was not sent. What failed, is unknown or was cancelled goes out
/// again as itself; of what went out a new message is made.
pub async fn resend(State(hub): State<Hub>, call: Call) -> ApiResult {
    let project = enter(&hub, &call, Permission::SendMessages).await?;
    let id = call.path_id("message_id", "message")?;
    let now = hub.now();
    let fields = Fields::read(&call.params)?;
    let idempotency = Idempotency::of(&call, &format!("resend {id}"))?;
    let route = match parse::route_id(&call.params.get("route_id"))? {
        Some(id) => Some(Sender::named(&hub, &Given::new("route_id", id), &project).await?),
        None => None,
    };
    project.make_room(1).await?;

    let (actor, sight) = (call.caller.key.id, call.caller.sight());
    let decide = move |work: &mut UnitOfWork<'_, '_>| {
        let message = found(messages::get(work.tx, work.project.id, id)?)?;
        if message.direction == Direction::Incoming {
            let text = "an incoming message cannot be sent again";
            return Err(ApiError::invalid_body(text).into());
        }
        if is_blocked(work.tx, &message)? {
            let text = "a message to a blocked contact cannot be sent again";
            return Err(ApiError::invalid_body(text).into());
        }
        let target = target(work, &message, route.as_ref())?;
        let resent = again(work, message, target.as_ref(), actor)?;
        Ok(waiting::show(
            work.hub,
            work.tx,
            work.project,
            vec![resent],
            sight,
            now,
        )?)
    };
    let show = move |views: Vec<_>| match views.first() {
        Some(view) => Answer::object(view, &fields),
        None => Answer::void(),
    };
    transaction::answer(&project, idempotency, decide, show).await
}

/// The phone that a message shall go to, and the custom route that picked it.
struct Target {
    phone: Arc<Phone>,
    route_id: Option<CustomRouteId>,
}

/// Finds where the message shall go; `None` when it stays where it is.
fn target(
    work: &mut UnitOfWork<'_, '_>,
    message: &Message,
    route: Option<&Sender>,
) -> Result<Option<Target>, Failure> {
    let refused = |rule: &str| Err(ApiError::invalid_param("route_id", rule).into());
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
    if let Some(error) = refusal(work.project, message, &phone) {
        return Err(error.into());
    }
    let route_id = route.route_id();
    Ok(Some(Target { phone, route_id }))
}

/// Says whether nothing may be sent to the message's contact, or to whom its number belongs now.
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

/// Says why the phone that is named may not send the message: its settings forbid the recipient.
fn refusal(project: &Project, message: &Message, phone: &Phone) -> Option<ApiError> {
    if message.message_type == MessageType::Ussd {
        return None;
    }
    let number = message.to_number.as_ref()?.number()?;
    let region = phone.country.as_deref().or(project.country.as_deref());
    let refused = recipients::check(phone, &number, region).err()?;
    let rule = format!("cannot be this phone: the recipient {refused}");
    Some(ApiError::invalid_param("route_id", rule))
}

/// Asks ownership what sending again means for this message, and does it.
fn again(
    work: &mut UnitOfWork<'_, '_>,
    mut message: Message,
    route: Option<&Target>,
    actor: ApiKeyId,
) -> Result<Message, StoreError> {
    let route = route.filter(|route| route.phone.id != message.phone_id);
    let new_route = route.is_some();
    let state = HubState::from_code(message.ownership.state);
    let is_held = state.is_some_and(HubState::is_open);
    if !is_held && state != Some(HubState::Waiting) {
        let life_ms = work.project.message_life_ms;
        message.life_end = Some(work.now.unix.plus_ms(life_ms));
    }
    let is_waiting = state == Some(HubState::Waiting);
    if new_route && is_waiting && freeze::may_be_with_its_phone(work.tx, &message)? {
        let forgotten = Fact::ExposureForgotten;
        work.apply(&mut message, forgotten, &Detail::default())?;
    }
    let asked = Fact::ResendAsked { new_route };
    let applied = work.apply(&mut message, asked, &Detail::default())?;
    match applied.and_then(|outcome| outcome.verdict) {
        Some(Verdict::Requeued) => {
            work.note(RESEND, message.id)?;
            move_to(work, &mut message, route)?;
            work.wake(&message);
            Ok(message)
        }
        Some(Verdict::NewMessage) => copy(work, message, route, actor),
        _ => {
            match route {
                Some(route) if is_held => {
                    pending_reroutes::put(work.tx, message.id, route.phone.id)?;
                    message.route_id = route.route_id;
                    messages::update_route(work.tx, &message)?;
                }
                _ => move_to(work, &mut message, route)?,
            }
            Ok(message)
        }
    }
}

fn move_to(
    work: &mut UnitOfWork<'_, '_>,
    message: &mut Message,
    route: Option<&Target>,
) -> Result<(), StoreError> {
    let Some(route) = route else {
        return Ok(());
    };
    message.route_id = route.route_id;
    work.route_to(message, &route.phone)?;
    work.effects.changed(message.id);
    Ok(())
}

/// Makes a new message that says the same.
fn copy(
    work: &mut UnitOfWork<'_, '_>,
    sent: Message,
    route: Option<&Target>,
    _actor: ApiKeyId,
) -> Result<Message, StoreError> {
    let now = work.now.unix;
    let of = match route {
        Some(_) => None,
        None => phones::get(work.tx, work.project.id, sent.phone_id)?,
    };
    let phone = route.map(|route| &*route.phone).or(of.as_ref());
    let is_test = phone.is_some_and(|phone| phone.phone_type == PhoneType::Simulated);
    let message = Message {
        id: work.hub.id(work.now),
        phone_id: phone.map_or(sent.phone_id, |phone| phone.id),
        from_number: phone.map_or(sent.from_number, |phone| {
            phone.phone_number.as_ref().map(Address::from)
        }),
        source: MessageSource::Api,
        status: MessageStatus::Queued,
        time_created: now,
        time_sent: None,
        time_updated: now,
        starred: false,
        simulated: sent.simulated || is_test,
        error_message: None,
        error_code: None,
        external_id: None,
        network_code: None,
        duration_sec: None,
        ring_time_sec: None,
        send_attempts: 0,
        ownership: OwnershipRow {
            state: OwnershipRow::WAITING,
            ..OwnershipRow::default()
        },
        life_end: Some(now.plus_ms(work.project.message_life_ms)),
        parts_done: None,
        scheduled_id: None,
        broadcast_id: None,
        route_id: route.map_or(sent.route_id, |route| route.route_id),
        ..sent
    };
    messages::insert(work.tx, &message)?;
    let mut touches = Touches::default();
    touches.add(&message);
    contacts::touch(work.tx, &touches)?;
    work.note(RESEND, message.id)?;
    work.wake(&message);
    Ok(message)
}
