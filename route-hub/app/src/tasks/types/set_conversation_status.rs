//! `set_conversation_status`: says how far a person is with contacts.

use super::{OfContacts, patch};
use crate::contacts::ContactPatch;
use crate::contacts::saving::Saving;
use crate::failure::Failure;
use crate::tasks::params::TaskParams;
use crate::unit_of_work::UnitOfWork;
use hub_domain::Contact;
use hub_view::Refusal;

struct SetConversationStatus(ContactPatch);

pub(super) fn read(given: &TaskParams) -> Result<Box<dyn OfContacts>, Refusal> {
    given.are(&["conversation_status"])?;
    let set = ContactPatch {
        conversation_status: given.conversation_status,
        ..ContactPatch::default()
    };
    Ok(Box::new(SetConversationStatus(set)))
}

impl OfContacts for SetConversationStatus {
    fn change(
        &self,
        work: &mut UnitOfWork<'_, '_>,
        saving: &mut Saving,
        contact: Contact,
    ) -> Result<(), Failure> {
        patch(work, saving, &self.0, &contact)
    }
}
