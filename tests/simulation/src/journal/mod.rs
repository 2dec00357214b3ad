//! A phone's disk: the journal in memory, or the real one, and how each loses what was not synced.
//!
//! A commit has two halves: the rows are written, then synced. A process that is killed between
//! them finds the rows (the system has them); a phone that loses its power there may find them or
//! not, as a whole: that is what the journal's checksums make of a torn page.

mod memory;
mod real;

pub use memory::Rows;
pub use real::RealJournal;

use crate::random::Seeded;
use postrider_link::{
    frame::Inbound,
    session::phone::{FactRange, PhoneFact},
};
use postrider_machine::{
    Change, EndedAsked, MessageRef, Snapshot,
    change::{EndedRow, MessageRow},
};

/// The disk of a phone.
#[derive(Debug, Default)]
pub struct Disk {
    rows: Rows,
    written: Vec<Change>,
    real: Option<RealJournal>,
}

impl Disk {
    /// Makes an empty disk; with `real` every commit goes to a journal file, too, and each start
    /// reads that.
    pub fn new(real: Option<RealJournal>) -> Self {
        Self {
            real,
            ..Self::default()
        }
    }

    /// Writes rows; they are not synced yet.
    pub fn write(&mut self, changes: Vec<Change>) {
        self.written = changes;
    }

    /// Syncs what was written: it survives everything from here on.
    pub fn sync(&mut self) {
        let changes = std::mem::take(&mut self.written);
        if changes.is_empty() {
            return;
        }
        if let Some(real) = &mut self.real {
            real.commit(&changes);
        }
        self.rows.commit(changes);
    }

    /// The process died: what was written is there.
    pub fn process_died(&mut self) {
        self.sync();
    }

    /// The power failed: what was written and not synced is there as a whole or not at all.
    /// Returns whether it is.
    ///
    /// In memory the draw decides; of a real journal the log is torn, and what a start finds
    /// decides.
    ///
    /// # Panics
    /// When a start finds something in between.
    pub fn power_failed(&mut self, random: &mut Seeded) -> bool {
        let changes = std::mem::take(&mut self.written);
        let mut after = self.rows.clone();
        after.commit(changes.clone());
        let is_there = match &mut self.real {
            None => random.percent(50),
            Some(real) if !changes.is_empty() => {
                let found = real.tear(&changes, random);
                let is_there = found == after.snapshot();
                let is_whole = is_there || found == self.rows.snapshot();
                assert!(is_whole, "a torn commit is there in part");
                is_there
            }
            Some(_) => true,
        };
        if is_there {
            self.rows = after;
        }
        is_there
    }

    /// Returns what is on disk.
    pub const fn rows(&self) -> &Rows {
        &self.rows
    }

    /// Puts an older copy in place of what is there.
    pub fn roll_back(&mut self, rows: Rows) {
        self.written.clear();
        self.rows = rows;
    }

    /// Reads what a start needs.
    pub fn snapshot(&mut self) -> Snapshot {
        match &mut self.real {
            Some(real) => real.reopen(),
            None => self.rows.snapshot(),
        }
    }

    /// Reads facts that wait for their ack.
    pub fn facts(&self, range: FactRange) -> Vec<PhoneFact> {
        match &self.real {
            Some(real) => real.facts(range),
            None => self.rows.facts(range),
        }
    }

    /// Reads the acked incoming messages that are kept aside.
    pub fn inbound(&self) -> Vec<Inbound> {
        match &self.real {
            Some(real) => real.inbound(),
            None => self.rows.inbound(),
        }
    }

    /// Reads ended exposures, as `LoadEnded` asks for.
    pub fn ended(&self, asked: &EndedAsked) -> Vec<EndedRow> {
        match &self.real {
            Some(real) => real.ended(asked),
            None => self.rows.ended(asked),
        }
    }

    /// Reads an exposure that is over, as `LoadMessage` asks for.
    pub fn message_over(&self, message: MessageRef) -> Option<MessageRow> {
        match &self.real {
            Some(real) => real.message_over(message),
            None => self.rows.message_over(message),
        }
    }

    /// Returns whether commits go to a file.
    pub const fn is_real(&self) -> bool {
        self.real.is_some()
    }
}
