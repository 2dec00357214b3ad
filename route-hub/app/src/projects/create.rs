//! Making a project.

use crate::actor::OrganizationActor;
use crate::failure::{Failure, NotDone};
use crate::hub_work::HubWork;
use crate::projects::{ProjectPatch, ProjectRefused, slug};
use crate::transaction::run_on_hub;
use hub_domain::{Permission, Project, UsageType};
use hub_store::{organizations, projects, usage};
use postrider_model::OrganizationId;

/// Whoever makes projects needs it.
pub const PERMISSION: Permission = Permission::EditOrganization;

/// A project to be made.
#[derive(Debug, Clone)]
pub struct NewProject {
    /// The organization that owns it.
    pub organization_id: OrganizationId,
    /// Its name, unique within the organization.
    pub name: String,
    /// What differs from the defaults.
    pub settings: ProjectPatch,
}

/// Makes a project.
pub async fn create(actor: &OrganizationActor, command: NewProject) -> Result<Project, Failure> {
    actor.who.require(PERMISSION)?;
    Ok(run_on_hub(actor, move |work| make(work, &command)).await?)
}

/// Makes a project within a job.
pub fn make(
    work: &mut HubWork<'_, '_>,
    command: &NewProject,
) -> Result<Project, NotDone<ProjectRefused>> {
    let owner = command.organization_id;
    organizations::get(work.tx, owner)?.ok_or(ProjectRefused::NoSuchOrganization)?;
    usage::check(work.tx, UsageType::Projects, 1).map_err(NotDone::Store)?;
    let mut project = Project::new(work.id(), owner, "", work.now.unix);
    let patch = ProjectPatch {
        name: Some(command.name.clone()),
        ..command.settings.clone()
    };
    patch.apply(work.tx, &mut project)?;
    slug::give(work.tx, &mut project)?;
    projects::insert(work.tx, &project)?;
    work.within(&project, |work| work.note("project.create", project.id))
        .map_err(NotDone::Store)?;
    Ok(project)
}
