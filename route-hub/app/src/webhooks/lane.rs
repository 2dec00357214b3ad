//! One endpoint's deliveries: what waits for it in memory, and how it has been doing.

use crate::webhooks::growth::{Growth, SLOTS_FIRST};
use postrider_model::{BootMs, ProjectId};
use std::{
    collections::{BTreeSet, VecDeque},
    sync::Arc,
};

/// Most deliveries under way to an endpoint that is failing: one probes, the others wait.
pub(crate) const SLOTS_PER_FAILING_ENDPOINT: usize = 1;
/// Failures in a row that make an endpoint a failing one; a success ends that.
pub(crate) const FAILING_AFTER: u32 = 4;
/// Rows read ahead of an endpoint that has not answered yet.
pub(crate) const ROOM_FIRST: usize = 8;
/// Rows read ahead of a failing endpoint.
const ROOM_FAILING: usize = 4;
/// Rows read ahead of an endpoint that answers, for each of its slots.
const ROOM_PER_SLOT: usize = 4;
/// How long an endpoint without rows is remembered, in milliseconds.
const REMEMBERED_MS: u64 = 60_000;

/// Scheme, host and port within a project: what shares slots.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Endpoint {
    /// The project.
    pub project_id: ProjectId,
    /// As `https://example.com:443`.
    pub origin: Arc<str>,
}

/// On what terms a delivery is started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Class {
    /// Within the slots that every endpoint has.
    Base,
    /// To a failing endpoint.
    Failing,
    /// More than that, while nobody else waits.
    Extra,
}

/// The deliveries of one endpoint.
#[derive(Debug, Default)]
pub(crate) struct Lane {
    /// May go now, in this order.
    pub ready: VecDeque<i64>,
    /// Everything in memory: ready, under way, waiting for its commit or for an earlier one.
    pub held: BTreeSet<i64>,
    /// Under way.
    pub in_flight: usize,
    /// Of those in memory, the ones whose fate is decided and not yet on disk.
    pub settling: usize,
    /// Among whom it waits for its turn.
    pub queued: Option<Class>,
    /// Whether the database may have more due rows than there was room for.
    pub more: bool,
    growth: Growth,
    failures: u32,
    has_answered: bool,
    /// Attempts that ended since the outbox was last read for it.
    ended: usize,
    /// How many there lately were between two readings.
    pace: usize,
    idle_since: Option<BootMs>,
}

impl Lane {
    /// Says whether the last attempts all failed.
    pub(crate) fn is_failing(&self) -> bool {
        self.failures >= FAILING_AFTER
    }

    /// Says on what terms its next row may start; `None`: there is none, or no slot for it.
    pub(crate) fn class(&self) -> Option<Class> {
        if self.ready.is_empty() {
            return None;
        }
        if self.is_failing() {
            (self.in_flight < SLOTS_PER_FAILING_ENDPOINT).then_some(Class::Failing)
        } else if self.in_flight < SLOTS_FIRST {
            Some(Class::Base)
        } else {
            (self.in_flight < self.growth.slots()).then_some(Class::Extra)
        }
    }

    /// Returns how many more rows may be read for it.
    pub(crate) fn room_left(&self) -> usize {
        self.room().saturating_sub(self.waiting())
    }

    /// Says that the database may have more for it and that half of what was read is used.
    pub(crate) fn is_hungry(&self) -> bool {
        self.more && self.waiting() <= self.room() / 2
    }

    /// Notes that the outbox was read for it.
    pub(crate) fn was_read(&mut self) {
        let ended = std::mem::take(&mut self.ended);
        self.pace = ended.max(self.pace - self.pace / 4);
    }

    /// Notes an attempt that arrived after `took_ms`.
    pub(crate) fn succeeded(&mut self, took_ms: u64) {
        self.growth.succeeded(took_ms, self.in_flight);
        self.failures = 0;
        self.has_answered = true;
        self.ended += 1;
    }

    /// Notes an attempt that failed.
    pub(crate) fn failed(&mut self) {
        self.growth.failed();
        self.failures = self.failures.saturating_add(1);
        self.ended += 1;
    }

    /// Says that there is nothing to remember about it at `now`; failures are remembered for good,
    /// and what is known of the others for a minute.
    pub(crate) fn is_forgettable(&mut self, now: BootMs) -> bool {
        if !self.held.is_empty() {
            self.idle_since = None;
            return false;
        }
        let since = *self.idle_since.get_or_insert(now);
        self.failures == 0 && now.since_ms(since) >= REMEMBERED_MS
    }

    /// Rows that are still to be posted or under way.
    fn waiting(&self) -> usize {
        self.held.len().saturating_sub(self.settling)
    }

    /// Rows to read ahead: what its slots use up until the next reading, twice over.
    fn room(&self) -> usize {
        if self.is_failing() {
            return ROOM_FAILING;
        }
        if self.has_answered {
            self.growth.slots() * ROOM_PER_SLOT + self.pace.max(self.ended) * 2
        } else {
            ROOM_FIRST
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_read_for_again_when_half_is_used_and_there_is_more() {
        let lane = |waiting: i64, more| Lane {
            held: (0..waiting).collect(),
            more,
            ..Lane::default()
        };
        let half = i64::try_from(ROOM_FIRST / 2).unwrap();
        assert!(lane(half, true).is_hungry());
        assert!(!lane(half + 1, true).is_hungry());
        assert!(!lane(half, false).is_hungry());
    }
}
