//! `POST /organizations/{organization_id}/projects` and `POST /projects/{project_id}`

use crate::projects::{NAME, PROJECT, patch};
use crate::{ApiResult, Call, operation};
use hub_app::actor::{Actor, OrganizationActor};
use hub_app::projects::{self, NewProject, ProjectView};
use hub_web::{Answer, ApiError, ErrorCode, Fields, Member};

/// A new project has no phone yet.
const NO_ROUTE: Member = Member::elsewhere(
    "default_route_id",
    "can be set once the project has a phone or route",
);

operation! {
    /// Makes a project in an organization that the caller's key is for.
    CREATE = "createProject": WholeOrganization(projects::CREATE), create -> Object(&PROJECT);
    .takes(&[&[NAME.required(), NO_ROUTE], patch::TAKES])
    .errors(&[ErrorCode::LimitExceeded])
    .example(r#"{"name":"Clinic"}"#)
}

async fn create(actor: OrganizationActor, call: Call) -> ApiResult {
    let fields = Fields::read(&call.params)?;
    let mut settings = patch::read(&call.params)?;
    let name = settings.name.take();
    let command = NewProject {
        organization_id: actor.organization_id,
        name: name.ok_or_else(|| ApiError::invalid_param("name", "is required"))?,
        settings,
    };
    let project = projects::create(&actor, command).await?;
    Ok(Answer::object(&ProjectView(project), &fields))
}

operation! {
    /// Changes a project's settings; phones that keep its zone hear of a new one after the commit.
    UPDATE = "updateProject": Project(projects::UPDATE), update -> Object(&PROJECT);
    .takes(&[&[NAME], patch::TAKES])
    .example(r#"{"timezone_id":"Africa/Nairobi"}"#)
}

async fn update(actor: Actor, call: Call) -> ApiResult {
    let fields = Fields::read(&call.params)?;
    let patch = patch::read(&call.params)?;
    let changed = projects::update(&actor, patch).await?;
    Ok(Answer::object(&ProjectView(changed), &fields))
}
