//! The platform's logs, which say what a broadcast may have failed to: their rows and marks.

use postrider_link::frame::Address;
use postrider_model::{SimSlot, UnixMs};
use std::{fmt, str::FromStr};

/// Most rows of one page of a log: what one turn takes into memory; the rest is asked for again.
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

    /// Returns the name that the journal keeps.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Sms => "sms",
            Self::Mms => "mms",
            Self::Calls => "calls",
        }
    }
}

/// Says that a name is none of a [`Log`].
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

/// A place in a log: rows are ordered by their date, and by their number within one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ScanMark {
    /// When the platform wrote the row; of a call, when it began.
    pub date: UnixMs,
    /// Its number, which the platform may give again after a deletion.
    pub row: i64,
}

/// What a call in the log was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CallKind {
    /// From outside, answered.
    Incoming,
    /// From outside, not answered.
    Missed,
    /// From outside, declined.
    Rejected,
    /// Dialled on this phone.
    Outgoing,
    /// From outside, not let through.
    Blocked,
    /// From outside, taken by the voice mail.
    Voicemail,
}

/// A call as the platform's log has it once it is over.
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
    /// How long it was spoken on, in seconds; 0 when it was not.
    pub duration_s: i64,
}
