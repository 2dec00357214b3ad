//! Where jobs wait for a database thread: a bounded queue with turns and a share for each party.

use crate::StoreError;
use crate::job::Job;
use crate::stopwatch::Stopwatch;
use crate::turns::{Party, Turns};
use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
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
    state: Mutex<Writing>,
    came: Condvar,
}

struct Writing {
    waiting: Waiting,
    /// How many threads are to be woken for a job.
    sleepers: usize,
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

    fn is_idle(&self) -> bool {
        self.turns.is_empty() && !self.closed
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
            state: Mutex::new(Writing {
                waiting: Waiting::new(),
                sleepers: 0,
            }),
            came: Condvar::new(),
        }
    }

    /// Adds a job to its party's line.
    ///
    /// # Errors
    /// [`StoreError::Busy`] when the party's share of the queue is full, [`StoreError::Closed`].
    pub(crate) fn push(&self, party: Party, job: Box<dyn Job>) -> Result<(), StoreError> {
        let mut state = lock(&self.state);
        state.waiting.push(party, job)?;
        if state.sleepers > 0 {
            drop(state);
            self.came.notify_one();
        }
        Ok(())
    }

    /// Looks for a job for so long, without sleeping.
    pub(crate) fn look(&self, span: Duration) {
        let looked = Stopwatch::start();
        let idle = || lock(&self.state).waiting.is_idle();
        while idle() && looked.elapsed() < span {
            thread::yield_now();
        }
    }

    /// Takes the next job, waiting at most `wait` for one.
    ///
    /// A closed queue gives what it still holds before it says so.
    pub(crate) fn take(&self, wait: Duration) -> Taken {
        let mut state = self.wait(wait, |waiting| waiting.turns.is_empty());
        match state.waiting.turns.next(|_, _| true) {
            Some((party, job)) => Taken::Some(party, job),
            None if state.waiting.closed => Taken::Closed,
            None => Taken::TimedOut,
        }
    }

    /// As [`Self::take`], but only jobs of parties that `may` go; it is told what a party's jobs cost lately.
    pub(crate) fn take_of(&self, wait: Duration, may: impl Fn(Party, u64) -> bool) -> Taken {
        let mut state = self.wait(wait, |waiting| waiting.turns.first(&may).is_none());
        // Once it is closed no new jobs come that could be delayed.
        let Waiting { turns, closed } = &mut state.waiting;
        let first = turns.first(|party, cost| *closed || may(party, cost));
        match first.and_then(|first| turns.next(|party, _| party == first)) {
            Some((party, job)) => Taken::Some(party, job),
            None if *closed => Taken::Closed,
            None => Taken::TimedOut,
        }
    }

    /// As [`Self::take`], but only jobs of parties that `may` go, also when the queue is closed.
    pub(crate) fn take_where(&self, wait: Duration, may: impl Fn(Party) -> bool) -> Taken {
        let may = |party, _| may(party);
        let mut state = self.wait(wait, |waiting| !waiting.turns.any(may));
        match state.waiting.turns.next(may) {
            Some((party, job)) => Taken::Some(party, job),
            None if state.waiting.closed => Taken::Closed,
            None => Taken::TimedOut,
        }
    }

    /// Has those look again who wait for a party that may go only now.
    pub(crate) fn look_again(&self) {
        self.came.notify_all();
    }

    /// Sleeps while the queue is open and `none` can be taken, at most for so long.
    fn wait(&self, wait: Duration, none: impl Fn(&Waiting) -> bool) -> MutexGuard<'_, Writing> {
        let mut state = lock(&self.state);
        let idle = |state: &mut Writing| !state.waiting.closed && none(&state.waiting);
        if !wait.is_zero() && idle(&mut state) {
            state.sleepers += 1;
            let waited = self.came.wait_timeout_while(state, wait, idle);
            (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
            state.sleepers -= 1;
        }
        state
    }

    /// Counts the steps that a party's job took.
    pub(crate) fn charge(&self, party: Party, steps: u64) {
        lock(&self.state).waiting.turns.charge(party, steps);
    }

    /// Returns how many jobs wait.
    pub(crate) fn len(&self) -> usize {
        lock(&self.state).waiting.turns.len()
    }

    /// Refuses further jobs; what waits is still done.
    pub(crate) fn close(&self) {
        lock(&self.state).waiting.closed = true;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Tx;
    use crate::job::TypedJob;

    /// Longer than any test waits.
    const EVER: Duration = Duration::from_secs(86_400);

    fn push(queue: &WriteQueue) {
        let nothing = |_: &mut Tx<'_>| Ok::<_, StoreError>(());
        let (job, _answer) = TypedJob::boxed(nothing, 1, None);
        assert!(queue.push(Party::HUB, job).is_ok());
    }

    #[test]
    fn a_job_wakes_the_writer_that_sleeps() {
        let queue = WriteQueue::new();
        thread::scope(|scope| {
            let taken = scope.spawn(|| queue.take(EVER));
            while lock(&queue.state).sleepers == 0 {
                thread::yield_now();
            }
            push(&queue);
            assert!(matches!(taken.join(), Ok(Taken::Some(..))));
        });
        assert_eq!(lock(&queue.state).sleepers, 0);
    }

    #[test]
    fn looking_ends_with_a_job_or_with_the_queue() {
        let queue = WriteQueue::new();
        thread::scope(|scope| {
            let looking = scope.spawn(|| queue.look(EVER));
            push(&queue);
            assert!(looking.join().is_ok());
            assert!(matches!(queue.take(Duration::ZERO), Taken::Some(..)));
            let looking = scope.spawn(|| queue.look(EVER));
            queue.close();
            assert!(looking.join().is_ok());
        });
    }
}
