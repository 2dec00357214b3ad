//! A contact.

use crate::views::pages::{Page, write_pages};
use hub_domain::Contact;
use hub_store::{StoreError, Tx, groups};
use hub_view::{ObjectWriter, Resource};
use postrider_model::{GroupId, UnixMs};

/// A contact, with the groups that it was put into.
#[derive(Debug, Clone)]
pub struct ContactView {
    /// The contact.
    pub contact: Contact,
    /// The groups, but for dynamic ones.
    pub group_ids: Vec<GroupId>,
}

impl ContactView {
    /// Looks up the groups of a contact.
    pub fn read(tx: &mut Tx<'_>, contact: Contact) -> Result<Self, StoreError> {
        let group_ids = groups::of_contact(tx, contact.id)?;
        Ok(Self { contact, group_ids })
    }

    /// Looks up the groups of contacts.
    pub(crate) fn read_all(
        tx: &mut Tx<'_>,
        contacts: Vec<Contact>,
    ) -> Result<Vec<Self>, StoreError> {
        let read = |contact| Self::read(tx, contact);
        contacts.into_iter().map(read).collect()
    }
}

impl Resource for ContactView {
    fn write(&self, out: &mut ObjectWriter<'_>) {
        let contact = &self.contact;
        out.put("id", &contact.id);
        out.put("name", &contact.name);
        out.put("phone_number", &contact.phone_number);
        out.put("time_created", &contact.time_created.seconds());
        out.put("time_updated", &contact.time_updated.seconds());
        out.put("send_blocked", &contact.send_blocked);
        out.put("conversation_status", contact.conversation_status.as_str());
        out.put("last_message_time", &seconds(contact.last_message_time));
        let incoming = seconds(contact.last_incoming_message_time);
        out.put("last_incoming_message_time", &incoming);
        let outgoing = seconds(contact.last_outgoing_message_time);
        out.put("last_outgoing_message_time", &outgoing);
        out.put("message_count", &contact.message_count);
        out.put("incoming_message_count", &contact.incoming_message_count);
        out.put("outgoing_message_count", &contact.outgoing_message_count);
        out.put("last_message_id", &contact.last_message_id);
        out.put("default_route_id", &contact.default_route_id);
        out.put("group_ids", &self.group_ids);
        out.put("vars", &contact.vars);
        out.put("project_id", &contact.project_id);
        write_pages(out, &[Page::Shown]);
    }
}

/// What everybody may know of a contact whom a message is for.
pub(crate) struct RecipientView<'a>(pub(crate) &'a Contact);

impl Resource for RecipientView<'_> {
    fn write(&self, out: &mut ObjectWriter<'_>) {
        out.put("id", &self.0.id);
        out.put("name", &self.0.name);
        out.put("phone_number", &self.0.phone_number);
    }
}

fn seconds(time: Option<UnixMs>) -> Option<i64> {
    time.map(UnixMs::seconds)
}
