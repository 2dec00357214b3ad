//! `POST /projects/{project_id}/messages/{message_id}/resend`

use super::{found, waiting};
use crate::api::idempotency::Idempotency;
use crate::api::{ApiResult, Call, Failure, accepting, enter, parse, unit};
use crate::dispatch::settle::{Detail, Work};
use crate::hub::Hub;
use axum::extract::State;
use hub_domain::{
    Address, AuditEntry, Direction, Message, MessageSource, MessageType, OwnershipRow, Permission,
    Phone, PhoneType, Project, recipients,
};
use hub_store::contacts::{self, Touches};
use hub_store::{StoreError, Tx, audit, messages, moves, phones};
use hub_web::{Answer, ApiError, Fields};
use postrider_link::ownership::hub::{Fact, HubState, Verdict};
use postrider_model::{ApiKeyId, MessageStatus};
use std::sync::Arc;

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
    let route = route(&hub, &call, &project).await?;
    accepting(&hub, &project, 1, now).await?;

    let actor = call.caller.key.id;
    let decide = move |work: &mut Work<'_, '_>, tx: &mut Tx<'_>| {
        let message = match found(messages::get(tx, work.project.id, id)?) {
            Ok(message) => message,
            Err(error) => return Ok(Err(error)),
        };
        if message.direction == Direction::Incoming {
            let text = "an incoming message cannot be sent again";
            return Ok(Err(ApiError::invalid_body(text)));
        }
        if is_blocked(tx, &message)? {
            let text = "a message to a blocked contact cannot be sent again";
            return Ok(Err(ApiError::invalid_body(text)));
        }
        if let Some(error) = refusal(work.project, &message, route.as_deref()) {
            return Ok(Err(error));
        }
        let resent = again(work, tx, message, route.as_deref(), actor)?;
        Ok(Ok(waiting::show(
            work.hub,
            tx,
            work.project,
            vec![resent],
            now,
        )?))
    };
    let show = move |views: Vec<_>| match views.first() {
        Some(view) => Answer::object(view, &fields),
        None => Answer::void(),
    };
    unit::answer(&hub, &project, now, idempotency, decide, show).await
}

async fn route(hub: &Hub, call: &Call, project: &Project) -> Result<Option<Arc<Phone>>, Failure> {
    let field = call.params.get("route_id");
    let Some(id) = parse::id(&field, "phone")? else {
        return Ok(None);
    };
    let found = hub.cache.phone(&hub.store, project.id, id).await?;
    Ok(Some(found.ok_or_else(|| parse::no_such(&field, "phone"))?))
}

/// Says whether nothing may be sent to the message's contact.
fn is_blocked(tx: &mut Tx<'_>, message: &Message) -> Result<bool, StoreError> {
    let Some(contact_id) = message.contact_id else {
        return Ok(false);
    };
    let contact = contacts::get(tx, message.project_id, contact_id)?;
    Ok(contact.is_some_and(|contact| contact.send_blocked))
}

/// Says why the phone that is named may not send the message: its settings forbid the recipient.
fn refusal(project: &Project, message: &Message, route: Option<&Phone>) -> Option<ApiError> {
    let phone = route.filter(|_| message.message_type != MessageType::Ussd)?;
    let number = message.to_number.as_ref()?.number()?;
    let region = phone.country.as_deref().or(project.country.as_deref());
    let refused = recipients::check(phone, &number, region).err()?;
    let rule = format!("cannot be this phone: the recipient {refused}");
    Some(ApiError::invalid_param("route_id", rule))
}

/// Asks ownership what sending again means for this message, and does it.
fn again(
    work: &mut Work<'_, '_>,
    tx: &mut Tx<'_>,
    mut message: Message,
    route: Option<&Phone>,
    actor: ApiKeyId,
) -> Result<Message, StoreError> {
    let route = route.filter(|route| route.id != message.phone_id);
    let new_route = route.is_some();
    let state = HubState::from_code(message.ownership.state);
    let is_held = state.is_some_and(HubState::is_open);
    if !is_held && state != Some(HubState::Waiting) {
        let life_ms = work.project.message_life_ms;
        message.life_end = Some(work.now.unix.plus_ms(life_ms));
    }
    let asked = Fact::ResendAsked { new_route };
    let applied = work.apply(tx, &mut message, asked, &Detail::default())?;
    match applied.ok().and_then(|outcome| outcome.verdict) {
        Some(Verdict::Requeued) => {
            note(work, tx, &message, actor)?;
            move_to(work, tx, &mut message, route)?;
            work.wake(&message);
            Ok(message)
        }
        Some(Verdict::NewMessage) => copy(work, tx, message, route, actor),
        _ => {
            match route {
                Some(route) if is_held => moves::put(tx, message.id, route.id)?,
                _ => move_to(work, tx, &mut message, route)?,
            }
            Ok(message)
        }
    }
}

fn move_to(
    work: &mut Work<'_, '_>,
    tx: &mut Tx<'_>,
    message: &mut Message,
    route: Option<&Phone>,
) -> Result<(), StoreError> {
    let Some(route) = route else {
        return Ok(());
    };
    work.route_to(tx, message, route)?;
    work.effects.changed(message.id);
    Ok(())
}

/// Makes a new message that says the same.
fn copy(
    work: &mut Work<'_, '_>,
    tx: &mut Tx<'_>,
    sent: Message,
    route: Option<&Phone>,
    actor: ApiKeyId,
) -> Result<Message, StoreError> {
    let now = work.now.unix;
    let of = match route {
        Some(_) => None,
        None => phones::get(tx, work.project.id, sent.phone_id)?,
    };
    let phone = route.or(of.as_ref());
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
        ..sent
    };
    messages::insert(tx, &message)?;
    let mut touches = Touches::default();
    touches.add(&message);
    contacts::touch(tx, &touches)?;
    note(work, tx, &message, actor)?;
    work.wake(&message);
    Ok(message)
}

/// A person's resend stands in the audit log: it may be a second message on the air.
fn note(
    work: &Work<'_, '_>,
    tx: &mut Tx<'_>,
    message: &Message,
    actor: ApiKeyId,
) -> Result<(), StoreError> {
    let entry = AuditEntry {
        id: work.hub.key(work.now).get(),
        organization_id: work.project.organization_id,
        project_id: Some(work.project.id),
        actor: actor.to_string(),
        action: "message.resend".to_owned(),
        target: message.id.to_string(),
        time: work.now.unix,
    };
    audit::insert(tx, &entry)
}
