//! Making a message of what came in on a phone.

use crate::contacts::make_contact;
use crate::dispatch::report::Aside;
use crate::messages::answers::{self, REPLY_MS};
use crate::unit_of_work::UnitOfWork;
use crate::webhooks::enqueue;
use hub_domain::{Address, Contact, DataSms, Message, MessageType, Phone, numbers};
use hub_store::contacts::Touches;
use hub_store::{StoreError, contacts, inbound_counted, messages, phones};
use postrider_link::clock::{PhoneClock, published_time};
use postrider_link::frame::{Inbound, Kind};
use postrider_link::ownership::hub::Holder;
use postrider_model::{MessageText, UnixMs};

/// The longest text that a message from outside keeps, in characters: 255 parts of a text message.
const TEXT_CHARS_MAX: usize = 39_015;
/// Stores what came in; says why it is to be stored aside, when this hub cannot show it.
///
/// What was counted before (it is uploaded again after a change of generation) changes nothing.
pub fn apply(
    work: &mut UnitOfWork<'_, '_>,
    by: &Holder,
    clock: &PhoneClock,
    on: &[Phone],
    frame: &Inbound,
) -> Result<Option<Aside>, StoreError> {
    let Some(message_type) = message_type(&frame.kind) else {
        return Ok(Some("an inbound kind that this hub does not know"));
    };
    let Some(phone) = on.iter().find(|phone| phone.sim == Some(frame.sim)) else {
        return Ok(Some("no phone has this SIM slot"));
    };
    let counted_in = frame.install.as_ref().unwrap_or(&by.install);
    if !inbound_counted::count(
        work.tx,
        by.device,
        counted_in.as_str(),
        frame.n,
        work.now.unix,
    )? {
        return Ok(None);
    }
    let raw = Address::new(frame.from.as_str());
    let created = published_time(clock, frame.stamp(), UnixMs(0), work.now);
    let (id, now) = (work.id(), work.now.unix);
    let mut message = Message::incoming(id, phone, message_type, created, now);
    let own = || phone.phone_number.as_ref().map(Address::from);
    let to = frame.to.as_ref().and_then(|to| Address::new(to.as_str()));
    message.to_number = to.or_else(own);
    message.from_number = raw
        .as_ref()
        .and_then(|raw| sender(work, phone, message_type, raw));
    fill(&mut message, frame);
    store(work, phone, message, raw.as_ref())?;
    Ok(None)
}

/// Reads who wrote, in the phone's region; a USSD answer comes from the code that was dialled.
fn sender(
    work: &UnitOfWork<'_, '_>,
    phone: &Phone,
    message_type: MessageType,
    raw: &Address,
) -> Option<Address> {
    if message_type == MessageType::Ussd {
        return Some(raw.clone());
    }
    let region = phone.country.as_deref().or(work.project.country.as_deref());
    numbers::sender(raw.as_str(), region)
}

/// Takes over what each kind carries.
fn fill(message: &mut Message, frame: &Inbound) {
    let clipped = |text: &MessageText| {
        let text = text.as_str().chars().take(TEXT_CHARS_MAX);
        text.collect::<String>().into()
    };
    message.content = frame.text.as_ref().map(clipped);
    message.route_params = frame
        .data
        .clone()
        .map(|data| DataSms::from(data).to_params());
    message.time_sent = frame.sent_at.map(UnixMs);
    message.num_parts = frame.parts.map(u32::from);
    message.note_call(frame.duration_s, frame.ring_s);
}

/// Stores an incoming message with its contact, counters and webhook, and returns it as stored.
///
/// `raw` is the sender as the network gave it, which webhooks tell.
pub fn store(
    work: &mut UnitOfWork<'_, '_>,
    phone: &Phone,
    mut message: Message,
    raw: Option<&Address>,
) -> Result<Message, StoreError> {
    let mut touches = Touches::default();
    if message.message_type != MessageType::Ussd
        && let Some(from) = &message.from_number
    {
        match contacts::find_by_number(work.tx, work.project.id, from)? {
            Some(contact) => {
                message.contact_id = Some(contact.id);
                count_reply(work, &contact, &message);
                answers::join_groups(work, &contact)?;
                touches.add(&message);
            }
            None => message.contact_id = make_contact(work, &message)?,
        }
    }
    messages::insert(work.tx, &message)?;
    contacts::touch(work.tx, &touches)?;
    phones::touch(work.tx, phone.id, work.now.unix)?;
    enqueue::incoming_message(work, &message, raw, phone)?;
    Ok(message)
}

/// Counts a message as an answer to the broadcast that its contact was sent last, while that is not
/// long ago.
fn count_reply(work: &mut UnitOfWork<'_, '_>, contact: &Contact, message: &Message) {
    let since = contact.last_outgoing_message_time;
    let is_recent = since.is_some_and(|since| since.plus_ms(REPLY_MS) > work.now.unix);
    if let Some(broadcast) = contact.last_broadcast_id.filter(|_| is_recent) {
        work.tallies.replied(broadcast, message.time_created);
    }
}

fn message_type(kind: &Kind) -> Option<MessageType> {
    match kind {
        Kind::Sms | Kind::DataSms => Some(MessageType::Sms),
        Kind::Call => Some(MessageType::Call),
        Kind::Ussd => Some(MessageType::Ussd),
        Kind::Mms => Some(MessageType::Mms),
        Kind::Other(_) => None,
    }
}
