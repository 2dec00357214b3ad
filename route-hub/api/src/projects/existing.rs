//! `GET /projects` and `GET /organizations/{organization_id}/projects`, and one of them.

use crate::lists::{DEFAULT, Entry, List, TEXT};
use crate::organizations::actor_of;
use crate::{ApiResult, Call, enter};
use axum::extract::State;
use hub_app::hub::Hub;
use hub_app::projects::{self, ProjectView};
use hub_domain::{Permission, Project};
use hub_store::list::Sort;
use hub_store::projects::by;
use hub_web::{Answer, ApiError, Fields};

const LIST: List = List {
    filters: &[Entry::text("name", by::NAME, TEXT)],
    sorts: &[DEFAULT, ("name", Sort::by(by::NAME))],
};

/// Lists the projects that the caller's key reaches.
pub async fn list(State(hub): State<Hub>, call: Call) -> ApiResult {
    let actor = actor_of(&hub, &call);
    if call.has_path("organization_id") {
        let named = call.path_id("organization_id", "organization")?;
        if named != actor.organization_id {
            return Err(ApiError::not_found("organization").into());
        }
    }
    actor.who.require(Permission::ViewProjects)?;
    let asked = LIST.read(&call.params)?;
    let listed = projects::list(&actor, asked.request()).await?;
    Ok(asked.show(listed))
}

/// Shows one project.
pub async fn get(State(hub): State<Hub>, call: Call) -> ApiResult {
    let actor = enter(&hub, &call, Permission::ViewProjects).await?;
    let fields = Fields::read(&call.params)?;
    let view = ProjectView(Project::clone(&actor.project));
    Ok(Answer::object(&view, &fields))
}

/// Lists the people who may sign in to a project: nobody yet, there are only API keys.
pub async fn users(State(hub): State<Hub>, call: Call) -> ApiResult {
    enter(&hub, &call, Permission::ViewProjects).await?;
    let wanted = Fields::read(&call.params)?;
    Ok(Answer::value(&[(); 0], &wanted)?)
}
