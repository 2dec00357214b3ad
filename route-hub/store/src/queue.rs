//! Where jobs wait for a database thread: a bounded queue with turns and a share for each party.

use crate::StoreError;
use crate::job::Job;
use crate::turns::{Party, Turns};
use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Most jobs that may wait. A party may have as many as there is room left (half, where it is
/// alone); beyond it the caller gets [`StoreError::Busy`] at once.
pub(crate) const QUEUE_MAX: usize = 8192;

/// What waiting for a job came to.
pub(crate) enum Taken {
    Some(Party, Box<dyn Job>),
    TimedOut,
    Closed,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The jobs that wait for the writer.
pub(crate) struct WriteQueue {
    state: Mutex<Waiting>,
    came: Condvar,
}

struct Waiting {
    turns: Turns<Box<dyn Job>>,
    closed: bool,
}

impl Waiting {
    fn new() -> Self {
        Self {
            turns: Turns::new(QUEUE_MAX),
            closed: false,
        }
    }

    fn push(&mut self, party: Party, job: Box<dyn Job>) -> Result<(), StoreError> {
        if self.closed {
            Err(StoreError::Closed)
        } else {
            self.turns.push(party, job).map_err(|_| StoreError::Busy)
        }
    }
}

impl WriteQueue {
    pub(crate) fn new() -> Self {
        Self {
            state: Mutex::new(Waiting::new()),
            came: Condvar::new(),
        }
    }

    /// Adds a job to its party's line.
    ///
    /// # Errors
    /// [`StoreError::Busy`] when the party's share of the queue is full, [`StoreError::Closed`].
    pub(crate) fn push(&self, party: Party, job: Box<dyn Job>) -> Result<(), StoreError> {
        lock(&self.state).push(party, job)?;
        self.came.notify_one();
        Ok(())
    }

    /// Takes the next job, waiting at most `wait` for one.
    ///
    /// A closed queue gives what it still holds before it says so.
    pub(crate) fn take(&self, wait: Duration) -> Taken {
        let mut state = lock(&self.state);
        if state.turns.is_empty() && !wait.is_zero() {
            let idle = |state: &mut Waiting| state.turns.is_empty() && !state.closed;
            let waited = self.came.wait_timeout_while(state, wait, idle);
            (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        }
        match state.turns.next(|_, _| true) {
            Some((party, job)) => Taken::Some(party, job),
            None if state.closed => Taken::Closed,
            None => Taken::TimedOut,
        }
    }

    /// As [`Self::take`], but only jobs of parties that `may` go; it is told what a party's jobs cost lately.
    pub(crate) fn take_of(&self, wait: Duration, may: impl Fn(Party, u64) -> bool) -> Taken {
        let mut state = lock(&self.state);
        let none = |state: &mut Waiting| !state.closed && state.turns.first(&may).is_none();
        if !wait.is_zero() {
            let waited = self.came.wait_timeout_while(state, wait, none);
            (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        }
        // Once it is closed no new jobs come that could be delayed.
        let closed = state.closed;
        let first = state.turns.first(|party, cost| closed || may(party, cost));
        let next = first.and_then(|first| state.turns.next(|party, _| party == first));
        match next {
            Some((party, job)) => Taken::Some(party, job),
            None if closed => Taken::Closed,
            None => Taken::TimedOut,
        }
    }

    /// As [`Self::take`], but only jobs of parties that `may` go, also when the queue is closed.
    pub(crate) fn take_where(&self, wait: Duration, may: impl Fn(Party) -> bool) -> Taken {
        let mut state = lock(&self.state);
        let may = |party, _| may(party);
        if !wait.is_zero() {
            let none = |state: &mut Waiting| !state.closed && !state.turns.any(may);
            let waited = self.came.wait_timeout_while(state, wait, none);
            (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        }
        match state.turns.next(may) {
            Some((party, job)) => Taken::Some(party, job),
            None if state.closed => Taken::Closed,
            None => Taken::TimedOut,
        }
    }

    /// Has those look again who wait for a party that may go only now.
    pub(crate) fn look_again(&self) {
        self.came.notify_all();
    }

    /// Counts the steps that a party's job took.
    pub(crate) fn charge(&self, party: Party, steps: u64) {
        lock(&self.state).turns.charge(party, steps);
    }

    /// Returns how many jobs wait.
    pub(crate) fn len(&self) -> usize {
        lock(&self.state).turns.len()
    }

    /// Refuses further jobs; what waits is still done.
    pub(crate) fn close(&self) {
        lock(&self.state).closed = true;
        self.came.notify_all();
    }
}

/// Which jobs a reader takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reader {
    /// The hub's own: keys, sign-ins and background work.
    Kept,
    /// Everybody's.
    Common,
}

/// The jobs that wait for a reader, and the parties that readers work for.
pub(crate) struct ReadQueue {
    state: Mutex<Reading>,
    came_for_kept: Condvar,
    came: Condvar,
    common: usize,
}

struct Reading {
    waiting: Waiting,
    at_work: AtWork,
}

/// How many readers work for each party.
type AtWork = BTreeMap<Party, usize>;

impl ReadQueue {
    /// Makes the queue of so many common readers.
    pub(crate) fn new(common: usize) -> Self {
        Self {
            state: Mutex::new(Reading {
                waiting: Waiting::new(),
                at_work: BTreeMap::new(),
            }),
            came_for_kept: Condvar::new(),
            came: Condvar::new(),
            common,
        }
    }

    /// As [`WriteQueue::push`].
    pub(crate) fn push(&self, party: Party, job: Box<dyn Job>) -> Result<(), StoreError> {
        lock(&self.state).waiting.push(party, job)?;
        if party == Party::HUB {
            self.came_for_kept.notify_one();
        }
        self.came.notify_one();
        Ok(())
    }

    /// Takes the next job that this reader may do, waiting at most `wait` for one.
    pub(crate) fn take(&self, reader: Reader, wait: Duration) -> Taken {
        let came = match reader {
            Reader::Kept => &self.came_for_kept,
            Reader::Common => &self.came,
        };
        let idle = |state: &mut Reading| !self.has_work(state, reader) && !state.waiting.closed;
        let waited = came.wait_timeout_while(lock(&self.state), wait, idle);
        let (mut state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        let Some((party, job)) = self.next(&mut state, reader) else {
            return if state.waiting.closed {
                Taken::Closed
            } else {
                Taken::TimedOut
            };
        };
        state.waiting.turns.charge(party, 1);
        *state.at_work.entry(party).or_default() += 1;
        // With this one gone, somebody else may have more readers than a moment ago.
        if !state.waiting.turns.is_empty() {
            self.came.notify_one();
        }
        Taken::Some(party, job)
    }

    /// Says that a reader has done a party's job.
    pub(crate) fn done(&self, party: Party) {
        let mut state = lock(&self.state);
        if let Some(count) = state.at_work.get_mut(&party) {
            *count -= 1;
            if *count == 0 {
                state.at_work.remove(&party);
            }
        }
    }

    fn next(&self, state: &mut Reading, reader: Reader) -> Option<(Party, Box<dyn Job>)> {
        let Reading { waiting, at_work } = state;
        let may = |party, others| self.may(at_work, reader, party, others);
        waiting.turns.next(may)
    }

    fn has_work(&self, state: &Reading, reader: Reader) -> bool {
        let may = |party, others| self.may(&state.at_work, reader, party, others);
        state.waiting.turns.any(may)
    }

    /// Says whether a party may have one more reader: never all of the common ones, so that a newcomer
    /// finds one, and no more than half of them while others wait.
    fn may(&self, at_work: &AtWork, reader: Reader, party: Party, others: bool) -> bool {
        let most = if others {
            self.common / 2
        } else {
            self.common.saturating_sub(1)
        };
        match reader {
            Reader::Kept => party == Party::HUB,
            Reader::Common => at_work.get(&party).copied().unwrap_or(0) < most.max(1),
        }
    }

    /// Returns how many jobs wait.
    pub(crate) fn len(&self) -> usize {
        lock(&self.state).waiting.turns.len()
    }

    /// Refuses further jobs; what waits is still done.
    pub(crate) fn close(&self) {
        lock(&self.state).waiting.closed = true;
        self.came.notify_all();
        self.came_for_kept.notify_all();
    }
}
