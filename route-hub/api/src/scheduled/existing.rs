//! `GET` and `DELETE /projects/{project_id}/scheduled/{scheduled_id}`

use crate::{ApiResult, Call, enter};
use axum::extract::State;
use hub_app::hub::Hub;
use hub_app::schedules::{self, existing};
use hub_web::{Answer, Fields};

/// Returns one scheduled message.
pub async fn get(State(hub): State<Hub>, call: Call) -> ApiResult {
    let actor = enter(&hub, &call, schedules::VIEW).await?;
    let id = call.path_id("scheduled_id", "scheduled message")?;
    let fields = Fields::read(&call.params)?;
    let view = existing::get(&actor, id).await?;
    Ok(Answer::object(&view, &fields))
}

/// Cancels a scheduled message.
pub async fn delete(State(hub): State<Hub>, call: Call) -> ApiResult {
    let actor = enter(&hub, &call, schedules::PERMISSION).await?;
    let id = call.path_id("scheduled_id", "scheduled message")?;
    existing::delete(&actor, id).await?;
    Ok(Answer::void())
}
