//! What the tests of webhooks and alerts share.

use crate::clock::SystemClock;
use crate::hub::{Hub, HubParts};
use crate::testing::fresh_id;
use crate::unit_of_work::UnitOfWork;
use hub_domain::{
    Message, MessageType, OutboxRow, Phone, PhoneType, Project, Vars, WebhookDelivery, WebhookEvent,
};
use hub_store::list::ListQuery;
use hub_store::{SqliteSettings, Store, StoreError, Tx, outbox, webhook_deliveries};
use postrider_model::{Key, MessageId, Now, ProjectId, UnixMs};
use std::{sync::Arc, thread};
use tempfile::TempDir;

/// A row of no message, due at once.
pub(crate) fn row(id: i64) -> OutboxRow {
    OutboxRow {
        id,
        project_id: project(1),
        webhook_id: None,
        message_id: None,
        origin: "https://a.example:443".into(),
        url: "https://a.example/hook".into(),
        secret: None,
        basic_password: None,
        event: WebhookEvent::SendStatus,
        body: "event=send_status".into(),
        attempts: 0,
        due_at: UnixMs(0),
        time_created: UnixMs(0),
    }
}

pub(crate) fn project(n: i64) -> ProjectId {
    ProjectId::new(Key::new(n).unwrap())
}

pub(crate) fn message(n: i64) -> MessageId {
    MessageId::new(Key::new(n).unwrap())
}

/// A hub on a database of its own, with a project and a phone that are not stored.
pub(crate) struct Fixture {
    pub(crate) hub: Hub,
    pub(crate) project: Project,
    pub(crate) phone: Phone,
    pub(crate) now: Now,
    pub(crate) dir: Arc<TempDir>,
}

impl Fixture {
    pub(crate) fn new() -> Self {
        Self::on(Arc::new(tempfile::tempdir().unwrap()))
    }

    /// Opens a hub on a folder that may hold one already.
    pub(crate) fn on(dir: Arc<TempDir>) -> Self {
        let clock = SystemClock::start();
        let now = clock.now();
        let store = Store::open_sqlite(SqliteSettings::new(dir.path().join("hub.db"))).unwrap();
        let hub = Hub::new(HubParts {
            id: postrider_model::HubId::from_i64(1).unwrap(),
            process: 0,
            store,
            clock,
            generation: 0,
            proofs: crate::hub::proofs::Proofs::new("a key of tests"),
            base_url: "http://127.0.0.1".into(),
            host_names: vec!["127.0.0.1".into()],
        });
        let organization = fresh_id(&hub, now);
        let project = Project::new(project(1), organization, "Clinic", now.unix);
        let phone = Phone::new(
            fresh_id(&hub, now),
            project.id,
            "Desk",
            PhoneType::Android,
            now.unix,
        );
        Self {
            hub,
            project,
            phone,
            now,
            dir,
        }
    }

    /// Takes a step in the project at a moment.
    pub(crate) fn work<T: Send + 'static>(
        &self,
        at: Now,
        step: impl Fn(&mut UnitOfWork<'_, '_>) -> Result<T, StoreError> + Send + 'static,
    ) -> T {
        let (hub, project) = (self.hub.clone(), self.project.clone());
        self.hub.store.write_here(move |tx| {
            let mut work = UnitOfWork::new(&hub, tx, &project, at);
            let done = step(&mut work)?;
            work.finish()?;
            Ok(done)
        })
    }

    /// The deliveries that are kept, the oldest first.
    pub(crate) fn deliveries(&self) -> Vec<WebhookDelivery> {
        let project_id = self.project.id;
        let all = ListQuery {
            page_size: 1_000,
            ..ListQuery::default()
        };
        let job = move |tx: &mut Tx<'_>| webhook_deliveries::list(tx, project_id, &all);
        self.hub.store.read_here(job).rows
    }

    /// Everything in the outbox, in the order in which it was written.
    pub(crate) fn outbox(&self) -> Vec<OutboxRow> {
        let mut rows = Vec::new();
        for (endpoint, origin) in self.hub.store.read_here(endpoints) {
            rows.extend(self.of_endpoint(endpoint, &origin));
        }
        rows.sort_by_key(|row| row.id);
        rows
    }

    fn of_endpoint(&self, id: ProjectId, origin: &str) -> Vec<OutboxRow> {
        let origin = origin.to_owned();
        let job = move |tx: &mut Tx<'_>| {
            let keys = outbox::due_keys(tx, id, &origin, UnixMs(i64::MAX), 10_000)?;
            keys.into_iter()
                .map(|key| outbox::get(tx, key))
                .collect::<Result<Vec<_>, _>>()
        };
        let rows = self.hub.store.read_here(job);
        rows.into_iter().flatten().collect()
    }

    /// An outgoing message that was just queued.
    pub(crate) fn message(&self) -> Message {
        let id = fresh_id(&self.hub, self.now);
        let mut message = Message::outgoing(id, &self.phone, MessageType::Sms, self.now.unix);
        message.to_number = "+15005550001".parse().ok();
        message.content = Some("come & see = +".into());
        message.vars = Vars::from_json(r#"{"k":7}"#).unwrap();
        message
    }
}

fn endpoints(tx: &mut Tx<'_>) -> Result<Vec<(ProjectId, String)>, StoreError> {
    let (mut all, mut project) = (Vec::new(), None);
    while let Some(id) = outbox::next_project(tx, project)? {
        let mut after = String::new();
        while let Some((origin, _)) = outbox::next_endpoint(tx, id, &after)? {
            all.push((id, origin.clone()));
            after = origin;
        }
        project = Some(id);
    }
    Ok(all)
}

/// Runs jobs to their end from any thread, an asynchronous one too.
pub(crate) trait Here {
    fn write_here<T, F>(&self, job: F) -> T
    where
        T: Send + 'static,
        F: FnMut(&mut Tx<'_>) -> Result<T, StoreError> + Send + 'static;

    fn read_here<T, F>(&self, job: F) -> T
    where
        T: Send + 'static,
        F: FnMut(&mut Tx<'_>) -> Result<T, StoreError> + Send + 'static;
}

impl Here for Store {
    fn write_here<T, F>(&self, job: F) -> T
    where
        T: Send + 'static,
        F: FnMut(&mut Tx<'_>) -> Result<T, StoreError> + Send + 'static,
    {
        let store = self.clone();
        thread::spawn(move || store.write_blocking(job))
            .join()
            .unwrap()
            .unwrap()
    }

    fn read_here<T, F>(&self, job: F) -> T
    where
        T: Send + 'static,
        F: FnMut(&mut Tx<'_>) -> Result<T, StoreError> + Send + 'static,
    {
        let store = self.clone();
        thread::spawn(move || store.read_blocking(job))
            .join()
            .unwrap()
            .unwrap()
    }
}
