//! `delete_contacts`: removes contacts; their messages stay.

use super::OfContacts;
use crate::contacts;
use crate::contacts::saving::Saving;
use crate::failure::Failure;
use crate::tasks::params::TaskParams;
use crate::unit_of_work::UnitOfWork;
use hub_domain::Contact;
use hub_view::Refusal;

struct DeleteContacts;

pub(super) fn read(given: &TaskParams) -> Result<Box<dyn OfContacts>, Refusal> {
    given.are(&[])?;
    Ok(Box::new(DeleteContacts))
}

impl OfContacts for DeleteContacts {
    fn change(
        &self,
        work: &mut UnitOfWork<'_, '_>,
        _: &mut Saving,
        contact: Contact,
    ) -> Result<(), Failure> {
        contacts::remove(work, contact.id)
    }
}
