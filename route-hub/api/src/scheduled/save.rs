//! `POST /projects/{project_id}/scheduled`, and to one of them.

use crate::messages::patch;
use crate::parse;
use crate::scheduled::timing::timing;
use crate::{ApiResult, Call, enter, idempotency};
use axum::extract::State;
use hub_app::hub::Hub;
use hub_app::schedules::create::SchedulePatch;
use hub_app::schedules::recipient::RecipientPatch;
use hub_app::schedules::{self, PERMISSION};
use hub_app::views::schedule::ScheduleView;
use hub_web::{Answer, ApiError, Fields, Params};
use postrider_model::Now;

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

/// Schedules a message, once or again and again.
pub async fn create(State(hub): State<Hub>, call: Call) -> ApiResult {
    let actor = enter(&hub, &call, PERMISSION).await?;
    let fields = Fields::read(&call.params)?;
    let repeat = idempotency::read(&call, "scheduled")?;
    let command = read(&call.params, actor.now)?;
    let show = move |view: ScheduleView| Answer::object(&view, &fields);
    let text = idempotency::text(show.clone());
    let done = schedules::create::create(&actor, command, repeat, text).await?;
    Ok(idempotency::shown(done, show))
}

/// Changes what is given of a scheduled message.
pub async fn update(State(hub): State<Hub>, call: Call) -> ApiResult {
    let actor = enter(&hub, &call, PERMISSION).await?;
    let id = call.path_id("scheduled_id", "scheduled message")?;
    let fields = Fields::read(&call.params)?;
    parse::refuse_read_only(&call.params, READ_ONLY)?;
    let patch = read(&call.params, actor.now)?;
    let view = schedules::update::update(&actor, id, patch).await?;
    Ok(Answer::object(&view, &fields))
}

fn read(params: &Params, now: Now) -> Result<SchedulePatch, ApiError> {
    Ok(SchedulePatch {
        message: patch::read(params)?,
        to: recipient(params)?,
        timing: timing(params, now)?,
    })
}

/// Reads whom a request names.
pub(crate) fn recipient(params: &Params) -> Result<RecipientPatch, ApiError> {
    Ok(RecipientPatch {
        group_id: parse::id(&params.get("group_id"), "group")?,
        to: patch::to(|name| params.get(name))?,
    })
}
