//! Devices: which may be connected, and what is known of each.

pub mod health;
pub mod presence;
pub mod removal;
pub mod sims;
pub mod verify;
mod words;

use hub_domain::{Device, Project};
use hub_store::{StoreError, Tx, projects};

/// Returns the project of a device's phones.
///
/// # Errors
/// When there is no such project.
pub fn project_of(tx: &mut Tx<'_>, device: &Device) -> Result<Project, StoreError> {
    projects::get(tx, device.project_id)?.ok_or(StoreError::BadRow { column: 2 })
}
