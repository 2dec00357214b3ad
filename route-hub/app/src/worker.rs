//! Workers: what the hub does by itself, for as long as it runs.

use hub_store::StoreError;
use std::future::pending;
use std::time::Duration;

/// Work that is done step by step.
pub(crate) trait Worker: Send {
    /// What the log says of a step that failed.
    const FAILURE: &'static str;
    /// How long to wait after a step that failed. No wake-up ends this wait, so that a database in
    /// trouble is left alone.
    const BACKOFF: Duration;

    /// Takes one step and says when to take the next one.
    fn step(&mut self) -> impl Future<Output = Result<Next, StoreError>> + Send;

    /// Waits for a wake-up. A wake-up during a step must end the wait after that step.
    fn woken(&mut self) -> impl Future<Output = ()> + Send {
        pending()
    }
}

/// When a worker takes its next step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Next {
    /// At once: there is more to do.
    Now,
    /// After this time, or at a wake-up before.
    Within(Duration),
    /// At a wake-up.
    Woken,
}

impl Next {
    /// Goes on at once after a step that found something to do.
    pub(crate) const fn now_if(found: bool, otherwise: Duration) -> Self {
        if found {
            Self::Now
        } else {
            Self::Within(otherwise)
        }
    }
}

/// Takes a worker's steps until it is dropped.
pub(crate) async fn run(worker: impl Worker) {
    run_by(tokio::time::sleep, worker).await;
}

async fn run_by<W: Worker, S: Future<Output = ()>>(sleep: impl Fn(Duration) -> S, mut worker: W) {
    loop {
        match worker.step().await {
            Ok(Next::Now) => {}
            Ok(Next::Within(time)) => tokio::select! {
                () = sleep(time) => {}
                () = worker.woken() => {}
            },
            Ok(Next::Woken) => worker.woken().await,
            Err(error) => {
                hub_store::failed!(error, error, "{}", W::FAILURE);
                sleep(W::BACKOFF).await;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::future::poll_fn;
    use std::pin::Pin;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
    use std::task::{Context, Poll, Waker};
    use tokio::sync::Notify;

    const PAUSE: Duration = Duration::from_secs(3);

    /// Counts its steps, which come to what was written down for them.
    struct Scripted {
        results: Vec<Result<Next, StoreError>>,
        steps: Arc<AtomicUsize>,
        wake: Arc<Notify>,
    }

    impl Worker for Scripted {
        const FAILURE: &'static str = "the script failed";
        const BACKOFF: Duration = Duration::from_secs(10);

        async fn step(&mut self) -> Result<Next, StoreError> {
            self.steps.fetch_add(1, Ordering::Relaxed);
            self.results.pop().unwrap_or(Ok(Next::Woken))
        }

        async fn woken(&mut self) {
            self.wake.notified().await;
        }
    }

    /// A worker under way, on a clock of the test's own.
    struct Running {
        worker: Pin<Box<dyn Future<Output = ()>>>,
        steps: Arc<AtomicUsize>,
        wake: Arc<Notify>,
        now_s: Arc<AtomicU64>,
    }

    impl Running {
        fn new(results: impl IntoIterator<Item = Result<Next, StoreError>>) -> Self {
            let mut results: Vec<_> = results.into_iter().collect();
            results.reverse();
            let (steps, wake) = (Arc::default(), Arc::new(Notify::new()));
            let scripted = Scripted {
                results,
                steps: Arc::clone(&steps),
                wake: Arc::clone(&wake),
            };
            let now_s = Arc::new(AtomicU64::new(0));
            let clock = Arc::clone(&now_s);
            let sleep = move |time: Duration| {
                let clock = Arc::clone(&clock);
                let end_s = clock.load(Ordering::Relaxed) + time.as_secs();
                poll_fn(move |_| {
                    if clock.load(Ordering::Relaxed) < end_s {
                        Poll::Pending
                    } else {
                        Poll::Ready(())
                    }
                })
            };
            Self {
                worker: Box::pin(run_by(sleep, scripted)),
                steps,
                wake,
                now_s,
            }
        }

        /// Returns how many steps were taken until the clock shows so many seconds.
        fn steps_at(&mut self, now_s: u64) -> usize {
            self.now_s.store(now_s, Ordering::Relaxed);
            let waits = self
                .worker
                .as_mut()
                .poll(&mut Context::from_waker(Waker::noop()));
            assert!(waits.is_pending());
            self.steps.load(Ordering::Relaxed)
        }
    }

    #[test]
    fn a_step_with_more_to_do_is_followed_at_once() {
        let mut worker = Running::new([Ok(Next::Now), Ok(Next::Within(PAUSE))]);
        let steps = [0, 2, 3].map(|now_s| worker.steps_at(now_s));
        assert_eq!(steps, [2, 2, 3]);
    }

    #[test]
    fn a_wake_up_ends_a_wait_before_its_time() {
        let mut worker = Running::new([Ok(Next::Within(PAUSE)), Ok(Next::Woken)]);
        assert_eq!(worker.steps_at(0), 1);
        worker.wake.notify_one();
        assert_eq!(worker.steps_at(0), 2);
        assert_eq!(worker.steps_at(100), 2, "no time ends this wait");
        worker.wake.notify_one();
        assert_eq!(worker.steps_at(100), 3);
    }

    #[test]
    fn a_failure_is_followed_by_a_pause_that_no_wake_up_ends() {
        let mut worker = Running::new([Err(StoreError::Busy), Err(StoreError::Busy)]);
        assert_eq!(worker.steps_at(0), 1);
        worker.wake.notify_one();
        assert_eq!([worker.steps_at(9), worker.steps_at(10)], [1, 2]);
        assert_eq!(worker.steps_at(20), 4, "the wake-up was kept");
    }
}
