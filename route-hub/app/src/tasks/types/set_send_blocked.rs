//! `set_send_blocked`: blocks contacts, or lets them be sent to again.

use super::{OfContacts, patch};
use crate::contacts::ContactPatch;
use crate::contacts::saving::Saving;
use crate::failure::Failure;
use crate::tasks::params::TaskParams;
use crate::unit_of_work::UnitOfWork;
use hub_domain::Contact;
use hub_view::Refusal;

struct SetSendBlocked(ContactPatch);

pub(super) fn read(given: &TaskParams) -> Result<Box<dyn OfContacts>, Refusal> {
    given.are(&["send_blocked"])?;
    let set = ContactPatch {
        send_blocked: given.send_blocked,
        ..ContactPatch::default()
    };
    Ok(Box::new(SetSendBlocked(set)))
}

impl OfContacts for SetSendBlocked {
    fn change(
        &self,
        work: &mut UnitOfWork<'_, '_>,
        saving: &mut Saving,
        contact: Contact,
    ) -> Result<(), Failure> {
        patch(work, saving, &self.0, &contact)
    }
}
