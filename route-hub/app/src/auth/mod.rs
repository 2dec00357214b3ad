//! Who asks: API keys, what they permit, and how often they may.

mod key;

pub use key::{GivenKey, NewKey};

use crate::actor::{Actor, Who};
use crate::failure::Failure;
use crate::hub::Hub;
use crate::hub::request_counts::By;
use crate::plan;
use hub_domain::{ApiKey, Permission};
use hub_store::{Basis, StoreError};
use hub_view::Refusal;
use postrider_model::{Now, ProjectId, Secret};
use std::sync::Arc;

/// The key of a caller, and what its rights were read on.
#[derive(Debug, Clone)]
pub struct Holder {
    /// The key.
    pub key: Arc<ApiKey>,
    /// What is prepared for it is prepared on this.
    pub basis: Basis,
}

impl Holder {
    /// Reads the key again, since something has changed; `None` for one that is not valid any more.
    pub async fn again(&self, hub: &Hub) -> Result<Option<Self>, StoreError> {
        let basis = hub.store.basis();
        let found = hub.cache.api_key(&hub.store, self.key.id).await?;
        let now = hub.now().unix;
        let live = found.filter(|key| key.is_live(now));
        Ok(live.map(|key| Self { key, basis }))
    }
}

/// Finds the key that was given; `None` for one that is not valid any more, or never was.
pub async fn find(hub: &Hub, given: &Secret) -> Result<Option<Holder>, StoreError> {
    let basis = hub.store.basis();
    let Some(given) = GivenKey::read(given) else {
        return Ok(None);
    };
    let found = match hub.cache.kept_api_key(given.id) {
        Some(kept) => Some(kept),
        None if given.is_whole() => hub.cache.api_key(&hub.store, given.id).await?,
        None => None,
    };
    let now = hub.now().unix;
    let found = found.filter(|key| given.fits(&key.secret_hash) && key.is_live(now));
    Ok(found.map(|key| Holder { key, basis }))
}

/// Counts a request with a key, and notes when it came. Those of an organization whose plan limits them
/// are counted by [`take_request`].
pub async fn note_use(hub: &Hub, key: &ApiKey, now: Now) -> Result<(), StoreError> {
    hub.last_used.note(&hub.store, key, now);
    if plan::requests_max(hub, key.organization_id)
        .await?
        .is_none()
    {
        count(hub, key, now);
    }
    Ok(())
}

fn count(hub: &Hub, key: &ApiKey, now: Now) {
    let by = By::Organization(key.organization_id);
    hub.request_counts.count(by, now.unix);
}

/// Counts a request where the plan of the key's organization limits them; one that is `beyond_limits`
/// is never refused.
///
/// # Errors
/// `limit_exceeded` where the day has no room for another.
pub async fn take_request(hub: &Hub, holder: &Holder, beyond_limits: bool) -> Result<(), Failure> {
    let (key, now) = (&holder.key, hub.now());
    let Some((organization, most)) = plan::requests_max(hub, key.organization_id).await? else {
        return Ok(());
    };
    if beyond_limits {
        count(hub, key, now);
        return Ok(());
    }
    Box::pin(plan::take_request(hub, &organization, most, now.unix)).await
}

/// Lets the holder of a key into a project that it reaches, with a permission there.
///
/// A project of somebody else is not found, as none is.
pub async fn enter(
    hub: &Hub,
    Holder { key, basis }: &Holder,
    project: ProjectId,
    permission: Permission,
) -> Result<Actor, Failure> {
    let found = hub.cache.project(&hub.store, project).await?;
    let project = found
        .filter(|project| key.reaches(project.organization_id, project.id))
        .ok_or_else(|| Refusal::not_found("project"))?;
    let actor = Actor {
        hub: hub.clone(),
        who: Who::Key(Arc::clone(key)),
        project,
        now: hub.now(),
        basis: *basis,
    };
    actor.require(permission)?;
    Ok(actor)
}

#[cfg(test)]
mod tests;
