//! How a thread that works by the clock is told to stop.

use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

/// Tells a thread to stop.
#[derive(Debug, Default)]
pub(crate) struct Stop {
    told: Mutex<bool>,
    came: Condvar,
}

impl Stop {
    pub(crate) fn tell(&self) {
        *self.told.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.came.notify_all();
    }

    /// Waits, and says whether it was told to stop.
    pub(crate) fn wait(&self, longest: Duration) -> bool {
        let told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.came.wait_timeout_while(told, longest, |told| !*told);
        *waited.unwrap_or_else(PoisonError::into_inner).0
    }
}
