//! Jobs, and the bounded queue in which they wait for a database thread.

use crate::{StoreError, Tx};
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::oneshot;

/// Most jobs that may wait; above it callers are told [`StoreError::Busy`] at once.
pub(crate) const QUEUE_MAX: usize = 8192;

/// A job of any result.
pub(crate) trait Job: Send {
    /// Runs the work and keeps its result; says whether the transaction may be committed.
    fn run(&mut self, tx: &mut Tx<'_>) -> bool;
    /// Tells the caller the result of the last run.
    fn answer(self: Box<Self>);
    /// Tells the caller an error instead.
    fn fail(self: Box<Self>, error: StoreError);
}

/// A job's work with the place for its result.
pub(crate) struct TypedJob<T, F> {
    work: F,
    result: Result<T, StoreError>,
    caller: oneshot::Sender<Result<T, StoreError>>,
}

impl<T, F> TypedJob<T, F>
where
    F: FnMut(&mut Tx<'_>) -> Result<T, StoreError> + Send + 'static,
    T: Send + 'static,
{
    pub(crate) fn boxed(work: F) -> (Box<dyn Job>, oneshot::Receiver<Result<T, StoreError>>) {
        let (caller, answer) = oneshot::channel();
        let result = Err(StoreError::Closed);
        let job = Self {
            work,
            result,
            caller,
        };
        (Box::new(job), answer)
    }
}

impl<T, F> Job for TypedJob<T, F>
where
    F: FnMut(&mut Tx<'_>) -> Result<T, StoreError> + Send + 'static,
    T: Send + 'static,
{
    fn run(&mut self, tx: &mut Tx<'_>) -> bool {
        let work = &mut self.work;
        let result = catch_unwind(AssertUnwindSafe(|| work(tx)));
        self.result = match result {
            Ok(Ok(_)) if tx.has_failed() => Err(StoreError::ErrorIgnored),
            Ok(result) => result,
            Err(_) => Err(StoreError::Panicked),
        };
        self.result.is_ok()
    }

    fn answer(self: Box<Self>) {
        // A caller that went away no longer needs the answer.
        drop(self.caller.send(self.result));
    }

    fn fail(self: Box<Self>, error: StoreError) {
        drop(self.caller.send(Err(error)));
    }
}

/// Jobs in the order in which they came.
pub(crate) struct JobQueue {
    state: Mutex<QueueState>,
    came: Condvar,
}

struct QueueState {
    jobs: VecDeque<Box<dyn Job>>,
    closed: bool,
}

/// What waiting for jobs came to.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Taken {
    Some,
    TimedOut,
    Closed,
}

impl JobQueue {
    pub(crate) fn new() -> Self {
        let state = QueueState {
            jobs: VecDeque::new(),
            closed: false,
        };
        Self {
            state: Mutex::new(state),
            came: Condvar::new(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, QueueState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a job at the end.
    ///
    /// # Errors
    /// [`StoreError::Busy`] when [`QUEUE_MAX`] jobs wait, [`StoreError::Closed`].
    pub(crate) fn push(&self, job: Box<dyn Job>) -> Result<(), StoreError> {
        let mut state = self.lock();
        if state.closed {
            return Err(StoreError::Closed);
        }
        if state.jobs.len() >= QUEUE_MAX {
            return Err(StoreError::Busy);
        }
        state.jobs.push_back(job);
        drop(state);
        self.came.notify_one();
        Ok(())
    }

    /// Moves up to `max` jobs to the end of `into`, waiting at most `wait` for the first one.
    ///
    /// A closed queue gives what it still holds before it says so.
    pub(crate) fn take(
        &self,
        into: &mut VecDeque<Box<dyn Job>>,
        max: usize,
        wait: Duration,
    ) -> Taken {
        let state = self.lock();
        let idle = |state: &mut QueueState| state.jobs.is_empty() && !state.closed;
        let (mut state, _) = self
            .came
            .wait_timeout_while(state, wait, idle)
            .unwrap_or_else(PoisonError::into_inner);
        if state.jobs.is_empty() {
            return if state.closed {
                Taken::Closed
            } else {
                Taken::TimedOut
            };
        }
        if into.is_empty() && state.jobs.len() <= max {
            std::mem::swap(into, &mut state.jobs);
        } else {
            let count = state.jobs.len().min(max);
            into.extend(state.jobs.drain(..count));
        }
        Taken::Some
    }

    /// Returns how many jobs wait.
    pub(crate) fn len(&self) -> usize {
        self.lock().jobs.len()
    }

    /// Refuses further jobs; what waits is still done.
    pub(crate) fn close(&self) {
        self.lock().closed = true;
        self.came.notify_all();
    }
}
