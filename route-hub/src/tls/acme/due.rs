//! When a certificate is asked for, when again after a failure, and when the operator is told.

use postrider_model::UnixMs;

const MINUTE_MS: i64 = 60_000;
const DAY_MS: i64 = 24 * 60 * MINUTE_MS;
/// How long before its end a certificate is renewed; one of a short life, when a third of it is left.
const AHEAD_MS: i64 = 30 * DAY_MS;
/// The pause after a first failure, which doubles with each further one. An authority counts few failures an hour.
const PAUSE_MS: i64 = 5 * MINUTE_MS;
/// The longest pause.
const PAUSE_MS_MAX: i64 = 12 * 60 * MINUTE_MS;
/// For how long renewing may fail before the operator is told.
const PATIENCE_MS: i64 = 14 * DAY_MS;

/// From when to when a certificate is valid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Validity {
    pub(super) from: UnixMs,
    pub(super) until: UnixMs,
}

impl Validity {
    fn life_ms(self) -> i64 {
        self.until.0.saturating_sub(self.from.0).max(0)
    }

    /// Returns when the certificate is renewed.
    fn renewal(self) -> UnixMs {
        self.until.plus_ms(-AHEAD_MS.min(self.life_ms() / 3))
    }
}

/// What became of asking for the certificate of a name.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Tries {
    /// The first failure since the last success.
    failing_since: Option<UnixMs>,
    failures: u32,
    /// Not before this.
    next: UnixMs,
}

impl Tries {
    /// Returns when to ask for a certificate: one that is there is renewed ahead of its end.
    pub(super) fn due(&self, held: Option<Validity>) -> UnixMs {
        held.map_or(self.next, |held| held.renewal().max(self.next))
    }

    /// Notes that a certificate was issued. The next is not asked for before half its life is over, so that a clock
    /// that is wrong asks for few.
    pub(super) fn succeeded(&mut self, now: UnixMs, issued: Validity) {
        *self = Self {
            next: now.plus_ms(issued.life_ms() / 2),
            ..Self::default()
        };
    }

    /// Notes a failure.
    pub(super) fn failed(&mut self, now: UnixMs) {
        let pause_ms = PAUSE_MS << self.failures.min(16);
        self.failing_since.get_or_insert(now);
        self.failures += 1;
        self.next = now.plus_ms(pause_ms.min(PAUSE_MS_MAX));
    }

    /// Returns since when a renewal fails, once that is for too long or the certificate has ended.
    ///
    /// It counts from when the renewal was due, whoever ran the hub since.
    pub(super) fn alarm(&self, held: Option<Validity>, now: UnixMs) -> Option<UnixMs> {
        let first = self.failing_since?;
        let since = held.map_or(first, |held| held.renewal().min(first));
        let has_ended = held.is_some_and(|held| held.until <= now);
        (has_ended || now >= since.plus_ms(PATIENCE_MS)).then_some(since)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn days(days: i64) -> UnixMs {
        UnixMs(days * DAY_MS)
    }

    fn of_days(from: i64, until: i64) -> Option<Validity> {
        Some(Validity {
            from: days(from),
            until: days(until),
        })
    }

    #[test]
    fn a_certificate_is_renewed_a_month_ahead_and_one_of_a_short_life_when_a_third_is_left() {
        let due = |held| Tries::default().due(held);
        assert_eq!(due(of_days(10, 100)), days(70));
        assert_eq!(due(of_days(0, 365)), days(335));
        assert_eq!(due(of_days(0, 6)), days(4));
        assert_eq!(due(of_days(5, 5)), days(5));
        assert_eq!(due(None), UnixMs(0), "what is not there is due at once");
    }

    #[test]
    fn pauses_double_up_to_half_a_day() {
        let mut tries = Tries::default();
        let mut now = days(70);
        let mut pauses = Vec::new();
        for _ in 0..40 {
            tries.failed(now);
            let next = tries.due(of_days(10, 100));
            pauses.push((next.0 - now.0) / MINUTE_MS);
            now = next;
        }
        assert_eq!(pauses[..4], [5, 10, 20, 40]);
        assert_eq!(pauses[39], 12 * 60);
        assert!(pauses.is_sorted());
    }

    #[test]
    fn a_success_ends_failing_and_a_wrong_clock_asks_for_few() {
        let issued = of_days(10, 100);
        let mut tries = Tries::default();
        tries.failed(days(70));
        tries.succeeded(days(10), issued.unwrap());
        assert_eq!(tries.alarm(issued, days(99)), None);
        assert_eq!(tries.due(issued), days(70));
        tries.succeeded(days(500), issued.unwrap());
        assert_eq!(tries.due(issued), days(545));
    }

    #[test]
    fn an_hour_has_fewer_failures_than_an_authority_takes() {
        let mut tries = Tries::default();
        let mut now = UnixMs(0);
        let mut failures = 0;
        while now < UnixMs(60 * MINUTE_MS) {
            tries.failed(now);
            failures += 1;
            now = tries.due(None);
        }
        assert!(failures < 5, "{failures}");
    }

    #[test]
    fn two_weeks_of_failures_are_told_since_the_renewal_was_due() {
        let held = of_days(10, 100);
        let mut tries = Tries::default();
        assert_eq!(tries.alarm(held, days(90)), None, "nothing has failed");
        tries.failed(days(72));
        assert_eq!(tries.alarm(held, days(83)), None);
        assert_eq!(tries.alarm(held, days(84)), Some(days(70)));
    }

    #[test]
    fn a_name_without_a_certificate_is_told_two_weeks_after_its_first_failure() {
        let mut tries = Tries::default();
        tries.failed(days(3));
        tries.failed(days(5));
        assert_eq!(tries.alarm(None, days(16)), None);
        assert_eq!(tries.alarm(None, days(17)), Some(days(3)));
    }

    #[test]
    fn a_certificate_that_has_ended_is_told_at_the_next_failure() {
        let held = of_days(0, 6);
        let mut tries = Tries::default();
        tries.failed(days(4));
        assert_eq!(tries.alarm(held, days(5)), None);
        assert_eq!(tries.alarm(held, days(6)), Some(days(4)));
    }
}
