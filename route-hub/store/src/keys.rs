//! Where jobs get the keys of new rows from.

use postrider_model::{Key, KeyMaker, UnixMs};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The maker of one opened store, for all its writers.
///
/// It starts below what is stored: each writer has it rise before its first job.
pub(crate) struct Keys(Mutex<KeyMaker>);

impl Keys {
    pub(crate) fn of_process(process: u8) -> Self {
        Self(Mutex::new(KeyMaker::new(process, None)))
    }

    /// Makes a key at `now`, above all that were made before.
    pub(crate) fn next(&self, now: UnixMs) -> Key {
        self.maker().next(now.0)
    }

    /// Makes all later keys lie above a stored one.
    pub(crate) fn rise_above(&self, stored: Key) {
        self.maker().rise_above(stored);
    }

    fn maker(&self) -> MutexGuard<'_, KeyMaker> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
