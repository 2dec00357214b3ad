//! The threads that write: four writers, each with the projects that always come to it, and four
//! connections on which those wait whose gate another hub holds, or who take long.
//!
//! A party that waits goes there with all it has, in order, and comes back when nothing of it is left. Those
//! that wait take turns, group by group.

use super::cluster::Cluster;
use super::gates::Claim;
use super::group::{Groups, Queued, Ran};
use crate::queue::{Taken, WriteQueue};
use crate::turns::Party;
use std::collections::{BTreeSet, VecDeque};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Most jobs of one group.
const GROUP_MAX: usize = 128;
/// Most parties of one group.
const PARTIES_MAX: usize = 16;
/// How long a thread sleeps before it looks whether it is to end.
const LOOK_EVERY: Duration = Duration::from_millis(250);

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A writer's jobs, and those of its parties that wait elsewhere.
pub(crate) struct Line {
    pub(crate) queue: Arc<WriteQueue>,
    away: Mutex<BTreeSet<Party>>,
}

impl Line {
    pub(crate) fn new(queue: Arc<WriteQueue>) -> Self {
        Self {
            queue,
            away: Mutex::default(),
        }
    }

    fn is_here(&self, party: Party) -> bool {
        !lock(&self.away).contains(&party)
    }

    /// Takes the next job of a party that is here; waits for one at most so long.
    fn next(&self, wait: Duration) -> Taken {
        self.queue.take_where(wait, |party| self.is_here(party))
    }

    /// Takes what a party has, one by one.
    fn jobs_of(&self, party: Party) -> impl Iterator<Item = Queued> {
        let is_its = move |other| other == party;
        let next = move || match self.queue.take_where(Duration::ZERO, is_its) {
            Taken::Some(party, job) => Some(Queued::new(party, job)),
            Taken::TimedOut | Taken::Closed => None,
        };
        std::iter::from_fn(next)
    }

    fn come_back(&self, party: Party) {
        lock(&self.away).remove(&party);
        self.queue.look_again();
    }
}

/// A party that waits for a gate, with the jobs that it had taken along.
struct Away {
    line: Arc<Line>,
    party: Party,
    jobs: Vec<Queued>,
}

/// Those who wait for a connection to wait on.
#[derive(Default)]
pub(crate) struct Waiting {
    state: Mutex<WaitingState>,
    came: Condvar,
}

#[derive(Default)]
struct WaitingState {
    away: VecDeque<Away>,
    writers: usize,
}

impl Waiting {
    /// Counts a writer that may send parties here.
    pub(crate) fn join(&self) {
        lock(&self.state).writers += 1;
    }

    fn leave(&self) {
        lock(&self.state).writers -= 1;
        self.came.notify_all();
    }

    fn push(&self, away: Away) {
        lock(&self.state).away.push_back(away);
        self.came.notify_one();
    }

    fn has_others(&self) -> bool {
        !lock(&self.state).away.is_empty()
    }

    /// Waits for the next party; `None` when there will be none.
    fn next(&self) -> Option<Away> {
        let idle = |state: &mut WaitingState| state.away.is_empty() && state.writers > 0;
        let waited = self.came.wait_while(lock(&self.state), idle);
        waited
            .unwrap_or_else(PoisonError::into_inner)
            .away
            .pop_front()
    }
}

/// Writes until the queue is closed and empty.
pub(crate) fn run_writer(mut groups: Groups, line: &Arc<Line>, hub: &Cluster, waiting: &Waiting) {
    loop {
        match line.next(LOOK_EVERY) {
            Taken::Closed => break,
            Taken::TimedOut => {}
            Taken::Some(party, job) => {
                let ran = groups.run(gather(line, Queued::new(party, job)), Claim::Try);
                send_away(line, ran, hub, waiting);
            }
        }
    }
    waiting.leave();
}

/// Adds what waits to the first job of a group.
fn gather(line: &Line, first: Queued) -> Vec<Queued> {
    let mut parties = BTreeSet::from([first.party]);
    let mut jobs = vec![first];
    while jobs.len() < GROUP_MAX && parties.len() < PARTIES_MAX {
        let Taken::Some(party, job) = line.next(Duration::ZERO) else {
            break;
        };
        parties.insert(party);
        jobs.push(Queued::new(party, job));
    }
    jobs
}

fn send_away(line: &Arc<Line>, ran: Ran, hub: &Cluster, waiting: &Waiting) {
    charge(line, &ran.steps);
    let mut parked = ran.parked;
    let blocked: BTreeSet<_> = parked.iter().map(|queued| queued.party).collect();
    let slow = ran
        .slow
        .into_iter()
        .filter(|party| !blocked.contains(party));
    for party in blocked.iter().copied().chain(slow) {
        let jobs = parked
            .extract_if(.., |queued| queued.party == party)
            .collect();
        lock(&line.away).insert(party);
        let line = Arc::clone(line);
        waiting.push(Away { line, party, jobs });
        hub.counters.moved.inc();
    }
    hub.counters.gates_waited.add(blocked.len() as u64);
}

fn charge(line: &Line, steps: &[(Party, u64)]) {
    for (party, steps) in steps {
        line.queue.charge(*party, *steps);
    }
}

/// Works for parties that wait, until no writer is left to send one. After each group it is another's
/// turn, if another waits.
pub(crate) fn run_waiting(mut groups: Groups, waiting: &Waiting) {
    while let Some(mut away) = waiting.next() {
        let mut is_left = away.work(&mut groups);
        while is_left && !waiting.has_others() {
            is_left = away.work(&mut groups);
        }
        if is_left {
            waiting.push(away);
        } else {
            away.line.come_back(away.party);
        }
    }
}

impl Away {
    /// Works for the party with one group; `false` when it had nothing left.
    fn work(&mut self, groups: &mut Groups) -> bool {
        let Self { line, party, jobs } = self;
        if jobs.is_empty() {
            jobs.extend(line.jobs_of(*party).take(GROUP_MAX));
        }
        if jobs.is_empty() {
            return false;
        }
        let room = GROUP_MAX.saturating_sub(jobs.len());
        let more = line.jobs_of(*party).take(room);
        let ran = groups.run_when_open(std::mem::take(jobs), more);
        charge(line, &ran.steps);
        *jobs = ran.parked;
        true
    }
}
