//! Contacts that messages to or from new numbers make.

use crate::unit_of_work::UnitOfWork;
use crate::webhooks::enqueue::{self, ContactAdded};
use hub_domain::{Contact, ConversationStatus, Direction, Message, numbers};
use hub_store::{StoreError, contacts};
use postrider_model::ContactId;

/// Makes a contact for the number that a new message came from or goes to, and counts the message on
/// it; makes none if the project does not want contacts made by messages.
pub(crate) fn make_contact(
    work: &mut UnitOfWork<'_, '_>,
    message: &Message,
) -> Result<Option<ContactId>, StoreError> {
    if !work.project.auto_create_contacts {
        return Ok(None);
    }
    let number = match message.direction {
        Direction::Incoming => message.from_number.clone(),
        Direction::Outgoing => message.to_number.clone(),
    };
    let e164 = number.as_ref().and_then(numbers::in_e164);
    let id = work.id();
    let mut contact = Contact::new(id, work.project.id, number, e164, work.now.unix);
    count_first(&mut contact, message);
    contacts::insert(work.tx, &contact)?;
    work.contacts.made(&contact);
    enqueue::contact_added(work, &contact, ContactAdded::ByMessage)?;
    Ok(Some(id))
}

fn count_first(contact: &mut Contact, message: &Message) {
    let at = Some(message.time_created);
    contact.message_count = 1;
    contact.last_message_id = Some(message.id);
    contact.last_message_time = at;
    match message.direction {
        Direction::Incoming => {
            contact.incoming_message_count = 1;
            contact.last_incoming_message_time = at;
            contact.conversation_status = ConversationStatus::Active;
        }
        Direction::Outgoing => {
            contact.outgoing_message_count = 1;
            contact.last_outgoing_message_time = at;
            contact.last_broadcast_id = message.broadcast_id;
        }
    }
}
