//! Looking at labels, and putting them on messages.

use crate::actor::Actor;
use crate::failure::Failure;
use crate::labels::{PERMISSION, VIEW, found};
use crate::listing::{self, ListRequest, Listed};
use crate::transaction::run;
use crate::unit_of_work::UnitOfWork;
use crate::views::label::LabelView;
use hub_store::{StoreError, labels, messages};
use hub_view::Refusal;
use postrider_model::{LabelId, MessageId};

/// Returns one label.
pub async fn get(actor: &Actor, id: LabelId) -> Result<LabelView, Failure> {
    actor.require(VIEW)?;
    let project = actor.project.id;
    let share = actor.hub.store.of(project);
    let label = share.read(move |tx| labels::get(tx, project, id)).await?;
    Ok(LabelView(found(label)?))
}

/// Lists the labels of a project.
pub async fn list(actor: &Actor, request: ListRequest) -> Result<Listed<LabelView>, Failure> {
    actor.require(VIEW)?;
    listing::of_project(actor, request, labels::list, labels::count, LabelView).await
}

/// Puts a label on a message, which may have it already.
pub async fn put_on(actor: &Actor, label: LabelId, message: MessageId) -> Result<(), Failure> {
    change_message(actor, label, message, true).await
}

/// Takes a label off a message, which may not have it.
pub async fn take_off(actor: &Actor, label: LabelId, message: MessageId) -> Result<(), Failure> {
    change_message(actor, label, message, false).await
}

async fn change_message(
    actor: &Actor,
    label_id: LabelId,
    message_id: MessageId,
    is_to_have: bool,
) -> Result<(), Failure> {
    actor.require(PERMISSION)?;
    run(actor, move |work| {
        check(work, label_id)?;
        if messages::get(work.tx, work.project.id, message_id)?.is_none() {
            return Err(Refusal::not_found("message").into());
        }
        Ok(change(work, label_id, message_id, is_to_have)?)
    })
    .await
}

/// Refuses a label that the project does not have.
pub(crate) fn check(work: &mut UnitOfWork<'_, '_>, id: LabelId) -> Result<(), Failure> {
    found(labels::get(work.tx, work.project.id, id)?)?;
    Ok(())
}

/// Puts a label on a message that is there, or takes it off.
pub(crate) fn change(
    work: &mut UnitOfWork<'_, '_>,
    label: LabelId,
    message: MessageId,
    is_to_have: bool,
) -> Result<(), StoreError> {
    if is_to_have {
        labels::put_on(work.tx, work.project.id, label, message)?;
    } else {
        labels::take_off(work.tx, label, message)?;
    }
    work.effects.changed(message);
    Ok(())
}
