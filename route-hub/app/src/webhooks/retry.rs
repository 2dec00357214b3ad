//! When a delivery is tried again, and when it is given up.

use postrider_model::UnixMs;

/// How long a delivery is tried.
pub(crate) const LIFE_MS: i64 = 24 * 3_600_000;

/// The waits after the first attempts; the last one goes on for the rest of the day.
const WAITS_MS: [i64; 7] = [
    5_000,
    30_000,
    2 * 60_000,
    10 * 60_000,
    30 * 60_000,
    3_600_000,
    2 * 3_600_000,
];

/// Returns when to try again after the `attempts`th failure, or `None` to give up.
///
/// Each wait is varied by up to a tenth either way (`random` decides), so that what failed together
/// does not come back together. A row that is older than a day gets no further attempt.
pub(crate) fn next_attempt(
    attempts: u32,
    time_created: UnixMs,
    random: u64,
    now: UnixMs,
) -> Option<UnixMs> {
    let step = usize::try_from(attempts.saturating_sub(1)).unwrap_or(usize::MAX);
    let wait_ms = WAITS_MS[step.min(WAITS_MS.len() - 1)];
    let spread_ms = wait_ms / 5;
    let varied_ms = i64::try_from(random % (spread_ms.unsigned_abs() + 1)).unwrap_or(0);
    let at = now.plus_ms(wait_ms - spread_ms / 2 + varied_ms);
    (at < time_created.plus_ms(LIFE_MS)).then_some(at)
}

/// Says whether a row has been waiting for longer than deliveries are tried.
pub(crate) fn is_over(time_created: UnixMs, now: UnixMs) -> bool {
    now >= time_created.plus_ms(LIFE_MS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_follow_the_schedule_with_jitter() {
        let now = UnixMs(1_000_000);
        for (attempt, seconds) in [
            (1, 5),
            (2, 30),
            (3, 120),
            (4, 600),
            (5, 1_800),
            (6, 3_600),
            (7, 7_200),
            (11, 7_200),
        ] {
            let at = |random| next_attempt(attempt, now, random, now).unwrap().0 - now.0;
            let tenth = seconds * 100;
            assert_eq!(at(0), seconds * 1_000 - tenth, "attempt {attempt}");
            for random in [1, 77, u64::MAX / 3, u64::MAX] {
                let wait = at(random);
                assert!((seconds * 1_000 - tenth..=seconds * 1_000 + tenth).contains(&wait));
            }
        }
    }

    #[test]
    fn a_delivery_is_tried_about_seventeen_times_in_its_day() {
        let created = UnixMs(0);
        let (mut now, mut attempts) = (created, 1);
        while let Some(at) = next_attempt(attempts, created, 0, now) {
            assert!(at < created.plus_ms(LIFE_MS));
            now = at;
            attempts += 1;
        }
        assert!((15..=20).contains(&attempts), "{attempts}");
        assert!(now.0 > LIFE_MS - 2 * 3_600_000);
    }

    #[test]
    fn a_row_is_over_after_a_day() {
        assert!(!is_over(UnixMs(5), UnixMs(4 + LIFE_MS)));
        assert!(is_over(UnixMs(5), UnixMs(5 + LIFE_MS)));
    }
}
