//! The one place of this crate that reads a clock, to say how long a request took.

use std::time::{Duration, Instant};

/// A moment to measure from.
pub(crate) struct Started(Instant);

impl Started {
    #[expect(
        clippy::disallowed_methods,
        reason = "measures a request for its log; nothing is decided by it"
    )]
    pub(crate) fn now() -> Self {
        Self(Instant::now())
    }

    pub(crate) fn elapsed(&self) -> Duration {
        self.0.elapsed()
    }
}
