//! Writing events into the outbox, in the transaction of their cause.
//!
//! Each function says whether it wrote a row, so that its caller wakes the deliverer after the
//! commit. Where nobody wants to be told, nothing is built and nothing is read.

use crate::hub::Hub;
use crate::unit_of_work::UnitOfWork;
use crate::views::sight::sees;
use crate::webhooks::form::Form;
use crate::webhooks::{views, waiting};
use hub_domain::{
    Address, Alert, Broadcast, Contact, Message, OutboxRow, Phone, Project, Sight, Webhook,
    WebhookEvent, numbers,
};
use hub_outgoing::Target;
use hub_store::{StoreError, Tx, contacts, outbox};
use postrider_model::{MessageId, Now, Secret, UnixMs};
use serde_json::Value;

/// Somebody who wants to be told.
struct Receiver<'a> {
    url: &'a str,
    /// The `secret` parameter and the key of the signature.
    secret: Option<&'a Secret>,
    /// Whether the secret signs in by HTTP Basic too.
    basic: bool,
}

impl UnitOfWork<'_, '_> {
    /// Writes the webhook rows of a message's present status.
    pub fn tell_status(&mut self, message: &Message) -> Result<(), StoreError> {
        if send_status(self.hub, self.tx, self.project, message, self.now)? {
            self.effects.webhooks();
        }
        Ok(())
    }

    /// Writes the webhook rows of a new contact.
    pub fn tell_contact_added(
        &mut self,
        contact: &Contact,
        added: ContactAdded,
    ) -> Result<(), StoreError> {
        if contact_added(self.hub, self.tx, self.project, contact, added, self.now)? {
            self.effects.webhooks();
        }
        Ok(())
    }

    /// Writes the webhook rows of a new broadcast.
    pub fn tell_broadcast(&mut self, broadcast: &Broadcast) -> Result<(), StoreError> {
        if send_broadcast(self.hub, self.tx, self.project, broadcast, self.now)? {
            self.effects.webhooks();
        }
        Ok(())
    }
}

/// Tells the present status of an outgoing message.
///
/// For each change, and for `queued` when the message is made; a single message sent by the REST
/// API is not told of when it is queued, since its sender has the answer.
///
/// A status URL of the message's own comes first and alone; else the project's status URL and its
/// webhook objects are told. A deleted message is told of no more.
pub fn send_status(
    hub: &Hub,
    tx: &mut Tx<'_>,
    project: &Project,
    message: &Message,
    now: Now,
) -> Result<bool, StoreError> {
    if message.hidden {
        return Ok(false);
    }
    let objects = match &message.status_url {
        Some(_) => None,
        None => Some(hub.cache.webhooks_in(tx, project.id)?),
    };
    let receivers = status_receivers(project, message, objects.as_deref().map_or(&[], |v| v));
    if receivers.is_empty() {
        return Ok(false);
    }
    let mut form = event_form(WebhookEvent::SendStatus);
    let sight = sight(tx, project, message)?;
    let shown = message.clone().shown_to(sight);
    let view = views::message(tx, shown)?;
    message_form(tx, &mut form, message, &view, sight)?;
    let told = Told::new(project, Some(message.id), WebhookEvent::SendStatus, form);
    told.write(hub, tx, &receivers, now)
}

/// Returns what a message's reports tell of its contact: a status URL of its own is told as much as
/// who gave it may see, the project's settings and webhook objects are told everything.
fn sight(tx: &mut Tx<'_>, project: &Project, message: &Message) -> Result<Sight, StoreError> {
    let tells_all = match message.status_url {
        Some(_) => sees(tx, project, message.disclosure.maker_sees)?,
        None => true,
    };
    Ok(match tells_all {
        true => Sight::Contacts,
        false => Sight::Sender,
    })
}

/// Tells of a message that came in; `raw` is its sender as the network gave it.
pub fn incoming_message(
    hub: &Hub,
    tx: &mut Tx<'_>,
    project: &Project,
    message: &Message,
    raw: Option<&Address>,
    phone: &Phone,
    now: Now,
) -> Result<bool, StoreError> {
    let Some(url) = &project.incoming_url else {
        return Ok(false);
    };
    let mut form = event_form(WebhookEvent::IncomingMessage);
    if let Some(number) = message.from_number.as_ref().and_then(numbers::in_e164) {
        form.text("from_number_e164", number.as_str());
    }
    let mut view = views::message(tx, message.clone())?;
    view["time_sent"] = message.time_sent.map(UnixMs::seconds).into();
    if let Some(raw) = raw {
        view["from_number"] = raw.as_str().into();
    }
    message_form(tx, &mut form, message, &view, Sight::Contacts)?;
    form.value("phone", &views::phone(phone, project));
    let receiver = Receiver {
        url,
        secret: project.incoming_secret.as_ref(),
        basic: false,
    };
    let told = Told::new(
        project,
        Some(message.id),
        WebhookEvent::IncomingMessage,
        form,
    );
    told.write(hub, tx, &[receiver], now)
}

/// By what a contact was added.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContactAdded {
    /// A program asked for it.
    ByRequest,
    /// A message came from its number, or went to it.
    ByMessage,
}

/// Tells of a new contact; what programs change of contacts is not told.
pub fn contact_added(
    hub: &Hub,
    tx: &mut Tx<'_>,
    project: &Project,
    contact: &Contact,
    added: ContactAdded,
    now: Now,
) -> Result<bool, StoreError> {
    let objects = hub.cache.webhooks_in(tx, project.id)?;
    let receivers: Vec<_> = wanting(&objects, WebhookEvent::ContactUpdate).collect();
    if receivers.is_empty() {
        return Ok(false);
    }
    let mut form = event_form(WebhookEvent::ContactUpdate);
    let update_type = match added {
        ContactAdded::ByRequest => "add",
        ContactAdded::ByMessage => "auto_add",
    };
    form.text("update_type", update_type);
    properties(&mut form, &views::contact(tx, contact.clone())?);
    let told = Told::new(project, None, WebhookEvent::ContactUpdate, form);
    told.write(hub, tx, &receivers, now)
}

/// Tells of a broadcast that was made.
pub fn send_broadcast(
    hub: &Hub,
    tx: &mut Tx<'_>,
    project: &Project,
    broadcast: &Broadcast,
    now: Now,
) -> Result<bool, StoreError> {
    let objects = hub.cache.webhooks_in(tx, project.id)?;
    let receivers: Vec<_> = wanting(&objects, WebhookEvent::SendBroadcast).collect();
    if receivers.is_empty() {
        return Ok(false);
    }
    let mut form = event_form(WebhookEvent::SendBroadcast);
    properties(&mut form, &views::broadcast(tx, broadcast.clone())?);
    let told = Told::new(project, None, WebhookEvent::SendBroadcast, form);
    told.write(hub, tx, &receivers, now)
}

/// Tells of an alert that was raised, or cleared.
pub fn alert(
    hub: &Hub,
    tx: &mut Tx<'_>,
    project: &Project,
    alert: &Alert,
    now: Now,
) -> Result<bool, StoreError> {
    let Some(url) = &project.alert_url else {
        return Ok(false);
    };
    let mut form = event_form(WebhookEvent::Alert);
    let view = serde_json::json!({
        "id": alert.id,
        "kind": alert.kind.as_str(),
        "detail": alert.detail,
        "phone_id": alert.phone_id,
        "time_created": alert.time_created.seconds(),
        "time_cleared": alert.time_cleared.map(|time| time.seconds()),
        "project_id": alert.project_id,
    });
    properties(&mut form, &view);
    let receiver = Receiver {
        url,
        secret: project.alert_secret.as_ref(),
        basic: false,
    };
    Told::new(project, None, WebhookEvent::Alert, form).write(hub, tx, &[receiver], now)
}

fn status_receivers<'a>(
    project: &'a Project,
    message: &'a Message,
    objects: &'a [Webhook],
) -> Vec<Receiver<'a>> {
    let setting = |url: &'a Option<String>, secret: &'a Option<Secret>| {
        url.as_deref().map(|url| Receiver {
            url,
            secret: secret.as_ref(),
            basic: false,
        })
    };
    if let Some(own) = setting(&message.status_url, &message.status_secret) {
        return vec![own];
    }
    let project = setting(&project.status_url, &project.status_secret);
    let objects = wanting(objects, WebhookEvent::SendStatus);
    project.into_iter().chain(objects).collect()
}

/// Returns the webhook objects that ask for an event.
fn wanting(objects: &[Webhook], event: WebhookEvent) -> impl Iterator<Item = Receiver<'_>> {
    let wants = move |object: &&Webhook| object.events.contains(&event);
    objects.iter().filter(wants).map(|object| Receiver {
        url: &object.url,
        secret: object.secret.as_ref(),
        basic: true,
    })
}

fn event_form(event: WebhookEvent) -> Form {
    let mut form = Form::default();
    form.text("event", event.as_str());
    form
}

/// Adds the properties of a message, and of its contact as `contact[...]`, as far as these may be
/// seen.
fn message_form(
    tx: &mut Tx<'_>,
    form: &mut Form,
    message: &Message,
    view: &Value,
    sight: Sight,
) -> Result<(), StoreError> {
    properties(form, view);
    if let Some(contact_id) = message.contact_id
        && let Some(contact) = contacts::get(tx, message.project_id, contact_id)?
    {
        let contact = match sight.sees_contacts() {
            true => views::contact(tx, contact)?,
            false => views::recipient(&contact),
        };
        form.value("contact", &contact);
    }
    Ok(())
}

/// Adds an object's members as parameters of their own.
fn properties(form: &mut Form, view: &Value) {
    for (name, value) in view.as_object().into_iter().flatten() {
        form.value(name, value);
    }
}

/// One event, ready for its receivers.
struct Told<'a> {
    project: &'a Project,
    message_id: Option<MessageId>,
    event: WebhookEvent,
    body: String,
}

impl<'a> Told<'a> {
    fn new(
        project: &'a Project,
        message_id: Option<MessageId>,
        event: WebhookEvent,
        form: Form,
    ) -> Self {
        Self {
            project,
            message_id,
            event,
            body: form.finish(),
        }
    }

    fn write(
        self,
        hub: &Hub,
        tx: &mut Tx<'_>,
        receivers: &[Receiver<'_>],
        now: Now,
    ) -> Result<bool, StoreError> {
        for receiver in receivers {
            outbox::insert(tx, &self.row(hub, receiver, now))?;
        }
        if receivers.is_empty() {
            return Ok(false);
        }
        let count = u64::try_from(receivers.len()).unwrap_or(u64::MAX);
        waiting::written(hub, tx, self.project, count, now)?;
        Ok(true)
    }

    fn row(&self, hub: &Hub, receiver: &Receiver<'_>, now: Now) -> OutboxRow {
        let secret = receiver.secret.cloned();
        OutboxRow {
            id: hub.key(now).get(),
            project_id: self.project.id,
            message_id: self.message_id,
            origin: origin(receiver.url),
            url: receiver.url.to_owned(),
            basic_password: secret.clone().filter(|_| receiver.basic),
            secret,
            event: self.event,
            body: self.body.clone(),
            attempts: 0,
            due_at: now.unix,
            time_created: now.unix,
        }
    }
}

/// Returns the endpoint of a URL. URLs are checked where they are set; one that is none any more
/// keeps its row, so that the log says why it is never delivered.
fn origin(url: &str) -> String {
    Target::parse(url).map_or_else(|_| "unusable".to_owned(), |target| target.origin())
}
