//! `POST /organizations/{organization_id}/projects`

use crate::organizations::enter_whole;
use crate::projects::change::Change;
use crate::projects::model::ProjectView;
use crate::{ApiResult, Call, Failure};
use axum::extract::State;
use hub_app::audit;
use hub_app::hub::Hub;
use hub_app::setup::slug;
use hub_domain::{Permission, Project};
use hub_store::{Tx, projects};
use hub_web::{Answer, ApiError, Fields};

/// Makes a project in an organization that the caller's key is for.
pub async fn create(State(hub): State<Hub>, call: Call) -> ApiResult {
    let organization = enter_whole(&hub, &call, Permission::EditOrganization).await?;
    let fields = Fields::read(&call.params)?;
    let change = Change::read(&call.params)?;
    if !change.has_name() {
        return Err(ApiError::invalid_param("name", "is required").into());
    }
    let (now, actor) = (hub.now(), call.caller.key.id);
    let (worker, of) = (hub.clone(), organization.id);
    let job = move |tx: &mut Tx<'_>| {
        let mut project = Project::new(worker.id(now), organization.id, "", now.unix);
        change.apply(tx, &mut project)?;
        slug::give(tx, &mut project)?;
        projects::insert(tx, &project)?;
        let line = audit::Line {
            organization_id: organization.id,
            project_id: Some(project.id),
            action: "project.create",
            target: project.id.to_string(),
        };
        audit::write_as(&worker, tx, &actor.to_string(), line, now)?;
        Ok::<_, Failure>(project)
    };
    let project = hub.store.of_organization(of).write(job).await?;
    Ok(Answer::object(&ProjectView(project), &fields))
}
