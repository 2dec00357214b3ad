//! The production journal in a temporary folder.

use crate::random::Seeded;
use postrider_link::{
    frame::Inbound,
    session::phone::{FactRange, PhoneFact},
};
use postrider_machine::{
    Change, EndedAsked, MessageRef, Snapshot,
    change::{EndedRow, MessageRow},
};
use postrider_store::Journal;
use std::fs;
use tempfile::TempDir;

const FILE: &str = "journal.db";
const LOG: &str = "journal.db-wal";
/// What a disk writes whole or not at all.
const SECTOR: usize = 512;

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

    /// The power fails while a commit is written: of the log's new sectors only the first are there,
    /// and then what was there before, nothing, or noise. Returns what a start finds.
    ///
    /// A commit that has moved the log into the file is there: its log was synced before that.
    pub(super) fn tear(&mut self, changes: &[Change], random: &mut Seeded) -> Snapshot {
        let (file_before, before) = (self.read(FILE), self.read(LOG));
        self.commit(changes);
        let (file, after) = (self.read(FILE), self.read(LOG));
        let log = if file == file_before {
            torn(&before, &after, random)
        } else {
            after
        };
        let folder = tempfile::tempdir().expect("a folder for the journal");
        fs::write(folder.path().join(FILE), file).expect("the file is copied");
        fs::write(folder.path().join(LOG), log).expect("the log is copied");
        self.journal = None;
        self.folder = folder;
        self.reopen()
    }

    fn read(&self, name: &str) -> Vec<u8> {
        // A log that is not there yet is empty.
        fs::read(self.folder.path().join(name)).unwrap_or_default()
    }

    pub(super) fn facts(&self, range: FactRange) -> Vec<PhoneFact> {
        let journal = self.journal.as_ref().expect("the journal is open");
        journal.facts(range).expect("facts are read")
    }

    pub(super) fn inbound(&self) -> Vec<Inbound> {
        let journal = self.journal.as_ref().expect("the journal is open");
        journal.inbound().expect("incoming messages are read")
    }

    pub(super) fn ended(&self, asked: &EndedAsked) -> Vec<EndedRow> {
        let journal = self.journal.as_ref().expect("the journal is open");
        journal.ended(asked).expect("ended exposures are read")
    }

    pub(super) fn message_over(&self, message: MessageRef) -> Option<MessageRow> {
        let journal = self.journal.as_ref().expect("the journal is open");
        journal.message_over(message).expect("an exposure is read")
    }
}

/// Returns a log of which the last write got through in part.
fn torn(before: &[u8], after: &[u8], random: &mut Seeded) -> Vec<u8> {
    let same = before.iter().zip(after).take_while(|(a, b)| a == b).count();
    let new = (after.len() - same) as u64;
    let written = same + usize::try_from(random.between(0, new)).unwrap_or(0);
    let head = (written / SECTOR * SECTOR).max(same);
    let mut torn = after[..head].to_vec();
    torn.extend(before.iter().skip(head));
    if random.percent(50) {
        torn.extend(after.iter().skip(torn.len()).map(|byte| byte ^ 0x5a));
    }
    torn
}

impl Default for RealJournal {
    fn default() -> Self {
        Self::new()
    }
}
