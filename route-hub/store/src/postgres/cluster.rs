//! What the threads of one process share, and what operators learn of it.

use super::clock::ClockOff;
use super::fence::Fence;
use super::process::{Answered, CommitRow, WAITING, WRITERS};
use super::servers::Servers;
use super::versions::Versions;
use crate::health::HealthBoard;
use crate::keys::Keys;
use crate::load::{ClusterLoad, Commits};
use postrider_link::mistake;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use tokio::sync::watch;

/// What the threads of one process share.
pub(crate) struct Cluster {
    pub(crate) keys: Arc<Keys>,
    pub(crate) health: Arc<HealthBoard>,
    pub(crate) commits: Arc<Commits>,
    pub(crate) counters: Counters,
    pub(crate) fence: Fence,
    pub(crate) versions: Versions,
    pub(crate) clock_off: ClockOff,
    pub(crate) servers: Arc<Servers>,
    /// How many commits were answered, by writing connection.
    answered: [AtomicI64; (WRITERS + WAITING) as usize],
    /// The numbers of the processes that serve.
    pub(crate) serving: watch::Sender<BTreeSet<u8>>,
}

impl Cluster {
    pub(crate) fn new(
        keys: Arc<Keys>,
        health: Arc<HealthBoard>,
        commits: Arc<Commits>,
        servers: Arc<Servers>,
        serving: BTreeSet<u8>,
    ) -> Self {
        Self {
            keys,
            health,
            commits,
            counters: Counters::default(),
            fence: Fence::new(),
            versions: Versions::default(),
            clock_off: ClockOff::default(),
            servers,
            answered: Default::default(),
            serving: watch::Sender::new(serving),
        }
    }

    pub(crate) fn may_post(&self) -> bool {
        let is_alive = self.fence.may_post() || mistake::is("late_posts");
        is_alive && self.servers.is_sure_now()
    }

    /// Notes how many commits of a writing connection were answered.
    pub(crate) fn answers(&self, row: &CommitRow) {
        let place = usize::try_from(row.writer).unwrap_or(usize::MAX);
        if let Some(answered) = self.answered.get(place) {
            answered.fetch_max(row.commits, Ordering::AcqRel);
        }
    }

    /// Returns how many commits were answered, by writing connection.
    pub(crate) fn answered(&self) -> Answered {
        let mut answered = Answered::default();
        for (now, known) in answered.iter_mut().zip(&self.answered) {
            *now = known.load(Ordering::Acquire);
        }
        answered
    }

    pub(crate) fn load(&self) -> ClusterLoad {
        let counters = &self.counters;
        ClusterLoad {
            reruns: counters.reruns.get(),
            lost_commits: counters.lost_commits.get(),
            gates_waited: counters.gates_waited.get(),
            stale: counters.stale.get(),
            gate_wait_us: counters.gate_wait_us.get(),
            moved: counters.moved.get(),
            takeovers: counters.takeovers.get(),
            clock_off_ms: self.clock_off.ms(),
            waits: counters.waits.get(),
        }
    }
}

/// A number that rises.
#[derive(Debug, Default)]
pub(crate) struct Counter(AtomicU64);

impl Counter {
    pub(crate) fn inc(&self) {
        self.add(1);
    }

    pub(crate) fn add(&self, count: u64) {
        self.0.fetch_add(count, Ordering::Relaxed);
    }

    fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// How often what should be rare has happened.
#[derive(Debug, Default)]
pub(crate) struct Counters {
    /// Jobs that ran again because the server gave them up for another transaction.
    pub(crate) reruns: Counter,
    /// COMMITs without an answer.
    pub(crate) lost_commits: Counter,
    /// Parties whose gate another hub held.
    pub(crate) gates_waited: Counter,
    /// Jobs that were not run, since they were prepared on another version.
    pub(crate) stale: Counter,
    /// Microseconds until groups had gates that they waited for.
    pub(crate) gate_wait_us: Counter,
    /// Parties that went to a connection of their own.
    pub(crate) moved: Counter,
    /// Processes that were taken over.
    pub(crate) takeovers: Counter,
    /// Waits of the writing connections for the server.
    pub(crate) waits: Counter,
}
