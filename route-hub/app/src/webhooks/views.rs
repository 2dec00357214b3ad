//! What an event shows of a message, a contact, a phone: the same properties as the REST API.

use crate::views::broadcast::BroadcastView;
use crate::views::contact::ContactView;
use crate::views::message::MessageView;
use crate::views::phone::PhoneView;
use hub_domain::{Broadcast, Contact, Message, Phone, Project};
use hub_store::{StoreError, Tx, labels};
use hub_view::{Fields, ObjectWriter, Resource};
use serde_json::{Value, json};

/// Returns a message's properties.
pub(crate) fn message(tx: &mut Tx<'_>, message: Message) -> Result<Value, StoreError> {
    Ok(properties(&MessageView {
        waiting: None,
        label_ids: labels::of_message(tx, message.id)?,
        message,
    }))
}

/// Returns what everybody may know of a contact whom a message is for.
pub(crate) fn recipient(contact: &Contact) -> Value {
    json!({
        "id": contact.id,
        "name": contact.name,
        "phone_number": contact.phone_number,
    })
}

/// Returns a contact's properties.
pub(crate) fn contact(tx: &mut Tx<'_>, contact: Contact) -> Result<Value, StoreError> {
    Ok(properties(&ContactView::read(tx, contact)?))
}

/// Returns a broadcast's properties.
pub(crate) fn broadcast(tx: &mut Tx<'_>, broadcast: Broadcast) -> Result<Value, StoreError> {
    Ok(properties(&BroadcastView::read(tx, broadcast)?))
}

/// Returns a phone's properties.
pub(crate) fn phone(phone: &Phone, project: &Project) -> Value {
    properties(&PhoneView::new(phone.clone(), project))
}

fn properties(resource: &impl Resource) -> Value {
    let mut json = Vec::new();
    ObjectWriter::object(&mut json, &Fields::ALL, resource);
    serde_json::from_slice(&json).unwrap_or_default()
}
