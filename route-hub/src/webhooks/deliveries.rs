//! Who is posted to next, and when: the deliverer's machine, without IO.
//!
//! The outbox table is the truth; this holds a bounded part of it in memory. A row comes in by a
//! scan ([`Deliveries::poll_scan`], [`Deliveries::handle_scanned`]), waits for its turn, is posted
//! ([`Deliveries::poll_attempt`], [`Deliveries::handle_ended`]), and leaves when its fate is
//! committed ([`Deliveries::poll_settlements`], [`Deliveries::handle_committed`]).
//!
//! ```text
//!  scan -> Ready -> InFlight -> Settling -> (committed) gone, or due again in the table
//!     \-> Behind --(the one before it is gone)--> Ready
//! ```
//!
//! # Order
//! Rows of one message to one endpoint go one after the other: a row follows the one before it only
//! once that one's end is on disk, so that no restart can turn them round. When that one has to
//! wait, its followers wait with it.
//!
//! # Fairness
//! Endpoints take turns. Each has 4 slots of the 256; a failing one has 1, and all failing ones
//! together never more than a quarter, so that receivers that hang cannot take what the others
//! need. A row that waits for its next attempt is in the table alone and takes nothing.
//!
//! # Drain
//! After every call: attempts, settlements, scan; then sleep until [`Deliveries::poll_timeout`].

use super::{
    lane::{Endpoint, Lane},
    retry,
    scan::{Found, LaneAsk, ScanAsk, Scanned},
    settle::{Fate, Settlement, Tried},
};
use hub_domain::OutboxRow;
use postrider_model::{BootMs, Now, UnixMs};
use std::{
    collections::{BTreeMap, VecDeque},
    sync::Arc,
};

/// Most deliveries under way.
pub const SLOTS_MAX: usize = 256;
/// Most deliveries under way to failing endpoints.
pub const SLOTS_FAILING_MAX: usize = SLOTS_MAX / 4;
/// Most rows in memory; the rest waits in the table.
pub const ROWS_HELD_MAX: usize = 4_096;
/// Most bytes of rows in memory.
pub const BYTES_HELD_MAX: usize = 16 * 1024 * 1024;
/// Most settlements of one commit.
pub const SETTLEMENTS_MAX: usize = 512;
/// Shortest time between two scans, in milliseconds: lets rows gather.
const SCAN_SPACING_MS: u64 = 5;
/// A scan that took long is followed by a pause this many times as long.
const SCAN_PAUSE_FACTOR: u64 = 4;
/// Longest time between two scans: finds what no wake-up told of.
const SCAN_EVERY_MS: u64 = 5_000;
/// Pause after the database refused a scan or a commit.
const STORE_PAUSE_MS: u64 = 1_000;
/// Most endpoints remembered; above it, failing ones without rows are forgotten.
const LANES_MAX: usize = 4_096;

/// How an attempt ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ending {
    /// In a word, for the log.
    pub outcome: &'static str,
    /// The receiver's status, when there was an answer.
    pub http_status: Option<u16>,
}

impl Ending {
    /// Returns the ending for an answer.
    pub fn answered(http_status: u16) -> Self {
        Self {
            outcome: if http_status == 200 {
                "delivered"
            } else {
                "refused"
            },
            http_status: Some(http_status),
        }
    }

    /// Says whether the receiver took it: 200 and nothing else.
    pub fn is_delivered(self) -> bool {
        self.http_status == Some(200)
    }
}

/// When to call again, and why.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Deadline {
    /// On the clock that only runs forward.
    pub at: BootMs,
    /// For logs.
    pub reason: &'static str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Ready,
    Behind,
    InFlight { as_failing: bool },
    Settling,
}

struct Held {
    row: Arc<OutboxRow>,
    endpoint: Endpoint,
    stage: Stage,
}

impl Held {
    fn bytes(&self) -> usize {
        self.row.body.len() + self.row.url.len()
    }
}

/// The commit that runs, or that is to be tried again.
struct Commit {
    batch: Arc<Vec<Settlement>>,
    again_at: Option<BootMs>,
}

#[derive(Default)]
struct ScanState {
    asked_at: Option<BootMs>,
    not_before: BootMs,
    timer: BootMs,
    woken: bool,
    cursor: Option<Endpoint>,
    next_due: Option<UnixMs>,
    /// What was committed while a scan ran: it may still show the rows as they were.
    moved: BTreeMap<i64, Fate>,
}

/// The machine; see the module.
#[derive(Default)]
pub struct Deliveries {
    rows: BTreeMap<i64, Held>,
    lanes: BTreeMap<Endpoint, Lane>,
    followers: BTreeMap<i64, i64>,
    turns: VecDeque<Endpoint>,
    failing_turns: VecDeque<Endpoint>,
    in_flight: usize,
    in_flight_failing: usize,
    bytes: usize,
    settled: VecDeque<Settlement>,
    commit: Option<Commit>,
    scan: ScanState,
}

impl Deliveries {
    /// Says that rows were written to the outbox.
    pub fn handle_wake(&mut self) {
        self.scan.woken = true;
    }

    /// Returns what to read of the outbox; one scan runs at a time.
    pub fn poll_scan(&mut self, now: Now) -> Option<ScanAsk> {
        if self.scan_at().is_none_or(|at| now.boot < at) {
            return None;
        }
        if self.scan.cursor.is_none() {
            self.scan.woken = false;
            self.scan.next_due = None;
        }
        self.scan.asked_at = Some(now.boot);
        let busy = self.lanes.iter().map(|(endpoint, lane)| {
            let ask = LaneAsk {
                room: lane.room_left(),
                held: lane.held.clone(),
            };
            (endpoint.clone(), ask)
        });
        Some(ScanAsk {
            due_by: now.unix,
            after: self.scan.cursor.clone(),
            lanes: busy.collect(),
            rows_max: ROWS_HELD_MAX.saturating_sub(self.rows.len()),
            bytes_max: BYTES_HELD_MAX.saturating_sub(self.bytes),
        })
    }

    /// Takes in what a scan found.
    pub fn handle_scanned(&mut self, scanned: Scanned, now: Now) {
        let took_ms = self
            .scan
            .asked_at
            .take()
            .map_or(0, |at| now.boot.since_ms(at));
        let pause_ms = SCAN_SPACING_MS.max(took_ms * SCAN_PAUSE_FACTOR);
        self.scan.not_before = now.boot.plus_ms(pause_ms);
        self.scan.cursor = scanned.reached;
        let moved = std::mem::take(&mut self.scan.moved);
        for found in scanned.rows {
            self.take_in(found, &moved, now);
        }
        for endpoint in scanned.limited {
            match self.lanes.get_mut(&endpoint) {
                Some(lane) if !lane.held.is_empty() => lane.more = true,
                Some(_) | None => self.scan.woken = true,
            }
        }
        self.scan.timer = now.boot.plus_ms(SCAN_EVERY_MS);
        if let Some(due) = scanned.next_due.into_iter().chain(self.scan.next_due).min() {
            self.note_due(due, now);
        }
    }

    /// Says that the database refused the scan.
    pub fn handle_scan_failed(&mut self, now: Now) {
        self.scan.asked_at = None;
        self.scan.moved.clear();
        self.scan.woken = true;
        self.scan.not_before = now.boot.plus_ms(STORE_PAUSE_MS);
    }

    /// Returns a row to post, which takes a slot until [`Self::handle_ended`].
    pub fn poll_attempt(&mut self) -> Option<Arc<OutboxRow>> {
        if self.in_flight >= SLOTS_MAX {
            return None;
        }
        self.start_next(false).or_else(|| {
            let free = self.in_flight_failing < SLOTS_FAILING_MAX;
            free.then(|| self.start_next(true)).flatten()
        })
    }

    /// Takes the end of an attempt; `random` varies the wait for the next one.
    pub fn handle_ended(&mut self, id: i64, ending: Ending, random: u64, now: Now) {
        let Some(held) = self.rows.get_mut(&id) else {
            return;
        };
        let Stage::InFlight { as_failing } = held.stage else {
            return;
        };
        held.stage = Stage::Settling;
        let (row, endpoint) = (Arc::clone(&held.row), held.endpoint.clone());
        self.in_flight -= 1;
        self.in_flight_failing -= usize::from(as_failing);
        let attempts = row.attempts + 1;
        if let Some(lane) = self.lanes.get_mut(&endpoint) {
            lane.in_flight -= 1;
            if ending.is_delivered() {
                lane.succeeded();
            } else {
                lane.failed();
            }
        }
        let fate = if ending.is_delivered() {
            Fate::Delivered
        } else {
            retry::next_attempt(attempts, row.time_created, random, now.unix)
                .map_or(Fate::GivenUp, |due_at| Fate::Again { due_at, attempts })
        };
        let tried = Some(Tried {
            attempt: attempts,
            ending,
        });
        self.settle(row, fate, tried, now);
        self.queue_lane(&endpoint);
    }

    /// Returns settlements to commit in one unit of work; one batch at a time.
    pub fn poll_settlements(&mut self, now: Now) -> Option<Arc<Vec<Settlement>>> {
        if let Some(commit) = &mut self.commit {
            let due = commit.again_at.is_some_and(|at| now.boot >= at);
            commit.again_at = commit.again_at.filter(|_| !due);
            return due.then(|| Arc::clone(&commit.batch));
        }
        if self.settled.is_empty() {
            return None;
        }
        let count = self.settled.len().min(SETTLEMENTS_MAX);
        let batch = Arc::new(self.settled.drain(..count).collect::<Vec<_>>());
        self.commit = Some(Commit {
            batch: Arc::clone(&batch),
            again_at: None,
        });
        Some(batch)
    }

    /// Says that the batch is on disk.
    pub fn handle_committed(&mut self, now: Now) {
        let Some(commit) = self.commit.take() else {
            return;
        };
        for settlement in commit.batch.iter() {
            self.leave(settlement, now);
        }
        self.forget_idle_lanes();
    }

    /// Says that the batch is not on disk; it is given out again after a pause.
    pub fn handle_commit_failed(&mut self, now: Now) {
        if let Some(commit) = &mut self.commit {
            commit.again_at = Some(now.boot.plus_ms(STORE_PAUSE_MS));
        }
    }

    /// Returns when to call again, if nothing else happens.
    pub fn poll_timeout(&self) -> Option<Deadline> {
        let commit = self.commit.as_ref().and_then(|commit| commit.again_at);
        let commit = commit.map(|at| Deadline {
            at,
            reason: "commit settlements again",
        });
        let scan = self.scan_at().map(|at| Deadline {
            at,
            reason: "read the outbox",
        });
        commit
            .into_iter()
            .chain(scan)
            .min_by_key(|deadline| deadline.at)
    }

    /// Says whether every attempt has ended and every settlement is on disk.
    pub fn is_settled(&self) -> bool {
        self.in_flight == 0 && self.settled.is_empty() && self.commit.is_none()
    }

    /// Returns how many deliveries are under way.
    pub fn in_flight(&self) -> usize {
        self.in_flight
    }

    fn scan_at(&self) -> Option<BootMs> {
        let full = self.rows.len() >= ROWS_HELD_MAX || self.bytes >= BYTES_HELD_MAX;
        if full || self.scan.asked_at.is_some() {
            return None;
        }
        let at_once = self.scan.woken || self.scan.cursor.is_some();
        let wanted = if at_once { BootMs(0) } else { self.scan.timer };
        Some(wanted.max(self.scan.not_before))
    }

    /// Makes sure that a scan follows when something is due.
    fn note_due(&mut self, due: UnixMs, now: Now) {
        self.scan.next_due = Some(self.scan.next_due.map_or(due, |other| other.min(due)));
        let wait_ms = due.0.saturating_sub(now.unix.0).max(0).unsigned_abs();
        self.scan.timer = self.scan.timer.min(now.boot.plus_ms(wait_ms));
    }

    fn take_in(&mut self, found: Found, moved: &BTreeMap<i64, Fate>, now: Now) {
        let id = found.row.id;
        if self.rows.contains_key(&id) || moved.contains_key(&id) {
            return;
        }
        let endpoint = Endpoint {
            project_id: found.row.project_id,
            origin: found.row.origin.as_str().into(),
        };
        let held = Held {
            row: Arc::new(found.row),
            endpoint: endpoint.clone(),
            stage: Stage::Behind,
        };
        let row = Arc::clone(&held.row);
        self.bytes += held.bytes();
        self.lanes.entry(endpoint).or_default().held.insert(id);
        self.rows.insert(id, held);
        let Some(before) = found.before else {
            return self.make_ready(id, now);
        };
        match moved.get(&before.id).copied() {
            _ if self.rows.contains_key(&before.id) => {
                self.followers.insert(before.id, id);
            }
            Some(Fate::Delivered | Fate::GivenUp) => self.make_ready(id, now),
            Some(Fate::Again { due_at, .. }) => self.defer(row, due_at, now),
            None => self.defer(row, before.due_at, now),
        }
    }

    /// Puts a row off until the one before it is due.
    fn defer(&mut self, row: Arc<OutboxRow>, due_at: UnixMs, now: Now) {
        if let Some(held) = self.rows.get_mut(&row.id) {
            held.stage = Stage::Settling;
        }
        let attempts = row.attempts;
        self.settle(row, Fate::Again { due_at, attempts }, None, now);
    }

    /// Lets a row go, unless its day is over and its endpoint is failing anyway.
    fn make_ready(&mut self, id: i64, now: Now) {
        let Some(held) = self.rows.get_mut(&id) else {
            return;
        };
        let (row, endpoint) = (Arc::clone(&held.row), held.endpoint.clone());
        let Some(lane) = self.lanes.get_mut(&endpoint) else {
            return;
        };
        if lane.is_failing() && retry::is_over(row.time_created, now.unix) {
            held.stage = Stage::Settling;
            return self.settle(row, Fate::GivenUp, None, now);
        }
        held.stage = Stage::Ready;
        lane.ready.push_back(id);
        self.queue_lane(&endpoint);
    }

    fn settle(&mut self, row: Arc<OutboxRow>, fate: Fate, tried: Option<Tried>, now: Now) {
        self.settled.push_back(Settlement {
            row,
            fate,
            tried,
            time: now.unix,
        });
    }

    fn queue_lane(&mut self, endpoint: &Endpoint) {
        let Some(lane) = self.lanes.get_mut(endpoint) else {
            return;
        };
        if lane.queued || !lane.can_start() {
            return;
        }
        lane.queued = true;
        if lane.is_failing() {
            self.failing_turns.push_back(endpoint.clone());
        } else {
            self.turns.push_back(endpoint.clone());
        }
    }

    /// Starts a row of the next endpoint in turn among the failing or the others.
    fn start_next(&mut self, failing: bool) -> Option<Arc<OutboxRow>> {
        loop {
            let turns = if failing {
                &mut self.failing_turns
            } else {
                &mut self.turns
            };
            let endpoint = turns.pop_front()?;
            let Some(lane) = self.lanes.get_mut(&endpoint) else {
                continue;
            };
            lane.queued = false;
            let started = match lane.is_failing() == failing && lane.can_start() {
                true => lane.ready.pop_front(),
                false => None,
            };
            lane.in_flight += usize::from(started.is_some());
            self.queue_lane(&endpoint);
            if let Some(held) = started.and_then(|id| self.rows.get_mut(&id)) {
                held.stage = Stage::InFlight {
                    as_failing: failing,
                };
                self.in_flight += 1;
                self.in_flight_failing += usize::from(failing);
                return Some(Arc::clone(&held.row));
            }
        }
    }

    /// Drops a committed row from memory and decides about the one behind it.
    fn leave(&mut self, settlement: &Settlement, now: Now) {
        let id = settlement.row.id;
        self.drop_row(id, settlement.fate);
        match settlement.fate {
            Fate::Delivered | Fate::GivenUp => {
                if let Some(next) = self.followers.remove(&id) {
                    self.make_ready(next, now);
                }
            }
            Fate::Again { due_at, .. } => {
                self.note_due(due_at, now);
                let mut before = id;
                while let Some(next) = self.followers.remove(&before) {
                    self.drop_row(next, settlement.fate);
                    before = next;
                }
            }
        }
    }

    fn drop_row(&mut self, id: i64, fate: Fate) {
        if self.scan.asked_at.is_some() {
            self.scan.moved.insert(id, fate);
        }
        let Some(held) = self.rows.remove(&id) else {
            return;
        };
        self.bytes -= held.bytes();
        if let Some(lane) = self.lanes.get_mut(&held.endpoint) {
            lane.held.remove(&id);
            self.scan.woken |= std::mem::take(&mut lane.more);
            if lane.is_forgettable() {
                self.lanes.remove(&held.endpoint);
            }
        }
    }

    fn forget_idle_lanes(&mut self) {
        if self.lanes.len() > LANES_MAX {
            self.lanes.retain(|_, lane| !lane.held.is_empty());
        }
    }
}

#[cfg(test)]
#[path = "deliveries_tests.rs"]
mod tests;
