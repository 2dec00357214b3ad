//! `update_message_var`: sets a custom variable of messages.

use super::OfMessages;
use crate::failure::Failure;
use crate::messages::change::MessageChange;
use crate::tasks::params::TaskParams;
use crate::unit_of_work::UnitOfWork;
use hub_domain::Message;
use hub_view::Refusal;

struct UpdateMessageVar(MessageChange);

pub(super) fn read(given: &TaskParams) -> Result<Box<dyn OfMessages>, Refusal> {
    let vars = given.change()?;
    let set = MessageChange {
        vars,
        ..MessageChange::default()
    };
    Ok(Box::new(UpdateMessageVar(set)))
}

impl OfMessages for UpdateMessageVar {
    fn change(&self, work: &mut UnitOfWork<'_, '_>, mut message: Message) -> Result<(), Failure> {
        self.0.store(work, &mut message)
    }
}
