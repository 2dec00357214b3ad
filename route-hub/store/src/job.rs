//! Jobs: work with a place for its result, and somebody who waits for it.

use crate::gate::Gates;
use crate::{StoreError, Tx};
use std::any::type_name;
use std::panic::{AssertUnwindSafe, catch_unwind};
use tokio::sync::oneshot;

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
    /// Tells the caller the result of the last run. What the work holds is gone by then: a caller that
    /// closes its store next is the last to hold it.
    fn answer(self: Box<Self>);
    /// As [`answer`](Self::answer), with an error instead.
    fn fail(self: Box<Self>, error: StoreError);
}

/// A job's work with the place for its result.
pub(crate) struct TypedJob<T, E, F> {
    work: F,
    steps_max: u64,
    gates: Option<Gates>,
    result: Result<T, E>,
    caller: oneshot::Sender<Result<T, E>>,
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
    ) -> (Box<dyn Job>, oneshot::Receiver<Result<T, E>>) {
        let (caller, answer) = oneshot::channel();
        let result = Err(StoreError::Closed.into());
        let job = Self {
            work,
            steps_max,
            gates,
            result,
            caller,
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
