//! How many deliveries may go to one endpoint at a time: more with good answers, half with trouble.
//!
//! It begins with [`SLOTS_FIRST`] and doubles with each round of good answers until the first sign
//! of trouble; from then on it grows by one a round. A failure, or answers that take much longer
//! than they used to, halve it.

/// Deliveries under way to an endpoint that nothing is known of, and the least for any.
pub(crate) const SLOTS_FIRST: usize = 4;
/// Most deliveries under way to one endpoint.
pub(crate) const SLOTS_MOST: usize = 64;
/// Answers that take this many times as long as the best did are a sign of trouble.
const RISE: u64 = 3;
/// They must take longer by this too, in milliseconds: below it the hub's own work decides.
const RISE_LEAST_MS: u64 = 20;
/// The average of times moves by one part in this many with each answer.
const SMOOTHING: u64 = 8;

/// The machine of one endpoint.
#[derive(Debug, Clone)]
pub(crate) struct Growth {
    slots: usize,
    is_doubling: bool,
    /// Good answers since it last grew or shrank.
    good: usize,
    /// The average time of answers in units of 1 ms / [`SMOOTHING`]; none before the first.
    average: Option<u64>,
    /// The lowest average so far.
    best: u64,
}

impl Default for Growth {
    fn default() -> Self {
        Self {
            slots: SLOTS_FIRST,
            is_doubling: true,
            good: 0,
            average: None,
            best: u64::MAX,
        }
    }
}

impl Growth {
    /// Returns how many deliveries may be under way.
    pub(crate) fn slots(&self) -> usize {
        self.slots
    }

    /// Notes an answer that took `took_ms`; `in_use` says how many were under way with it. Where
    /// half of the slots stay unused, nothing says whether more would do.
    pub(crate) fn succeeded(&mut self, took_ms: u64, in_use: usize) {
        self.average_in(took_ms);
        self.good += 1;
        if self.has_risen() {
            return self.note_rise();
        }
        if in_use * 2 <= self.slots {
            return;
        }
        if self.is_doubling || self.good >= self.slots {
            self.slots = (self.slots + 1).min(SLOTS_MOST);
            self.good = 0;
        }
    }

    /// Notes a failure.
    pub(crate) fn failed(&mut self) {
        self.halve();
    }

    fn average_in(&mut self, took_ms: u64) {
        let average = match self.average {
            None => took_ms.saturating_mul(SMOOTHING),
            Some(average) => average - average / SMOOTHING + took_ms,
        };
        self.average = Some(average);
        self.best = self.best.min(average);
    }

    fn has_risen(&self) -> bool {
        let limit = self.best.saturating_mul(RISE);
        let least = self.best.saturating_add(RISE_LEAST_MS * SMOOTHING);
        self.average.is_some_and(|now| now > limit.max(least))
    }

    /// Halves, once a round; at the least, the time is the endpoint's own and the new measure.
    fn note_rise(&mut self) {
        if self.slots == SLOTS_FIRST {
            self.best = self.average.unwrap_or(u64::MAX);
        } else if self.good >= self.slots {
            self.halve();
        }
        self.is_doubling = false;
    }

    fn halve(&mut self) {
        self.slots = (self.slots / 2).max(SLOTS_FIRST);
        self.is_doubling = false;
        self.good = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// `rounds` rounds of answers that each take what `took_ms` says for so many slots.
    fn rounds(growth: &mut Growth, rounds: usize, took_ms: impl Fn(usize) -> u64) {
        for _ in 0..rounds {
            let slots = growth.slots();
            for _ in 0..slots {
                growth.succeeded(took_ms(slots), growth.slots());
            }
        }
    }

    #[test]
    fn good_answers_double_it_until_it_has_the_most() {
        let mut growth = Growth::default();
        rounds(&mut growth, 1, |_| 100);
        assert_eq!(growth.slots(), 8);
        rounds(&mut growth, 3, |_| 100);
        assert_eq!(growth.slots(), SLOTS_MOST);
    }

    #[test]
    fn slots_that_are_not_used_do_not_grow() {
        let mut growth = Growth::default();
        (0..1_000).for_each(|_| growth.succeeded(1, 2));
        assert_eq!(growth.slots(), SLOTS_FIRST);
    }

    #[test]
    fn a_failure_halves_it_and_ends_the_doubling() {
        let mut growth = Growth::default();
        rounds(&mut growth, 4, |_| 100);
        growth.failed();
        assert_eq!(growth.slots(), 32);
        rounds(&mut growth, 1, |_| 100);
        assert_eq!(growth.slots(), 33);
    }

    #[test]
    fn answers_that_take_longer_with_more_at_a_time_keep_it_small() {
        let mut growth = Growth::default();
        // It works on eight at a time; the others wait in its queue.
        rounds(&mut growth, 100, |slots| 50 * (slots as u64).div_ceil(8));
        assert!(growth.slots() < 40, "{}", growth.slots());
    }

    #[test]
    fn a_receiver_that_is_slow_for_good_is_not_held_down_for_ever() {
        let mut growth = Growth::default();
        rounds(&mut growth, 4, |_| 10);
        rounds(&mut growth, 20, |_| 500);
        assert!(growth.slots() < SLOTS_MOST / 2);
        rounds(&mut growth, 100, |_| 500);
        assert_eq!(growth.slots(), SLOTS_MOST);
    }

    #[test]
    fn times_that_the_hub_itself_causes_do_not_count() {
        let mut growth = Growth::default();
        rounds(&mut growth, 4, |_| 0);
        rounds(&mut growth, 10, |_| 15);
        assert_eq!(growth.slots(), SLOTS_MOST);
    }

    proptest! {
        /// It stays within its bounds, grows by one at most and shrinks by half at most.
        #[test]
        fn it_moves_within_bounds(
            steps in proptest::collection::vec((0..20_000_u64, 0..80_usize, 0..10_u8), 0..500)
        ) {
            let mut growth = Growth::default();
            for (took_ms, in_use, fails) in steps {
                let before = growth.slots();
                match fails {
                    0 => growth.failed(),
                    _ => growth.succeeded(took_ms, in_use),
                }
                let after = growth.slots();
                prop_assert!((SLOTS_FIRST..=SLOTS_MOST).contains(&after));
                prop_assert!(after <= before + 1);
                prop_assert!(after >= before / 2);
                prop_assert!(fails != 0 || after == (before / 2).max(SLOTS_FIRST));
            }
        }

        /// Whatever came before, even answers bring back the most.
        #[test]
        fn even_answers_bring_it_back(
            before in proptest::collection::vec((0..2_000_u64, any::<bool>()), 0..200),
            took_ms in 0..2_000_u64,
        ) {
            let mut growth = Growth::default();
            for (took_ms, good) in before {
                if good {
                    growth.succeeded(took_ms, SLOTS_MOST);
                } else {
                    growth.failed();
                }
            }
            rounds(&mut growth, 200, |_| took_ms);
            prop_assert_eq!(growth.slots(), SLOTS_MOST);
        }
    }
}
