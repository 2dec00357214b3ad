//! Changing a message that is scheduled relative to a date.

use crate::actor::Actor;
use crate::commands::stored_message::StoredMessage;
use crate::failure::Failure;
use crate::files;
use crate::schedules::relative::patch::{RelativePatch, refuse_code};
use crate::schedules::relative::{check_recipient, found, refuse_item};
use crate::schedules::{CHANGE_TRIES_MAX, PERMISSION};
use crate::transaction::run;
use crate::views::relative_schedule::RelativeView;
use hub_domain::{FileHolder, RelativeSchedule};
use hub_store::relative_schedules;
use hub_view::Refusal;
use postrider_model::{FileId, RelativeScheduledId};

/// Changes what is given; the scheduled messages of all its contacts follow.
pub async fn update(
    actor: &Actor,
    id: RelativeScheduledId,
    patch: RelativePatch,
) -> Result<RelativeView, Failure> {
    actor.require(PERMISSION)?;
    for _ in 0..CHANGE_TRIES_MAX {
        if let Some(view) = attempt(actor, id, patch.clone()).await? {
            actor.hub.bus.wake_followers();
            return Ok(view);
        }
    }
    Err(Refusal::unavailable("the relative scheduled message changes all the time").into())
}

/// Changes it as it was read; returns nothing when it has been changed since.
async fn attempt(
    actor: &Actor,
    id: RelativeScheduledId,
    patch: RelativePatch,
) -> Result<Option<RelativeView>, Failure> {
    let of = actor.project.id;
    let store = actor.hub.store.of(of);
    let before = store.read(move |tx| relative_schedules::get(tx, of, id));
    let before = found(before.await?)?;
    refuse_item(&before)?;
    let (relative, carried) = changed(actor, before.clone(), patch).await?;
    run(actor, move |work| {
        if relative.to != before.to {
            check_recipient(work, &relative.to)?;
        }
        let now = found(relative_schedules::get(work.tx, of, id)?)?;
        if !is_same(&now, &before) {
            return Ok(None);
        }
        relative_schedules::update(work.tx, &relative)?;
        files::name_by(work, (FileHolder::RelativeScheduled, id.get()), &carried)?;
        let addresses = work.addresses();
        let view = RelativeView::read(work.tx, relative.clone(), &addresses)?;
        Ok(Some(view))
    })
    .await
}

/// Returns what is to be stored, and the files that it names.
async fn changed(
    actor: &Actor,
    mut relative: RelativeSchedule,
    mut patch: RelativePatch,
) -> Result<(RelativeSchedule, Vec<FileId>), Failure> {
    let project = &actor.project;
    let mut message = StoredMessage::read(&relative.message)
        .map_err(|unreadable| unreadable.in_column(relative_schedules::MESSAGE))?;
    let given = std::mem::take(&mut patch.message);
    let planned = message.change(actor, given).await?;
    refuse_code(&planned)?;
    relative.message = message.to_text();
    if let Some(to) = patch.to.named(&planned, actor)? {
        relative.to = to;
    }
    patch.apply(project, &mut relative)?;
    relative.walked_up_to = Some(0);
    Ok((relative, message.files()))
}

/// Says whether nothing was changed but how far its contacts have been walked through.
fn is_same(now: &RelativeSchedule, before: &RelativeSchedule) -> bool {
    let walked_up_to = before.walked_up_to;
    let now = RelativeSchedule {
        walked_up_to,
        ..now.clone()
    };
    now == *before
}
