//! Making a key.

use crate::api_keys::KeyRefused;
use crate::auth::NewKey;
use crate::failure::NotDone;
use crate::hub_work::HubWork;
use hub_domain::{ApiKey, Permissions, Project};
use hub_store::{StoreError, api_keys, organizations, projects};
use postrider_model::{OrganizationId, ProjectId, Secret, UnixMs};

/// What a key is made for.
#[derive(Debug, Clone, Copy)]
pub enum Reach {
    /// One project.
    Project(ProjectId),
    /// Every project of an organization.
    Organization(OrganizationId),
}

/// A key to be made.
#[derive(Debug, Clone)]
pub struct NewApiKey {
    /// What it is for.
    pub reach: Reach,
    /// What people call it.
    pub name: String,
    /// What it permits.
    pub permissions: Permissions,
    /// Requests per second; `None`: no limit.
    pub rate_per_s: Option<u32>,
    /// Most requests at once; `None`: as many as `rate_per_s`.
    pub rate_burst: Option<u32>,
    /// When it ends.
    pub time_expires: Option<UnixMs>,
}

/// Makes a key; the text is returned this once and kept nowhere.
pub fn create(
    work: &mut HubWork<'_, '_>,
    command: &NewApiKey,
) -> Result<(ApiKey, Secret), NotDone<KeyRefused>> {
    let (organization_id, project) = owner(work, command.reach)?;
    let id = work.id();
    let NewKey { text, hash } = NewKey::draw(id, &work.hub.random);
    let key = ApiKey {
        id,
        organization_id,
        project_id: project.as_ref().map(|project| project.id),
        name: command.name.clone(),
        secret_hash: hash,
        permissions: command.permissions.clone(),
        rate_per_s: command.rate_per_s,
        rate_burst: command.rate_burst,
        time_created: work.now.unix,
        time_last_used: None,
        time_expires: command.time_expires,
        time_revoked: None,
    };
    api_keys::insert(work.tx, &key)?;
    note(work, &key, project.as_ref(), "key.create")?;
    Ok((key, text))
}

fn owner(
    work: &mut HubWork<'_, '_>,
    reach: Reach,
) -> Result<(OrganizationId, Option<Project>), NotDone<KeyRefused>> {
    match reach {
        Reach::Project(id) => {
            let project = projects::get(work.tx, id)?.ok_or(KeyRefused::NoSuchProject)?;
            Ok((project.organization_id, Some(project)))
        }
        Reach::Organization(id) => {
            organizations::get(work.tx, id)?.ok_or(KeyRefused::NoSuchOrganization)?;
            Ok((id, None))
        }
    }
}

/// Writes down what was done to a key, where people look for it: in its project, if it is for one.
pub(super) fn note(
    work: &mut HubWork<'_, '_>,
    key: &ApiKey,
    project: Option<&Project>,
    action: &'static str,
) -> Result<(), StoreError> {
    match project {
        Some(project) => work.within(project, |work| work.note(action, key.id)),
        None => work.note(key.organization_id, action, key.id),
    }
}
