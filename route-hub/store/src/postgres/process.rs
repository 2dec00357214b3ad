//! One process on a database: its number, and the rows of its writing connections.

use crate::StoreError;
use crate::tx::{Access, Session, Sql};
use std::time::Duration;

/// Writing connections of a process: its writers and those that wait for gates.
pub(crate) const WRITERS: u8 = 4;
/// Connections that wait for gates.
pub(crate) const WAITING: u8 = 4;
/// The time between two beats.
pub(crate) const BEAT: Duration = Duration::from_secs(1);
/// Beats of another process through which one may stand still.
pub(crate) const STILL_MAX: u32 = 10;
/// Commits that were answered, by writing connection.
pub(crate) type Answered = [i64; (WRITERS + WAITING) as usize];

/// Changes after which a row goes on in a new one.
pub(crate) const CHANGES_MAX: i64 = 500;

/// The row of a writing connection: how many groups it has committed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CommitRow {
    pub(crate) process: u8,
    pub(crate) incarnation: i64,
    pub(crate) writer: i64,
    pub(crate) commits: i64,
}

impl CommitRow {
    /// Returns which of its rows has the number.
    pub(crate) fn place(self) -> i64 {
        self.commits / CHANGES_MAX
    }

    /// Returns the two numbers of its lock.
    pub(crate) fn lock(self) -> (i32, i32) {
        let writer = i64::from(self.process) << 8 | self.writer;
        let low = |number: i64| i32::try_from(number & 0x7fff_ffff).unwrap_or_default();
        (low(writer), low(self.incarnation))
    }
}

/// A process on a database.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Process {
    /// Its number, which is part of its keys.
    pub(crate) number: u8,
    /// Tells it from earlier processes of that number.
    pub(crate) incarnation: i64,
}

impl Process {
    /// Returns the row of one of its writing connections, as it is at the start.
    pub(crate) fn row(self, writer: u8) -> CommitRow {
        CommitRow {
            process: self.number,
            incarnation: self.incarnation,
            writer: i64::from(writer),
            commits: 0,
        }
    }
}

/// Begins a transaction in which no process joins.
pub(crate) fn begin_alone(session: &mut dyn Session) -> Result<(), StoreError> {
    session.begin(Access::Write)?;
    session.run(Sql::Fixed("SELECT pg_advisory_xact_lock(0)"), &[])
}
