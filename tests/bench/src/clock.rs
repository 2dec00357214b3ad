//! The only file here that reads clocks.

use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// Returns a point in time for measuring spans.
#[expect(
    clippy::disallowed_methods,
    reason = "a benchmark measures real time; this is its clock file"
)]
pub(crate) fn now() -> Instant {
    Instant::now()
}

/// Returns the wall clock in microseconds, which radio logs are compared with.
#[expect(
    clippy::disallowed_methods,
    reason = "a benchmark measures real time; this is its clock file"
)]
pub(crate) fn unix_us() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since
        .map(|span| u64::try_from(span.as_micros()).unwrap_or(u64::MAX))
        .unwrap_or(0)
}
