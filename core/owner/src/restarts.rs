//! When an agent that failed starts again.

use postrider_model::BootMs;

/// The waits after the first failure, the second and so on; the last one repeats.
const DELAYS_MS: [u64; 5] = [1_000, 5_000, 30_000, 2 * 60_000, 10 * 60_000];

/// After so many failures in a row the owner is told.
const FAILURES_SHOWN: usize = 3;

/// After running so long, a failure counts as the first again.
const STEADY_MS: u64 = 10 * 60_000;

/// The next start of an agent that failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Restart {
    /// When it is due.
    pub at: BootMs,
    /// The time until then.
    pub in_ms: u64,
    /// Whether it failed so often that its owner should know.
    pub is_for_owner: bool,
}

/// Restarts a failed agent, each time later.
#[derive(Debug, Default)]
pub struct Restarts {
    failures: usize,
    began: Option<BootMs>,
    due: Option<BootMs>,
}

impl Restarts {
    /// The agent runs.
    pub fn began(&mut self, now: BootMs) {
        self.began = Some(now);
    }

    /// The agent failed: returns when to start it again.
    pub fn failed(&mut self, now: BootMs) -> Restart {
        let ran_for = self.began.take().map(|began| now.since_ms(began));
        if ran_for.is_some_and(|ms| ms > STEADY_MS) {
            self.failures = 0;
        }
        let in_ms = DELAYS_MS[self.failures.min(DELAYS_MS.len() - 1)];
        self.failures += 1;
        let at = now.plus_ms(in_ms);
        self.due = Some(at);
        Restart {
            at,
            in_ms,
            is_for_owner: self.failures >= FAILURES_SHOWN,
        }
    }

    /// Returns whether it is too early for the next start.
    pub fn is_waiting(&self, now: BootMs) -> bool {
        self.due.is_some_and(|due| now < due)
    }

    /// Somebody has fixed something: the next start is immediate.
    pub fn forget(&mut self) {
        self.due = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE_MS: u64 = 60_000;

    /// Fails each time as soon as it may start.
    fn waits(restarts: &mut Restarts, mut now: BootMs, times: usize) -> Vec<u64> {
        let mut waits = Vec::new();
        for _ in 0..times {
            let next = restarts.failed(now);
            waits.push(next.in_ms);
            now = next.at;
        }
        waits
    }

    #[test]
    fn each_failure_waits_longer_up_to_ten_minutes() {
        let waits = waits(&mut Restarts::default(), BootMs(0), 7);
        assert_eq!(
            waits,
            [1_000, 5_000, 30_000, 120_000, 600_000, 600_000, 600_000]
        );
    }

    #[test]
    fn the_owner_hears_of_the_third_failure() {
        let mut restarts = Restarts::default();
        let heard = [0, 1, 2, 3].map(|at| restarts.failed(BootMs(at)).is_for_owner);
        assert_eq!(heard, [false, false, true, true]);
    }

    #[test]
    fn nothing_starts_before_it_is_due_unless_somebody_mended_something() {
        let mut restarts = Restarts::default();
        assert!(!restarts.is_waiting(BootMs(0)));
        let next = restarts.failed(BootMs(50));
        assert!(restarts.is_waiting(BootMs(next.at.0 - 1)));
        assert!(!restarts.is_waiting(next.at));
        restarts.failed(next.at);
        restarts.forget();
        assert!(!restarts.is_waiting(next.at));
    }

    #[test]
    fn what_ran_for_long_begins_anew() {
        for (ran_ms, wait_ms) in [(10 * MINUTE_MS, 30_000), (10 * MINUTE_MS + 1, 1_000)] {
            let mut restarts = Restarts::default();
            waits(&mut restarts, BootMs(0), 2);
            restarts.began(BootMs(MINUTE_MS));
            let next = restarts.failed(BootMs(MINUTE_MS + ran_ms));
            assert_eq!(next.in_ms, wait_ms);
        }
    }

    #[test]
    fn a_start_counts_for_one_failure_only() {
        let mut restarts = Restarts::default();
        restarts.began(BootMs(0));
        let later = BootMs(60 * MINUTE_MS);
        assert_eq!(waits(&mut restarts, later, 2), [1_000, 5_000]);
    }
}
