//! How far this machine's clock is off the database's.

use postrider_model::UnixMs;
use std::sync::atomic::{AtomicI64, Ordering};

/// How far the clock was off at the last beat, in milliseconds: above 0 where it is ahead.
#[derive(Debug, Default)]
pub(crate) struct ClockOff(AtomicI64);

impl ClockOff {
    /// Takes the database's time, which was asked for at `asked` and answered at `answered`.
    pub(crate) fn saw(&self, asked: UnixMs, database: UnixMs, answered: UnixMs) {
        self.0
            .store(off_ms(asked, database, answered), Ordering::Relaxed);
    }

    pub(crate) fn ms(&self) -> i64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// Returns how far off the clock is at least: a slow answer shows nothing.
fn off_ms(asked: UnixMs, database: UnixMs, answered: UnixMs) -> i64 {
    let ahead = asked.0.saturating_sub(database.0).max(0);
    let behind = database.0.saturating_sub(answered.0).max(0);
    ahead - behind
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_a_slow_answer_does_not_explain_counts() {
        let off =
            |asked, database, answered| off_ms(UnixMs(asked), UnixMs(database), UnixMs(answered));
        assert_eq!(off(1_000, 1_000, 9_000), 0);
        assert_eq!(off(1_000, 9_000, 9_000), 0);
        assert_eq!(off(3_000, 1_000, 3_100), 2_000);
        assert_eq!(off(1_000, 3_100, 1_100), -2_000);
    }
}
