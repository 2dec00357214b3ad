//! `POST /projects/{project_id}/scheduled`

use crate::idempotency::Idempotency;
use crate::messages::patch::new_message;
use crate::{ApiResult, Call, enter, transaction};
use axum::extract::State;
use hub_app::dispatch::unit_of_work::UnitOfWork;
use hub_app::hub::Hub;
use hub_app::schedules::recipient::{listed, recipient_group};
use hub_app::schedules::timing::{self, Timing};
use hub_app::schedules::view::ScheduleView;
use hub_domain::{Permission, Schedule};
use hub_store::schedules;
use hub_web::{Answer, Fields};

/// Schedules a message, once or again and again.
pub async fn create(State(hub): State<Hub>, call: Call) -> ApiResult {
    let project = enter(&hub, &call, Permission::SendMessages).await?;
    let now = hub.now();
    let fields = Fields::read(&call.params)?;
    let idempotency = Idempotency::of(&call, "scheduled")?;
    let message = new_message(&call)?;
    let planned = message.planned(&hub, &project, now).await?;
    let to = match recipient_group(&call.params)? {
        Some(group) => planned.to_group(group)?,
        None => planned.recipient(&call.params, &project)?,
    };
    let timing = Timing::read(&call.params, &project, now)?;
    let (start_time, rrule, timezone_id, end_time) = timing.of_new(&project)?;
    let mut schedule = Schedule {
        id: hub.id(now),
        project_id: project.id,
        relative_id: None,
        message_type: planned.message_type(),
        message: message.to_text(),
        to,
        listed_contact_id: None,
        rrule,
        timezone_id,
        start_time,
        end_time,
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

    let for_code = planned.is_for_code();
    let decide = move |work: &mut UnitOfWork<'_, '_>| {
        let mut schedule = schedule.clone();
        schedule.listed_contact_id = listed(work.tx, work.project, &schedule.to, for_code)?;
        schedules::insert(work.tx, &schedule)?;
        Ok(ScheduleView::read(work.tx, schedule)?)
    };
    let show = move |view: ScheduleView| Answer::object(&view, &fields);
    transaction::answer(&project, idempotency, decide, show).await
}
