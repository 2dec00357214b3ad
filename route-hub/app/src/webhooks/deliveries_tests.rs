//! The machine alone, with a table in memory and time that jumps.

use super::*;
use crate::webhooks::growth::{SLOTS_FIRST, SLOTS_MOST};
use crate::webhooks::lane::{FAILING_AFTER, ROOM_FIRST};
use crate::webhooks::scan::{Before, Place};
use crate::webhooks::scanning::SCAN_EVERY_MS;
use crate::webhooks::slots::{SLOTS_FAILING_MAX, SLOTS_MAX};
use crate::webhooks::testing::{message, project, row};
use std::collections::{BTreeSet, VecDeque};

const OK: Ending = Ending {
    outcome: "delivered",
    http_status: Some(200),
};
const REFUSED: Ending = Ending {
    outcome: "refused",
    http_status: Some(500),
};
const HANGS: Ending = Ending {
    outcome: "timeout",
    http_status: None,
};

#[test]
fn a_row_is_posted_once_and_removed_after_its_commit() {
    let mut world = World::new();
    world.add(row(1));
    world.run();
    assert_eq!(world.posted, [1]);
    assert!(world.table.is_empty() && world.machine.is_settled());
    assert!(world.machine.rows.is_empty());
    assert_eq!(world.machine.rows_held.taken(), 0);
    assert_eq!(world.machine.bytes_held.taken(), 0);
    world.now = world.now.plus_ms(60_000);
    world.scan();
    world.now = world.now.plus_ms(60_000);
    world.scan();
    assert!(world.machine.lanes.is_empty(), "forgotten after a while");
}

/// The shares that the test's first project lies in, when this process has lost the half with it.
fn without_first() -> ProjectShares {
    let live = BTreeSet::from([1, 2]);
    let halves = [1, 2].map(|process| ProjectShares::of_process(process, &live));
    let without = halves.into_iter().find(|half| !half.has(project(1)));
    without.unwrap()
}

#[test]
fn a_project_that_another_process_posts_for_is_let_go_but_for_what_is_under_way() {
    let mut world = World::new();
    for id in 1..=3 {
        world.add(of_message(id, 7));
    }
    world.add(row(4));
    world.scan();
    assert_eq!(world.start(), [1, 4]);
    world.add(row(5));
    world.scan();
    world.machine.handle_projects(without_first());
    assert_eq!(world.start(), [0; 0]);
    world.end(1, OK);
    world.end(4, OK);
    world.commit();
    world.scan();
    assert_eq!(
        world.start(),
        [0; 0],
        "the other process posts what follows"
    );
    assert_eq!(world.table.keys().copied().collect::<Vec<_>>(), [2, 3, 5]);
    assert_eq!(world.machine.rows_held.taken(), 0);
    assert_eq!(world.machine.bytes_held.taken(), 0);
    world.machine.handle_projects(ProjectShares::ALL);
    world.now = world.now.plus_ms(60_000);
    world.run();
    assert_eq!(world.posted, [1, 4, 2, 5, 3]);
}

#[test]
fn statuses_of_one_message_go_one_after_the_other() {
    let mut world = World::new();
    for id in 1..=3 {
        world.add(of_message(id, 7));
    }
    world.scan();
    assert_eq!(world.start(), [1]);
    world.end(1, OK);
    assert_eq!(
        world.start(),
        [0; 0],
        "not before the first one's end is on disk"
    );
    world.commit();
    assert_eq!(world.start(), [2]);
    world.end(2, OK);
    world.commit();
    assert_eq!(world.start(), [3]);
}

#[test]
fn followers_wait_with_the_one_that_failed() {
    let mut world = World::new();
    for id in 1..=3 {
        world.add(of_message(id, 7));
    }
    world.scan();
    world.start();
    world.end(1, HANGS);
    world.commit();
    let due: BTreeSet<_> = world.table.values().map(|row| row.due_at).collect();
    assert_eq!(due.len(), 1, "all three are due together");
    assert!(
        world.machine.rows.is_empty(),
        "what waits is in the table alone"
    );
    world.ending = OK;
    world.run();
    assert_eq!(world.posted, [1, 1, 2, 3]);
}

#[test]
fn a_later_status_that_is_found_first_waits_for_the_earlier() {
    let mut world = World::new();
    let mut failed = of_message(1, 7);
    failed.attempts = 1;
    failed.due_at = world.now.unix.plus_ms(5_000);
    world.add(failed);
    world.add(of_message(2, 7));
    world.run();
    assert_eq!(world.posted, [1, 2]);
}

#[test]
fn the_next_status_goes_on_when_the_earlier_is_a_day_old() {
    let mut world = World::new();
    world.add(of_message(1, 7));
    world.add(of_message(2, 7));
    world.scan();
    let before = world.now;
    while world.table.contains_key(&1) {
        for id in world.start() {
            assert_eq!(id, 1);
            world.end(id, HANGS);
        }
        world.commit();
        world.jump();
        world.scan();
    }
    let waited_ms = world.now.unix.0 - before.unix.0;
    assert!(waited_ms <= retry::LIFE_MS && waited_ms > retry::LIFE_MS - 3 * 3_600_000);
    assert!(world.log.contains(&(1, "given_up")));
    assert_eq!(world.start(), [2]);
}

#[test]
fn an_endpoint_has_four_slots_and_another_project_has_its_own() {
    let mut world = World::new();
    for id in 1..=10 {
        world.add(row(id));
    }
    for id in 11..=20 {
        let mut other = row(id);
        other.project_id = project(2);
        world.add(other);
    }
    world.scan();
    let started = world.start();
    assert_eq!(started.len(), 2 * SLOTS_FIRST);
    assert_eq!(started.iter().filter(|id| **id > 10).count(), SLOTS_FIRST);
    world.end(started[0], REFUSED);
    assert_eq!(world.start().len(), 1, "a slot is free before the commit");
}

#[test]
fn endpoints_that_hang_leave_slots_for_the_others() {
    let mut world = World::new();
    for n in 0..300 {
        for k in 0..6 {
            world.add(at_host(1_000 + n * 10 + k, &format!("hanging{n}")));
        }
    }
    world.hang_until_known();
    assert!(world.machine.slots.taken_by_failing() <= SLOTS_FAILING_MAX / 2);
    for n in 0..48 {
        world.add(at_host(n + 1, &format!("good{n}")));
    }
    world.scan_all();
    let started = world.start();
    let good = started.iter().filter(|id| **id <= 48).count();
    assert_eq!(good, 48, "every good endpoint is served at once");
}

#[test]
fn a_failing_endpoint_probes_with_one_and_comes_back_with_four() {
    let mut world = World::new();
    for id in 1..=40 {
        world.add(row(id));
    }
    world.hang_until_known();
    world.fail_in_flight();
    world.scan_all();
    let probe = world.start();
    assert_eq!(probe.len(), 1);
    world.end(probe[0], OK);
    world.commit();
    world.scan_all();
    assert_eq!(world.start().len(), SLOTS_FIRST);
}

#[test]
fn a_backlog_stays_in_the_table() {
    let mut world = World::new();
    for n in 0..2_000 {
        for k in 0..12 {
            world.add(at_host(n * 100 + k, &format!("h{n}")));
        }
    }
    world.scan_all();
    let next = world.machine.poll_timeout().unwrap();
    assert!(
        next.at.since_ms(world.now.boot) > 1_000,
        "there is no use in reading before a row leaves"
    );
    world.scan_all();
    world.start();
    assert_eq!(world.machine.rows.len(), ROWS_HELD_MAX / 2);
    assert_eq!(world.in_flight.len(), SLOTS_MAX / 2);
    world.run();
    assert_eq!(world.posted.len(), 24_000);
    assert_eq!(
        world.posted.iter().collect::<BTreeSet<_>>().len(),
        24_000,
        "each once"
    );
}

#[test]
fn large_rows_are_bounded_by_their_bytes() {
    let mut world = World::new();
    for id in 0..200 {
        let mut large = at_host(id, &format!("h{id}"));
        large.body = "x".repeat(400_000);
        world.add(large);
    }
    world.scan_all();
    world.scan_all();
    let held: usize = world.machine.rows.values().map(Held::bytes).sum();
    assert!(held <= BYTES_HELD_MAX / 2 + 400_100, "{held}");
    assert_eq!(held, world.machine.bytes_held.taken());
    world.run();
    assert_eq!(world.posted.len(), 200);
}

#[test]
fn a_scan_goes_on_where_the_last_one_ended() {
    let mut world = World::new();
    let first = world.machine.poll_scan(world.now).unwrap();
    assert_eq!(first.from, Place::default());
    let reached = Place {
        project: Some(project(3)),
        ..Place::default()
    };
    let scanned = Scanned {
        reached: reached.clone(),
        goes_on: true,
        ..Scanned::default()
    };
    world.machine.handle_scanned(scanned, world.now);
    world.jump();
    let next = world.machine.poll_scan(world.now).unwrap();
    assert_eq!(next.from, reached);
}

#[test]
fn an_endpoint_that_answers_gets_more_room() {
    let mut world = World::new();
    for id in 1..=500 {
        world.add(row(id));
    }
    world.scan();
    assert_eq!(world.machine.rows.len(), ROOM_FIRST);
    world.run();
    assert_eq!(world.posted.len(), 500);
    assert_eq!(world.posted, (1..=500).collect::<Vec<_>>());
}

#[test]
fn what_was_settled_while_a_scan_ran_is_not_posted_again() {
    let mut world = World::new();
    world.add(of_message(1, 7));
    world.add(of_message(2, 7));
    world.scan();
    world.start();
    world.machine.handle_wake();
    world.now = world.now.plus_ms(100);
    let ask = world.machine.poll_scan(world.now).unwrap();
    let mut stale = world.answer(&ask);
    stale.rows = vec![Found {
        row: of_message(1, 7),
        before: None,
    }];
    world.end(1, OK);
    world.commit();
    world.machine.handle_scanned(stale, world.now);
    world.run();
    assert_eq!(world.posted, [1, 2]);
}

#[test]
fn a_refused_commit_is_tried_again_and_posts_nothing_twice() {
    let mut world = World::new();
    world.add(row(1));
    world.scan();
    world.start();
    world.end(1, OK);
    let first = world.machine.poll_settlements(world.now).unwrap();
    world.machine.handle_commit_failed(project(1), world.now);
    assert!(world.machine.poll_settlements(world.now).is_none());
    world.machine.handle_wake();
    world.now = world.now.plus_ms(100);
    world.scan();
    assert_eq!(world.start(), [0; 0]);
    world.now = world.now.plus_ms(STORE_PAUSE_MS);
    let second = world.machine.poll_settlements(world.now).unwrap();
    assert!(Arc::ptr_eq(&first.settlements, &second.settlements));
    world.written(&second);
    assert!(world.machine.is_settled() && world.table.is_empty());
}

#[test]
fn a_row_over_a_day_old_is_not_tried_at_an_endpoint_that_fails_anyway() {
    let mut world = World::new();
    world.now = world.now.plus_ms(2 * 24 * 3_600_000);
    for id in 1..=20 {
        world.add(row(id));
    }
    world.ending = HANGS;
    world.run();
    assert!(world.table.is_empty());
    assert!(world.posted.len() < 20, "{}", world.posted.len());
    assert!(world.posted.len() >= usize::try_from(FAILING_AFTER).unwrap());
    assert_eq!(
        world
            .log
            .iter()
            .filter(|(_, outcome)| *outcome == "given_up")
            .count(),
        20
    );
}

#[test]
fn a_row_over_a_day_old_is_still_tried_where_others_arrive() {
    let mut world = World::new();
    world.now = world.now.plus_ms(2 * 24 * 3_600_000);
    world.add(row(1));
    world.run();
    assert_eq!(world.posted, [1]);
    assert_eq!(world.log, [(1, "delivered")]);
}

#[test]
fn it_sleeps_until_the_next_row_is_due() {
    let mut world = World::new();
    world.scan();
    let idle = world.machine.poll_timeout().unwrap();
    assert_eq!(idle.at, world.now.boot.plus_ms(SCAN_EVERY_MS));
    let mut later = row(1);
    later.due_at = world.now.unix.plus_ms(1_234);
    world.add(later);
    world.now = world.now.plus_ms(10);
    world.scan();
    let due = world.machine.poll_timeout().unwrap();
    assert_eq!(due.at, world.now.boot.plus_ms(1_224));
}

#[test]
fn another_project_is_served_at_once_beside_one_with_a_thousand_hanging_endpoints() {
    let mut world = World::new();
    for n in 0..1_000 {
        for k in 0..50 {
            world.add(at_host(n * 100 + k, &format!("hanging{n}")));
        }
    }
    for phase in 0..40 {
        world.scan_all();
        world.start();
        let id = 1_000_000 + phase;
        world.add(OutboxRow {
            project_id: project(2),
            ..at_host(id, "good")
        });
        world.scan_all();
        assert_eq!(
            world.start().iter().filter(|one| **one == id).count(),
            1,
            "phase {phase}"
        );
        world.end(id, OK);
        world.fail_in_flight();
    }
}

#[test]
fn an_endpoint_that_answers_gets_more_slots_until_somebody_else_waits() {
    let mut world = World::grown();
    assert_eq!(world.in_flight.len(), SLOTS_MOST);
    for n in 0..30 {
        for k in 0..8 {
            let id = 10_000 + n * 10 + k;
            let mut other = at_host(id, &format!("other{n}"));
            other.project_id = project(2 + n % 3);
            world.add(other);
        }
    }
    world.scan_all();
    let others = world.start().len();
    assert_eq!(others, 30 * SLOTS_FIRST, "each has its own at once");
    let ended = world.in_flight[0];
    world.end(ended, OK);
    assert!(world.machine.slots.taken_of(project(1)) < SLOTS_MOST);
}

#[test]
fn a_failure_halves_the_slots_of_an_endpoint() {
    let mut world = World::grown();
    let all = std::mem::take(&mut world.in_flight);
    world.machine.handle_ended(all[0], REFUSED, 0, world.now);
    for id in &all[1..] {
        world.machine.handle_ended(*id, OK, 0, world.now);
    }
    world.commit();
    world.scan();
    let started = world.start().len();
    assert!(
        (SLOTS_MOST / 2..SLOTS_MOST / 2 + 4).contains(&started),
        "{started}"
    );
}

#[test]
fn a_backlog_never_starves_the_slots_of_a_fast_endpoint() {
    let mut world = World::new();
    for id in 0..20_000 {
        world.add(row(id));
    }
    let took_ms = world.run_timed(1, 10, 5);
    assert!(took_ms < 2_000, "{took_ms}");
    assert_eq!(world.posted.len(), 20_000);
}

#[test]
fn an_endpoint_that_takes_a_while_gets_enough_at_a_time() {
    let mut world = World::new();
    for id in 0..5_000 {
        world.add(row(id));
    }
    let took_ms = world.run_timed(100, 10, 5);
    assert!(took_ms < 10_000, "{took_ms}");
    assert_eq!(world.posted, (0..5_000).collect::<Vec<_>>());
}

fn of_message(id: i64, n: i64) -> OutboxRow {
    OutboxRow {
        message_id: Some(message(n)),
        ..row(id)
    }
}

fn at_host(id: i64, host: &str) -> OutboxRow {
    OutboxRow {
        origin: format!("https://{host}.example:443"),
        ..row(id)
    }
}

/// The machine, the outbox as a map, and whatever is under way.
struct World {
    machine: Deliveries,
    table: BTreeMap<i64, OutboxRow>,
    in_flight: Vec<i64>,
    posted: Vec<i64>,
    log: Vec<(i64, &'static str)>,
    ending: Ending,
    now: Now,
}

impl World {
    fn new() -> Self {
        Self {
            machine: Deliveries::default(),
            table: BTreeMap::new(),
            in_flight: Vec::new(),
            posted: Vec::new(),
            log: Vec::new(),
            ending: OK,
            now: Now::new(1_000, 10_000),
        }
    }

    /// An endpoint with a backlog that has answered well for long: it has the most slots.
    fn grown() -> Self {
        let mut world = Self::new();
        for id in 0..3_000 {
            world.add(row(id));
        }
        for _ in 0..40 {
            world.scan();
            world.start();
            for id in std::mem::take(&mut world.in_flight) {
                world.machine.handle_ended(id, OK, 0, world.now);
            }
            world.commit();
        }
        world.scan();
        world.start();
        world
    }

    fn add(&mut self, row: OutboxRow) {
        self.table.insert(row.id, row);
        self.machine.handle_wake();
    }

    /// One scan, as the database would answer it.
    fn scan(&mut self) {
        let at = self
            .machine
            .poll_timeout()
            .map_or(self.now.boot, |deadline| deadline.at);
        self.now = self.now.plus_ms(at.since_ms(self.now.boot));
        if let Some(ask) = self.machine.poll_scan(self.now) {
            let answer = self.answer(&ask);
            self.machine.handle_scanned(answer, self.now);
        }
    }

    fn scan_all(&mut self) {
        self.machine.handle_wake();
        self.scan();
    }

    /// What a scan of every project and endpoint would find.
    fn answer(&self, ask: &ScanAsk) -> Scanned {
        let mut scanned = Scanned::default();
        let (mut rows, mut bytes) = (ask.rows.clone(), ask.bytes.clone());
        let mut lanes: BTreeMap<Endpoint, Vec<&OutboxRow>> = BTreeMap::new();
        for row in self.table.values() {
            lanes.entry(endpoint(row)).or_default().push(row);
        }
        for (endpoint, mut all) in lanes {
            all.sort_by_key(|row| (row.due_at, row.id));
            let due = all.iter().filter(|row| row.due_at <= ask.due_by);
            let lane = ask.lanes.get(&endpoint);
            let new = |row: &&&OutboxRow| !lane.is_some_and(|lane| lane.held.contains(&row.id));
            let fresh: Vec<&OutboxRow> = due.filter(new).copied().collect();
            if all[0].due_at > ask.due_by {
                let first = Some(all[0].due_at);
                scanned.next_due = scanned.next_due.into_iter().chain(first).min();
            }
            let room = lane.map_or(ROOM_FIRST, |lane| lane.room);
            let project = endpoint.project_id;
            let mut read = 0;
            for row in fresh.iter().take(room) {
                if !(rows.may_take(project) && bytes.may_take(project)) {
                    scanned.squeezed = true;
                    break;
                }
                read += 1;
                rows.take(project, 1);
                bytes.take(project, row.body.len() + row.url.len());
                scanned.rows.push(Found {
                    row: (*row).clone(),
                    before: self.before(row),
                });
            }
            if fresh.len() > read {
                scanned.limited.push(endpoint.clone());
            }
            scanned.read.push(endpoint);
        }
        scanned
    }

    fn before(&self, row: &OutboxRow) -> Option<Before> {
        row.message_id?;
        let same = |other: &&OutboxRow| {
            other.message_id == row.message_id && endpoint(other) == endpoint(row)
        };
        let earlier = self
            .table
            .range(..row.id)
            .map(|(_, other)| other)
            .rfind(same)?;
        Some(Before {
            id: earlier.id,
            due_at: earlier.due_at,
        })
    }

    fn start(&mut self) -> Vec<i64> {
        let mut started = Vec::new();
        while let Some(row) = self.machine.poll_attempt(self.now) {
            started.push(row.id);
        }
        self.in_flight.extend(&started);
        self.posted.extend(&started);
        started
    }

    fn end(&mut self, id: i64, ending: Ending) {
        self.in_flight.retain(|other| *other != id);
        self.machine.handle_ended(id, ending, 0, self.now);
    }

    fn commit(&mut self) {
        while let Some(batch) = self.machine.poll_settlements(self.now) {
            self.written(&batch);
        }
    }

    fn written(&mut self, batch: &Batch) {
        for settlement in batch.settlements.iter() {
            let id = settlement.row.id;
            if let Some(ending) = settlement.ending {
                self.log.push((id, ending.outcome));
            }
            match settlement.fate {
                Fate::Delivered => {
                    self.table.remove(&id);
                }
                Fate::GivenUp => {
                    self.log.push((id, "given_up"));
                    self.table.remove(&id);
                }
                Fate::Again { due_at, attempts } => self.put_off(&settlement.row, due_at, attempts),
            }
        }
        self.machine.handle_committed(batch.project_id, self.now);
    }

    fn put_off(&mut self, row: &OutboxRow, due_at: UnixMs, attempts: u32) {
        if let Some(stored) = self.table.get_mut(&row.id) {
            (stored.due_at, stored.attempts) = (due_at, attempts);
        }
        for other in self.table.range_mut(row.id + 1..).map(|(_, other)| other) {
            let same = other.message_id.is_some() && other.message_id == row.message_id;
            if same && endpoint(other) == endpoint(row) {
                other.due_at = other.due_at.max(due_at);
            }
        }
    }

    fn jump(&mut self) {
        if let Some(deadline) = self.machine.poll_timeout() {
            self.now = self.now.plus_ms(deadline.at.since_ms(self.now.boot));
        }
    }

    /// Lets every attempt end as `self.ending` until the table is empty.
    fn run(&mut self) {
        for _ in 0..100_000 {
            self.start();
            for id in std::mem::take(&mut self.in_flight) {
                self.machine.handle_ended(id, self.ending, 0, self.now);
            }
            self.commit();
            if self.table.is_empty() {
                return;
            }
            self.scan();
        }
        panic!("{} rows are never delivered", self.table.len());
    }

    /// Delivers everything on a clock that ticks, with answers, scans and commits that take their
    /// time; returns how long it took in milliseconds.
    fn run_timed(&mut self, answer_ms: u64, scan_ms: u64, commit_ms: u64) -> u64 {
        let begun = self.now.boot;
        let mut answers: VecDeque<(u64, i64)> = VecDeque::new();
        let mut scan: Option<(u64, Scanned)> = None;
        let mut commit: Option<(u64, Batch)> = None;
        for tick in 0..1_000_000 {
            while answers.front().is_some_and(|(at, _)| *at <= tick) {
                let (_, id) = answers.pop_front().unwrap();
                self.end(id, OK);
            }
            if let Some((_, scanned)) = scan.take_if(|(at, _)| *at <= tick) {
                self.machine.handle_scanned(scanned, self.now);
            }
            if let Some((_, batch)) = commit.take_if(|(at, _)| *at <= tick) {
                self.written(&batch);
            }
            answers.extend(self.start().into_iter().map(|id| (tick + answer_ms, id)));
            if let Some(ask) = self.machine.poll_scan(self.now) {
                scan = Some((tick + scan_ms, self.answer(&ask)));
            }
            let settled = commit
                .is_none()
                .then(|| self.machine.poll_settlements(self.now));
            commit = commit.or(settled.flatten().map(|batch| (tick + commit_ms, batch)));
            if self.table.is_empty() {
                return self.now.boot.since_ms(begun);
            }
            self.now = self.now.plus_ms(1);
        }
        panic!("{} rows are never delivered", self.table.len());
    }

    fn fail_in_flight(&mut self) {
        for id in std::mem::take(&mut self.in_flight) {
            self.machine.handle_ended(id, HANGS, 0, self.now);
        }
        self.commit();
    }

    /// Fails attempts until every endpoint is known to fail and has its probe under way.
    fn hang_until_known(&mut self) {
        for _ in 0..1_000 {
            self.start();
            if !self.machine.lanes.is_empty() && self.machine.lanes.values().all(Lane::is_failing) {
                return;
            }
            self.fail_in_flight();
            self.scan_all();
        }
        panic!("some endpoint never became a failing one");
    }
}

fn endpoint(row: &OutboxRow) -> Endpoint {
    Endpoint {
        project_id: row.project_id,
        origin: row.origin.as_str().into(),
    }
}
