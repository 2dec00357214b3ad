//! Jobs: work with a place for its result, and somebody who waits for it.

use crate::gate::Gates;
use crate::stopwatch::Stopwatch;
use crate::{StoreError, Tx};
use std::any::type_name;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;
use tokio::sync::oneshot;
use tokio::time::timeout;

/// How often a caller looks whether its job may be given up again, once it could not be.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// A job of any result.
pub(crate) trait Job: Send {
    /// Runs the work and keeps its result; says whether the transaction may be committed.
    fn run(&mut self, tx: &mut Tx<'_>) -> bool;
    /// Returns how many steps of the engine it may take.
    fn steps_max(&self) -> u64;
    /// Returns what it may change: nothing where it only reads.
    fn gates(&self) -> Option<Gates>;
    /// Says whether nobody waits for the result any more.
    fn is_unwanted(&self) -> bool;
    /// Notes that its COMMIT is about to go out: from now on its caller waits for what comes of it. `false`
    /// where the caller was already told that nothing was stored.
    fn begin_commit(&self) -> bool;
    /// Notes that it is not committed, and is to run (again). `false` where it must not: its caller was
    /// told that nothing was stored.
    fn reopen(&self) -> bool;
    /// Tells the caller the result of the last run. What the work holds is gone by then: a caller that
    /// closes its store next is the last to hold it.
    fn answer(self: Box<Self>);
    /// As [`answer`](Self::answer), with an error instead.
    fn fail(self: Box<Self>, error: StoreError);
}

/// How far a job has come, for a caller that does not wait for ever.
#[derive(Debug, Default)]
struct Stage(AtomicU8);

/// No COMMIT of it is out.
const OPEN: u8 = 0;
/// Its COMMIT is out, or about to go out.
const COMMITTING: u8 = 1;
/// Its caller was told that nothing was stored.
const GIVEN_UP: u8 = 2;

impl Stage {
    fn change(&self, from: u8, to: u8) -> bool {
        let changed = self
            .0
            .compare_exchange(from, to, Ordering::AcqRel, Ordering::Acquire);
        changed.is_ok()
    }
}

/// A caller's end of a job.
pub(crate) struct Answer<T, E> {
    receiver: oneshot::Receiver<Result<T, E>>,
    stage: Arc<Stage>,
    came: Stopwatch,
}

/// The job had no answer for so long that its caller is told so.
#[derive(Debug, thiserror::Error)]
#[error("there was no answer in time")]
pub(crate) struct Late;

impl<T, E: From<StoreError>> Answer<T, E> {
    /// Waits for the result so long since the job came, or longer while a COMMIT is out that may store it.
    ///
    /// # Errors
    /// When there was none; then the job is not done.
    pub(crate) async fn within(mut self, limit: Duration) -> Result<Result<T, E>, Late> {
        let mut rest = limit.saturating_sub(self.came.elapsed());
        loop {
            match timeout(rest, &mut self.receiver).await {
                Ok(answered) => {
                    return Ok(answered.unwrap_or_else(|_| Err(StoreError::Closed.into())));
                }
                Err(_) if self.stage.change(OPEN, GIVEN_UP) => return Err(Late),
                Err(_) => rest = LOOK_EVERY,
            }
        }
    }

    /// Waits for the result.
    pub(crate) async fn ever(self) -> Result<T, E> {
        let answered = self.receiver.await;
        answered.unwrap_or_else(|_| Err(StoreError::Closed.into()))
    }

    /// As [`Self::ever`], for threads that are not asynchronous.
    pub(crate) fn blocking(self) -> Result<T, E> {
        let answered = self.receiver.blocking_recv();
        answered.unwrap_or_else(|_| Err(StoreError::Closed.into()))
    }
}

/// A job's work with the place for its result.
pub(crate) struct TypedJob<T, E, F> {
    work: F,
    steps_max: u64,
    gates: Option<Gates>,
    result: Result<T, E>,
    caller: oneshot::Sender<Result<T, E>>,
    stage: Arc<Stage>,
}

impl<T, E, F> TypedJob<T, E, F>
where
    F: FnMut(&mut Tx<'_>) -> Result<T, E> + Send + 'static,
    T: Send + 'static,
    E: From<StoreError> + Send + 'static,
{
    pub(crate) fn boxed(
        work: F,
        steps_max: u64,
        gates: Option<Gates>,
    ) -> (Box<dyn Job>, Answer<T, E>) {
        let (caller, receiver) = oneshot::channel();
        let stage = Arc::<Stage>::default();
        let answer = Answer {
            receiver,
            stage: Arc::clone(&stage),
            came: Stopwatch::start(),
        };
        let result = Err(StoreError::Closed.into());
        let job = Self {
            work,
            steps_max,
            gates,
            result,
            caller,
            stage,
        };
        (Box::new(job), answer)
    }
}

impl<T, E, F> Job for TypedJob<T, E, F>
where
    F: FnMut(&mut Tx<'_>) -> Result<T, E> + Send + 'static,
    T: Send + 'static,
    E: From<StoreError> + Send + 'static,
{
    fn run(&mut self, tx: &mut Tx<'_>) -> bool {
        let work = &mut self.work;
        let result = catch_unwind(AssertUnwindSafe(|| work(tx)));
        let (result, committable) = match result {
            Ok(_) if tx.is_over_budget() => {
                let job = type_name::<F>();
                (Err(StoreError::OverBudget { job }.into()), false)
            }
            Ok(Ok(_)) if tx.has_failed() => (Err(StoreError::ErrorIgnored.into()), false),
            Ok(Ok(value)) => (Ok(value), true),
            // An error before the first write is an answer: there is nothing to roll back.
            Ok(Err(error)) => (Err(error), !tx.has_failed() && !tx.has_written()),
            Err(_) => (Err(StoreError::Panicked.into()), false),
        };
        self.result = result;
        committable
    }

    fn steps_max(&self) -> u64 {
        self.steps_max
    }

    fn gates(&self) -> Option<Gates> {
        self.gates
    }

    fn is_unwanted(&self) -> bool {
        self.caller.is_closed()
    }

    fn begin_commit(&self) -> bool {
        self.stage.change(OPEN, COMMITTING)
    }

    fn reopen(&self) -> bool {
        self.stage.change(COMMITTING, OPEN);
        self.stage.0.load(Ordering::Acquire) == OPEN
    }

    fn answer(self: Box<Self>) {
        let Self {
            work,
            caller,
            result,
            ..
        } = *self;
        drop(work);
        // A caller that went away no longer needs the answer.
        drop(caller.send(result));
    }

    fn fail(mut self: Box<Self>, error: StoreError) {
        self.result = Err(error.into());
        self.answer();
    }
}
