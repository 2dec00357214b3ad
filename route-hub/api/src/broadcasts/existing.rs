//! `GET /projects/{project_id}/broadcasts/{broadcast_id}`, and `POST` to its `cancel`

use crate::{ApiResult, Call, enter};
use axum::extract::State;
use hub_app::broadcasts::{self, PERMISSION, VIEW};
use hub_app::hub::Hub;
use hub_web::{Answer, Fields};

/// Shows one broadcast.
pub async fn get(State(hub): State<Hub>, call: Call) -> ApiResult {
    let actor = enter(&hub, &call, VIEW).await?;
    let id = call.path_id("broadcast_id", "broadcast")?;
    let fields = Fields::read(&call.params)?;
    let view = broadcasts::existing::get(&actor, id).await?;
    Ok(Answer::object(&view, &fields))
}

/// Cancels a broadcast: from the answer on, no more messages are made or given to a phone.
pub async fn cancel(State(hub): State<Hub>, call: Call) -> ApiResult {
    let actor = enter(&hub, &call, PERMISSION).await?;
    let id = call.path_id("broadcast_id", "broadcast")?;
    let fields = Fields::read(&call.params)?;
    let view = broadcasts::cancel::cancel(&actor, id).await?;
    Ok(Answer::object(&view, &fields))
}
