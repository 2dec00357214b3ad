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
//! Projects take turns, and within a project its endpoints ([`crate::webhooks::turns`]). Of the 256 slots, of
//! those for failing endpoints and of the rows in memory a project may have as many as it leaves
//! free ([`crate::webhooks::shares`]): whoever comes next finds some. An endpoint has 4 slots, and more while
//! it answers well and nobody else waits for them ([`crate::webhooks::growth`]); a failing one has 1, and all
//! failing ones together never more than a quarter. A row that waits for its next attempt is in the
//! table alone and takes nothing.
//!
//! # Reading ahead
//! What is in memory for an endpoint follows what it takes ([`crate::webhooks::lane`]): it is read for again
//! when half of that is used, so that a backlog never starves its slots.
//!
//! # Processes
//! Each project is posted for by one process ([`Deliveries::handle_projects`]). What is under way when that
//! becomes another one ends here; the rest leaves memory, and the other one finds it in the table.
//!
//! # Drain
//! After every call: attempts, settlements, scan; then sleep until [`Deliveries::poll_timeout`].

use crate::webhooks::commits::{Batch, Commits};
use crate::webhooks::lane::{Class, Endpoint, Lane};
use crate::webhooks::retry;
use crate::webhooks::scan::{Found, LaneAsk, ScanAsk, Scanned};
use crate::webhooks::scanning::Scanning;
use crate::webhooks::settlement::{Ending, Fate, Settlement};
use crate::webhooks::shares::Shares;
use crate::webhooks::slots::Slots;
use hub_domain::{OutboxRow, ProjectShares};
use postrider_model::{BootMs, Now, ProjectId, UnixMs};
use std::{collections::BTreeMap, sync::Arc};

/// Most rows in memory; the rest waits in the table.
pub(crate) const ROWS_HELD_MAX: usize = 4_096;
/// Most bytes of rows in memory.
pub(crate) const BYTES_HELD_MAX: usize = 16 * 1024 * 1024;
/// Pause after the database refused a scan or a commit.
const STORE_PAUSE_MS: u64 = 1_000;
/// Most endpoints remembered; above it, those without rows are forgotten.
const LANES_MAX: usize = 4_096;
/// Time between two looks for endpoints that can be forgotten, in milliseconds.
const FORGET_EVERY_MS: u64 = 5_000;

/// When to call again, and why.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Deadline {
    /// On the clock that only runs forward.
    pub at: BootMs,
    /// For logs.
    pub reason: &'static str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Ready,
    Behind,
    InFlight { class: Class, since: BootMs },
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

/// The machine; see the module.
pub(crate) struct Deliveries {
    projects: ProjectShares,
    rows: BTreeMap<i64, Held>,
    lanes: BTreeMap<Endpoint, Lane>,
    /// Which row waits behind which.
    followers: BTreeMap<i64, i64>,
    slots: Slots,
    rows_held: Shares,
    bytes_held: Shares,
    commits: Commits,
    scanning: Scanning,
    forget_at: BootMs,
}

impl Default for Deliveries {
    fn default() -> Self {
        Self {
            projects: ProjectShares::ALL,
            rows: BTreeMap::new(),
            lanes: BTreeMap::new(),
            followers: BTreeMap::new(),
            slots: Slots::default(),
            rows_held: Shares::new(ROWS_HELD_MAX),
            bytes_held: Shares::new(BYTES_HELD_MAX),
            commits: Commits::default(),
            scanning: Scanning::default(),
            forget_at: BootMs(0),
        }
    }
}

impl Deliveries {
    /// Says that rows were written to the outbox.
    pub(crate) fn handle_wake(&mut self) {
        self.scanning.wake();
    }

    /// Takes in which projects are posted for here.
    pub(crate) fn handle_projects(&mut self, projects: ProjectShares) {
        if std::mem::replace(&mut self.projects, projects) == projects {
            return;
        }
        self.scanning.wake();
        let waits = |held: &Held| matches!(held.stage, Stage::Ready | Stage::Behind);
        let is_lost = |held: &Held| waits(held) && !projects.has(held.row.project_id);
        let lost = self.rows.iter().filter(|(_, held)| is_lost(held));
        let lost: Vec<i64> = lost.map(|(id, _)| *id).collect();
        self.followers
            .retain(|_, follower| lost.binary_search(follower).is_err());
        for id in lost {
            self.let_go(id);
        }
    }

    /// Drops a row that waits from memory; it stays in the table as it is.
    fn let_go(&mut self, id: i64) {
        let Some(held) = self.rows.get(&id) else {
            return;
        };
        let (endpoint, row) = (held.endpoint.clone(), Arc::clone(&held.row));
        if let Some(lane) = self.lanes.get_mut(&endpoint) {
            lane.ready.retain(|ready| *ready != id);
        }
        let (due_at, attempts) = (row.due_at, row.attempts);
        self.drop_row(id, Fate::Again { due_at, attempts });
        self.queue_lane(&endpoint);
    }

    /// Returns what to read of the outbox; one scan runs at a time.
    pub(crate) fn poll_scan(&mut self, now: Now) -> Option<ScanAsk> {
        let from = self.scanning.begin(now)?;
        let lanes = self.lanes.iter().map(|(endpoint, lane)| {
            let ask = LaneAsk {
                room: lane.room_left(),
                held: lane.held.clone(),
            };
            (endpoint.clone(), ask)
        });
        Some(ScanAsk {
            projects: self.projects,
            due_by: now.unix,
            from,
            lanes: lanes.collect(),
            rows: self.rows_held.clone(),
            bytes: self.bytes_held.clone(),
        })
    }

    /// Takes in what a scan found.
    pub(crate) fn handle_scanned(&mut self, mut scanned: Scanned, now: Now) {
        let moved = self.scanning.ended(&mut scanned, now);
        for endpoint in scanned.read {
            if let Some(lane) = self.lanes.get_mut(&endpoint) {
                lane.was_read();
                lane.more = false;
            }
        }
        let projects = self.projects;
        scanned.limited.retain(|it| projects.has(it.project_id));
        scanned.rows.retain(|it| projects.has(it.row.project_id));
        for found in scanned.rows {
            self.take_in(found, &moved, now);
        }
        for endpoint in scanned.limited {
            let lane = self.lanes.entry(endpoint).or_default();
            lane.more = true;
            // A row that leaves wakes what waits for the project's share.
            if lane.is_hungry() && !scanned.squeezed {
                self.scanning.wake();
            }
        }
        self.forget_idle_lanes(now);
    }

    /// Says that the database refused the scan.
    pub(crate) fn handle_scan_failed(&mut self, now: Now) {
        self.scanning.failed(STORE_PAUSE_MS, now);
    }

    /// Returns a row to post, which takes a slot until [`Self::handle_ended`].
    pub(crate) fn poll_attempt(&mut self, now: Now) -> Option<Arc<OutboxRow>> {
        while let Some((endpoint, class)) = self.slots.take_next() {
            if let Some(row) = self.start(&endpoint, class, now) {
                return Some(row);
            }
        }
        None
    }

    /// Takes the end of an attempt; `random` varies the wait for the next one.
    pub(crate) fn handle_ended(&mut self, id: i64, ending: Ending, random: u64, now: Now) {
        let Some(held) = self.rows.get(&id) else {
            return;
        };
        let Stage::InFlight { class, since } = held.stage else {
            return;
        };
        let (row, endpoint) = (Arc::clone(&held.row), held.endpoint.clone());
        self.slots.give_back(row.project_id, class);
        if let Some(lane) = self.lanes.get_mut(&endpoint) {
            if ending.is_delivered() {
                lane.succeeded(now.boot.since_ms(since));
            } else {
                lane.failed();
            }
            lane.in_flight -= 1;
        }
        let attempts = row.attempts + 1;
        let fate = if ending.is_delivered() {
            Fate::Delivered
        } else {
            retry::next_attempt(attempts, row.time_created, random, now.unix)
                .map_or(Fate::GivenUp, |due_at| Fate::Again { due_at, attempts })
        };
        self.settle(row, fate, Some(ending), now);
        self.queue_lane(&endpoint);
    }

    /// Returns settlements to commit in one unit of work; one batch of a project at a time.
    pub(crate) fn poll_settlements(&mut self, now: Now) -> Option<Batch> {
        self.commits.poll(now)
    }

    /// Says that a project's batch is on disk.
    pub(crate) fn handle_committed(&mut self, project: ProjectId, now: Now) {
        let batch = self.commits.committed(project);
        for settlement in batch.iter().flat_map(|batch| batch.iter()) {
            self.leave(settlement, now);
        }
    }

    /// Says that a project's batch is not on disk; it is given out again after a pause.
    pub(crate) fn handle_commit_failed(&mut self, project: ProjectId, now: Now) {
        self.commits.failed(project, STORE_PAUSE_MS, now);
    }

    /// Returns when to call again, if nothing else happens.
    pub(crate) fn poll_timeout(&self) -> Option<Deadline> {
        let commit = self.commits.again_at().map(|at| Deadline {
            at,
            reason: "commit settlements again",
        });
        let scan = self.scanning.at().map(|at| Deadline {
            at,
            reason: "read the outbox",
        });
        commit
            .into_iter()
            .chain(scan)
            .min_by_key(|deadline| deadline.at)
    }

    /// Says whether every attempt has ended and every settlement is on disk.
    pub(crate) fn is_settled(&self) -> bool {
        self.slots.taken() == 0 && self.commits.is_empty()
    }

    /// Starts the endpoint's next row, if it may still go on these terms.
    fn start(&mut self, endpoint: &Endpoint, class: Class, now: Now) -> Option<Arc<OutboxRow>> {
        let lane = self.lanes.get_mut(endpoint)?;
        lane.queued = None;
        let started = if lane.class() == Some(class) {
            lane.ready.pop_front()
        } else {
            None
        };
        lane.in_flight += usize::from(started.is_some());
        self.queue_lane(endpoint);
        let held = self.rows.get_mut(&started?)?;
        let since = now.boot;
        held.stage = Stage::InFlight { class, since };
        self.slots.take(endpoint.project_id, class);
        Some(Arc::clone(&held.row))
    }

    /// Has an endpoint wait on the terms on which its next row may start.
    fn queue_lane(&mut self, endpoint: &Endpoint) {
        if let Some(lane) = self.lanes.get_mut(endpoint) {
            let is = lane.class();
            let was = std::mem::replace(&mut lane.queued, is);
            self.slots.move_to(endpoint, was, is);
        }
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
        self.rows_held.take(row.project_id, 1);
        self.bytes_held.take(row.project_id, held.bytes());
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
            return self.settle(row, Fate::GivenUp, None, now);
        }
        held.stage = Stage::Ready;
        lane.ready.push_back(id);
        self.queue_lane(&endpoint);
    }

    /// Decides a row's fate, which is to be committed.
    fn settle(&mut self, row: Arc<OutboxRow>, fate: Fate, ending: Option<Ending>, now: Now) {
        if let Some(held) = self.rows.get_mut(&row.id) {
            held.stage = Stage::Settling;
            if let Some(lane) = self.lanes.get_mut(&held.endpoint) {
                lane.settling += 1;
                if lane.is_hungry() {
                    self.scanning.wake();
                }
            }
        }
        self.commits.push(Settlement {
            row,
            fate,
            ending,
            time: now.unix,
        });
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
                self.scanning.note_due(due_at, now);
                let mut before = id;
                while let Some(next) = self.followers.remove(&before) {
                    self.drop_row(next, settlement.fate);
                    before = next;
                }
            }
        }
    }

    fn drop_row(&mut self, id: i64, fate: Fate) {
        self.scanning.note_left(id, fate);
        let Some(held) = self.rows.remove(&id) else {
            return;
        };
        let project = held.row.project_id;
        self.rows_held.give_back(project, 1);
        self.bytes_held.give_back(project, held.bytes());
        if let Some(lane) = self.lanes.get_mut(&held.endpoint) {
            lane.held.remove(&id);
            lane.settling -= usize::from(held.stage == Stage::Settling);
            if lane.is_hungry() {
                self.scanning.wake();
            }
        }
    }

    /// Forgets endpoints without rows: after a while, or when there are too many.
    fn forget_idle_lanes(&mut self, now: Now) {
        let too_many = self.lanes.len() > LANES_MAX;
        if now.boot < self.forget_at && !too_many {
            return;
        }
        self.forget_at = now.boot.plus_ms(FORGET_EVERY_MS);
        self.lanes.retain(|_, lane| {
            let forgettable = lane.is_forgettable(now.boot);
            !(forgettable || too_many && lane.held.is_empty())
        });
    }
}

#[cfg(test)]
#[path = "deliveries_tests.rs"]
mod tests;
