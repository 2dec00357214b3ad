//! `GET /projects/{project_id}`

use crate::{ApiResult, Call, enter};
use axum::extract::State;
use hub_app::hub::Hub;
use hub_app::projects::ProjectView;
use hub_domain::{Permission, Project};
use hub_web::{Answer, Fields};

/// Shows one project.
pub async fn get(State(hub): State<Hub>, call: Call) -> ApiResult {
    let project = enter(&hub, &call, Permission::ViewProjects).await?;
    let fields = Fields::read(&call.params)?;
    let view = ProjectView(Project::clone(&project));
    Ok(Answer::object(&view, &fields))
}
