//! `POST /projects/{project_id}`

use crate::projects::patch;
use crate::{ApiResult, Call, enter};
use axum::extract::State;
use hub_app::hub::Hub;
use hub_app::projects::{self, ProjectView};
use hub_web::{Answer, Fields};

/// Changes a project's settings; phones that keep its zone hear of a new one after the commit.
pub async fn update(State(hub): State<Hub>, call: Call) -> ApiResult {
    let actor = enter(&hub, &call, projects::UPDATE).await?;
    let fields = Fields::read(&call.params)?;
    let patch = patch::read(&call.params)?;
    let changed = projects::update(&actor, patch).await?;
    Ok(Answer::object(&ProjectView(changed), &fields))
}
