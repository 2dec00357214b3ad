//! The hub on a folder of its own, and what its rows say.

use super::{Phone, TO};
use axum::Router;
use axum::routing::get;
use hub_api::state::ApiState;
use hub_app::clock::SystemClock;
use hub_app::dispatch::expiry;
use hub_app::dispatch::freeze;
use hub_app::dispatch::transitions::Detail;
use hub_app::hub::proofs::Proofs;
use hub_app::hub::{Hub, HubParts};
use hub_app::unit_of_work::Effects;
use hub_app::unit_of_work::UnitOfWork;
use hub_domain::{Alert, Device, Message, MessageType, Organization, Project};
use hub_store::{SqliteSettings, Store, StoreError, Tx};
use hub_store::{
    alerts, devices, facts_aside, lost_installs, messages, meta, organizations, phones, projects,
};
use hub_web::front::FrontSettings;
use postrider_link::ownership::hub::{Fact, HubState};
use postrider_model::{Id, MessageId, Now, UnixMs};
use route_hub::{router, serve};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio::sync::watch;

/// How long anything may take before a test gives up.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);
/// How long a write waits for another process.
const BUSY_WAIT: Duration = Duration::from_millis(100);
/// How long a queued message lives.
const LIFE_MS: i64 = 3_600_000;

/// A hub that serves `/link`.
pub(crate) struct TestHub {
    dir: Arc<TempDir>,
    _stop: watch::Sender<bool>,
    pub hub: Hub,
    pub state: ApiState,
    pub project: Project,
    pub address: SocketAddr,
}

/// Starts a hub with one project.
pub(crate) async fn hub() -> TestHub {
    let dir = Arc::new(tempfile::tempdir().expect("a folder"));
    let hub = process(&dir, 0);
    let project = add_project(&hub).await;
    serve_at(dir, hub, project).await
}

/// Puts together what one process of the hub on a folder holds.
fn process(dir: &TempDir, number: u8) -> Hub {
    let settings = SqliteSettings {
        busy_wait: BUSY_WAIT,
        process: number,
        ..SqliteSettings::new(dir.path().join("hub.db"))
    };
    Hub::new(HubParts {
        id: postrider_model::HubId::new(postrider_model::Key::first_of_ms(1)),
        process: number,
        store: Store::open_sqlite(settings).expect("a database"),
        clock: SystemClock::start(),
        generation: 1,
        proofs: Proofs::new("a key of tests"),
        base_url: "http://127.0.0.1:1".to_owned(),
        host_names: vec!["localhost".to_owned(), "127.0.0.1".to_owned()],
    })
}

async fn serve_at(dir: Arc<TempDir>, hub: Hub, project: Project) -> TestHub {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    let router = Router::new().route("/link", get(hub_link::upgrade));
    let state = ApiState::new(hub.clone(), FrontSettings::default());
    let router = router::router(state.clone(), router);
    let (stop, stopped) = watch::channel(false);
    let served = serve::serve(
        state.clone(),
        listener,
        None,
        router,
        stopped,
        Duration::ZERO,
    );
    tokio::spawn(served);
    TestHub {
        dir,
        _stop: stop,
        hub,
        state,
        project,
        address,
    }
}

/// Makes an id as a job would, also within a runtime.
pub(crate) fn fresh_id<K>(hub: &Hub, now: Now) -> Id<K> {
    let store = hub.store.clone();
    let drawing = move || store.write_blocking(move |tx| Ok::<_, StoreError>(tx.key(now.unix)));
    let key = std::thread::spawn(drawing).join().expect("a job");
    Id::new(key.expect("a key"))
}

async fn add_project(hub: &Hub) -> Project {
    let now = hub.now();
    let organization = Organization {
        id: fresh_id(hub, now),
        name: "Organization".to_owned(),
        timezone_id: "UTC".to_owned(),
        plan: hub_domain::Plan::default(),
        time_created: now.unix,
    };
    let mut project = Project::new(fresh_id(hub, now), organization.id, "Project", now.unix);
    project.country = Some("US".to_owned());
    let stored = project.clone();
    let storing = hub.store.write(move |tx| {
        organizations::insert(tx, &organization)?;
        projects::insert(tx, &stored)
    });
    storing.await.expect("a project");
    project
}

impl TestHub {
    /// Makes another project, whose phones are paired from now on.
    pub(crate) async fn turn_to_another_project(&mut self) {
        self.project = add_project(&self.hub).await;
    }

    /// Starts another process of the same hub, on the same database.
    pub(crate) async fn another_process(&self) -> TestHub {
        let hub = process(&self.dir, 1);
        serve_at(Arc::clone(&self.dir), hub, self.project.clone()).await
    }

    /// Keeps the database from every other process until the returned sender is dropped.
    pub(crate) async fn hold_database(&self) -> std::sync::mpsc::Sender<()> {
        let (held, is_held) = tokio::sync::oneshot::channel();
        let (release, released) = std::sync::mpsc::channel::<()>();
        let (store, mut held) = (self.beside(), Some(held));
        std::thread::spawn(move || {
            let hold = move |_: &mut Tx<'_>| {
                held.take().map(|held| held.send(()));
                let _ = released.recv();
                Ok::<_, StoreError>(())
            };
            store.write_blocking(hold)
        });
        is_held.await.expect("it is held");
        release
    }

    /// Makes the disk full, or gives it room again: how many pages the database may have.
    pub(crate) async fn limit_pages(&self, pragma: &'static str) {
        self.write(move |tx| tx.query(pragma, &[], |_| Ok(())).map(drop))
            .await;
    }

    /// Waits until the database was found held by another process.
    pub(crate) async fn until_busy(&self) {
        let written = self.hub.store.write(|_| Ok::<_, StoreError>(())).await;
        assert!(matches!(written, Err(StoreError::Busy)), "{written:?}");
    }

    /// Opens the same database as another process would.
    pub(crate) fn beside(&self) -> Store {
        let settings = SqliteSettings::new(self.dir.path().join("hub.db"));
        Store::open_sqlite(settings).expect("the same database")
    }

    /// Does something to the database.
    pub(crate) async fn write<T: Send + 'static>(
        &self,
        job: impl FnMut(&mut Tx<'_>) -> Result<T, StoreError> + Send + 'static,
    ) -> T {
        self.hub.store.write(job).await.expect("a commit")
    }

    /// Applies what a request or worker would, and tells the links.
    pub(crate) async fn work<T: Send + 'static>(
        &self,
        job: impl Fn(&mut UnitOfWork<'_, '_>) -> Result<T, StoreError> + Send + 'static,
    ) -> T {
        let (hub, project, now) = (self.hub.clone(), self.project.clone(), self.hub.now());
        let (done, effects): (T, Effects) = self
            .write(move |tx| {
                let mut work = UnitOfWork::new(&hub, tx, &project, now);
                let done = job(&mut work)?;
                Ok((done, work.finish()?))
            })
            .await;
        effects.perform(&self.hub);
        done
    }

    /// Queues a message for a phone, and tells its link.
    pub(crate) async fn queue(&self, phone: &Phone, text: &str) -> MessageId {
        self.queue_with(phone, text, |_| {}).await
    }

    /// Queues a message that `change` changed first.
    pub(crate) async fn queue_with(
        &self,
        phone: &Phone,
        text: &str,
        change: impl Fn(&mut Message) + Send + 'static,
    ) -> MessageId {
        let (phone, text) = (phone.row.clone(), text.to_owned());
        self.work(move |work| {
            let (id, now) = (work.id(), work.now.unix);
            let mut message = Message::outgoing(id, &phone, MessageType::Sms, now);
            message.to_number = TO.parse().ok();
            message.content = Some(text.as_str().into());
            message.life_end = Some(now.plus_ms(LIFE_MS));
            change(&mut message);
            messages::insert(work.tx, &message)?;
            work.effects.queued(phone.id);
            Ok(message.id)
        })
        .await
    }

    /// Applies a fact that no phone reported.
    pub(crate) async fn apply(&self, id: MessageId, fact: Fact<'static>) {
        self.work(move |work| {
            let mut message = messages::by_key(work.tx, id)?.expect("it is there");
            let applied = work.apply(&mut message, fact.clone(), &Detail::default())?;
            applied.expect("it can be applied");
            Ok(())
        })
        .await;
    }

    /// Ends a message's life so long ago that its outcome is called unknown.
    pub(crate) async fn end_life(&self, id: MessageId) {
        let past = self.hub.now().unix.plus_ms(-600_000);
        self.write(move |tx| {
            let mut message = messages::by_key(tx, id)?.expect("it is there");
            message.life_end = Some(past);
            messages::update_ownership(tx, &message)
        })
        .await;
        assert_eq!(expiry::sweep(&self.hub).await.ok(), Some(1));
    }

    /// Changes a phone as the API would.
    pub(crate) async fn change(
        &self,
        phone: &Phone,
        change: impl Fn(&mut hub_domain::Phone) + Send + 'static,
    ) {
        let id = phone.row.id;
        self.work(move |work| {
            let mut row = phones::by_key(work.tx, id)?.expect("it is there");
            change(&mut row);
            phones::update(work.tx, &row)?;
            work.effects.settings(id);
            work.effects.queued(id);
            Ok(())
        })
        .await;
    }

    /// Forgets a device, as a hub does that was put back to before its pairing.
    pub(crate) async fn remove_device(&self, phone: &Phone) {
        let id = phone.device.get();
        self.write(move |tx| {
            tx.execute("DELETE FROM devices WHERE id = $1", &hub_store::values![id])
        })
        .await;
    }

    /// Puts another phone's installation and key in the place of a phone's, as `pair --device` does.
    pub(crate) async fn replace(&self, phone: &Phone, by: &Phone) {
        let (id, other) = (phone.device, by.device);
        self.write(move |tx| {
            let mut device = devices::get(tx, id)?.expect("it is there");
            let other = devices::get(tx, other)?.expect("it is there");
            lost_installs::insert(tx, &device, &device.install, UnixMs(1))?;
            device.public_key = other.public_key;
            device.install = "install-of-tests-2".to_owned();
            devices::update(tx, &device)
        })
        .await;
        self.hub.rows_changed();
    }

    /// Changes a device behind the hub's back and has it look.
    pub(crate) async fn change_device(
        &self,
        phone: &Phone,
        change: impl Fn(&mut Device) + Send + 'static,
    ) {
        let id = phone.device;
        self.write(move |tx| {
            let mut device = devices::get(tx, id)?.expect("it is there");
            change(&mut device);
            devices::update(tx, &device)
        })
        .await;
        self.hub.rows_changed();
    }

    pub(crate) async fn message(&self, id: MessageId) -> Message {
        self.write(move |tx| messages::by_key(tx, id))
            .await
            .expect("it is there")
    }

    pub(crate) async fn state(&self, id: MessageId) -> HubState {
        self.message(id).await.state().expect("a state")
    }

    pub(crate) async fn device(&self, phone: &Phone) -> Device {
        let id = phone.device;
        self.write(move |tx| devices::get(tx, id))
            .await
            .expect("it is there")
    }

    pub(crate) async fn phone(&self, phone: &Phone) -> hub_domain::Phone {
        let id = phone.row.id;
        self.write(move |tx| phones::by_key(tx, id))
            .await
            .expect("it is there")
    }

    /// Returns the words of the alerts that stand.
    pub(crate) async fn alerts(&self) -> Vec<&'static str> {
        let standing = self.write(|tx| alerts::latest(tx, false, 100)).await;
        standing
            .iter()
            .map(|alert: &Alert| alert.kind.as_str())
            .collect()
    }

    /// Returns why facts were set aside.
    pub(crate) async fn aside(&self) -> Vec<String> {
        let all = self.write(facts_aside::all).await;
        all.into_iter().map(|fact| fact.reason).collect()
    }

    /// Waits until a message is in a state.
    pub(crate) async fn until(&self, id: MessageId, state: HubState) {
        let waiting = async {
            loop {
                let changed = self.hub.bus.watch_message(id);
                if self.state(id).await == state {
                    return;
                }
                let _ = changed.await;
            }
        };
        let came = tokio::time::timeout(PATIENCE, waiting).await;
        assert!(came.is_ok(), "it is {:?}", self.state(id).await);
    }

    /// Does what a restore does to the project.
    pub(crate) async fn freeze(&self) {
        let (hub, project, now) = (self.hub.clone(), self.project.clone(), self.hub.now());
        let generation = self.write(meta::raise_generation).await;
        self.write(move |tx| {
            let mut work = UnitOfWork::new(&hub, tx, &project, now);
            let frozen = freeze::whole_project(&mut work)?;
            work.finish()?;
            Ok(frozen)
        })
        .await;
        self.hub.raise_generation(generation);
        self.hub.rows_changed();
    }

    /// Gives up a phone that does not come back.
    pub(crate) async fn give_up(&self, phone: &Phone) {
        let (hub, project, now) = (self.hub.clone(), self.project.clone(), self.hub.now());
        let id = phone.device;
        self.write(move |tx| {
            let device = devices::get(tx, id)?.expect("it is there");
            let mut work = UnitOfWork::new(&hub, tx, &project, now);
            freeze::gone(&mut work, &device)?;
            work.finish().map(drop)
        })
        .await;
        self.hub.rows_changed();
    }

    /// Waits until a phone is frozen.
    pub(crate) async fn until_frozen(&self, phone: &Phone) -> bool {
        let waiting = async {
            while !self.device(phone).await.frozen {
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(PATIENCE, waiting).await.is_ok()
    }

    /// Waits until it is stored that a phone has left.
    pub(crate) async fn until_gone(&self, phone: &Phone) {
        let waiting = async {
            while self.device(phone).await.connected_to.is_some() {
                tokio::task::yield_now().await;
            }
        };
        let gone = tokio::time::timeout(PATIENCE, waiting).await;
        gone.expect("it is gone");
    }

    /// Waits until so many phones are connected.
    pub(crate) async fn until_connected(&self, count: usize) {
        let waiting = async {
            while self.hub.links.connected() != count {
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(PATIENCE, waiting)
            .await
            .expect("phones come and go");
    }
}
