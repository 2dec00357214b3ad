//! `GET` and `DELETE /projects/{project_id}/relative_scheduled/{relative_scheduled_id}`

use crate::{ApiResult, Call, enter};
use axum::extract::State;
use hub_app::hub::Hub;
use hub_app::schedules::relative::existing;
use hub_app::schedules::{PERMISSION, VIEW};
use hub_web::{Answer, Fields};

/// Returns one relative scheduled message.
pub async fn get(State(hub): State<Hub>, call: Call) -> ApiResult {
    let actor = enter(&hub, &call, VIEW).await?;
    let id = call.path_id("relative_scheduled_id", "relative scheduled message")?;
    let fields = Fields::read(&call.params)?;
    let view = existing::get(&actor, id).await?;
    Ok(Answer::object(&view, &fields))
}

/// Deletes one with the scheduled messages that it made.
pub async fn delete(State(hub): State<Hub>, call: Call) -> ApiResult {
    let actor = enter(&hub, &call, PERMISSION).await?;
    let id = call.path_id("relative_scheduled_id", "relative scheduled message")?;
    existing::delete(&actor, id).await?;
    Ok(Answer::void())
}
