//! The phone's machines: outbound queue, pacing, delivery, inbound.
//!
//! [`Agent`] is the interface; the ring around it owns the socket, the journal, the clocks and the
//! radio, and decides nothing.
//!
//! # A turn
//!
//! ```text
//!  facts, frames, commands, deadlines          one call each, with the time that it is
//!        |
//!        v
//!  poll_change until None  --> one transaction --> handle_committed
//!        |
//!        v
//!  poll_effect until None  --> the radio, the socket; their outcomes are facts of later turns
//!        |
//!        v
//!  poll_event until None, then sleep until poll_timeout
//! ```
//!
//! An effect appears only when the rows that it needs are on disk, so a ring cannot get the
//! order wrong by polling early. Effects may lead to further changes: a turn ends when
//! neither is left.
//!
//! # Inside
//!
//! - the outbound machine: queues, results, holds, retries, recovery of what a restart found;
//! - the pacer: how fast messages may leave;
//! - the inbound machine: each incoming message once;
//! - health: what the hub is told of the phone;
//! - the link's session of `postrider-link`, driven from here;
//! - [`Timer`]: every timer there is, in one table.
//!
//! Messages of unknown kinds end as unsupported, provably unsent; each new kind gets a machine of
//! its own beside the outbound one.

mod after_call;
mod agent;
mod calls;
pub mod change;
mod command;
mod condition;
mod config;
mod counters;
mod effect;
mod event;
mod fact;
mod frame_gate;
mod from_journal;
mod health;
mod inbound;
mod incoming;
mod late_results;
mod log;
mod numbers;
mod outbound;
mod outputs;
mod pacer;
mod parts;
mod scan;
mod sims;
mod snapshot;
mod stamp;
mod status;
mod timers;
mod token;
mod unpair;
mod wall;

pub use agent::Agent;
pub use calls::CALL_MS_MAX;
pub use change::Change;
pub use command::{Command, Refused};
pub use condition::Condition;
pub use config::{
    AgentConfig, Guard, PaceLimits, QUIET_SPELLS_MAX, ReportChoice, Spell, WaitChoice,
};
pub use counters::Counters;
pub use effect::{Body, Effect, EndedAsked, SendParts};
pub use event::Event;
pub use fact::{
    CallRefusal, CallState, LogPage, RadioFact, ReceivedData, ReceivedMms, ReceivedSms,
    ReportStatus, SentRow,
};
pub use health::HEALTH_MS_MIN;
pub use inbound::{Fingerprint, NoSuchSource, SEEN_MAX, Source};
pub use late_results::LATE_MAX;
pub use log::{CallKind, CallLogRow, LOG_ROWS_MAX, Log, NoSuchLog, ScanMark};
pub use outbound::{
    DIALLED_MS_MAX, ENDED_FOLLOWS_MS, ENDED_MAX, REPORTS_AWAITED_MAX, SENT_ROWS_MAX, USSD_MS_MAX,
    WAITING_MAX, claims_to_keep,
};
pub use pacer::{PaceRule, SEND_LIMIT_SPAN_MS};
pub use parts::{InvalidParts, Parts};
pub use scan::{SCAN_MS, SCAN_MS_MIN};
pub use snapshot::Snapshot;
pub use stamp::{BootId, Stamp};
pub use status::{HubSettings, KindStatus, NextSlot, SimStatus};
pub use timers::{Deadline, Subject, Timer};
pub use token::{MessageRef, SendToken};
