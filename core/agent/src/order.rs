//! The one order that everything depends on: rows first, the world second.
//!
//! Nothing is acknowledged and nothing is sent before the rows that say so are on disk. This file
//! is the only place that commits. While a commit runs, facts queue up and the next turn takes them
//! all, so a commit never waits for more facts and many facts share one.

use crate::{disk::RingError, ring::Ring};

impl Ring {
    /// Ends a turn: commits what the machine changed, then does what it asks for, until it asks
    /// for nothing more.
    ///
    /// # Errors
    /// When the journal fails. The machine is then ahead of its disk and must not go on.
    pub(crate) async fn rows_then_world(&mut self) -> Result<(), RingError> {
        loop {
            let changes = self.take_changes();
            let has_changes = !changes.is_empty();
            if has_changes {
                self.commit(changes).await?;
                self.tell_committed();
            }
            let effects = self.take_effects();
            if !has_changes && effects.is_empty() {
                return Ok(());
            }
            for effect in effects {
                self.perform(effect).await?;
            }
        }
    }
}
