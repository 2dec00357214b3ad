//! API keys: made, ended and listed.

mod create;
mod revoke;

pub use create::{NewApiKey, Reach, create};
pub use revoke::revoke;

use crate::failure::NotDone;
use hub_domain::ApiKey;
use hub_store::{StoreError, Tx, api_keys, organizations};
use thiserror::Error;

/// Why a key was not made or ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum KeyRefused {
    /// There is no such organization.
    #[error("there is no such organization")]
    NoSuchOrganization,
    /// There is no such project.
    #[error("there is no such project")]
    NoSuchProject,
    /// There is no such key.
    #[error("there is no such key")]
    NoSuchKey,
    /// It has ended by somebody's word.
    #[error("the key has been revoked before")]
    RevokedBefore,
}

impl From<KeyRefused> for NotDone<KeyRefused> {
    fn from(reason: KeyRefused) -> Self {
        Self::Refused(reason)
    }
}

/// Returns the keys of every organization.
pub fn all(tx: &mut Tx<'_>) -> Result<Vec<ApiKey>, StoreError> {
    let mut keys = Vec::new();
    for organization in organizations::all(tx)? {
        keys.extend(api_keys::of_organization(tx, organization.id)?);
    }
    Ok(keys)
}

#[cfg(test)]
mod tests;
