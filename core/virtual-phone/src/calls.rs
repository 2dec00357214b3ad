//! The log of calls that the simulated platform keeps.
//!
//! The row of a call is on disk when the call begins, and is visible once it is over. So a phone
//! that is killed during a call finds it in the log at its next start, like a real one.

use crate::table::{Row, Table};
use postrider_agent::{CallKind, CallLogRow, LOG_ROWS_MAX, LogPage, ScanMark};
use postrider_link::frame::Address;
use postrider_model::{SimSlot, UnixMs};
use serde::{Deserialize, Serialize};
use std::{io, path::Path};

/// The name of the file in a phone's folder.
const CALLS_FILE: &str = "calls.jsonl";
/// How long after a call its row becomes visible, in milliseconds.
pub(crate) const ROW_AFTER_MS: u64 = 50;

/// A call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct CallRow {
    pub(crate) row: i64,
    /// When it begins to ring or is dialled.
    pub(crate) at_ms: i64,
    /// When its row becomes visible.
    pub(crate) shows_ms: i64,
    pub(crate) sim: SimSlot,
    pub(crate) number: Option<Address>,
    pub(crate) kind: Kind,
    pub(crate) duration_s: i64,
}

/// The kinds that a simulated call may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Kind {
    Incoming,
    Missed,
    Rejected,
    Outgoing,
}

impl Row for CallRow {
    fn at_ms(&self) -> i64 {
        self.at_ms
    }

    fn number(&self) -> i64 {
        self.row
    }
}

impl CallRow {
    fn logged(&self) -> CallLogRow {
        CallLogRow {
            row: self.row,
            sim: self.sim,
            number: self.number.clone(),
            kind: match self.kind {
                Kind::Incoming => CallKind::Incoming,
                Kind::Missed => CallKind::Missed,
                Kind::Rejected => CallKind::Rejected,
                Kind::Outgoing => CallKind::Outgoing,
            },
            started_at: UnixMs(self.at_ms),
            duration_s: self.duration_s,
        }
    }
}

/// The table.
#[derive(Debug)]
pub(crate) struct Calls(Table<CallRow>);

impl Calls {
    /// Opens the log of a folder, or creates it.
    pub(crate) fn open(folder: &Path) -> io::Result<Self> {
        Table::open(folder.join(CALLS_FILE)).map(Self)
    }

    /// Adds a call that begins; on return it survives the death of the process.
    pub(crate) fn add(&self, make: impl FnOnce(i64) -> CallRow) -> io::Result<CallRow> {
        self.0.add(make)
    }

    /// Returns a page of the calls that are over.
    pub(crate) fn page(&self, from: ScanMark, now: UnixMs) -> io::Result<(LogPage, bool)> {
        let shows = |row: &CallRow| row.shows_ms <= now.0;
        let after = (from.date.0, from.row);
        let (rows, complete) = self.0.page(after, LOG_ROWS_MAX, shows)?;
        let rows = rows.iter().map(CallRow::logged).collect();
        Ok((LogPage::Calls(rows), complete))
    }

    /// Deletes what is older than the platform keeps.
    pub(crate) fn tidy_up(&self, now: UnixMs) -> io::Result<()> {
        self.0.tidy_up(now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_shows_once_it_is_over_also_after_a_restart() {
        let folder = tempfile::tempdir().unwrap();
        let add = |row| CallRow {
            row,
            at_ms: 1_000,
            shows_ms: 3_000,
            sim: SimSlot::default(),
            number: None,
            kind: Kind::Missed,
            duration_s: 0,
        };
        Calls::open(folder.path()).unwrap().add(add).unwrap();
        let calls = Calls::open(folder.path()).unwrap();
        let from = ScanMark {
            date: UnixMs(0),
            row: 0,
        };
        let shown = |now| match calls.page(from, UnixMs(now)).unwrap() {
            (LogPage::Calls(rows), true) => rows.len(),
            other => panic!("{other:?}"),
        };
        assert_eq!((shown(2_999), shown(3_000)), (0, 1));
    }
}
