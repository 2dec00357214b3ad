//! The handle that everybody holds.

use crate::executor::{Writer, run_reader};
use crate::health::HealthBoard;
use crate::job::{JobQueue, TypedJob};
use crate::load::{Commits, Load};
use crate::tx::Session;
use crate::{Health, SqliteSettings, StoreError, Tx, sqlite};
use std::future::Future;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use tokio::sync::{oneshot, watch};

/// The hub's database: a handle to clone, with the threads behind it.
///
/// Dropping the last handle shuts it: what waits is still done first.
#[derive(Clone)]
pub struct Store {
    shared: Arc<Shared>,
}

struct Shared {
    writes: Arc<JobQueue>,
    reads: Arc<JobQueue>,
    changes: watch::Receiver<u64>,
    commits: Arc<Commits>,
    health: Arc<HealthBoard>,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

impl Store {
    /// Opens an SQLite database, brings its schema up to date and starts the threads.
    ///
    /// # Errors
    /// [`StoreError::Missing`], [`StoreError::Foreign`], [`StoreError::Newer`],
    /// [`StoreError::Damaged`] and what else the file system says.
    pub fn open_sqlite(settings: SqliteSettings) -> Result<Self, StoreError> {
        let writer = Box::new(sqlite::open_writer(&settings)?);
        let readers = (0..settings.readers.max(1))
            .map(|_| Ok(Box::new(sqlite::open_reader(&settings)?) as Box<dyn Session>))
            .collect::<Result<Vec<_>, StoreError>>()?;
        Self::start(writer, readers)
    }

    /// Starts the threads on connections that are open.
    pub(crate) fn start(
        writer: Box<dyn Session>,
        readers: Vec<Box<dyn Session>>,
    ) -> Result<Self, StoreError> {
        let (changes_in, changes) = watch::channel(0);
        let store = Self {
            shared: Arc::new(Shared {
                writes: Arc::new(JobQueue::new()),
                reads: Arc::new(JobQueue::new()),
                changes,
                commits: Arc::default(),
                health: Arc::new(HealthBoard::new()),
                threads: Mutex::new(Vec::new()),
            }),
        };
        let queue = Arc::clone(&store.shared.writes);
        let commits = Arc::clone(&store.shared.commits);
        let health = Arc::clone(&store.shared.health);
        store.spawn("store-write", move || {
            Writer::new(writer, &queue, changes_in, commits, health).run();
        })?;
        for session in readers {
            let queue = Arc::clone(&store.shared.reads);
            let health = Arc::clone(&store.shared.health);
            store.spawn("store-read", move || run_reader(session, &queue, &health))?;
        }
        Ok(store)
    }

    fn spawn(&self, name: &str, work: impl FnOnce() + Send + 'static) -> Result<(), StoreError> {
        let spawned = thread::Builder::new().name(name.to_owned()).spawn(work);
        let thread = spawned.map_err(|error: io::Error| StoreError::Engine(Arc::new(error)))?;
        self.shared
            .threads
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(thread);
        Ok(())
    }

    /// Runs a job that writes, together with others, and returns once it is on disk.
    ///
    /// A job may run more than once; what varies (times, keys) comes from outside it. It decides
    /// before its first write and returns refusals of the domain as its value.
    ///
    /// # Errors
    /// What the job returns, [`StoreError::Busy`] and [`StoreError::Closed`]; nothing was written.
    pub fn write<T, F>(
        &self,
        job: F,
    ) -> impl Future<Output = Result<T, StoreError>> + Send + use<T, F>
    where
        F: FnMut(&mut Tx<'_>) -> Result<T, StoreError> + Send + 'static,
        T: Send + 'static,
    {
        answer(submit(&self.shared.writes, job))
    }

    /// Runs a job that only reads, on one unchanging state of the database.
    ///
    /// # Errors
    /// What the job returns, [`StoreError::Busy`] and [`StoreError::Closed`].
    pub fn read<T, F>(
        &self,
        job: F,
    ) -> impl Future<Output = Result<T, StoreError>> + Send + use<T, F>
    where
        F: FnMut(&mut Tx<'_>) -> Result<T, StoreError> + Send + 'static,
        T: Send + 'static,
    {
        answer(submit(&self.shared.reads, job))
    }

    /// As [`Self::write`], for threads that are not asynchronous.
    ///
    /// # Errors
    /// As [`Self::write`].
    pub fn write_blocking<T, F>(&self, job: F) -> Result<T, StoreError>
    where
        F: FnMut(&mut Tx<'_>) -> Result<T, StoreError> + Send + 'static,
        T: Send + 'static,
    {
        let answer = submit(&self.shared.writes, job)?;
        answer.blocking_recv().unwrap_or(Err(StoreError::Closed))
    }

    /// As [`Self::read`], for threads that are not asynchronous.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub fn read_blocking<T, F>(&self, job: F) -> Result<T, StoreError>
    where
        F: FnMut(&mut Tx<'_>) -> Result<T, StoreError> + Send + 'static,
        T: Send + 'static,
    {
        let answer = submit(&self.shared.reads, job)?;
        answer.blocking_recv().unwrap_or(Err(StoreError::Closed))
    }

    /// Returns how much there is to do, and what has been done since the start.
    pub fn load(&self) -> Load {
        let (commits, jobs_committed) = self.shared.commits.so_far();
        Load {
            writes_waiting: self.shared.writes.len(),
            reads_waiting: self.shared.reads.len(),
            commits,
            jobs_committed,
        }
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
    /// Looked at four times a second; whoever keeps rows in memory reads them again.
    pub fn changed_elsewhere(&self) -> watch::Receiver<u64> {
        self.shared.changes.clone()
    }
}

type Answer<T> = oneshot::Receiver<Result<T, StoreError>>;

fn submit<T, F>(queue: &JobQueue, job: F) -> Result<Answer<T>, StoreError>
where
    F: FnMut(&mut Tx<'_>) -> Result<T, StoreError> + Send + 'static,
    T: Send + 'static,
{
    let (job, answer) = TypedJob::boxed(job);
    queue.push(job)?;
    Ok(answer)
}

async fn answer<T>(submitted: Result<Answer<T>, StoreError>) -> Result<T, StoreError> {
    submitted?.await.unwrap_or(Err(StoreError::Closed))
}

impl Drop for Shared {
    fn drop(&mut self) {
        self.writes.close();
        self.reads.close();
        let threads = self
            .threads
            .get_mut()
            .unwrap_or_else(PoisonError::into_inner);
        for thread in threads.drain(..) {
            // A job that held the last handle runs on the very thread: nobody waits for itself.
            if thread.thread().id() != thread::current().id() {
                drop(thread.join());
            }
        }
    }
}
