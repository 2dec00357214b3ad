//! What a task waits for.

use crate::holds::{Hold, Holds, Need};
use crate::tasks::TaskView;
use crate::tasks::filter::{Batch, Source};
use crate::tasks::types;
use hub_domain::{Message, Task, TaskStatus, WaitingFor};
use hub_store::{StoreError, Tx};
use postrider_link::ownership::hub::HubState;

/// For how many tasks of a page the next message is looked at.
const LOOKS_MAX: usize = 3;

/// Shows tasks, and looks up once what they wait for.
pub(super) struct Viewer<'a> {
    holds: Holds<'a>,
    looks: usize,
}

impl<'a> Viewer<'a> {
    pub(super) fn new(holds: Holds<'a>) -> Self {
        Self { holds, looks: 0 }
    }

    pub(super) fn view(&mut self, tx: &mut Tx<'_>, task: Task) -> Result<TaskView, StoreError> {
        let hold = self.hold(tx, &task)?;
        Ok(TaskView { task, hold })
    }

    fn hold(&mut self, tx: &mut Tx<'_>, task: &Task) -> Result<Option<Hold>, StoreError> {
        if !task.status.is_under_way() {
            return Ok(None);
        }
        // The first step only counts the rows.
        if task.status != TaskStatus::Active || !types::sends(task.task_type) {
            return self.holds.find(tx, Need::Project);
        }
        match self.holds.find(tx, Need::Room)? {
            Some(hold) if hold.reason == WaitingFor::PlanLimit && !self.needs_room(tx, task)? => {
                self.holds.find(tx, Need::Sending)
            }
            hold => Ok(hold),
        }
    }

    /// Says whether a task's next message goes out as one more, which the plan's limit counts. The same message, sent
    /// again, needs no room.
    fn needs_room(&mut self, tx: &mut Tx<'_>, task: &Task) -> Result<bool, StoreError> {
        let source = match Source::of(task) {
            Ok(source) if self.looks < LOOKS_MAX => source,
            _ => return Ok(true),
        };
        self.looks += 1;
        match source.left(tx, 1) {
            Ok(Batch::Messages(messages)) => Ok(messages.first().is_some_and(is_copied)),
            Ok(Batch::Contacts(_) | Batch::Rows(_)) => Ok(false),
            Err(StoreError::TooSlow) => Ok(true),
            Err(error) => Err(error),
        }
    }
}

/// Says whether sending a message again makes another one of it that leaves.
fn is_copied(message: &Message) -> bool {
    let was_sent = matches!(
        message.state(),
        Some(HubState::Sent | HubState::NotDelivered | HubState::Delivered)
    );
    was_sent && !message.simulated
}
