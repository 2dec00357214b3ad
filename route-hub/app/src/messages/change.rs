//! Changing and deleting messages.

use crate::actor::Actor;
use crate::alerts;
use crate::dispatch::transitions::Detail;
use crate::failure::Failure;
use crate::fields;
use crate::messages::{PERMISSION, found, waiting};
use crate::transaction::run;
use crate::unit_of_work::UnitOfWork;
use crate::views::message::MessageView;
use hub_domain::{Direction, Message, Permission, VarsChange};
use hub_store::{StoreError, contacts, messages, outbox};
use hub_view::Refusal;
use postrider_link::ownership::hub::Fact;
use postrider_model::MessageId;

/// Whoever deletes messages needs it.
pub const DELETE: Permission = Permission::DeleteMessages;

/// What people may change of a message; what is `None` stays.
#[derive(Debug, Clone, Default)]
pub struct MessageChange {
    /// Whether it is starred.
    pub starred: Option<bool>,
    /// What went wrong, for people; an inner `None` takes it away.
    pub error_message: Option<Option<String>>,
    /// Its custom variables.
    pub vars: VarsChange,
}

impl MessageChange {
    /// Changes a message that is there.
    pub(crate) fn store(
        &self,
        work: &mut UnitOfWork<'_, '_>,
        message: &mut Message,
    ) -> Result<(), Failure> {
        self.apply(message)?;
        message.time_updated = work.now.unix;
        messages::update(work.tx, message)?;
        fields::note(work.tx, work.project.id, &message.vars, work.now.unix)?;
        work.effects.changed(message.id);
        Ok(())
    }

    fn apply(&self, message: &mut Message) -> Result<(), Refusal> {
        if let Some(starred) = self.starred {
            message.starred = starred;
        }
        if let Some(error) = &self.error_message {
            message.error_message.clone_from(error);
        }
        let applied = message.vars.apply(self.vars.clone());
        applied.map_err(|invalid| {
            Refusal::invalid_param("vars", format_args!("cannot be taken: {invalid}"))
        })
    }
}

/// Changes a message.
pub async fn update(
    actor: &Actor,
    id: MessageId,
    change: MessageChange,
) -> Result<MessageView, Failure> {
    actor.require(PERMISSION)?;
    let viewer = actor.clone();
    run(actor, move |work| {
        let mut message = found(messages::get(work.tx, work.project.id, id)?)?;
        change.store(work, &mut message)?;
        Ok(waiting::show(&viewer, work.tx, message)?)
    })
    .await
}

/// Deletes a message; one that is not sent yet is cancelled first.
pub async fn delete(actor: &Actor, id: MessageId) -> Result<(), Failure> {
    actor.require(DELETE)?;
    run(actor, move |work| {
        let message = found(messages::get(work.tx, work.project.id, id)?)?;
        Ok::<_, Failure>(remove(work, message)?)
    })
    .await
}

/// Deletes a message that is there.
pub(crate) fn remove(
    work: &mut UnitOfWork<'_, '_>,
    mut message: Message,
) -> Result<(), StoreError> {
    let (project, id) = (work.project.id, message.id);
    if message.direction == Direction::Outgoing {
        work.apply(&mut message, Fact::DeleteAsked, &Detail::default())?;
    }
    messages::hide(work.tx, project, id, work.now.unix)?;
    contacts::forget_message(work.tx, &message)?;
    let gone = outbox::delete_of_message(work.tx, project, id)?;
    alerts::waiting::left(work, gone)?;
    work.effects.changed(id);
    Ok(())
}
