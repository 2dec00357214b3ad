//! Changing an organization.

use crate::actor::OrganizationActor;
use crate::failure::Failure;
use crate::organizations::missing;
use crate::transaction::run_on_hub;
use hub_domain::{Organization, Permission};
use hub_store::organizations;

/// Whoever changes organizations needs it.
pub const PERMISSION: Permission = Permission::EditOrganization;

/// What is to be changed; what is `None` stays.
#[derive(Debug, Clone, Default)]
pub struct OrganizationPatch {
    /// Its name.
    pub name: Option<String>,
    /// The zone in which its days begin.
    pub timezone_id: Option<String>,
}

/// Changes an organization.
pub async fn update(
    actor: &OrganizationActor,
    patch: OrganizationPatch,
) -> Result<Organization, Failure> {
    actor.who.require(PERMISSION)?;
    let id = actor.organization_id;
    let updated = run_on_hub(actor, move |work| {
        let mut changed = organizations::get(work.tx, id)?.ok_or_else(missing)?;
        changed.name = patch.name.clone().unwrap_or(changed.name);
        changed.timezone_id = patch.timezone_id.clone().unwrap_or(changed.timezone_id);
        organizations::update(work.tx, &changed)?;
        work.note(id, "organization.update", id)?;
        Ok::<_, Failure>(changed)
    });
    let changed = updated.await?;
    actor.hub.cache.forget_organization(id);
    Ok(changed)
}
