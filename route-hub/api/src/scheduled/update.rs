//! `POST /projects/{project_id}/scheduled/{scheduled_id}`

use crate::idempotency::Idempotency;
use crate::messages::patch::change_message;
use crate::scheduled::found;
use crate::{ApiResult, Call, Failure, enter, transaction};
use axum::extract::State;
use hub_app::actor::Actor;
use hub_app::dispatch::unit_of_work::UnitOfWork;
use hub_app::hub::Hub;
use hub_app::messages::planned::Planned;
use hub_app::messages::stored_message::StoredMessage;
use hub_app::parse;
use hub_app::schedules::recipient::{listed, recipient_group};
use hub_app::schedules::timing::Timing;
use hub_app::schedules::view::ScheduleView;
use hub_domain::{Permission, Project, Schedule};
use hub_store::schedules;
use hub_web::{Answer, ApiError, Fields};
use postrider_model::{Now, ScheduledId};

/// The fields that a caller may read but not write.
const READ_ONLY: &[&str] = &[
    "id",
    "recipients",
    "recipients_str",
    "message_type",
    "time_created",
    "prev_time",
    "next_time",
    "occurrences",
    "error_message",
    "relative_scheduled_id",
    "project_id",
];

/// How often a change is tried again that another one came before.
const TRIES: usize = 20;

/// Changes what is given of a scheduled message; its times are looked for anew where they change.
pub async fn update(State(hub): State<Hub>, call: Call) -> ApiResult {
    let project = enter(&hub, &call, Permission::SendMessages).await?;
    let id = call.path_id("scheduled_id", "scheduled message")?;
    let now = hub.now();
    let fields = Fields::read(&call.params)?;
    parse::refuse_read_only(&call.params, READ_ONLY)?;
    for _ in 0..TRIES {
        let answer = attempt(&hub, &call, &project, id, &fields, now).await?;
        if answer != Answer::void() {
            return Ok(answer);
        }
    }
    Err(ApiError::unavailable("the scheduled message changes all the time").into())
}

/// Changes it as it was read; answers nothing when it has been sent or changed since.
async fn attempt(
    hub: &Hub,
    call: &Call,
    project: &Actor,
    id: ScheduledId,
    fields: &Fields,
    now: Now,
) -> ApiResult {
    let of = project.id;
    let reading = hub.store.of(of).read(move |tx| schedules::get(tx, of, id));
    let mut schedule = found(reading.await?)?;
    let before = schedule.clone();
    let planned = change(hub, call, project, &mut schedule, now).await?;

    let moved = schedule.to != before.to;
    let decide = move |work: &mut UnitOfWork<'_, '_>| {
        let mut schedule = schedule.clone();
        if moved {
            schedule.listed_contact_id =
                listed(work.tx, work.project, &schedule.to, planned.is_for_code())?;
        }
        if !schedules::update(work.tx, &schedule)? {
            found(schedules::get(work.tx, work.project.id, id)?)?;
            return Ok(None);
        }
        Ok(Some(ScheduleView::read(work.tx, schedule)?))
    };
    let fields = fields.clone();
    let show = move |view: Option<ScheduleView>| {
        view.map_or_else(Answer::void, |view| Answer::object(&view, &fields))
    };
    transaction::answer(project, Idempotency::none(), decide, show).await
}

/// Puts into a schedule what the request gives, and checks the whole.
async fn change(
    hub: &Hub,
    call: &Call,
    project: &Project,
    schedule: &mut Schedule,
    now: Now,
) -> Result<Planned, Failure> {
    let params = &call.params;
    let mut message = StoredMessage::read(&schedule.message)
        .map_err(|unreadable| unreadable.in_column(schedules::MESSAGE))?;
    let planned = change_message(hub, call, project, &mut message, now).await?;
    schedule.message = message.to_text();
    let named = ["to_number", "contact_id"].map(|name| params.get(name));
    if let Some(group) = recipient_group(params)? {
        schedule.to = planned.to_group(group)?;
    } else if named.iter().any(|field| !field.is_empty()) {
        schedule.to = planned.recipient(params, project)?;
    }
    Timing::read(params, project, now)?.apply(schedule, now.unix)?;
    Ok(planned)
}
