//! The one place of this crate that reads a clock: how long work has taken.

use postrider_model::UnixMs;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Measures from its start.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stopwatch(Instant);

impl Stopwatch {
    #[expect(
        clippy::disallowed_methods,
        reason = "the executor is a ring: it bounds its own work, nothing stored depends on it"
    )]
    pub(crate) fn start() -> Self {
        Self(Instant::now())
    }

    pub(crate) fn elapsed(&self) -> Duration {
        self.0.elapsed()
    }
}

/// Returns the time of this machine's clock.
#[expect(
    clippy::disallowed_methods,
    reason = "it is compared with the database's"
)]
pub(crate) fn unix() -> UnixMs {
    let unix = SystemTime::now().duration_since(UNIX_EPOCH);
    let ms = unix.unwrap_or_default().as_millis();
    UnixMs(i64::try_from(ms).unwrap_or(i64::MAX))
}

/// Returns the time since this machine started, in milliseconds; it goes on while the machine sleeps.
pub(crate) fn boot_ms() -> u64 {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::Boottime);
    let ms = now.tv_sec.saturating_mul(1_000) + now.tv_nsec / 1_000_000;
    ms.unsigned_abs()
}
