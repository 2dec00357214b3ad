//! The hub's clock: the one file of the hub that reads time.

use postrider_model::Now;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Reads both clocks of this machine.
#[derive(Debug, Clone, Copy)]
pub struct SystemClock {
    start: Instant,
}

impl SystemClock {
    /// Starts the clock that only runs forward at nothing.
    #[expect(clippy::disallowed_methods, reason = "this is the hub's clock file")]
    pub fn start() -> Self {
        Self {
            start: Instant::now(),
        }
    }

    /// Returns the time since the start, for measuring how long something took.
    pub fn since_start(&self) -> Duration {
        self.start.elapsed()
    }

    /// Returns the time on both clocks.
    #[expect(clippy::disallowed_methods, reason = "this is the hub's clock file")]
    pub fn now(&self) -> Now {
        let unix = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        let boot = self.start.elapsed();
        Now::new(
            u64::try_from(boot.as_millis()).unwrap_or(u64::MAX),
            i64::try_from(unix.as_millis()).unwrap_or(i64::MAX),
        )
    }
}
