//! Who asks: API keys, what they permit, and how often they may.

mod key;
mod last_used;
mod rate;

pub use key::{GivenKey, NewKey};
pub use last_used::LastUsed;
pub use rate::RateLimits;

use crate::failure::Failure;
use crate::hub::Hub;
use crate::request_counts::By;
use hub_domain::{ApiKey, Permission, Project, Sight};
use hub_store::StoreError;
use hub_web::ApiError;
use postrider_model::{Now, ProjectId, Secret};
use std::sync::Arc;

/// One call of an operation by the holder of a key.
pub type Call = hub_web::Call<Caller>;

/// The holder of an API key, for the length of one request.
#[derive(Debug, Clone)]
pub struct Caller {
    /// The key that was given.
    pub key: Arc<ApiKey>,
}

/// Finds the key that was given; `None` for one that is not valid any more, or never was.
pub async fn find(hub: &Hub, given: &Secret) -> Result<Option<Arc<ApiKey>>, StoreError> {
    let Some(given) = GivenKey::read(given) else {
        return Ok(None);
    };
    let found = match hub.cache.kept_api_key(given.id) {
        Some(kept) => Some(kept),
        None if given.is_whole() => hub.cache.api_key(&hub.store, given.id).await?,
        None => None,
    };
    let now = hub.now().unix;
    Ok(found.filter(|key| given.fits(&key.secret_hash) && key.is_live(now)))
}

/// Counts a request with a key, and notes when it came.
pub fn note_use(hub: &Hub, key: &ApiKey, now: Now) {
    let by = By::Organization(key.organization_id);
    hub.request_counts.count(by, now.unix);
    hub.last_used.note(hub, key.id, now);
}

impl Caller {
    /// Checks that the key holds a permission.
    ///
    /// # Errors
    /// `unauthorized` that names the permission.
    pub fn require(&self, permission: Permission) -> Result<(), ApiError> {
        if self.key.permissions.allow(permission) {
            return Ok(());
        }
        Err(ApiError::unauthorized(format!(
            "the API key lacks the permission {permission}"
        )))
    }

    /// Returns what the key may see of contacts.
    pub fn sight(&self) -> Sight {
        Sight::of(&self.key.permissions)
    }

    /// Finds a project that the key reaches and checks a permission on it.
    ///
    /// # Errors
    /// `not_found` for a project of somebody else as for none, `unauthorized` without the
    /// permission.
    pub async fn project(
        &self,
        hub: &Hub,
        id: ProjectId,
        permission: Permission,
    ) -> Result<Arc<Project>, Failure> {
        let found = hub.cache.project(&hub.store, id).await?;
        let project = found
            .filter(|project| self.key.reaches(project.organization_id, project.id))
            .ok_or_else(|| ApiError::not_found("project"))?;
        self.require(permission)?;
        Ok(project)
    }
}
