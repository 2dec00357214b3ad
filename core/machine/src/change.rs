//! Rows of the journal: what a change writes, and what a start reads.

use crate::{
    inbound::{Fingerprint, Source},
    log::{Log, ScanMark},
    parts::Parts,
    stamp::Stamp,
    token::MessageRef,
};
use postrider_link::{
    frame::{Address, Config, Data, InstallId, Kind},
    proof::Proof,
    session::phone::LinkChange,
};
use postrider_model::{MessageText, SimSlot, UnixMs, WireState};

/// One change of the journal; changes are applied in order, together or not at all.
#[derive(Debug, Clone, PartialEq)]
pub enum Change {
    /// Adds an exposure.
    MessageAdded(Box<MessageRow>),
    /// Writes the progress of an exposure.
    MessageMoved {
        /// The exposure.
        message: MessageRef,
        /// Its progress.
        progress: Progress,
    },
    /// Erases the texts and recipients of exposures that ended before a moment, and incoming
    /// messages that were acked before it.
    TextsErased {
        /// The moment, exclusive.
        ended_before: UnixMs,
    },
    /// Deletes exposures that ended before a moment.
    MessagesForgotten {
        /// The moment, exclusive.
        ended_before: UnixMs,
    },
    /// Counts a hand-over; one that is counted already gets the given moment.
    SpentAdded(SpentRow),
    /// Counts other numbers of parts for a hand-over.
    SpentMoved {
        /// The row's number.
        no: u64,
        /// What counts towards the send limits.
        parts: u32,
        /// What counts towards the guard.
        guard_parts: u32,
    },
    /// Deletes hand-overs that no window counts any more.
    SpentForgotten {
        /// Rows below this number; the highest row stays, so that no number is used twice.
        below: u64,
    },
    /// Writes how often the pace is halved.
    PaceSet(PaceRow),
    /// Moves the wall-clock side of every stamp that an age is computed from: of hand-overs that
    /// count, of the pace, and the receipts and retries of exposures that are not over.
    WallMoved {
        /// By how much the wall clock moved against the boot clock, in milliseconds.
        by_ms: i64,
    },
    /// Remembers which message a row of the platform's sent messages belongs to.
    SentRowClaimed(ClaimRow),
    /// Forgets claims of rows that were made before a moment, exclusive.
    ClaimsForgotten {
        /// The moment.
        before: UnixMs,
    },
    /// Remembers something that came in.
    SeenAdded(SeenRow),
    /// Binds an incoming message to its row in the platform's provider.
    SeenBound {
        /// The row's number.
        no: u64,
        /// The provider's row.
        row: Option<i64>,
    },
    /// Forgets what came in.
    SeenForgotten {
        /// Rows below this number; the highest row stays, so that no number is given twice.
        below: u64,
    },
    /// Writes how far one of the platform's logs was read.
    ScanMoved(ScanRow),
    /// Writes which SIM is known in a slot.
    SimSeen(SimRow),
    /// Writes whether codes that change settings may be dialled.
    UssdCodesAllowed(bool),
    /// Writes what the hub set, for a SIM or for all.
    ConfigSet(Config),
    /// Writes the owner's pause.
    PausedSet(bool),
    /// Writes the name of this installation, once.
    InstallSet(InstallId),
    /// Writes a change of the link.
    ///
    /// [`LinkChange::FactsAcked`] keeps the frames of acked incoming messages aside with `at`, so
    /// that they can be uploaded again. [`LinkChange::Restarted`] also sinks the last fact of each
    /// exposure, not below 0, and sets each `s` to 0.
    Link {
        /// The change.
        change: LinkChange,
        /// When it was made.
        at: UnixMs,
    },
}

/// An exposure as the journal keeps it.
#[derive(Debug, Clone, PartialEq)]
pub struct MessageRow {
    /// The exposure.
    pub message: MessageRef,
    /// The hub's own proof of it, if its frame had one; shown to a hub that went back.
    pub proof: Option<Proof>,
    /// The number of the frame that brought it; 0 if none did, or one of an older generation.
    pub s: u64,
    /// Its place among all that arrived here, rising.
    pub arrived: u64,
    /// What it is.
    pub kind: Kind,
    /// The SIM that sends it.
    pub sim: SimSlot,
    /// Its recipient, or the code to dial, until it is erased.
    pub to: Address,
    /// Its text, until it is erased.
    pub text: Option<MessageText>,
    /// Its bytes, until they are erased.
    pub data: Option<Data>,
    /// How many parts the text is expected to make.
    pub parts: u8,
    /// Whether a delivery report is asked for.
    pub report: bool,
    /// Higher goes first.
    pub priority: i64,
    /// Whether another phone could send it.
    pub movable: bool,
    /// How long it may wait from its receipt on, in milliseconds.
    pub ttl_ms: u64,
    /// When it was received.
    pub received: Stamp,
    /// Its progress.
    pub progress: Progress,
}

/// What changes about an exposure.
#[derive(Debug, Clone, PartialEq)]
pub struct Progress {
    /// The state.
    pub state: WireState,
    /// How often it was handed to the radio.
    pub attempt: u32,
    /// How many of these ended in a code that is retried.
    pub tries: u32,
    /// The last hand-over.
    pub submitted: Option<Stamp>,
    /// When it began to wait for its own retry, and for how long in milliseconds.
    pub retry: Option<(Stamp, u64)>,
    /// The row that counts the last hand-over.
    pub spent: Option<u64>,
    /// The parts of the last hand-over.
    pub parts: Parts,
    /// Why it is in its state: the platform's number or a stable word.
    pub code: Option<String>,
    /// With `failed`: some parts went on the air.
    pub partial: bool,
    /// With `failed`: provably no part went on the air.
    pub unsent: bool,
    /// How long a placed call was, once that is known.
    pub call: Option<CallLength>,
    /// The number of the last fact about it; 0 when there is none.
    pub fact: u64,
    /// When its last fact was acked and nothing more could come.
    pub ended: Option<UnixMs>,
}

/// An exposure that is over; kept so that it is never sent again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EndedRow {
    /// The exposure.
    pub message: MessageRef,
    /// Its last state.
    pub state: WireState,
    /// With `failed`: some parts went on the air.
    pub partial: bool,
    /// With `failed`: provably no part went on the air.
    pub unsent: bool,
    /// The hub's own proof of it, if its frame had one.
    pub proof: Option<Proof>,
    /// The number of the frame that brought it; 0 if none did, or one of an older generation.
    pub s: u64,
    /// The number of its last fact; 0 when it was of an older generation.
    pub fact: u64,
    /// When it was over.
    pub at: UnixMs,
}

/// How long a call was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CallLength {
    /// How long people talked, in seconds; -1 when it was not answered.
    pub duration_s: i64,
    /// How long it rang, in seconds; -1 when that is not known.
    pub ring_s: i64,
}

/// A hand-over that counts towards the pace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpentRow {
    /// Its number, rising.
    pub no: u64,
    /// The SIM.
    pub sim: SimSlot,
    /// What counts towards the send limits.
    pub parts: u32,
    /// What counts towards the guard.
    pub guard_parts: u32,
    /// When it was.
    pub at: Stamp,
}

/// Which row of the platform's sent messages belongs to which exposure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClaimRow {
    /// The provider's number of the row. 0 stands for every row dated up to `at`; a negative number
    /// for a test of the owner that was handed over then.
    pub row: i64,
    /// When it was claimed.
    pub at: UnixMs,
}

/// How often the pace is halved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PaceRow {
    /// How often.
    pub halvings: u8,
    /// Since when.
    pub since: Stamp,
}

/// Something that came in and is remembered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeenRow {
    /// Its number, rising.
    pub no: u64,
    /// Identifies it.
    pub fingerprint: Fingerprint,
    /// Its row in the platform's provider, once known.
    pub provider_row: Option<i64>,
    /// When it was first heard of.
    pub at: UnixMs,
    /// How it came.
    pub source: Source,
    /// The date that the platform's log gives it; of a broadcast, when it was heard.
    pub dated: UnixMs,
}

/// How far one of the platform's logs was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScanRow {
    /// The log.
    pub log: Log,
    /// Everything up to here was read.
    pub mark: ScanMark,
    /// Rows of this date or older are never reported: they were there before this agent, or are too
    /// old to be compared with what was reported.
    pub floor: UnixMs,
}

/// Which SIM is known in a slot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SimRow {
    /// The slot.
    pub slot: SimSlot,
    /// The SIM that may send.
    pub known: String,
    /// Another SIM that was seen there last and that nobody has confirmed.
    pub other: Option<String>,
}
