//! The handle that everybody holds.

use crate::executor::{JOB_STEPS_MAX, WHOLE_STEPS_MAX, Writer, run_reader};
use crate::gate::{Basis, Gate, Gates};
use crate::health::HealthBoard;
use crate::hints::{self, Carrier, Ends, Heard, Hints};
use crate::job::{Answer, TypedJob};
use crate::keys::Keys;
use crate::load::{ClusterLoad, Commits, Load};
use crate::postgres::{self, Cluster, Servers};
use crate::priority;
use crate::queue::{ReadQueue, Reader, WriteQueue};
use crate::reading_time::ReadingTime;
use crate::stop::Stop;
use crate::turns::Party;
use crate::tx::Session;
use crate::write_back::WriteBack;
use crate::{
    Health, PostgresSettings, SqliteSettings, Standing, StoreError, Tx, migrations, sqlite,
};
use postrider_link::mistake;
use postrider_model::{OrganizationId, ProjectId};
use std::collections::BTreeSet;
use std::future::Future;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;
use tokio::sync::watch;

/// How long a job on a server may have no answer, unless its COMMIT is out: a request is answered within
/// five seconds.
const ANSWER_WAIT: Duration = Duration::from_secs(4);

/// The hub's database: a handle to clone, with the threads behind it.
///
/// Dropping the last handle closes it, after the jobs that wait.
#[derive(Clone)]
pub struct Store {
    shared: Arc<Shared>,
}

struct Shared {
    /// A party's writes always wait in the same one.
    writes: Vec<Arc<WriteQueue>>,
    reads: Arc<ReadQueue>,
    changes: watch::Receiver<u64>,
    commits: Arc<Commits>,
    health: Arc<HealthBoard>,
    /// The number of this process, and what it knows of the others.
    cluster: Option<(u8, Arc<Cluster>)>,
    hints: Option<HintEnds>,
    process: u8,
    threads: Mutex<Threads>,
}

/// The ends of the hints that the store holds for others.
struct HintEnds {
    hints: Hints,
    heard: Mutex<Option<Heard>>,
    carrier: Mutex<Option<Carrier>>,
}

/// The threads of a store.
#[derive(Default)]
struct Threads {
    working: Vec<JoinHandle<()>>,
    /// Ends after the others: as long as a process beats its others may write, and what they wrote is
    /// written back.
    last: Option<(Arc<Stop>, JoinHandle<()>)>,
}

/// What a store is put together from.
struct Parts {
    process: u8,
    keys: Arc<Keys>,
    writes: Vec<Arc<WriteQueue>>,
    reads: Arc<ReadQueue>,
    commits: Arc<Commits>,
    health: Arc<HealthBoard>,
    /// The number of this process, and what it knows of the others.
    cluster: Option<(u8, Arc<Cluster>)>,
    hints: Option<HintEnds>,
    working: Vec<JoinHandle<()>>,
    last: Option<(Arc<Stop>, JoinHandle<()>)>,
}

impl Parts {
    fn new(process: u8, queues: usize, readers: &[Box<dyn Session>]) -> Self {
        Self {
            process,
            keys: Arc::new(Keys::of_process(process)),
            writes: (0..queues).map(|_| Arc::new(WriteQueue::new())).collect(),
            reads: Arc::new(ReadQueue::new(readers.len() - kept(readers))),
            commits: Arc::default(),
            health: Arc::new(HealthBoard::new()),
            cluster: None,
            hints: None,
            working: Vec::new(),
            last: None,
        }
    }

    fn spawn(
        &mut self,
        name: &str,
        work: impl FnOnce() + Send + 'static,
    ) -> Result<(), StoreError> {
        self.working.push(spawned(name, work)?);
        Ok(())
    }

    fn spawn_readers(&mut self, readers: Vec<Box<dyn Session>>) -> Result<(), StoreError> {
        let kept = kept(&readers);
        for (number, session) in readers.into_iter().enumerate() {
            let reader = if number < kept {
                Reader::Kept
            } else {
                Reader::Common
            };
            let queue = Arc::clone(&self.reads);
            let (keys, health) = (Arc::clone(&self.keys), Arc::clone(&self.health));
            self.spawn("store-read", move || {
                if reader == Reader::Common {
                    priority::lower();
                }
                run_reader(session, &queue, reader, &keys, &health)
            })?;
        }
        Ok(())
    }

    fn store(self, changes: watch::Receiver<u64>) -> Store {
        let shared = Shared {
            writes: self.writes,
            reads: self.reads,
            changes,
            commits: self.commits,
            health: self.health,
            cluster: self.cluster,
            hints: self.hints,
            process: self.process,
            threads: Mutex::new(Threads {
                working: self.working,
                last: self.last,
            }),
        };
        Store {
            shared: Arc::new(shared),
        }
    }
}

/// Returns how many readers are kept for the hub itself: one, where there are several.
fn kept(readers: &[Box<dyn Session>]) -> usize {
    usize::from(readers.len() > 1)
}

fn taken<T>(kept: &Mutex<Option<T>>) -> Option<T> {
    kept.lock().unwrap_or_else(PoisonError::into_inner).take()
}

fn spawned(name: &str, work: impl FnOnce() + Send + 'static) -> Result<JoinHandle<()>, StoreError> {
    let named = thread::Builder::new().name(name.to_owned());
    let spawned = named.spawn(mistake::inherited(work));
    spawned.map_err(|error: io::Error| StoreError::Engine(Arc::new(error)))
}

impl Store {
    /// Opens an SQLite database, brings its schema up to date and starts the threads.
    ///
    /// # Errors
    /// [`StoreError::Missing`], [`StoreError::Foreign`], [`StoreError::Newer`],
    /// [`StoreError::Refused`], [`StoreError::Damaged`] and what else the file system says.
    pub fn open_sqlite(settings: SqliteSettings) -> Result<Self, StoreError> {
        let writer = Box::new(sqlite::open_writer(&settings, migrations::run_for_use)?);
        let readers = (0..settings.readers.max(1))
            .map(|_| Ok(Box::new(sqlite::open_reader(&settings)?) as Box<dyn Session>))
            .collect::<Result<Vec<_>, StoreError>>()?;
        let log = WriteBack::open(&settings)?;
        Self::start(writer, readers, Some(log), settings.process)
    }

    /// Opens a PostgreSQL database, brings its schema up to date and starts the threads.
    ///
    /// # Errors
    /// [`StoreError::Unreachable`], [`StoreError::Refused`], [`StoreError::Newer`] and what else the
    /// server says.
    pub fn open_postgres(settings: &PostgresSettings) -> Result<Self, StoreError> {
        let mut opened = postgres::open(settings)?;
        let readers = std::mem::take(&mut opened.readers);
        let number = opened.process.number;
        let mut parts = Parts::new(number, postgres::QUEUES, &readers);
        opened.raise(&parts.keys)?;
        let cluster = Arc::new(Cluster::new(
            Arc::clone(&parts.keys),
            Arc::clone(&parts.health),
            Arc::clone(&parts.commits),
            opened.servers(),
            std::mem::take(&mut opened.serving),
        ));
        let stop = Arc::new(Stop::default());
        let ends = hints::ends(opened.process.incarnation);
        let Ends {
            hints,
            heard,
            carrier,
        } = ends;
        let (ours, taken) = if settings.notices {
            (Some(carrier), None)
        } else {
            (None, Some(carrier))
        };
        let (work, (name, beat)) = opened.work(&parts.writes, &cluster, Arc::clone(&stop), ours)?;
        parts.hints = Some(HintEnds {
            hints,
            heard: Mutex::new(Some(heard)),
            carrier: Mutex::new(taken),
        });
        for (name, work) in work {
            parts.spawn(name, work)?;
        }
        parts.spawn_readers(readers)?;
        // Nothing tells of others' commits yet; who listens must not take that for the end.
        let (hints, changes) = watch::channel(0);
        let beat = move || {
            beat();
            drop(hints);
        };
        parts.last = Some((stop, spawned(name, beat)?));
        parts.cluster = Some((number, cluster));
        Ok(parts.store(changes))
    }

    /// Starts the threads on connections to SQLite that are open.
    pub(crate) fn start(
        writer: Box<dyn Session>,
        readers: Vec<Box<dyn Session>>,
        log: Option<WriteBack>,
        process: u8,
    ) -> Result<Self, StoreError> {
        let mut parts = Parts::new(process, 1, &readers);
        let (changes_in, changes) = watch::channel(0);
        let queue = Arc::clone(&parts.writes[0]);
        let commits = Arc::clone(&parts.commits);
        let health = Arc::clone(&parts.health);
        let keys = Arc::clone(&parts.keys);
        parts.spawn("store-write", move || {
            Writer::new(writer, &queue, keys, changes_in, commits, health).run();
        })?;
        parts.spawn_readers(readers)?;
        if let Some(log) = log {
            let stop = Arc::new(Stop::default());
            let told = Arc::clone(&stop);
            let work = move || log.run(&told);
            parts.last = Some((stop, spawned("store-log", work)?));
        }
        Ok(parts.store(changes))
    }

    /// Returns the store as a project uses it: with its share of the writer, the readers and the
    /// queues. What runs for a request, a phone or anything else of one project goes this way.
    pub fn of(&self, project_id: ProjectId) -> Share<'_> {
        Share {
            store: self,
            party: Party::project(project_id),
            gates: Gates::of(Gate::Project(project_id)),
        }
    }

    /// As [`Self::of`], for what an organization does outside its projects.
    pub fn of_organization(&self, id: OrganizationId) -> Share<'_> {
        Share {
            store: self,
            party: Party::organization(id),
            gates: Gates::of(Gate::Organization(id)),
        }
    }

    /// As [`Self::of`], for what the hub does by itself.
    pub fn hub(&self) -> Share<'_> {
        Share {
            store: self,
            party: Party::HUB,
            gates: Gates::of(Gate::Hub),
        }
    }

    /// As [`Self::hub`], for what the hub does by itself behind one other gate, such as a step of its
    /// background work in a project.
    pub fn hub_at(&self, gate: Gate) -> Share<'_> {
        Share {
            gates: Gates::of(gate),
            ..self.hub()
        }
    }

    /// Runs a job of the hub's own that writes, together with others, and returns once it is on
    /// disk.
    ///
    /// A job may run more than once: times come from outside it, keys from its [`Tx`]. It changes
    /// only what lies behind its gates. An error that it returns before its first write is an answer: there is nothing to roll back, and the jobs that
    /// share its transaction go on. After a write it is rolled back with them and runs again alone.
    ///
    /// # Errors
    /// What the job returns, [`StoreError::Busy`], [`StoreError::Closed`],
    /// [`StoreError::OverBudget`], and [`StoreError::Unreachable`] after four seconds without an answer of a
    /// server; nothing was written.
    pub fn write<T, E, F>(&self, job: F) -> impl Future<Output = Result<T, E>> + Send + use<T, E, F>
    where
        F: FnMut(&mut Tx<'_>) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        self.hub().write(job)
    }

    /// Runs a job of the hub's own that only reads, on one unchanging state of the database.
    ///
    /// # Errors
    /// What the job returns, [`StoreError::Busy`] and [`StoreError::Closed`].
    pub fn read<T, E, F>(&self, job: F) -> impl Future<Output = Result<T, E>> + Send + use<T, E, F>
    where
        F: FnMut(&mut Tx<'_>) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        let patience = self.patience();
        answer(self.submit_read(Party::HUB, job), patience)
    }

    /// As [`Self::write`], for threads that are not asynchronous; it may take eight times as much,
    /// as the operator's commands do.
    ///
    /// # Errors
    /// As [`Self::write`].
    pub fn write_blocking<T, E, F>(&self, job: F) -> Result<T, E>
    where
        F: FnMut(&mut Tx<'_>) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        self.hub().write_blocking(job)
    }

    /// As [`Self::read`], for threads that are not asynchronous.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub fn read_blocking<T, E, F>(&self, job: F) -> Result<T, E>
    where
        F: FnMut(&mut Tx<'_>) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        self.submit_read(Party::HUB, job)?.blocking()
    }

    /// Returns the servers, for which a job does not wait for ever: one may stand still.
    fn patience(&self) -> Option<Arc<Servers>> {
        let (_, cluster) = self.shared.cluster.as_ref()?;
        Some(Arc::clone(&cluster.servers))
    }

    fn submit_write<T, E, F>(
        &self,
        share: Share<'_>,
        steps_max: u64,
        job: F,
    ) -> Result<Answer<T, E>, StoreError>
    where
        F: FnMut(&mut Tx<'_>) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        let (job, answer) = TypedJob::boxed(job, steps_max, Some(share.gates));
        self.shared.queue(share.party).push(share.party, job)?;
        Ok(answer)
    }

    fn submit_read<T, E, F>(&self, party: Party, job: F) -> Result<Answer<T, E>, StoreError>
    where
        F: FnMut(&mut Tx<'_>) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        let (job, answer) = TypedJob::boxed(job, u64::MAX, None);
        self.shared.reads.push(party, job)?;
        Ok(answer)
    }

    /// Returns how much there is to do, and what has been done since the start.
    pub fn load(&self) -> Load {
        let (commits, jobs_committed) = self.shared.commits.so_far();
        Load {
            writes_waiting: self.shared.writes.iter().map(|queue| queue.len()).sum(),
            reads_waiting: self.shared.reads.len(),
            commits,
            jobs_committed,
        }
    }

    /// Returns what happened among the processes on one server; `None` on SQLite.
    pub fn cluster_load(&self) -> Option<ClusterLoad> {
        self.shared
            .cluster
            .as_ref()
            .map(|(_, cluster)| cluster.load())
    }

    /// Returns what is prepared from now on is prepared on: to ask before the first row is read that is
    /// kept in memory.
    pub fn basis(&self) -> Basis {
        let cluster = self.shared.cluster.as_ref();
        Basis(cluster.map(|(_, cluster)| cluster.versions.moment()))
    }

    /// Has `forget` forget what is kept in memory of what lies behind a gate when another version of it is
    /// met; of everything for the hub's gate. The first call counts.
    pub fn forget_by(&self, forget: impl Fn(Gate) + Send + Sync + 'static) {
        if let Some((_, cluster)) = &self.shared.cluster {
            cluster.versions.forget_by(Box::new(forget));
        }
    }

    /// Says whether several processes may work on the database.
    pub fn is_shared(&self) -> bool {
        self.shared.cluster.is_some()
    }

    /// Returns the hub's end of the hints between processes; `None` on SQLite.
    pub fn hints(&self) -> Option<&Hints> {
        self.shared.hints.as_ref().map(|ends| &ends.hints)
    }

    /// Takes what other processes hint at: once.
    pub fn take_heard(&self) -> Option<Heard> {
        taken(&self.shared.hints.as_ref()?.heard)
    }

    /// Takes the carrier's end of the hints, where the server's notices do not carry them: once.
    pub fn take_carrier(&self) -> Option<Carrier> {
        taken(&self.shared.hints.as_ref()?.carrier)
    }

    /// Returns the number of this process in the keys that it makes.
    pub fn process(&self) -> u8 {
        self.shared.process
    }

    /// Returns the number of this process among those on its server, and the numbers of those that
    /// serve; `None` on SQLite.
    pub fn processes(&self) -> Option<(u8, watch::Receiver<BTreeSet<u8>>)> {
        let (number, cluster) = self.shared.cluster.as_ref()?;
        Some((*number, cluster.serving.subscribe()))
    }

    /// Says whether this process may begin what only one may do, such as a post of a webhook. One that
    /// has not shown for three seconds that it lives may not: another may be about to take over.
    pub fn may_post(&self) -> bool {
        let cluster = self.shared.cluster.as_ref();
        cluster.is_none_or(|(_, cluster)| cluster.may_post())
    }

    /// Becomes true when another process has taken over: this one writes nothing any more, and is to
    /// end. `None` on SQLite.
    pub fn taken_over(&self) -> Option<watch::Receiver<bool>> {
        let cluster = self.shared.cluster.as_ref();
        cluster.map(|(_, cluster)| cluster.fence.watch())
    }

    /// Says whether all that was ever answered is known to be there, or the database has only this process.
    pub fn is_sure(&self) -> bool {
        let cluster = self.shared.cluster.as_ref();
        cluster.is_none_or(|(_, cluster)| cluster.servers.is_sure_now())
    }

    /// Returns whether all that was ever answered is known to be there; `None` on SQLite.
    pub fn standing(&self) -> Option<watch::Receiver<Standing>> {
        let cluster = self.shared.cluster.as_ref();
        cluster.map(|(_, cluster)| cluster.servers.watch())
    }

    /// Says whether the database takes writes: what its own errors told, asked without a wait.
    pub fn health(&self) -> Health {
        self.shared.health.now()
    }

    /// Tells of each change of [`Self::health`].
    pub fn health_changes(&self) -> watch::Receiver<Health> {
        self.shared.health.watch()
    }

    /// Counts the moments at which another process was seen to have written.
    ///
    /// Looked at four times a second; who keeps rows in memory reads them again.
    pub fn changed_elsewhere(&self) -> watch::Receiver<u64> {
        self.shared.changes.clone()
    }
}

/// The store as one project or organization uses it.
#[derive(Clone, Copy)]
pub struct Share<'s> {
    store: &'s Store,
    party: Party,
    gates: Gates,
}

impl Share<'_> {
    /// Adds a gate to those that its writes name: at most two beside its own.
    #[must_use]
    pub fn and(mut self, gate: Gate) -> Self {
        self.gates = self.gates.and(gate);
        self
    }

    /// Says what its writes were prepared on, and whose rights they go by: they answer
    /// [`StoreError::Stale`] and change nothing where that has changed since.
    #[must_use]
    pub fn prepared_on(mut self, basis: Basis, organization: OrganizationId) -> Self {
        self.gates = self.gates.prepared_on(basis, organization);
        self
    }

    /// As [`Store::write`].
    ///
    /// # Errors
    /// As [`Store::write`]; [`StoreError::Busy`] when the share of the queue is full.
    pub fn write<T, E, F>(&self, job: F) -> impl Future<Output = Result<T, E>> + Send + use<T, E, F>
    where
        F: FnMut(&mut Tx<'_>) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        let patience = self.store.patience();
        answer(self.store.submit_write(*self, JOB_STEPS_MAX, job), patience)
    }

    /// As [`Self::write`], for what cannot be cut into steps: everything that a phone said at once,
    /// everything that a device held. It may take eight times as much, and is charged with it. It waits
    /// however long a server takes, for no request waits for it.
    ///
    /// # Errors
    /// As [`Self::write`].
    pub fn write_whole<T, E, F>(
        &self,
        job: F,
    ) -> impl Future<Output = Result<T, E>> + Send + use<T, E, F>
    where
        F: FnMut(&mut Tx<'_>) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        answer(self.store.submit_write(*self, WHOLE_STEPS_MAX, job), None)
    }

    /// As [`Store::write_blocking`].
    ///
    /// # Errors
    /// As [`Store::write`].
    pub fn write_blocking<T, E, F>(&self, job: F) -> Result<T, E>
    where
        F: FnMut(&mut Tx<'_>) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        let submitted = self.store.submit_write(*self, WHOLE_STEPS_MAX, job)?;
        submitted.blocking()
    }

    /// As [`Store::read`], with one limit on all that is read for the same request
    /// ([`crate::within_request`]), or on all that the job reads ([`crate::list::TIME_MAX`]).
    ///
    /// # Errors
    /// As [`Store::read`]; [`StoreError::Busy`] when the share of the queue is full,
    /// [`StoreError::TooSlow`].
    pub fn read<T, E, F>(
        &self,
        mut job: F,
    ) -> impl Future<Output = Result<T, E>> + Send + use<T, E, F>
    where
        F: FnMut(&mut Tx<'_>) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        let time = ReadingTime::of_request();
        let limited = move |tx: &mut Tx<'_>| time.read(tx, &mut job);
        let patience = self.store.patience();
        answer(self.store.submit_read(self.party, limited), patience)
    }
}

async fn answer<T, E: From<StoreError>>(
    submitted: Result<Answer<T, E>, StoreError>,
    patience: Option<Arc<Servers>>,
) -> Result<T, E> {
    let Some(servers) = patience else {
        return submitted?.ever().await;
    };
    match submitted?.within(ANSWER_WAIT).await {
        Ok(answered) => {
            if answered.is_ok() {
                servers.outage.worked();
            }
            answered
        }
        Err(late) => {
            servers.outage.failed(&late);
            Err(StoreError::Unreachable(Arc::new(late)).into())
        }
    }
}

impl Shared {
    fn queue(&self, party: Party) -> &WriteQueue {
        &self.writes[party.place_among(self.writes.len())]
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        self.writes.iter().for_each(|queue| queue.close());
        self.reads.close();
        // The thread that carries them ends with them.
        self.hints = None;
        let threads = self
            .threads
            .get_mut()
            .unwrap_or_else(PoisonError::into_inner);
        let Threads { working, last } = std::mem::take(threads);
        working.into_iter().for_each(join);
        if let Some((stop, last)) = last {
            stop.tell();
            join(last);
        }
    }
}

/// Waits for a thread's end. A job that held the last handle runs on the very thread: nobody waits for
/// itself.
fn join(thread: JoinHandle<()>) {
    if thread.thread().id() != thread::current().id() {
        drop(thread.join());
    }
}
