//! Scheduling a message, once or again and again.

use crate::actor::Actor;
use crate::commands::stored_message::{MessagePatch, StoredMessage};
use crate::failure::Failure;
use crate::files;
use crate::holds::Holds;
use crate::schedules::PERMISSION;
use crate::schedules::recipient::{RecipientPatch, listed};
use crate::schedules::timing::{self, TimingPatch};
use crate::transaction::{Once, Repeat, run_once};
use crate::views::schedule::ScheduleView;
use hub_domain::{FileHolder, Schedule};
use hub_store::schedules;
use hub_view::Refusal;
use postrider_model::{Id, Key};

/// Said where nobody is named.
const NOBODY: &str = "is required, or contact_id, group_id or filter_type";

/// A message that is to be scheduled; or, of one that is there, what is to change.
#[derive(Debug, Clone, Default)]
pub struct SchedulePatch {
    /// What it sends.
    pub message: MessagePatch,
    /// Whom it is for.
    pub to: RecipientPatch,
    /// When it sends.
    pub timing: TimingPatch,
}

/// Schedules a message.
pub async fn create(
    actor: &Actor,
    command: SchedulePatch,
    repeat: Option<Repeat>,
    show: impl Fn(ScheduleView) -> String + Send + 'static,
) -> Result<Once<ScheduleView>, Failure> {
    actor.require(PERMISSION)?;
    let (project, now) = (&actor.project, actor.now);
    let message = StoredMessage::new(actor, command.message).await?;
    let planned = message.planned(&actor.hub, project, now).await?;
    let to = match command.to.named(&planned, actor)? {
        Some(to) => to,
        None if planned.is_for_code() => planned.recipient(&command.to.to, project)?,
        None => return Err(Refusal::invalid_param("to_number", NOBODY).into()),
    };
    let start_time = command.timing.start_of_new()?;
    let recurrence = command.timing.recurrence.of_new(project)?;
    let mut schedule = Schedule {
        // The job that stores it makes its id.
        id: Id::new(Key::default()),
        project_id: project.id,
        relative_id: None,
        message_type: planned.message_type(),
        message: message.to_text(),
        to,
        listed_contact_id: None,
        rrule: recurrence.rrule,
        timezone_id: recurrence.timezone_id,
        start_time,
        end_time: recurrence.end_time,
        prev_time: None,
        next_time: None,
        instance: 1,
        occurrences: 0,
        problem: None,
        revision: 0,
        time_created: now.unix,
    };
    schedule.plan(now.unix);
    timing::check(&schedule)?;

    let is_for_code = planned.is_for_code();
    let carried = message.files();
    run_once(
        actor,
        repeat,
        move |work| {
            let mut schedule = Schedule {
                id: work.id(),
                ..schedule.clone()
            };
            schedule.listed_contact_id = listed(work, &schedule.to, is_for_code)?;
            schedules::insert(work.tx, &schedule)?;
            let by = (FileHolder::Scheduled, schedule.id.get());
            files::name_by(work, by, &carried)?;
            let (addresses, mut holds) = (work.addresses(), Holds::within(work));
            let view = ScheduleView::read(work.tx, schedule, &addresses, &mut holds);
            Ok::<_, Failure>(view?)
        },
        show,
    )
    .await
}
