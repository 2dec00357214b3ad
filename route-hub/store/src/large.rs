//! Large jobs while several projects use the writer: they keep others waiting as little as can be.
//!
//! A job is done in one piece, so that whoever comes while a large one runs waits for its end. Two
//! rules keep that from being everybody's lot. A large job is in no group with jobs of others that
//! were there before it: those are committed first. And who had a large one leaves the writer to
//! the others for as long again: without that, somebody who always has one more waiting would be
//! met by whoever sends one thing after another each time.
//!
//! Both hold only while several projects use the writer; one alone is not slowed down.

use crate::turns::Party;
use std::time::Duration;

/// Steps from which on a job is large: about a millisecond of work.
const LARGE_STEPS: u64 = 16_000;
/// For how long somebody who was there counts as being there.
const LATELY: Duration = Duration::from_millis(100);
/// The longest rest, should a job have taken long for a reason of the disk's or the machine's.
const REST_MAX: Duration = Duration::from_millis(50);

/// Who had large jobs, and whether anybody else is there. Times are those since the writer's start.
#[derive(Debug, Default)]
pub(crate) struct LargeJobs {
    last: Option<Party>,
    /// Until when several parties count as being there.
    shared_until: Duration,
    /// Who rests, and until when.
    resting: Vec<(Party, Duration)>,
}

impl LargeJobs {
    /// Notes a job that ran: what it took of the engine, and of time.
    pub(crate) fn ran(&mut self, party: Party, steps: u64, took: Duration, now: Duration) {
        if party == Party::HUB {
            return;
        }
        if self.last.replace(party).is_some_and(|last| last != party) {
            self.shared_until = now + LATELY;
        }
        if steps >= LARGE_STEPS && self.is_shared(now) {
            self.resting.push((party, now + took.min(REST_MAX)));
        }
    }

    /// Says whether several projects use the writer.
    pub(crate) fn is_shared(&self, now: Duration) -> bool {
        now < self.shared_until
    }

    /// Forgets whose rest is over, and returns when the next one's is.
    pub(crate) fn next_end(&mut self, now: Duration) -> Option<Duration> {
        self.resting.retain(|(_, until)| *until > now);
        self.resting.iter().map(|(_, until)| *until).min()
    }

    /// Says whether somebody leaves the writer to the others for now.
    pub(crate) fn rests(&self, party: Party) -> bool {
        self.resting.iter().any(|(resting, _)| *resting == party)
    }

    /// Says whether a job may join a group, by what its party's jobs cost lately.
    pub(crate) fn may_join(&self, group: &Group, party: Party, cost: u64) -> bool {
        !self.rests(party) && (cost < LARGE_STEPS || !group.has_others(party))
    }
}

/// Whose jobs a group has.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Group {
    first: Party,
    is_mixed: bool,
}

impl Group {
    pub(crate) const fn of(first: Party) -> Self {
        Self {
            first,
            is_mixed: false,
        }
    }

    pub(crate) fn joined(&mut self, party: Party) {
        self.is_mixed |= party != self.first;
    }

    fn has_others(&self, party: Party) -> bool {
        self.is_mixed || party != self.first
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use postrider_model::{Id, Key};

    fn party(n: i64) -> Party {
        Party::project(Id::new(Key::new(n).unwrap()))
    }

    const fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    const LARGE: u64 = 100_000;
    const SMALL: u64 = 1_250;

    #[test]
    fn who_is_alone_neither_rests_nor_is_kept_apart() {
        let mut jobs = LargeJobs::default();
        for n in 0..10 {
            jobs.ran(party(1), LARGE, ms(10), ms(10 * n));
            jobs.ran(Party::HUB, SMALL, ms(1), ms(10 * n));
        }
        assert!(!jobs.is_shared(ms(100)) && !jobs.rests(party(1)));
        assert!(jobs.may_join(&Group::of(party(1)), party(1), LARGE));
    }

    #[test]
    fn a_large_job_beside_others_is_followed_by_a_rest_of_its_length() {
        let mut jobs = LargeJobs::default();
        jobs.ran(party(2), SMALL, ms(0), ms(0));
        jobs.ran(party(1), LARGE, ms(10), ms(20));
        assert!(jobs.rests(party(1)) && !jobs.rests(party(2)));
        assert_eq!(jobs.next_end(ms(29)), Some(ms(30)));
        assert_eq!(jobs.next_end(ms(30)), None);
        assert!(!jobs.rests(party(1)));
    }

    #[test]
    fn a_stalled_disk_makes_no_long_rest() {
        let mut jobs = LargeJobs::default();
        jobs.ran(party(2), SMALL, ms(0), ms(0));
        jobs.ran(party(1), LARGE, ms(5_000), ms(10));
        assert_eq!(jobs.next_end(ms(10)), Some(ms(10) + REST_MAX));
    }

    #[test]
    fn two_with_large_jobs_rest_each() {
        let mut jobs = LargeJobs::default();
        jobs.ran(party(2), LARGE, ms(10), ms(10));
        jobs.ran(party(1), LARGE, ms(10), ms(20));
        jobs.ran(party(2), LARGE, ms(10), ms(30));
        assert!(jobs.rests(party(1)) && jobs.rests(party(2)));
        assert_eq!(jobs.next_end(ms(30)), Some(ms(40)));
        assert!(!jobs.rests(party(1)) && jobs.rests(party(2)));
    }

    #[test]
    fn a_large_job_joins_nobody_elses_group_and_a_small_one_any() {
        let jobs = LargeJobs::default();
        let mut group = Group::of(party(2));
        assert!(jobs.may_join(&group, party(1), SMALL));
        assert!(!jobs.may_join(&group, party(1), LARGE));
        assert!(jobs.may_join(&group, party(2), LARGE));
        group.joined(party(1));
        assert!(!jobs.may_join(&group, party(2), LARGE), "it has others now");
    }
}
