//! What the owner of a phone is told, and when a failed agent starts again.
//!
//! [`Book`] takes the agent's events and the shell's [`Fact`]s, each with its [`Moment`], and
//! returns [`Effect`]s: what to keep across the end of the process, and which alerts to show. The
//! shell reads the log, the counts of the day and the standing alerts from it. [`Restarts`] says
//! how long a failed agent waits.
//!
//! The formats of what is kept never change, so that an updated app continues from older files.

mod alerts;
mod book;
mod contact;
mod log;
mod meaning;
mod moment;
mod named;
mod restarts;
mod what;

pub use alerts::{Alert, AlertKind};
pub use book::{Book, Effect, Fact, Kept};
pub use log::{ENTRIES_MAX, Entry, TodayCounts};
pub use moment::{Day, Moment};
pub use restarts::{Restart, Restarts};
pub use what::What;
