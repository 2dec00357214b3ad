//! The whole content of a journal, for comparison.

use postrider_link::{
    frame::Inbound,
    session::phone::{FactRange, PhoneFact},
};
use postrider_machine::Snapshot;
use postrider_store::{Journal, JournalError};
use std::{
    io,
    path::{Path, PathBuf},
};
use tempfile::TempDir;

/// The name of the journal in each folder.
pub const FILE: &str = "journal.db";

/// What a start would find, and the waiting frames.
#[derive(Debug, Clone, PartialEq)]
pub struct State {
    /// What a start finds.
    pub snapshot: Snapshot,
    /// Facts that wait for their ack.
    pub facts: Vec<PhoneFact>,
    /// Incoming messages kept aside.
    pub inbound: Vec<Inbound>,
}

impl State {
    /// Reads everything from an open journal.
    pub fn of(journal: &Journal) -> Result<Self, JournalError> {
        let all = FactRange {
            above: 0,
            count_max: 1_000_000,
        };
        Ok(Self {
            snapshot: journal.load()?,
            facts: journal.facts(all)?,
            inbound: journal.inbound()?,
        })
    }

    /// Opens the journal of a folder and reads everything.
    pub fn found_in(folder: &Path) -> Result<Self, JournalError> {
        let (journal, _) = Journal::open(&path_in(folder))?;
        Self::of(&journal)
    }
}

/// Returns the journal's path in a folder.
pub fn path_in(folder: &Path) -> PathBuf {
    folder.join(FILE)
}

/// Makes a folder that is deleted with its owner, in memory if possible.
pub fn folder() -> io::Result<TempDir> {
    tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir())
}
