//! Opening a database: all connections of a process, and the threads on them.

use super::cluster::Cluster;
use super::connect::{self, Connector, PostgresSettings};
use super::group::Groups;
use super::migrate::{self, migrate};
use super::nets;
use super::notices;
use super::place::Place;
use super::process::{Process, WAITING, WRITERS};
use super::processes::{self, Heart, Joined};
use super::servers::{Servers, refused};
use super::session::PostgresSession;
use super::writer::{Line, Waiting, run_waiting, run_writer};
use crate::hints::Carrier;
use crate::keys::Keys;
use crate::queue::WriteQueue;
use crate::stop::Stop;
use crate::tx::{Access, Session, Tx};
use crate::{StoreError, meta, migrations, statistics};
use postrider_model::UnixMs;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

/// What is open before any thread runs.
pub(crate) struct Opened {
    pub(crate) process: Process,
    /// The numbers of the processes that serve, this one among them.
    pub(crate) serving: BTreeSet<u8>,
    pub(crate) readers: Vec<Box<dyn Session>>,
    /// Where it joined.
    timeline: i64,
    connector: Connector,
    beat: Duration,
    clock: fn() -> UnixMs,
    writers: Vec<PostgresSession>,
    waiting: Vec<PostgresSession>,
}

/// Connections beside those that read and write: one that beats and one for hints.
const BESIDE: usize = 2;

/// How many queues of writes there are.
pub(crate) const QUEUES: usize = WRITERS as usize;

/// Brings the schema up to date, takes a number among the processes and opens all connections.
///
/// # Errors
/// As [`crate::Store::open_postgres`].
pub(crate) fn open(settings: &PostgresSettings) -> Result<Opened, StoreError> {
    let connector = Connector::new(settings)?;
    let sessions = usize::from(WRITERS + WAITING) + settings.readers.max(1);
    // The one that migrates makes room for one of these.
    migrate(&connector, settings.create, sessions + BESIDE - 1)?;
    let opening = (0..sessions).map(|_| PostgresSession::open(connector.clone()));
    let mut writers = opening.collect::<Result<Vec<_>, _>>()?;
    apart(&mut writers)?;
    let readers = writers.split_off(usize::from(WRITERS + WAITING));
    let waiting = writers.split_off(usize::from(WRITERS));
    let place = Place::own();
    if let Some(place) = &place
        && let Err(error) = processes::end_gone(&mut writers[0], place)
    {
        // They are taken over later, once they have stood still for long.
        tracing::warn!(%error, "processes that have ended could not be taken over");
        writers[0].rollback();
    }
    let joined = processes::join(&mut writers[0], settings, place.as_ref())?;
    let Joined {
        process,
        serving,
        timeline,
    } = joined;
    let boxed = |reader| Box::new(reader) as Box<dyn Session>;
    Ok(Opened {
        readers: readers.into_iter().map(boxed).collect(),
        timeline,
        process,
        serving,
        connector: connector.clone(),
        beat: settings.beat,
        clock: settings.clock,
        writers,
        waiting,
    })
}

/// Opens one end of a move: one that has tables already is left as it is, and must have ours. `None` for
/// an empty database, unless `create` wants the tables made. Nobody else works on it; processes that
/// were killed are ended.
///
/// # Errors
/// [`StoreError::Refused`] with why.
pub(crate) fn open_to_move(
    settings: &PostgresSettings,
    create: bool,
) -> Result<Option<Box<dyn Session>>, StoreError> {
    let connector = Connector::new(settings)?;
    match migrate::schema(&connector)? {
        0 if !create => return Ok(None),
        0 => {}
        found => migrations::same(found)?,
    }
    migrate(&connector, create, 0)?;
    let mut session = PostgresSession::open(connector)?;
    processes::end_the_dead(&mut session, settings.beat)?;
    if !create {
        nets::refuse_unknown(&mut session)?;
    }
    Ok(Some(Box::new(session)))
}

/// Refuses sessions that end at the same process of the server: who shares them out gives each of ours the
/// first that is free.
fn apart(sessions: &mut [PostgresSession]) -> Result<(), StoreError> {
    let mut backends = BTreeSet::new();
    for session in sessions {
        if !backends.insert(session.backend()?) {
            return Err(refused(connect::POOLER));
        }
    }
    Ok(())
}

/// A thread's work that carries hints by the server's notices.
///
/// # Errors
/// When it has no runtime.
fn carry(connector: Connector, carrier: Carrier) -> Result<Work, StoreError> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| StoreError::Engine(Arc::new(error)))?;
    let carry = move || runtime.block_on(notices::carry(connector, carrier));
    Ok(("store-hints", Box::new(carry)))
}

/// A thread's work, and its name.
pub(crate) type Work = (&'static str, Box<dyn FnOnce() + Send>);

impl Opened {
    /// Returns what all connections know of servers.
    pub(crate) fn servers(&self) -> Arc<Servers> {
        Arc::clone(&self.connector.servers)
    }

    /// Has a maker's keys lie above all that is stored.
    ///
    /// # Errors
    /// What the server says.
    pub(crate) fn raise(&mut self, keys: &Keys) -> Result<(), StoreError> {
        let session = &mut self.writers[0];
        session.begin(Access::Read)?;
        session.begin_job(u64::MAX);
        let mut tx = Tx::new(session, keys);
        let highest = meta::highest_key(&mut tx)?;
        let uncounted_until = statistics::uncounted_until(&mut tx)?;
        self.writers[0].commit()?;
        keys.count_above(uncounted_until);
        if let Some(highest) = highest {
            keys.rise_above(highest);
        }
        Ok(())
    }

    /// Returns the work of the threads that write and of the one that carries hints by the server's
    /// notices, if it is to, and the one that beats until it is told to stop.
    ///
    /// # Errors
    /// When the last connection cannot be opened.
    pub(crate) fn work(
        self,
        queues: &[Arc<WriteQueue>],
        hub: &Arc<Cluster>,
        stop: Arc<Stop>,
        carrier: Option<Carrier>,
    ) -> Result<(Vec<Work>, Work), StoreError> {
        let (process, mut number) = (self.process, 0);
        let mut groups = |session| {
            number += 1;
            Groups::new(session, process.row(number - 1), Arc::clone(hub))
        };
        let shared = Arc::new(Waiting::default());
        let mut all: Vec<Work> = Vec::new();
        for (session, queue) in self.writers.into_iter().zip(queues) {
            let (groups, line) = (groups(session), Arc::new(Line::new(Arc::clone(queue))));
            let (hub, shared) = (Arc::clone(hub), Arc::clone(&shared));
            shared.join();
            let run = move || run_writer(groups, &line, &hub, &shared);
            all.push(("store-write", Box::new(run)));
        }
        for session in self.waiting {
            let (groups, shared) = (groups(session), Arc::clone(&shared));
            all.push(("store-wait", Box::new(move || run_waiting(groups, &shared))));
        }
        if let Some(carrier) = carrier {
            all.push(carry(self.connector.clone(), carrier)?);
        }
        let heart = Heart::new(
            self.connector,
            (process, self.timeline),
            Arc::clone(hub),
            self.beat,
            self.clock,
        )?;
        Ok((all, ("store-beat", Box::new(move || heart.run(&stop)))))
    }
}
