//! Rows that nearly every request needs, kept in memory.
//!
//! A row is read at its first use, by a connection that sees only what is committed: what is rolled
//! back is never kept. Whoever changes such a row here says so ([`Caches::forget_phone`] and its
//! like). When another process writes, what that concerns is forgotten. Reading again is always
//! right, so a bound is kept by forgetting too.

use hub_domain::routing::Route;
use hub_domain::{ApiKey, Organization, Phone, Project, ShortDomain, Webhook};
use hub_store::{
    Gate, Store, StoreError, Tx, api_keys, devices, organizations, phones, projects, routes,
    short_domains, webhooks,
};
use postrider_model::{ApiKeyId, CustomRouteId, DeviceId, OrganizationId, PhoneId, ProjectId};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::hash::Hash;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use tokio::sync::Notify;

/// Most rows of one kind in memory; above it all of the kind are forgotten.
const ROWS_MAX: usize = 50_000;

/// A map by ids that the hub itself made: nobody can choose them so that they collide, and the
/// standard hasher, which guards against that, costs a hundred instructions a look.
pub(crate) type ById<K, V> = HashMap<K, V, foldhash::fast::RandomState>;

/// The rows of one kind.
///
/// The counter tells whether anything was forgotten while a row was being read: what was read then
/// may be stale and is not kept.
#[derive(Debug)]
struct Cache<K, V> {
    rows: RwLock<ById<K, Arc<V>>>,
    forgotten: AtomicU64,
}

impl<K, V> Default for Cache<K, V> {
    fn default() -> Self {
        Self {
            rows: RwLock::default(),
            forgotten: AtomicU64::new(0),
        }
    }
}

impl<K: Hash + Eq + Copy + Send + 'static, V: Send + Sync + 'static> Cache<K, V> {
    async fn get(
        &self,
        store: &Store,
        key: K,
        read: impl Fn(&mut Tx<'_>, K) -> Result<Option<V>, StoreError> + Send + 'static,
    ) -> Result<Option<Arc<V>>, StoreError> {
        if let Some(row) = self.kept(key) {
            return Ok(Some(row));
        }
        let forgotten = self.forgotten.load(Ordering::Acquire);
        let Some(row) = store.read(move |tx| read(tx, key)).await? else {
            return Ok(None);
        };
        let row = Arc::new(row);
        self.keep(key, &row, forgotten);
        Ok(Some(row))
    }

    fn kept(&self, key: K) -> Option<Arc<V>> {
        let rows = self.rows.read().unwrap_or_else(PoisonError::into_inner);
        rows.get(&key).cloned()
    }

    fn keep(&self, key: K, row: &Arc<V>, forgotten: u64) {
        let mut rows = self.rows.write().unwrap_or_else(PoisonError::into_inner);
        if rows.len() >= ROWS_MAX {
            rows.clear();
        }
        if self.forgotten.load(Ordering::Acquire) == forgotten {
            rows.insert(key, Arc::clone(row));
        }
    }

    fn forget(&self, key: K) {
        let mut rows = self.rows.write().unwrap_or_else(PoisonError::into_inner);
        self.forgotten.fetch_add(1, Ordering::AcqRel);
        rows.remove(&key);
    }

    fn forget_where(&self, is_meant: impl Fn(&V) -> bool) {
        let mut rows = self.rows.write().unwrap_or_else(PoisonError::into_inner);
        self.forgotten.fetch_add(1, Ordering::AcqRel);
        rows.retain(|_, row| !is_meant(row));
    }

    fn forget_all(&self) {
        let mut rows = self.rows.write().unwrap_or_else(PoisonError::into_inner);
        self.forgotten.fetch_add(1, Ordering::AcqRel);
        rows.clear();
    }
}

/// Every kind that is kept.
#[derive(Debug, Default)]
pub struct Caches {
    api_keys: Cache<ApiKeyId, ApiKey>,
    organizations: Cache<OrganizationId, Organization>,
    projects: Cache<ProjectId, Project>,
    phones: Cache<PhoneId, Phone>,
    routes: Cache<CustomRouteId, Route>,
    webhooks: Cache<ProjectId, Vec<Webhook>>,
    first_phones: Cache<ProjectId, PhoneId>,
    connections: Cache<DeviceId, Option<u8>>,
    short_domains: Cache<(), BTreeMap<String, ShortDomain>>,
    missed: Mutex<Missed>,
    missing: Notify,
}

/// What jobs had to read.
#[derive(Debug, Default)]
struct Missed {
    webhooks_of: BTreeSet<ProjectId>,
    connections_of: BTreeSet<DeviceId>,
}

impl Caches {
    /// Keeps what jobs had to read, as it was committed, until it is dropped.
    pub async fn fill(&self, store: &Store) {
        loop {
            self.missing.notified().await;
            let missed = std::mem::take(&mut *self.missed());
            for project in missed.webhooks_of {
                let read = |tx: &mut Tx<'_>, id| webhooks::of_project(tx, id).map(Some);
                if let Err(error) = self.webhooks.get(store, project, read).await {
                    hub_store::failed!(warn, error, "webhook objects could not be kept in memory");
                }
            }
            for device in missed.connections_of {
                let read = |tx: &mut Tx<'_>, id| devices::connected_to(tx, id).map(Some);
                if let Err(error) = self.connections.get(store, device, read).await {
                    hub_store::failed!(warn, error, "a connection could not be kept in memory");
                }
            }
        }
    }

    /// Returns an API key, live or not.
    pub async fn api_key(
        &self,
        store: &Store,
        id: ApiKeyId,
    ) -> Result<Option<Arc<ApiKey>>, StoreError> {
        self.api_keys.get(store, id, api_keys::get).await
    }

    /// Returns an API key, live or not, that was read before.
    pub fn kept_api_key(&self, id: ApiKeyId) -> Option<Arc<ApiKey>> {
        self.api_keys.kept(id)
    }

    /// Returns an organization with its plan.
    pub async fn organization(
        &self,
        store: &Store,
        id: OrganizationId,
    ) -> Result<Option<Arc<Organization>>, StoreError> {
        self.organizations.get(store, id, organizations::get).await
    }

    /// Returns a project.
    pub async fn project(
        &self,
        store: &Store,
        id: ProjectId,
    ) -> Result<Option<Arc<Project>>, StoreError> {
        self.projects.get(store, id, projects::get).await
    }

    /// Returns a project's phone that was not removed, with its settings as they are; what the
    /// phone tells of itself (battery, counts, activity) may be old.
    pub async fn phone(
        &self,
        store: &Store,
        project_id: ProjectId,
        id: PhoneId,
    ) -> Result<Option<Arc<Phone>>, StoreError> {
        let found = self.phones.get(store, id, phones::by_key).await?;
        Ok(found.filter(|phone| phone.project_id == project_id && !phone.removed))
    }

    /// Returns a project's custom route.
    pub async fn route(
        &self,
        store: &Store,
        project_id: ProjectId,
        id: CustomRouteId,
    ) -> Result<Option<Arc<Route>>, StoreError> {
        let found = self.routes.get(store, id, routes::by_key).await?;
        Ok(found.filter(|route| route.project_id == project_id))
    }

    /// Returns a custom route that may be gone, within a job.
    pub fn route_in(
        &self,
        tx: &mut Tx<'_>,
        id: CustomRouteId,
    ) -> Result<Option<Arc<Route>>, StoreError> {
        match self.routes.kept(id) {
            Some(route) => Ok(Some(route)),
            None => Ok(routes::by_key(tx, id)?.map(Arc::new)),
        }
    }

    /// Returns the domains that short links may be at, by their names.
    pub async fn short_domains(
        &self,
        store: &Store,
    ) -> Result<Arc<BTreeMap<String, ShortDomain>>, StoreError> {
        let read = |tx: &mut Tx<'_>, ()| {
            let all = short_domains::all(tx)?.into_iter();
            Ok(Some(
                all.map(|domain| (domain.name.clone(), domain)).collect(),
            ))
        };
        Ok(self
            .short_domains
            .get(store, (), read)
            .await?
            .unwrap_or_default())
    }

    /// Returns the phone that sends for a project without a default route: its oldest with a
    /// device, else its oldest that sends by itself, else its oldest.
    pub async fn first_phone(
        &self,
        store: &Store,
        project_id: ProjectId,
    ) -> Result<Option<Arc<Phone>>, StoreError> {
        let read = |tx: &mut Tx<'_>, id| {
            let phones = phones::of_project(tx, id)?;
            let real = phones.iter().find(|phone| phone.device_id.is_some());
            let own = phones.iter().find(|phone| !phone.phone_type.is_provider());
            Ok(real.or(own).or(phones.first()).map(|phone| phone.id))
        };
        match self.first_phones.get(store, project_id, read).await? {
            Some(id) => self.phone(store, project_id, *id).await,
            None => Ok(None),
        }
    }

    /// Returns a project's webhook objects, within a job.
    ///
    /// What the job reads is not kept: its commit, or that of another job of its group, may fail.
    /// [`Self::fill`] reads it again, as it was committed.
    pub fn webhooks_in(
        &self,
        tx: &mut Tx<'_>,
        project_id: ProjectId,
    ) -> Result<Arc<Vec<Webhook>>, StoreError> {
        if let Some(kept) = self.webhooks.kept(project_id) {
            return Ok(kept);
        }
        self.missed().webhooks_of.insert(project_id);
        self.missing.notify_one();
        webhooks::of_project(tx, project_id).map(Arc::new)
    }

    /// Returns the process that a device is connected to, within a job; what the job reads is not kept,
    /// as in [`Self::webhooks_in`].
    pub fn connected_to_in(
        &self,
        tx: &mut Tx<'_>,
        device: DeviceId,
    ) -> Result<Option<u8>, StoreError> {
        if let Some(kept) = self.connections.kept(device) {
            return Ok(*kept);
        }
        self.missed().connections_of.insert(device);
        self.missing.notify_one();
        devices::connected_to(tx, device)
    }

    /// Says that a device was connected, or left.
    pub fn forget_connection(&self, device: DeviceId) {
        self.connections.forget(device);
    }

    fn missed(&self) -> MutexGuard<'_, Missed> {
        self.missed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Says that a project's row changed.
    pub fn forget_project(&self, id: ProjectId) {
        self.projects.forget(id);
    }

    /// Says that a phone's settings changed.
    pub fn forget_phone(&self, id: PhoneId) {
        self.phones.forget(id);
        self.first_phones.forget_all();
    }

    /// Says that a custom route changed.
    pub fn forget_route(&self, id: CustomRouteId) {
        self.routes.forget(id);
    }

    /// Says that a project's webhook objects changed.
    pub fn forget_webhooks(&self, id: ProjectId) {
        self.webhooks.forget(id);
    }

    /// Says that any row of a project may have changed.
    pub fn forget_rows_of(&self, id: ProjectId) {
        self.projects.forget(id);
        self.phones.forget_where(|phone| phone.project_id == id);
        self.routes.forget_where(|route| route.project_id == id);
        self.webhooks.forget(id);
        self.first_phones.forget(id);
        self.connections.forget_all();
    }

    /// Says that an organization's row or its API keys may have changed.
    pub fn forget_organization(&self, id: OrganizationId) {
        self.organizations.forget(id);
        self.api_keys.forget_where(|key| key.organization_id == id);
    }

    /// Says that what lies behind a gate may have changed; for the hub's, that anything may.
    pub(crate) fn forget_behind(&self, gate: Gate) {
        match gate {
            Gate::Hub => self.forget_everything(),
            Gate::Organization(id) => self.forget_organization(id),
            Gate::Project(id) => self.forget_rows_of(id),
        }
    }

    /// Says that anything may have changed: another process wrote.
    pub fn forget_everything(&self) {
        self.api_keys.forget_all();
        self.organizations.forget_all();
        self.projects.forget_all();
        self.phones.forget_all();
        self.routes.forget_all();
        self.webhooks.forget_all();
        self.first_phones.forget_all();
        self.connections.forget_all();
        self.short_domains.forget_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::webhooks::testing::{Fixture, project};
    use std::time::Duration;

    #[tokio::test]
    async fn what_a_job_had_to_read_is_kept_once_it_is_committed() {
        let hub = Fixture::new().hub;
        let of = hub.clone();
        let filling = tokio::spawn(async move { of.cache.fill(&of.store).await });
        let (inside, project) = (hub.clone(), project(1));
        let job = move |tx: &mut Tx<'_>| inside.cache.webhooks_in(tx, project).map(drop);
        hub.store.write(job).await.unwrap();
        let kept = async {
            while hub.cache.webhooks.kept(project).is_none() {
                tokio::task::yield_now().await;
            }
        };
        let kept = tokio::time::timeout(Duration::from_secs(60), kept).await;
        kept.expect("it is kept");
        filling.abort();
    }

    #[test]
    fn what_was_read_before_something_was_forgotten_is_not_kept() {
        let cache = Cache::<u32, &str>::default();
        let before = cache.forgotten.load(Ordering::Acquire);
        cache.forget(7);
        cache.keep(7, &Arc::new("stale"), before);
        assert!(cache.rows.read().unwrap().is_empty());
        let now = cache.forgotten.load(Ordering::Acquire);
        cache.keep(7, &Arc::new("fresh"), now);
        assert_eq!(**cache.rows.read().unwrap().get(&7).unwrap(), "fresh");
        cache.forget_all();
        assert!(cache.rows.read().unwrap().is_empty());
    }
}
