//! A message that a program wants sent: from its draft to a row.

use crate::contacts::make_contact;
use crate::dispatch::connectors;
use crate::dispatch::routing::Wanted;
use crate::fields;
use crate::files;
use crate::messages::draft::{Draft, Recipient, Shared};
use crate::messages::ready::{self, Text};
use crate::messages::sender::Sender;
use crate::messages::sending::{Body, Sending};
use crate::messages::waiting::{self, LinkOf};
use crate::unit_of_work::UnitOfWork;
use crate::views::message::Waiting;
use crate::views::sight::sees;
use hub_domain::{
    Address, Contact, Disclosure, Message, Phone, Project, RouteId, ShortLink, Sight, files_of,
    numbers, recipients,
};
use hub_store::contacts::Touches;
use hub_store::{StoreError, labels};
use postrider_model::{CustomRouteId, LabelId, MessageText, Now, PhoneNumber};
use postrider_text::{gsm7::Language, parts::count_with};
use std::borrow::Cow;
use std::sync::Arc;

/// A message that is queued, the phone that is to send it, and the short links in it.
pub(crate) type Queued = Box<(Message, Arc<Phone>, Vec<ShortLink>)>;

/// Why a draft is not sent.
pub(crate) enum SendError {
    /// Its contact is blocked: there is no message.
    Blocked,
    /// The custom route has no phone for this recipient.
    NoPhone,
    /// There is no such contact, or it has no number or another one.
    NoContact,
    /// It may not go to this recipient, for this reason.
    Refused(String),
    /// Its text cannot be written for this recipient, for this reason.
    Unwritable(String),
    /// A file that it carries is gone.
    FileGone,
    /// The database could not do it.
    Store(StoreError),
}

impl From<StoreError> for SendError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

/// Says that a message names a file that is gone.
pub(crate) const FILE_GONE: &str = "names a file that is gone";
/// Says that a custom route leads to no phone.
pub(crate) const NO_PHONE: &str = "has no phone that may send to this recipient";

/// Whom a draft reaches, and by what.
pub(crate) struct Reached {
    /// The recipient, where there is such a contact.
    pub contact: Option<Contact>,
    /// The phone that is to send it.
    pub phone: Arc<Phone>,
    /// What is written to or dialled.
    pub to: Address,
    /// The custom route that picked the phone.
    route_id: Option<CustomRouteId>,
}

/// Finds whom a draft reaches, or says why nobody is reached.
pub(crate) fn reach(
    work: &mut UnitOfWork<'_, '_>,
    shared: &Shared,
    draft: &Draft,
) -> Result<Reached, SendError> {
    let found = match &draft.to {
        Recipient::Number(number) => {
            let number = Address::from(number);
            work.contacts
                .find_to_send_to(work.tx, work.project.id, &number)?
        }
        Recipient::Code(_) => None,
        Recipient::Contact(id) | Recipient::Both(id, _) => {
            work.contacts.get(work.tx, work.project.id, *id)?
        }
    };
    if found.as_ref().is_some_and(|contact| contact.send_blocked) {
        return Err(SendError::Blocked);
    }
    let Some(to) = address_of(&draft.to, found.as_ref()) else {
        return Err(SendError::NoContact);
    };
    let number = reached(shared, &draft.to, &to);
    let number = number.map_err(|rule| SendError::Refused(rule.to_owned()))?;
    let own_route = found.as_ref().and_then(|contact| contact.default_route_id);
    let sender = sender_of(work, shared, own_route)?;
    let wanted = Wanted {
        to: &to,
        message_type: shared.sending.message_type(),
        contact_id: found.as_ref().map(|contact| contact.id),
        simulated: shared.simulated,
    };
    let Some(phone) = sender.phone_for(work, &wanted)? else {
        return Err(SendError::NoPhone);
    };
    if let Some(number) = &number
        && let Some(rule) = refusal(work.project, &phone, number)
    {
        return Err(SendError::Refused(rule));
    }
    let route_id = sender.route_id();
    Ok(Reached {
        contact: found,
        phone,
        to,
        route_id,
    })
}

/// Looks up together whom a job is going to send to.
pub(crate) fn look_up<'r>(
    work: &mut UnitOfWork<'_, '_>,
    recipients: impl IntoIterator<Item = &'r Recipient>,
) -> Result<(), StoreError> {
    let (mut numbers, mut ids) = (Vec::new(), Vec::new());
    for recipient in recipients {
        match recipient {
            Recipient::Number(number) => numbers.push(Address::from(number)),
            Recipient::Contact(id) | Recipient::Both(id, _) => ids.push(*id),
            Recipient::Code(_) => {}
        }
    }
    let project = work.project.id;
    work.contacts.look_up_numbers(work.tx, project, &numbers)?;
    work.contacts.look_up(work.tx, project, ids)
}

/// Stores a draft with its contact, in the caller's transaction; `ready` is its text, where that was
/// made ready before.
///
/// It refuses before its first write.
pub(crate) fn store(
    work: &mut UnitOfWork<'_, '_>,
    shared: &Shared,
    draft: &Draft,
    ready: Option<&Text>,
    touches: &mut Touches,
) -> Result<Queued, SendError> {
    let reached = reach(work, shared, draft)?;
    let body = ready::body_of(work, &shared.writing, draft, &reached, ready);
    let body = body.map_err(SendError::Unwritable)?;
    let Reached {
        contact: found,
        phone,
        to,
        route_id,
    } = reached;
    let carried = files_of(&shared.writing.media);
    if !files::are_there(work.tx, work.project.id, &carried)? {
        return Err(SendError::FileGone);
    }
    let mut message = new_message(work, shared, draft, &body, &phone, to);
    message.route_id = route_id;
    let links = write_text(work, shared, &body, &phone, &mut message);
    message.disclosure = Disclosure {
        template: draft.body.shown.as_ref().map(|shown| shown.with(&links)),
        maker_sees: Some(sees(work.tx, work.project, shared.maker_sees)?),
    };
    connectors::fail_without(&mut message, &phone);
    work.check_room(&message)?;
    let is_known = found.is_some();
    message.contact_id = match found {
        Some(contact) => Some(contact.id),
        None if matches!(draft.to, Recipient::Code(_)) => None,
        None => make_contact(work, &message)?,
    };
    work.make(&message, &links);
    hub_store::files::note_message(work.tx, work.project.id, &carried, message.id)?;
    annotate(work, &message, &shared.labels)?;
    if is_known {
        touches.add(&message);
    }
    work.wake(&message);
    Ok(Box::new((message, phone, links)))
}

/// Puts labels on a new message, and notes the names of its variables.
pub(crate) fn annotate(
    work: &mut UnitOfWork<'_, '_>,
    message: &Message,
    labels: &[LabelId],
) -> Result<(), StoreError> {
    for label in labels {
        labels::put_on(work.tx, message.project_id, *label, message.id)?;
    }
    fields::note(work.tx, message.project_id, &message.vars, work.now.unix)
}

fn address_of(to: &Recipient, contact: Option<&Contact>) -> Option<Address> {
    let own = || contact.and_then(|contact| contact.phone_number.as_ref());
    match to {
        Recipient::Number(number) => Some(number.into()),
        Recipient::Code(code) => Some(code.clone()),
        Recipient::Contact(_) => own().cloned(),
        Recipient::Both(_, number) => {
            let number = Address::from(number);
            let is_own = |own: &Address| *own == number || numbers::are_one(own, &number);
            own().is_some_and(is_own).then_some(number)
        }
    }
}

/// Returns the number that is written to, none for a code; or says why a message of this kind
/// reaches nobody there.
fn reached(
    shared: &Shared,
    recipient: &Recipient,
    to: &Address,
) -> Result<Option<PhoneNumber>, &'static str> {
    if matches!(recipient, Recipient::Code(_)) {
        return Ok(None);
    }
    let number = to.number().ok_or("has no number that can be written to")?;
    match shared.sending.refuses(&number) {
        Some(rule) => Err(rule),
        None => Ok(Some(number)),
    }
}

/// Says why a phone's settings forbid the recipient.
fn refusal(project: &Project, phone: &Phone, number: &PhoneNumber) -> Option<String> {
    let region = phone.country.as_deref().or(project.country.as_deref());
    let refused = recipients::check(phone, number, region).err()?;
    Some(refused.to_string())
}

/// Returns what sends: what the request names, the contact's own, the default.
fn sender_of<'s>(
    work: &mut UnitOfWork<'_, '_>,
    shared: &'s Shared,
    own_route: Option<RouteId>,
) -> Result<Cow<'s, Sender>, StoreError> {
    if let Some(id) = own_route.filter(|_| !shared.sender_named)
        && let Some(own) = Sender::find_in(work.hub, work.tx, work.project, id)?
    {
        return Ok(Cow::Owned(own));
    }
    Ok(Cow::Borrowed(&shared.sender))
}

fn new_message(
    work: &mut UnitOfWork<'_, '_>,
    shared: &Shared,
    draft: &Draft,
    body: &Body,
    phone: &Phone,
    to: Address,
) -> Message {
    let (id, kind) = (work.id(), shared.sending.message_type());
    let mut message = Message::outgoing(id, phone, kind, work.now.unix);
    message.source = shared.origin.source;
    message.to_number = Some(to);
    message.track_clicks = shared.writing.links.tracks;
    message.media.clone_from(&shared.writing.media);
    message.simulated |= shared.simulated;
    message.priority = draft.priority;
    message.vars = draft.vars.clone();
    message.route_params.clone_from(&body.route_params);
    message.status_url.clone_from(&draft.status_url);
    message.status_secret.clone_from(&draft.status_secret);
    message.on_unknown = shared.on_unknown;
    message.life_end = Some(shared.life_end);
    message.scheduled_id = shared.origin.scheduled_id;
    message.broadcast_id = shared.origin.broadcast_id;
    message.campaign_id = shared.origin.campaign_id;
    message
}

/// Gives a message its text, with short links of its own, and returns these.
fn write_text(
    work: &UnitOfWork<'_, '_>,
    shared: &Shared,
    body: &Body,
    phone: &Phone,
    message: &mut Message,
) -> Vec<ShortLink> {
    let links = body.content.as_ref().map_or_else(Vec::new, |text| {
        shared.writing.links.make(work, message, text)
    });
    message.content = body.content.as_ref().map(|text| text.with(&links));
    message.num_parts = parts_by(phone, shared, body, message);
    links
}

/// Returns how many parts the phone makes of what is sent, by the shift tables of its platform.
fn parts_by(phone: &Phone, shared: &Shared, body: &Body, message: &Message) -> Option<u32> {
    let text = message.content.as_ref().map(MessageText::as_str);
    match text {
        Some(text) if shared.sending == Sending::Text && !phone.shift_tables.is_empty() => {
            let languages = Language::of_identifiers(&phone.shift_tables);
            Some(count_with(text, &languages).parts)
        }
        _ => body.num_parts,
    }
}

/// Returns a message that was just stored as whoever sent it may see it, and why it waits.
pub(crate) fn show(
    project: &Project,
    phone: (&Phone, LinkOf),
    message: Message,
    sight: Sight,
    now: Now,
) -> (Message, Option<Waiting>) {
    let (phone, link) = phone;
    let waiting =
        waiting::is_queued(&message).then(|| waiting::waiting(project, &message, phone, link, now));
    (message.shown_to(sight), waiting)
}
