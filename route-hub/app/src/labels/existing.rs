//! Looking at labels, and putting them on messages.

use crate::actor::Actor;
use crate::failure::Failure;
use crate::labels::{PERMISSION, VIEW, found};
use crate::listing::{self, ListRequest, Listed};
use crate::transaction::run;
use crate::views::label::LabelView;
use hub_store::{labels, messages};
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
    let project = actor.project.id;
    listing::list(
        actor.hub.store.of(project),
        request,
        move |tx, query| labels::list(tx, project, query),
        move |tx, query| labels::count(tx, project, query),
        |_, labels| Ok(labels.into_iter().map(LabelView).collect()),
    )
    .await
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
        let project = work.project.id;
        found(labels::get(work.tx, project, label_id)?)?;
        if messages::get(work.tx, project, message_id)?.is_none() {
            return Err(Refusal::not_found("message").into());
        }
        if is_to_have {
            labels::put_on(work.tx, project, label_id, message_id)?;
        } else {
            labels::take_off(work.tx, label_id, message_id)?;
        }
        work.effects.changed(message_id);
        Ok(())
    })
    .await
}
