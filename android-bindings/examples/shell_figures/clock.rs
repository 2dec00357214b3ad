//! The only file of this program that reads a clock.

use std::time::Instant;

/// Returns a point in time for measuring spans.
#[expect(
    clippy::disallowed_methods,
    reason = "a benchmark measures real time; this is its clock file"
)]
pub(crate) fn now() -> Instant {
    Instant::now()
}
