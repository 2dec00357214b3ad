//! Changing a project.

use crate::actor::{Actor, Who};
use crate::failure::{Failure, NotDone};
use crate::hub_work::HubWork;
use crate::projects::{ProjectPatch, ProjectRefused};
use crate::transaction::run_audited;
use crate::unit_of_work::UnitOfWork;
use hub_domain::{Permission, Project};
use hub_store::projects;
use postrider_model::ProjectId;

/// Whoever changes projects needs it.
pub const PERMISSION: Permission = Permission::EditProject;

/// Changes a project's settings; the phones that go by one of them hear of it after the commit.
pub async fn update(actor: &Actor, patch: ProjectPatch) -> Result<Project, Failure> {
    actor.require(PERMISSION)?;
    let id = actor.project.id;
    Ok(run_audited(actor, move |work| within(work, id, &patch)).await?)
}

/// As [`update`], within a job.
pub fn change(
    work: &mut HubWork<'_, '_>,
    id: ProjectId,
    patch: &ProjectPatch,
) -> Result<Project, NotDone<ProjectRefused>> {
    let project = projects::get(work.tx, id)?.ok_or(ProjectRefused::NoSuchProject)?;
    work.within(&project, |work| within(work, id, patch))
}

fn within(
    work: &mut UnitOfWork<'_, '_>,
    id: ProjectId,
    patch: &ProjectPatch,
) -> Result<Project, NotDone<ProjectRefused>> {
    let before = projects::get(work.tx, id)?.ok_or(ProjectRefused::NoSuchProject)?;
    let mut changed = before.clone();
    patch.apply(work.tx, &mut changed)?;
    projects::update(work.tx, &changed)?;
    if what_phones_go_by(&before) == what_phones_go_by(&changed) {
        work.effects.rows(id);
    } else {
        work.effects.project(id);
    }
    work.note(action(&work.who), id)?;
    Ok(changed)
}

/// Returns what a project's phones go by: its zone, whether it is stopped, and whether a program
/// waits for what comes in.
fn what_phones_go_by(project: &Project) -> (&str, bool, bool) {
    let is_waited_for = project.incoming_url.is_some();
    (&project.timezone_id, project.stopped, is_waited_for)
}

/// Returns what the audit log calls it, which tells the command line from the API.
const fn action(who: &Who) -> &'static str {
    match who {
        Who::Operator => "project.set",
        Who::Key(_) | Who::Device(_) | Who::Hub => "project.update",
    }
}
