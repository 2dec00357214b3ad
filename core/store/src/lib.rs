//! The phone's journal in SQLite: what a phone must not forget.
//!
//! [`Journal::open`] makes a new file only if there is none; a damaged, foreign or newer one is
//! an error and stays as it is. [`Journal::commit`] writes the changes of one turn in one
//! transaction, and returns when they are on disk (`synchronous=FULL`). After a crash during a
//! commit, everything before it is there, and nothing of it.

mod columns;
mod error;
mod journal;
mod link;
mod log;
mod mark;
mod migrations;
mod read;
mod sums;
mod write;

pub use error::JournalError;
pub use journal::{APPLICATION_ID, Journal};
