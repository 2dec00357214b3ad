//! Large jobs while several projects use the writer: others wait for them as little as possible.
//!
//! A job cannot be interrupted, so jobs that come while a large one runs wait for its end. Two rules
//! keep that rare. A large job does not join a group with earlier jobs of others: those are
//! committed first. And after a large job its party leaves the writer to the others for as long as
//! the job took. Otherwise a party that always has another large job waiting would delay every send
//! of a program that sends one message after the other.
//!
//! Both hold only while several projects use the writer; one alone is not slowed down.

use crate::turns::Party;
use std::time::Duration;

/// A job with this many steps is large: about a millisecond of work.
const LARGE_STEPS: u64 = 16_000;
/// How long a party counts as using the writer after its last job.
const LATELY: Duration = Duration::from_millis(100);
/// The longest rest: a job may have taken long because of the disk or the machine.
const REST_MAX: Duration = Duration::from_millis(50);

/// Which parties had large jobs, and whether others use the writer. Times count from the writer's start.
#[derive(Debug, Default)]
pub(crate) struct LargeJobs {
    last: Option<Party>,
    /// Until when several parties count as using the writer.
    shared_until: Duration,
    /// Which parties rest, and until when.
    resting: Vec<(Party, Duration)>,
}

impl LargeJobs {
    /// Notes a job that ran: its steps and its time.
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

    /// Forgets the rests that are over, and returns when the next one ends.
    pub(crate) fn next_end(&mut self, now: Duration) -> Option<Duration> {
        self.resting.retain(|(_, until)| *until > now);
        self.resting.iter().map(|(_, until)| *until).min()
    }

    /// Says whether a party leaves the writer to the others for now.
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
