//! The platform's logs, which have what a broadcast may have missed: their rows and marks.

use postrider_link::frame::Address;
use postrider_model::{SimSlot, UnixMs};
use std::{fmt, str::FromStr};

/// Most rows of one page of a log: what one turn loads; the rest is asked for again.
pub const LOG_ROWS_MAX: usize = 500;

/// A log that the platform keeps of what came in and went out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Log {
    /// Incoming messages.
    Sms,
    /// Incoming multimedia messages.
    Mms,
    /// Calls.
    Calls,
}

impl Log {
    /// Every log.
    pub const ALL: [Self; 3] = [Self::Sms, Self::Mms, Self::Calls];

    /// Returns the stored name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Sms => "sms",
            Self::Mms => "mms",
            Self::Calls => "calls",
        }
    }
}

/// The name is not that of a [`Log`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoSuchLog;

impl fmt::Display for NoSuchLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("is not the name of a log")
    }
}

impl std::error::Error for NoSuchLog {}

impl FromStr for Log {
    type Err = NoSuchLog;

    fn from_str(name: &str) -> Result<Self, NoSuchLog> {
        let log = Self::ALL.into_iter().find(|log| log.as_str() == name);
        log.ok_or(NoSuchLog)
    }
}

/// A place in a log. Rows are ordered by date, and by number within the same millisecond.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ScanMark {
    /// When the platform wrote the row; for a call, when it began.
    pub date: UnixMs,
    /// Its number, which the platform may use again after a deletion.
    pub row: i64,
}

/// The kind of a call in the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CallKind {
    /// Incoming, answered.
    Incoming,
    /// Incoming, not answered.
    Missed,
    /// Incoming, declined.
    Rejected,
    /// Dialled on this phone.
    Outgoing,
    /// Incoming, blocked.
    Blocked,
    /// Incoming, answered by voice mail.
    Voicemail,
}

/// A finished call in the platform's log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallLogRow {
    /// Its row.
    pub row: i64,
    /// The SIM.
    pub sim: SimSlot,
    /// The other end; none where it withheld its number.
    pub number: Option<Address>,
    /// What it was.
    pub kind: CallKind,
    /// When it began to ring or was dialled.
    pub started_at: UnixMs,
    /// How long people talked, in seconds; 0 when it was not answered.
    pub duration_s: i64,
}
