//! Organizations: the accounts that own projects.

mod create;
mod update;
pub mod usage;

pub use crate::views::organization::OrganizationView;
pub use create::create;
pub use update::{OrganizationPatch, PERMISSION as UPDATE, update};

use crate::actor::OrganizationActor;
use crate::failure::Failure;
use hub_domain::Organization;
use hub_store::organizations;
use hub_view::Refusal;

/// Returns the organization that somebody works on, as it is now.
pub async fn get(actor: &OrganizationActor) -> Result<Organization, Failure> {
    let id = actor.organization_id;
    let share = actor.hub.store.of_organization(id);
    let found = share.read(move |tx| organizations::get(tx, id)).await?;
    Ok(found.ok_or_else(missing)?)
}

fn missing() -> Refusal {
    Refusal::not_found("organization")
}

#[cfg(test)]
mod tests;
