//! `update_contact_var`: sets a custom variable of contacts.

use super::{OfContacts, patch};
use crate::contacts::ContactPatch;
use crate::contacts::saving::Saving;
use crate::failure::Failure;
use crate::tasks::params::TaskParams;
use crate::unit_of_work::UnitOfWork;
use hub_domain::Contact;
use hub_view::Refusal;

struct UpdateContactVar(ContactPatch);

pub(super) fn read(given: &TaskParams) -> Result<Box<dyn OfContacts>, Refusal> {
    let vars = given.change()?;
    let set = ContactPatch {
        vars,
        ..ContactPatch::default()
    };
    Ok(Box::new(UpdateContactVar(set)))
}

impl OfContacts for UpdateContactVar {
    fn change(
        &self,
        work: &mut UnitOfWork<'_, '_>,
        saving: &mut Saving,
        contact: Contact,
    ) -> Result<(), Failure> {
        patch(work, saving, &self.0, &contact)
    }
}
