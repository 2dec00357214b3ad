//! `cancel_messages`: cancels messages, and asks the phones that hold them.

use super::OfMessages;
use crate::failure::Failure;
use crate::messages;
use crate::tasks::params::TaskParams;
use crate::unit_of_work::UnitOfWork;
use hub_domain::Message;
use hub_view::Refusal;

struct CancelMessages;

pub(super) fn read(given: &TaskParams) -> Result<Box<dyn OfMessages>, Refusal> {
    given.are(&[])?;
    Ok(Box::new(CancelMessages))
}

impl OfMessages for CancelMessages {
    fn change(&self, work: &mut UnitOfWork<'_, '_>, message: Message) -> Result<(), Failure> {
        messages::cancel::begin(work, message)
    }
}
