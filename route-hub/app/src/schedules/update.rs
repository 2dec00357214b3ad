//! Changing a scheduled message.

use crate::actor::Actor;
use crate::commands::stored_message::StoredMessage;
use crate::failure::Failure;
use crate::files;
use crate::holds::Holds;
use crate::messages::planned::Planned;
use crate::schedules::create::SchedulePatch;
use crate::schedules::recipient::listed;
use crate::schedules::{CHANGE_TRIES_MAX, PERMISSION, found, refuse_item};
use crate::transaction::run;
use crate::views::schedule::ScheduleView;
use hub_domain::{FileHolder, Schedule};
use hub_store::schedules;
use hub_view::Refusal;
use postrider_model::{FileId, ScheduledId};

/// Changes what is given; its times are looked for anew where they change.
pub async fn update(
    actor: &Actor,
    id: ScheduledId,
    patch: SchedulePatch,
) -> Result<ScheduleView, Failure> {
    actor.require(PERMISSION)?;
    for _ in 0..CHANGE_TRIES_MAX {
        if let Some(view) = attempt(actor, id, patch.clone()).await? {
            return Ok(view);
        }
    }
    Err(Refusal::unavailable("the scheduled message changes all the time").into())
}

/// Changes it as it was read; returns nothing when it has been sent or changed since.
async fn attempt(
    actor: &Actor,
    id: ScheduledId,
    patch: SchedulePatch,
) -> Result<Option<ScheduleView>, Failure> {
    let of = actor.project.id;
    let store = actor.hub.store.of(of);
    let reading = store.read(move |tx| {
        refuse_item(tx, of, id)?;
        Ok::<_, Failure>(found(schedules::get(tx, of, id)?)?)
    });
    let before = reading.await?;
    let mut schedule = before.clone();
    let (planned, carried) = change(actor, &mut schedule, patch).await?;
    let is_for_code = planned.is_for_code();

    let moved = schedule.to != before.to;
    run(actor, move |work| {
        let mut schedule = schedule.clone();
        if moved {
            schedule.listed_contact_id = listed(work, &schedule.to, is_for_code)?;
        }
        if !schedules::update(work.tx, &schedule)? {
            found(schedules::get(work.tx, of, id)?)?;
            return Ok(None);
        }
        files::name_by(work, (FileHolder::Scheduled, id.get()), &carried)?;
        let (addresses, mut holds) = (work.addresses(), Holds::within(work));
        let view = ScheduleView::read(work.tx, schedule, &addresses, &mut holds);
        Ok(Some(view?))
    })
    .await
}

/// Puts into a schedule what is given, and checks the whole. Returns the files that it names, too.
async fn change(
    actor: &Actor,
    schedule: &mut Schedule,
    patch: SchedulePatch,
) -> Result<(Planned, Vec<FileId>), Failure> {
    let project = &actor.project;
    let mut message = StoredMessage::read(&schedule.message)
        .map_err(|unreadable| unreadable.in_column(schedules::MESSAGE))?;
    let planned = message.change(actor, patch.message).await?;
    schedule.message = message.to_text();
    if let Some(to) = patch.to.named(&planned, actor)? {
        schedule.to = to;
    }
    patch.timing.apply(project, schedule, actor.now.unix)?;
    Ok((planned, message.files()))
}
