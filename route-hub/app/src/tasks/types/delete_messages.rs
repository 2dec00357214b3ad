//! `delete_messages`: deletes messages.

use super::OfMessages;
use crate::failure::Failure;
use crate::messages;
use crate::tasks::params::TaskParams;
use crate::unit_of_work::UnitOfWork;
use hub_domain::Message;
use hub_view::Refusal;

struct DeleteMessages;

pub(super) fn read(given: &TaskParams) -> Result<Box<dyn OfMessages>, Refusal> {
    given.are(&[])?;
    Ok(Box::new(DeleteMessages))
}

impl OfMessages for DeleteMessages {
    fn change(&self, work: &mut UnitOfWork<'_, '_>, message: Message) -> Result<(), Failure> {
        Ok(messages::change::remove(work, message)?)
    }
}
