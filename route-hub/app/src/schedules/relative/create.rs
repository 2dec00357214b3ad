//! Scheduling a message for each contact by the contact's own date.

use crate::actor::Actor;
use crate::commands::stored_message::StoredMessage;
use crate::failure::Failure;
use crate::files;
use crate::schedules::PERMISSION;
use crate::schedules::relative::check_recipient;
use crate::schedules::relative::patch::{RelativePatch, refuse_code};
use crate::stored_caps::Cap;
use crate::transaction::{Once, Repeat, run_once};
use crate::unit_of_work::UnitOfWork;
use crate::views::relative_schedule::RelativeView;
use hub_domain::{FileHolder, OffsetScale, RelativeSchedule};
use hub_store::relative_schedules;
use hub_view::Refusal;
use postrider_model::{FileId, Id, Key};

/// Schedules a message relative to a date.
pub async fn create(
    actor: &Actor,
    command: RelativePatch,
    repeat: Option<Repeat>,
    show: impl Fn(RelativeView) -> String + Send + 'static,
) -> Result<Once<RelativeView>, Failure> {
    actor.require(PERMISSION)?;
    let (relative, carried) = new_relative(actor, command).await?;
    let decide = move |work: &mut UnitOfWork<'_, '_>| {
        check_recipient(work, &relative.to)?;
        if let Some(reached) = Cap::RelativeSchedules.reached(work.tx, work.project.id)? {
            return Err(Failure::from(reached.refuse("date_variable")));
        }
        let relative = RelativeSchedule {
            id: work.id(),
            ..relative.clone()
        };
        relative_schedules::insert(work.tx, &relative)?;
        let by = (FileHolder::RelativeScheduled, relative.id.get());
        files::name_by(work, by, &carried)?;
        let addresses = work.addresses();
        Ok(RelativeView::read(work.tx, relative, &addresses)?)
    };
    let done = run_once(actor, repeat, decide, show).await?;
    actor.hub.bus.wake_followers();
    Ok(done)
}

/// Returns what is to be stored, and the files that it names.
async fn new_relative(
    actor: &Actor,
    command: RelativePatch,
) -> Result<(RelativeSchedule, Vec<FileId>), Failure> {
    let (project, now) = (&actor.project, actor.now);
    let message = StoredMessage::new(actor, command.message).await?;
    let planned = message.planned(&actor.hub, project, now).await?;
    refuse_code(&planned)?;
    let required = |name, rule| move || Refusal::invalid_param(name, rule);
    let to = command.to.named(&planned, actor)?;
    let recurrence = command.recurrence.of_new(project)?;
    let whom = required("to_number", "is required, or contact_id or group_id");
    let relative = RelativeSchedule {
        // The job that stores it makes its id.
        id: Id::new(Key::default()),
        project_id: project.id,
        campaign_id: None,
        message_type: planned.message_type(),
        message: message.to_text(),
        to: to.ok_or_else(whom)?,
        time_of_day: command
            .time_of_day
            .ok_or_else(required("time_of_day", "is required"))?,
        date_variable: command
            .date_variable
            .ok_or_else(required("date_variable", "is required"))?,
        offset_scale: command.offset_scale.unwrap_or(OffsetScale::Days),
        offset_count: command.offset_count.unwrap_or(0),
        rrule: recurrence.rrule,
        timezone_id: recurrence.timezone_id,
        end_time: recurrence.end_time,
        walked_up_to: Some(0),
        removed: false,
        time_created: now.unix,
    };
    Ok((relative, message.files()))
}
