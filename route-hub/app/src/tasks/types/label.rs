//! `add_label`, `remove_label`: puts a label on messages, or takes it off.

use super::{OfMessages, known_label};
use crate::failure::Failure;
use crate::labels;
use crate::tasks::params::{TaskParams, required};
use crate::unit_of_work::UnitOfWork;
use hub_domain::Message;
use hub_view::Refusal;
use postrider_model::LabelId;

struct Label {
    id: LabelId,
    wanted: bool,
}

pub(super) fn read(given: &TaskParams, wanted: bool) -> Result<Box<dyn OfMessages>, Refusal> {
    given.are(&["label_id"])?;
    let id = given.label_id.ok_or_else(|| required("label_id"))?;
    Ok(Box::new(Label { id, wanted }))
}

impl OfMessages for Label {
    fn begin(&mut self, work: &mut UnitOfWork<'_, '_>) -> Result<(), Failure> {
        known_label(work, self.id)
    }

    fn change(&self, work: &mut UnitOfWork<'_, '_>, message: Message) -> Result<(), Failure> {
        Ok(labels::change(work, self.id, message.id, self.wanted)?)
    }
}
