//! Making a message of what came in on a phone.

use super::settle::Work;
use crate::webhooks::enqueue;
use hub_domain::{
    Contact, Direction, Message, MessageSource, MessageType, OnUnknown, OwnershipRow, Phone, Vars,
};
use hub_store::contacts::Touches;
use hub_store::{StoreError, Tx, contacts, inbound_counted, messages, phones};
use postrider_link::clock::{PhoneClock, published_time};
use postrider_link::frame::{Inbound, Kind};
use postrider_link::ownership::hub::Holder;
use postrider_model::{MessageStatus, PhoneNumber, UnixMs};

/// The longest text that a message from outside keeps, in characters: 255 parts of a text message.
const TEXT_CHARS_MAX: usize = 39_015;

/// Stores what came in; `Err` when it is none that this hub knows, to be stored aside.
///
/// What was counted before (it is uploaded again after a change of generation) changes nothing.
///
/// # Errors
/// What the database says.
pub fn apply(
    work: &mut Work<'_, '_>,
    tx: &mut Tx<'_>,
    by: &Holder,
    clock: &PhoneClock,
    on: &[Phone],
    frame: &Inbound,
) -> Result<Result<(), super::report::Aside>, StoreError> {
    let Some(message_type) = message_type(&frame.kind) else {
        return Ok(Err("an inbound kind that this hub does not know"));
    };
    let Some(phone) = on.iter().find(|phone| phone.sim == Some(frame.sim)) else {
        return Ok(Err("no phone has this SIM slot"));
    };
    if !inbound_counted::count(tx, by.device, by.install.as_str(), frame.n)? {
        return Ok(Ok(()));
    }
    let from = address(frame.from.as_str());
    let created = published_time(clock, frame.stamp(), UnixMs(0), work.now);
    let mut message = blank(work, phone, message_type, created);
    message.to_number = frame
        .to
        .as_ref()
        .and_then(|to| address(to.as_str()))
        .or(phone.phone_number.clone());
    message.from_number = from;
    message.content = frame.text.as_ref().map(|text| {
        text.as_str()
            .chars()
            .take(TEXT_CHARS_MAX)
            .collect::<String>()
            .into()
    });
    message.time_sent = frame.sent_at.map(UnixMs);
    message.num_parts = frame.parts.map(u32::from);
    message.duration_sec = frame.duration_s;
    message.ring_time_sec = frame.ring_s;
    store(work, tx, phone, message)?;
    Ok(Ok(()))
}

/// Stores an incoming message with its contact, counters and webhook, and returns it as stored.
///
/// # Errors
/// What the database says.
pub fn store(
    work: &mut Work<'_, '_>,
    tx: &mut Tx<'_>,
    phone: &Phone,
    mut message: Message,
) -> Result<Message, StoreError> {
    let number = message.from_number.clone();
    if let Some(number) = number.filter(|_| work.project.auto_create_contacts) {
        let e164 = number.as_str().starts_with('+').then(|| number.clone());
        let (hub, project_id, now) = (work.hub, work.project.id, work.now);
        let shown = number.clone();
        let fresh = || Contact::new(hub.id(now), project_id, Some(shown), e164, now.unix);
        let (contact, _) = contacts::get_or_create(tx, &number, fresh, project_id)?;
        message.contact_id = Some(contact.id);
    }
    messages::insert(tx, &message)?;
    let mut touches = Touches::default();
    touches.add(&message);
    contacts::touch(tx, &touches)?;
    phones::touch(tx, phone.id, work.now.unix)?;
    if enqueue::incoming_message(work.hub, tx, work.project, &message, phone, work.now)? {
        work.effects.webhooks();
    }
    Ok(message)
}

/// Makes an incoming message that says nothing yet.
pub fn blank(
    work: &Work<'_, '_>,
    phone: &Phone,
    message_type: MessageType,
    created: UnixMs,
) -> Message {
    Message {
        id: work.hub.id(work.now),
        project_id: work.project.id,
        contact_id: None,
        phone_id: phone.id,
        direction: Direction::Incoming,
        message_type,
        source: MessageSource::Phone,
        status: MessageStatus::Received,
        time_created: created,
        time_sent: None,
        time_updated: work.now.unix,
        from_number: None,
        to_number: None,
        content: None,
        starred: false,
        simulated: false,
        priority: 1,
        error_message: None,
        error_code: None,
        external_id: None,
        num_parts: None,
        network_code: None,
        duration_sec: None,
        ring_time_sec: None,
        vars: Vars::default(),
        route_params: None,
        status_url: None,
        status_secret: None,
        send_attempts: 0,
        ownership: OwnershipRow::default(),
        on_unknown: OnUnknown::Report,
        life_end: None,
        hidden: false,
        parts_done: None,
    }
}

/// Returns the sender as a checked number; what no shape allows is kept without one.
fn address(text: &str) -> Option<PhoneNumber> {
    text.parse().ok()
}

fn message_type(kind: &Kind) -> Option<MessageType> {
    match kind {
        Kind::Sms => Some(MessageType::Sms),
        Kind::Call => Some(MessageType::Call),
        Kind::Ussd => Some(MessageType::Ussd),
        Kind::Mms => Some(MessageType::Mms),
        Kind::DataSms | Kind::Other(_) => None,
    }
}
