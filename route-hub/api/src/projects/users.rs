//! `GET /projects/{project_id}/users`

use crate::{ApiResult, Call, enter};
use axum::extract::State;
use hub_app::hub::Hub;
use hub_domain::Permission;
use hub_web::{Answer, Fields};

/// Lists the people who may sign in to a project: nobody yet, there are only API keys.
pub async fn users(State(hub): State<Hub>, call: Call) -> ApiResult {
    enter(&hub, &call, Permission::ViewProjects).await?;
    let wanted = Fields::read(&call.params)?;
    Ok(Answer::value(&[(); 0], &wanted)?)
}
