//! `POST /projects/{project_id}/relative_scheduled`

use crate::idempotency::Idempotency;
use crate::messages::patch::new_message;
use crate::relative_scheduled::check_recipient;
use crate::relative_scheduled::patch::{RelativeSchedulePatch, recipient, refuse_code};
use crate::{ApiResult, Call, enter, transaction};
use axum::extract::State;
use hub_app::dispatch::unit_of_work::UnitOfWork;
use hub_app::hub::Hub;
use hub_app::schedules::relative::view::RelativeView;
use hub_app::stored_caps::Cap;
use hub_domain::{Permission, RelativeSchedule};
use hub_store::relative_schedules;
use hub_web::{Answer, ApiError, Fields};

/// Schedules a message for each contact by the contact's own date.
pub async fn create(State(hub): State<Hub>, call: Call) -> ApiResult {
    let project = enter(&hub, &call, Permission::SendMessages).await?;
    let (now, params) = (hub.now(), &call.params);
    let fields = Fields::read(params)?;
    let idempotency = Idempotency::of(&call, "relative_scheduled")?;
    let message = new_message(&call)?;
    let planned = message.planned(&hub, &project, now).await?;
    refuse_code(&planned)?;
    let required = |name| ApiError::invalid_param(name, "is required");
    let to = recipient(params, &planned, &project)?;
    let patch = RelativeSchedulePatch::read(params, &project, now)?;
    let (rrule, timezone_id, end_time) = patch.recurring.of_new(&project)?;
    let (offset_scale, offset_count) = patch.scale_and_count();
    let time_of_day = patch.time_of_day;
    let relative = RelativeSchedule {
        id: hub.id(now),
        project_id: project.id,
        message_type: planned.message_type(),
        message: message.to_text(),
        to: to.ok_or_else(|| {
            ApiError::invalid_param("to_number", "is required, or contact_id or group_id")
        })?,
        time_of_day: time_of_day.ok_or_else(|| required("time_of_day"))?,
        date_variable: patch
            .date_variable
            .ok_or_else(|| required("date_variable"))?,
        offset_scale,
        offset_count,
        rrule,
        timezone_id,
        end_time,
        walked_up_to: Some(0),
        removed: false,
        time_created: now.unix,
    };

    let decide = move |work: &mut UnitOfWork<'_, '_>| {
        check_recipient(work.tx, work.project, &relative.to)?;
        if let Some(reached) = Cap::RelativeSchedules.reached(work.tx, work.project.id)? {
            return Err(reached.refuse("date_variable").into());
        }
        relative_schedules::insert(work.tx, &relative)?;
        Ok(RelativeView::read(work.tx, relative.clone())?)
    };
    let show = move |view: RelativeView| Answer::object(&view, &fields);
    let answer = transaction::answer(&project, idempotency, decide, show).await?;
    hub.bus.wake_followers();
    Ok(answer)
}
