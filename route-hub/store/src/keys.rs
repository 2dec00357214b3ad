//! Where jobs get the keys of new rows from.

use postrider_model::{Key, KeyMaker, UnixMs};
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The maker of one opened store, for all its writers.
///
/// It starts below what is stored: each writer has it rise before its first job.
pub(crate) struct Keys {
    maker: Mutex<KeyMaker>,
    uncounted_until: AtomicI64,
}

impl Keys {
    pub(crate) fn of_process(process: u8) -> Self {
        Self {
            maker: Mutex::new(KeyMaker::new(process, None)),
            uncounted_until: AtomicI64::new(i64::MAX),
        }
    }

    /// Makes a key at `now`, above all that were made before.
    pub(crate) fn next(&self, now: UnixMs) -> Key {
        self.maker().next(now.0)
    }

    /// Makes all later keys lie above a stored one.
    pub(crate) fn rise_above(&self, stored: Key) {
        self.maker().rise_above(stored);
    }

    /// Returns the key up to which messages may not be counted yet: all of them, before somebody looked.
    pub(crate) fn uncounted_until(&self) -> i64 {
        self.uncounted_until.load(Ordering::Relaxed)
    }

    /// Notes that messages above a key are counted.
    pub(crate) fn count_above(&self, key: i64) {
        self.uncounted_until.store(key, Ordering::Relaxed);
    }

    fn maker(&self) -> MutexGuard<'_, KeyMaker> {
        self.maker.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
