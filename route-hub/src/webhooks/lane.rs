//! One endpoint's deliveries: what waits for it in memory, and how it has been doing.

use postrider_model::ProjectId;
use std::{
    collections::{BTreeSet, VecDeque},
    sync::Arc,
};

/// Most deliveries under way to one endpoint.
pub const SLOTS_PER_ENDPOINT: usize = 4;
/// Most deliveries under way to an endpoint that is failing: one probes, the others wait.
pub const SLOTS_PER_FAILING_ENDPOINT: usize = 1;
/// Failures in a row that make an endpoint a failing one; a success ends that.
pub const FAILING_AFTER: u32 = 4;
/// Rows kept in memory for an endpoint that has not answered yet.
pub const ROOM_FIRST: usize = 8;
/// Rows kept in memory for an endpoint that keeps answering.
const ROOM_MAX: usize = 256;
/// Rows kept in memory for a failing endpoint.
const ROOM_FAILING: usize = 4;

/// Scheme, host and port within a project: what shares slots.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Endpoint {
    /// The project.
    pub project_id: ProjectId,
    /// As `https://example.com:443`.
    pub origin: Arc<str>,
}

/// The deliveries of one endpoint.
#[derive(Debug)]
pub struct Lane {
    /// May go now, in this order.
    pub ready: VecDeque<i64>,
    /// Everything in memory: ready, under way, waiting for its commit or for an earlier one.
    pub held: BTreeSet<i64>,
    /// Under way.
    pub in_flight: usize,
    /// Whether it stands in a queue for its turn.
    pub queued: bool,
    /// Whether the database had more due rows than there was room for.
    pub more: bool,
    failures: u32,
    room: usize,
}

impl Default for Lane {
    fn default() -> Self {
        Self {
            ready: VecDeque::new(),
            held: BTreeSet::new(),
            in_flight: 0,
            queued: false,
            more: false,
            failures: 0,
            room: ROOM_FIRST,
        }
    }
}

impl Lane {
    /// Says whether the last attempts all failed.
    pub fn is_failing(&self) -> bool {
        self.failures >= FAILING_AFTER
    }

    /// Says whether a row is ready and a slot free.
    pub fn can_start(&self) -> bool {
        let slots = if self.is_failing() {
            SLOTS_PER_FAILING_ENDPOINT
        } else {
            SLOTS_PER_ENDPOINT
        };
        self.in_flight < slots && !self.ready.is_empty()
    }

    /// Returns how many more rows may be read for it.
    pub fn room_left(&self) -> usize {
        self.room.saturating_sub(self.held.len())
    }

    /// Says that there is nothing to remember about it.
    pub fn is_forgettable(&self) -> bool {
        self.held.is_empty() && self.failures == 0
    }

    /// Notes an attempt that arrived; an endpoint that keeps up gets more rows at a time.
    pub fn succeeded(&mut self) {
        self.failures = 0;
        self.room = (self.room * 2).clamp(ROOM_FIRST, ROOM_MAX);
    }

    /// Notes an attempt that failed.
    pub fn failed(&mut self) {
        self.failures = self.failures.saturating_add(1);
        if self.is_failing() {
            self.room = ROOM_FAILING;
        }
    }
}
