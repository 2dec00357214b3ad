//! `POST /projects/{project_id}/scheduled/{scheduled_id}`

use crate::scheduled::read;
use crate::{ApiResult, Call, enter, parse};
use axum::extract::State;
use hub_app::hub::Hub;
use hub_app::schedules;
use hub_web::{Answer, Fields};

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

/// Changes what is given of a scheduled message.
pub async fn update(State(hub): State<Hub>, call: Call) -> ApiResult {
    let actor = enter(&hub, &call, schedules::PERMISSION).await?;
    let id = call.path_id("scheduled_id", "scheduled message")?;
    let fields = Fields::read(&call.params)?;
    parse::refuse_read_only(&call.params, READ_ONLY)?;
    let patch = read::schedule(&call.params, actor.now)?;
    let view = schedules::update::update(&actor, id, patch).await?;
    Ok(Answer::object(&view, &fields))
}
