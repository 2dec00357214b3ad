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
use http::Extensions;
use hub_domain::{ApiKey, Permission, Project, Sight};
use hub_web::front::{Guest, Owner};
use hub_web::{ApiError, Authenticator, RequestContext, StrangerBodies};
use postrider_model::{ApiKeyId, ProjectId, Secret};
use std::sync::Arc;

/// One call of an operation by the holder of a key.
pub type Call = hub_web::Call<Caller>;

/// The holder of an API key, for the length of one request.
#[derive(Debug, Clone)]
pub struct Caller {
    /// The key that was given.
    pub key: Arc<ApiKey>,
}

impl Authenticator for Hub {
    type Caller = Caller;

    async fn authenticate(
        &self,
        key: &Secret,
        context: &RequestContext,
    ) -> Result<Caller, ApiError> {
        let refused = || ApiError::unauthorized("the API key is not valid");
        let given = GivenKey::read(key).ok_or_else(refused)?;
        let found = match self.cache.kept_api_key(given.id) {
            Some(kept) => Some(kept),
            None if given.is_whole() => self.stored_key(given.id).await?,
            None => None,
        };
        let now = self.now();
        let key = found
            .filter(|key| given.fits(&key.secret_hash) && key.is_live(now.unix))
            .ok_or_else(refused)?;
        if let Some(taken) = self.rates.take(&key, now.boot) {
            context.set_rate_limit(taken.shown);
            if let Some(seconds) = taken.retry_after_s {
                return Err(ApiError::rate_limited("this key asks too often", seconds));
            }
        }
        let by = By::Organization(key.organization_id);
        self.request_counts.count(by, now.unix);
        self.last_used.note(self, key.id, now);
        Ok(Caller { key })
    }

    fn came_in(&self, caller: &Caller, extensions: &Extensions) -> Result<(), ApiError> {
        let Some(guest) = extensions.get::<Guest>() else {
            return Ok(());
        };
        let owner = match caller.key.project_id {
            Some(project) => Owner::Project(project),
            None => Owner::Organization(caller.key.organization_id),
        };
        let text = "this project has too many connections open";
        let proved = guest.place.prove(owner);
        proved.map_err(|_| ApiError::unavailable(text))
    }

    fn stays(&self, extensions: &Extensions) -> Result<(), ApiError> {
        extensions.get::<Guest>().map_or(Ok(()), Guest::stay)
    }

    fn stranger_bodies(&self) -> &StrangerBodies {
        &self.stranger_bodies
    }
}

impl Hub {
    async fn stored_key(&self, id: ApiKeyId) -> Result<Option<Arc<ApiKey>>, ApiError> {
        let found = self.cache.api_key(&self.store, id).await;
        found.map_err(|error| Failure::from(error).into_refusal().into())
    }
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
