//! A hub on a folder of its own, for tests of use cases.

use crate::actor::{Actor, OrganizationActor, Who};
use crate::data_folder;
use crate::data_folder::error::CommandError;
use crate::hub::Hub;
use crate::hub_work::HubWork;
use crate::organizations;
use crate::projects::{self, NewProject, ProjectPatch};
use hub_domain::{ApiKey, Organization, Permission, Project};
use hub_media::Blobs;
use hub_store::{StoreError, audit};
use postrider_model::{Id, Key, Now, UnixMs};
use std::path::Path;
use std::sync::Arc;
use tempfile::TempDir;

/// A hub with an organization that has a project.
pub(crate) struct Office {
    pub(crate) hub: Hub,
    pub(crate) organization: Organization,
    pub(crate) project: Project,
    _folder: TempDir,
}

impl Office {
    pub(crate) fn new() -> Self {
        Self::with_files(|folder| Blobs::in_folder(&folder.join("files")).unwrap())
    }

    /// Makes an office that keeps its files somewhere else than in its folder.
    pub(crate) fn with_files(files: impl FnOnce(&Path) -> Blobs) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = data_folder::open(folder.path(), 0).unwrap();
        let parts = data_folder::parts(store, String::new(), Vec::new()).unwrap();
        let hub = Hub::new(parts);
        hub.files.keep_in(files(folder.path()));
        let (maker, now) = (hub.clone(), hub.now());
        let made = hub.store.write_blocking(move |tx| {
            let mut work = HubWork::new(&maker, tx, Who::Operator, now);
            let organization = organizations::create(&mut work, "Clinic")?;
            let command = named(&organization, "Reminders");
            let project = projects::make(&mut work, &command)?;
            Ok::<_, CommandError>((organization, project))
        });
        let (organization, project) = made.unwrap();
        Self {
            hub,
            organization,
            project,
            _folder: folder,
        }
    }

    /// Does something as the operator.
    pub(crate) fn operate<T: Send + 'static, E: From<StoreError> + Send + 'static>(
        &self,
        mut job: impl FnMut(&mut HubWork<'_, '_>) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E> {
        let (hub, now) = (self.hub.clone(), self.hub.now());
        let store = &self.hub.store;
        store.write_blocking(move |tx| job(&mut HubWork::new(&hub, tx, Who::Operator, now)))
    }

    /// Reads or writes rows.
    pub(crate) fn rows<T: Send + 'static>(
        &self,
        job: impl FnMut(&mut HubWork<'_, '_>) -> Result<T, StoreError> + Send + 'static,
    ) -> T {
        self.operate(job).unwrap()
    }

    /// Returns the holder of a key that permits these.
    pub(crate) fn holder(&self, permissions: &[Permission]) -> Who {
        Who::Key(Arc::new(ApiKey {
            id: fresh_id(&self.hub, self.hub.now()),
            organization_id: self.organization.id,
            project_id: None,
            name: "Key".to_owned(),
            secret_hash: String::new(),
            permissions: permissions.iter().copied().collect(),
            rate_per_s: None,
            rate_burst: None,
            time_created: UnixMs(0),
            time_last_used: None,
            time_expires: None,
            time_revoked: None,
        }))
    }

    /// Returns a key of so many requests a second.
    pub(crate) fn key_with_rate(&self, rate: u32, burst: u32) -> ApiKey {
        let Who::Key(key) = self.holder(&[]) else {
            panic!("the holder of a key has one");
        };
        ApiKey {
            rate_per_s: Some(rate),
            rate_burst: Some(burst),
            ..(*key).clone()
        }
    }

    /// Lets somebody work in the project.
    pub(crate) fn actor(&self, who: Who) -> Actor {
        Actor {
            hub: self.hub.clone(),
            who,
            project: Arc::new(self.project.clone()),
            now: self.hub.now(),
            basis: self.hub.store.basis(),
        }
    }

    /// Lets somebody work on the organization.
    pub(crate) fn organization_actor(&self, who: Who) -> OrganizationActor {
        OrganizationActor {
            hub: self.hub.clone(),
            who,
            organization_id: self.organization.id,
            now: self.hub.now(),
            basis: self.hub.store.basis(),
        }
    }

    /// Returns what the audit log has, newest first: who, and what.
    pub(crate) fn log(&self) -> Vec<(String, String)> {
        let organization = self.organization.id;
        let lines = self.rows(move |work| audit::latest(work.tx, organization, 100));
        let said = lines.into_iter().map(|line| (line.actor, line.action));
        said.collect()
    }
}

/// A project with nothing but a name.
pub(crate) fn named(organization: &Organization, name: &str) -> NewProject {
    NewProject {
        organization_id: organization.id,
        name: name.to_owned(),
        settings: ProjectPatch::default(),
    }
}

/// Waits for what a use case comes to.
pub(crate) fn wait<F: Future>(doing: F) -> F::Output {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    builder.enable_time().build().unwrap().block_on(doing)
}

/// Makes a key as a job would, also within a runtime.
pub(crate) fn fresh_key(hub: &Hub, now: Now) -> Key {
    let store = hub.store.clone();
    let drawing = move || store.write_blocking(move |tx| Ok::<_, StoreError>(tx.key(now.unix)));
    std::thread::spawn(drawing).join().unwrap().unwrap()
}

/// Makes an id as a job would, also within a runtime.
pub(crate) fn fresh_id<K>(hub: &Hub, now: Now) -> Id<K> {
    Id::new(fresh_key(hub, now))
}
