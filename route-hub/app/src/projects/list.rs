//! Listing projects.

use crate::actor::{OrganizationActor, Who};
use crate::failure::Failure;
use crate::listing::{self, ListRequest, Listed};
use crate::projects::ProjectView;
use hub_domain::Permission;
use hub_store::projects::{self, Reach};

/// Lists the projects of an organization that somebody reaches: a key of one project, that one.
pub async fn list(
    actor: &OrganizationActor,
    request: ListRequest,
) -> Result<Listed<ProjectView>, Failure> {
    actor.who.require(Permission::ViewProjects)?;
    let reach = Reach {
        organization_id: actor.organization_id,
        project_id: match &actor.who {
            Who::Key(key) => key.project_id,
            Who::Operator | Who::Device(_) | Who::Hub => None,
        },
    };
    listing::list(
        actor.hub.store.of_organization(actor.organization_id),
        request,
        move |tx, query| projects::list(tx, reach, query),
        move |tx, query| projects::count(tx, reach, query),
        |_, projects| Ok(projects.into_iter().map(ProjectView).collect()),
    )
    .await
}
