//! `POST /organizations/{organization_id}/projects` and `POST /projects/{project_id}`

use crate::organizations::enter_whole;
use crate::projects::patch;
use crate::{ApiResult, Call, enter};
use axum::extract::State;
use hub_app::hub::Hub;
use hub_app::projects::{self, NewProject, ProjectView};
use hub_web::{Answer, ApiError, Fields};

/// Makes a project in an organization that the caller's key is for.
pub async fn create(State(hub): State<Hub>, call: Call) -> ApiResult {
    let (actor, organization) = enter_whole(&hub, &call, projects::CREATE).await?;
    let fields = Fields::read(&call.params)?;
    let mut settings = patch::read(&call.params)?;
    let name = settings.name.take();
    let command = NewProject {
        organization_id: organization.id,
        name: name.ok_or_else(|| ApiError::invalid_param("name", "is required"))?,
        settings,
    };
    let project = projects::create(&actor, command).await?;
    Ok(Answer::object(&ProjectView(project), &fields))
}

/// Changes a project's settings; phones that keep its zone hear of a new one after the commit.
pub async fn update(State(hub): State<Hub>, call: Call) -> ApiResult {
    let actor = enter(&hub, &call, projects::UPDATE).await?;
    let fields = Fields::read(&call.params)?;
    let patch = patch::read(&call.params)?;
    let changed = projects::update(&actor, patch).await?;
    Ok(Answer::object(&ProjectView(changed), &fields))
}
