//! When to dial again: the only file that knows the crate `backoff`.

use crate::random::Seeded;
use ::backoff::{SystemClock, backoff::Backoff, exponential::ExponentialBackoff};
use postrider_link::session::phone::RedialPace;
use std::time::Duration;

/// The longest wait that the first redial may draw.
const FIRST: Duration = Duration::from_secs(1);

/// The waits between dials: `rand(0, min(longest, 1 s * 2^n))`, without an end.
///
/// The longest wait is a minute while the hub is away (five minutes on battery), and longer while
/// the hub answers but does not know the phone. Each case counts its own tries. `backoff`'s own
/// randomness is turned off: the whole wait is drawn from the phone's seed, so that ten thousand
/// phones do not come back at once.
#[derive(Debug)]
pub(crate) struct Redial {
    away: ExponentialBackoff<SystemClock>,
    on_battery: ExponentialBackoff<SystemClock>,
    not_known: ExponentialBackoff<SystemClock>,
    random: Seeded,
}

impl Redial {
    /// Starts at the shortest wait.
    pub(crate) fn new(random: Seeded) -> Self {
        Self {
            away: schedule(RedialPace::Away),
            on_battery: schedule(RedialPace::AwayOnBattery),
            not_known: schedule(RedialPace::NotKnown),
            random,
        }
    }

    /// Draws the next wait in milliseconds; the one after it may be twice as long.
    pub(crate) fn next_wait_ms(&mut self, pace: RedialPace) -> u64 {
        let schedule = match pace {
            RedialPace::Away => &mut self.away,
            RedialPace::AwayOnBattery => &mut self.on_battery,
            RedialPace::NotKnown => &mut self.not_known,
        };
        let bound = schedule.next_backoff().unwrap_or(longest(pace));
        let bound_ms = u64::try_from(bound.as_millis()).unwrap_or(u64::MAX);
        self.random.up_to(bound_ms)
    }

    /// Returns to the shortest wait, after a good session.
    pub(crate) fn reset(&mut self) {
        self.away.reset();
        self.on_battery.reset();
        self.not_known.reset();
    }
}

fn schedule(pace: RedialPace) -> ExponentialBackoff<SystemClock> {
    let mut schedule = ExponentialBackoff {
        initial_interval: FIRST,
        max_interval: longest(pace),
        multiplier: 2.0,
        randomization_factor: 0.0,
        max_elapsed_time: None,
        ..ExponentialBackoff::default()
    };
    schedule.reset();
    schedule
}

const fn longest(pace: RedialPace) -> Duration {
    Duration::from_millis(pace.longest_ms())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn highest_of(pace: RedialPace, waits: usize, skip: usize) -> u64 {
        let draw = |seed| {
            let mut redial = Redial::new(Seeded::new(seed));
            (0..skip + waits)
                .map(|_| redial.next_wait_ms(pace))
                .skip(skip)
                .max()
                .unwrap_or(0)
        };
        (0..400).map(draw).max().unwrap_or(0)
    }

    #[test]
    fn the_bound_doubles_up_to_a_minute() {
        for (skip, bound_ms) in [
            (0, 1_000),
            (1, 2_000),
            (4, 16_000),
            (6, 60_000),
            (40, 60_000),
        ] {
            let highest = highest_of(RedialPace::Away, 1, skip);
            assert!(highest <= bound_ms, "{highest} after {skip}");
            assert!(highest > bound_ms * 9 / 10, "{highest} after {skip}");
        }
    }

    #[test]
    fn a_hub_that_does_not_know_the_phone_is_tried_ever_more_rarely_up_to_a_quarter_of_an_hour() {
        for (skip, bound_ms) in [(0, 1_000), (6, 64_000), (10, 900_000), (40, 900_000)] {
            let highest = highest_of(RedialPace::NotKnown, 1, skip);
            assert!(highest <= bound_ms, "{highest} after {skip}");
            assert!(highest > bound_ms * 9 / 10, "{highest} after {skip}");
        }
    }

    #[test]
    fn a_reset_returns_to_the_shortest_wait() {
        let mut redial = Redial::new(Seeded::new(1));
        for _ in 0..20 {
            redial.next_wait_ms(RedialPace::Away);
            redial.next_wait_ms(RedialPace::NotKnown);
        }
        redial.reset();
        assert!(redial.next_wait_ms(RedialPace::Away) <= 1_000);
        assert!(redial.next_wait_ms(RedialPace::NotKnown) <= 1_000);
    }
}
