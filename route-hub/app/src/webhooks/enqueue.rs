//! Writing events into the outbox, in the transaction of their cause.
//!
//! Where nobody wants to be told, nothing is built and nothing is read.

use crate::alerts::waiting;
use crate::holds::Holds;
use crate::outbox::{Event, Form, Receiver};
use crate::unit_of_work::UnitOfWork;
use crate::views::broadcast::BroadcastView;
use crate::views::contact::{ContactView, RecipientView};
use crate::views::message::{Arrived, MessageView};
use crate::views::phone::PhoneView;
use crate::views::sight::sees;
use hub_domain::{
    Address, Broadcast, Contact, Message, Phone, Project, Sight, Webhook, WebhookEvent, numbers,
};
use hub_store::{StoreError, contacts};

/// Tells the present status of an outgoing message.
///
/// Each change sends one, and so does the `queued` of a new message; a single message sent by the
/// REST API sends none when it is queued, since its sender has the answer.
///
/// It goes to the message's own status URL alone; without one to the project's status URL and
/// webhook objects. A deleted message sends none.
pub(crate) fn send_status(
    work: &mut UnitOfWork<'_, '_>,
    message: &Message,
) -> Result<(), StoreError> {
    if message.hidden {
        return Ok(());
    }
    let project = work.project;
    let objects = match &message.status_url {
        Some(_) => None,
        None => Some(work.hub.cache.webhooks_in(work.tx, project.id)?),
    };
    let receivers = status_receivers(project, message, objects.as_deref().map_or(&[], |v| v));
    if receivers.is_empty() {
        return Ok(());
    }
    let mut event = Event::new(WebhookEvent::SendStatus, Some(message.id));
    let sight = sight(work, message)?;
    let shown = message.clone().shown_to(sight);
    let addresses = work.addresses();
    let mut view = MessageView::read(work.tx, shown, addresses)?;
    if view.links.is_empty() {
        view.links = work.links_of_new(message.id);
    }
    event.form.fields(&view);
    add_contact(work, &mut event.form, message, sight)?;
    waiting::write(work, event, &receivers)
}

/// Returns what a message's reports tell of its contact. A status URL of its own is told what whoever
/// named it may see; the project's settings and webhook objects are told everything.
fn sight(work: &mut UnitOfWork<'_, '_>, message: &Message) -> Result<Sight, StoreError> {
    let tells_all = match message.status_url {
        Some(_) => sees(work.tx, work.project, message.disclosure.maker_sees)?,
        None => true,
    };
    Ok(if tells_all {
        Sight::Contacts
    } else {
        Sight::Sender
    })
}

/// Tells of a message that came in; `raw` is its sender as the network gave it.
pub(crate) fn incoming_message(
    work: &mut UnitOfWork<'_, '_>,
    message: &Message,
    raw: Option<&Address>,
    phone: &Phone,
) -> Result<(), StoreError> {
    let project = work.project;
    let Some(url) = &project.incoming_url else {
        return Ok(());
    };
    let mut event = Event::new(WebhookEvent::IncomingMessage, Some(message.id));
    if let Some(number) = message.from_number.as_ref().and_then(numbers::in_e164) {
        event.form.text("from_number_e164", number.as_str());
    }
    let addresses = work.addresses();
    let mut view = MessageView::read(work.tx, message.clone(), addresses)?;
    if let Some(raw) = raw {
        view.message.from_number = Some(raw.clone());
    }
    event.form.fields(&Arrived(view));
    add_contact(work, &mut event.form, message, Sight::Contacts)?;
    let phone = PhoneView::new(phone.clone(), project);
    event.form.object("phone", &phone);
    let receiver = Receiver::at(url, project.incoming_secret.as_ref());
    waiting::write(work, event, &[receiver])
}

/// By what a contact was added.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ContactAdded {
    /// A program asked for it.
    ByRequest,
    /// A message came from its number, or went to it.
    ByMessage,
}

/// Tells of a new contact; what programs change of contacts is not told.
pub(crate) fn contact_added(
    work: &mut UnitOfWork<'_, '_>,
    contact: &Contact,
    added: ContactAdded,
) -> Result<(), StoreError> {
    let objects = work.hub.cache.webhooks_in(work.tx, work.project.id)?;
    let receivers: Vec<_> = wanting(&objects, WebhookEvent::ContactUpdate).collect();
    if receivers.is_empty() {
        return Ok(());
    }
    let mut event = Event::new(WebhookEvent::ContactUpdate, None);
    let update_type = match added {
        ContactAdded::ByRequest => "add",
        ContactAdded::ByMessage => "auto_add",
    };
    event.form.text("update_type", update_type);
    let view = ContactView::read(work.tx, contact.clone())?;
    event.form.fields(&view);
    waiting::write(work, event, &receivers)
}

/// Tells of a broadcast that was made.
pub(crate) fn send_broadcast(
    work: &mut UnitOfWork<'_, '_>,
    broadcast: &Broadcast,
) -> Result<(), StoreError> {
    let objects = work.hub.cache.webhooks_in(work.tx, work.project.id)?;
    let receivers: Vec<_> = wanting(&objects, WebhookEvent::SendBroadcast).collect();
    if receivers.is_empty() {
        return Ok(());
    }
    let mut event = Event::new(WebhookEvent::SendBroadcast, None);
    let (addresses, mut holds) = (work.addresses(), Holds::within(work));
    let view = BroadcastView::read(work.tx, broadcast.clone(), &addresses, &mut holds)?;
    event.form.fields(&view);
    waiting::write(work, event, &receivers)
}

fn status_receivers<'a>(
    project: &'a Project,
    message: &'a Message,
    objects: &'a [Webhook],
) -> Vec<Receiver<'a>> {
    if let Some(own) = &message.status_url {
        return vec![Receiver::at(own, message.status_secret.as_ref())];
    }
    let url = project.status_url.iter();
    let setting = url.map(|url| Receiver::at(url, project.status_secret.as_ref()));
    setting
        .chain(wanting(objects, WebhookEvent::SendStatus))
        .collect()
}

/// Returns the webhook objects that ask for an event.
fn wanting(objects: &[Webhook], event: WebhookEvent) -> impl Iterator<Item = Receiver<'_>> {
    let wants = move |object: &&Webhook| object.events.contains(&event);
    objects.iter().filter(wants).map(Receiver::of)
}

/// Adds what may be seen of a message's contact, as `contact[...]`.
fn add_contact(
    work: &mut UnitOfWork<'_, '_>,
    form: &mut Form,
    message: &Message,
    sight: Sight,
) -> Result<(), StoreError> {
    if let Some(contact_id) = message.contact_id
        && let Some(contact) = contacts::get(work.tx, message.project_id, contact_id)?
    {
        if sight.sees_contacts() {
            form.object("contact", &ContactView::read(work.tx, contact)?)
        } else {
            form.object("contact", &RecipientView(&contact))
        }
    }
    Ok(())
}
