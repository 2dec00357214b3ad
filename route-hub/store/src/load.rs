//! How busy the store is, for the operator's metrics.

use std::sync::atomic::{AtomicU64, Ordering};

/// How much there is to do, and what has been done since the start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Load {
    /// Writing jobs that wait for the writer.
    pub writes_waiting: usize,
    /// Reading jobs that wait for a reader.
    pub reads_waiting: usize,
    /// Group commits so far.
    pub commits: u64,
    /// Jobs that they held: with `commits`, how large a group is.
    pub jobs_committed: u64,
}

/// What happened among the processes on one server, since this one started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClusterLoad {
    /// Jobs that ran again because the server gave them up for another transaction.
    pub reruns: u64,
    /// COMMITs without an answer.
    pub lost_commits: u64,
    /// How often a party waited for a gate that another process held.
    pub gates_waited: u64,
    /// Jobs that were prepared anew, since another process had changed what they were prepared on.
    pub stale: u64,
    /// How long groups took to get gates that they had to wait for, in microseconds.
    pub gate_wait_us: u64,
    /// How often a party went to a connection of its own, for such a gate or a job that took long.
    pub moved: u64,
    /// Processes that this one took over.
    pub takeovers: u64,
    /// How far this machine's clock was off the database's at the last beat, in milliseconds: above 0
    /// where it is ahead.
    pub clock_off_ms: i64,
    /// Waits of the writing connections for the server: two for each group commit, and those of its jobs.
    pub waits: u64,
}

/// Counts group commits.
#[derive(Debug, Default)]
pub(crate) struct Commits {
    commits: AtomicU64,
    jobs: AtomicU64,
}

impl Commits {
    pub(crate) fn count(&self, jobs: usize) {
        self.commits.fetch_add(1, Ordering::Relaxed);
        self.jobs.fetch_add(jobs as u64, Ordering::Relaxed);
    }

    pub(crate) fn so_far(&self) -> (u64, u64) {
        let commits = self.commits.load(Ordering::Relaxed);
        (commits, self.jobs.load(Ordering::Relaxed))
    }
}
