//! The production journal in a temporary folder.

use crate::random::Seeded;
use postrider_link::{
    frame::Inbound,
    session::phone::{FactRange, PhoneFact},
};
use postrider_machine::{Change, Snapshot};
use postrider_store::Journal;
use std::fs;
use tempfile::TempDir;

const FILE: &str = "journal.db";
const LOG: &str = "journal.db-wal";

/// A journal file of the production store.
#[derive(Debug)]
pub struct RealJournal {
    folder: TempDir,
    journal: Option<Journal>,
}

impl RealJournal {
    /// Makes a new file.
    ///
    /// # Panics
    /// When there is no room for it: a simulation stops where its ground gives way.
    pub fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder for the journal");
        let (journal, _) = Journal::open(&folder.path().join(FILE)).expect("a new journal");
        Self {
            folder,
            journal: Some(journal),
        }
    }

    pub(super) fn commit(&mut self, changes: &[Change]) {
        let journal = self.journal.as_mut().expect("the journal is open");
        journal.commit(changes).expect("the journal takes its rows");
    }

    /// Closes the file and reads it anew, as a start does.
    pub(super) fn reopen(&mut self) -> Snapshot {
        self.journal = None;
        let path = self.folder.path().join(FILE);
        let (journal, snapshot) = Journal::open(&path).expect("the journal opens");
        self.journal = Some(journal);
        snapshot
    }

    /// The power fails while a commit is written: of the log's new bytes only a head is there, and
    /// then nothing, what was there before, or noise. Returns what a start finds.
    pub(super) fn tear(&mut self, changes: &[Change], random: &mut Seeded) -> Snapshot {
        let before = self.log();
        self.commit(changes);
        let after = self.log();
        let same = before
            .iter()
            .zip(&after)
            .take_while(|(a, b)| a == b)
            .count();
        let new = (after.len() - same) as u64;
        let head = same + usize::try_from(random.between(0, new)).unwrap_or(0);
        let mut torn = after[..head].to_vec();
        match random.below(3) {
            0 => {}
            1 => torn.extend(before.iter().skip(head)),
            _ => torn.extend(after[head..].iter().map(|byte| byte ^ 0x5a)),
        }
        let folder = tempfile::tempdir().expect("a folder for the journal");
        let copy = |name: &str| folder.path().join(name);
        fs::copy(self.folder.path().join(FILE), copy(FILE)).expect("the file is copied");
        fs::write(copy(LOG), torn).expect("the log is copied");
        self.journal = None;
        self.folder = folder;
        self.reopen()
    }

    fn log(&self) -> Vec<u8> {
        // A log that is not there yet is empty.
        fs::read(self.folder.path().join(LOG)).unwrap_or_default()
    }

    pub(super) fn facts(&self, range: FactRange) -> Vec<PhoneFact> {
        let journal = self.journal.as_ref().expect("the journal is open");
        journal.facts(range).expect("facts are read")
    }

    pub(super) fn inbound(&self) -> Vec<Inbound> {
        let journal = self.journal.as_ref().expect("the journal is open");
        journal.inbound().expect("incoming messages are read")
    }
}

impl Default for RealJournal {
    fn default() -> Self {
        Self::new()
    }
}
