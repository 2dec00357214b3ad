//! How long the readings of one request may take, all together.
//!
//! A request may read several times: counts and pages, a count for each kind of use, what it needs
//! before it writes. With a limit on each reading it could hold a reader many times as
//! long. The time of the readings counts, not their wait for a turn: others cause that.

use crate::list::TIME_MAX;
use crate::stopwatch::Stopwatch;
use crate::{StoreError, Tx};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

tokio::task_local! {
    static OF_REQUEST: ReadingTime;
}

/// Answers a request whose readings may take so long, all together; beyond it they end with
/// [`StoreError::TooSlow`]. Readings of other tasks that it starts do not count.
///
/// Within another one it is for a part of the request, and takes no more than is left of that.
pub async fn within_request<F: Future>(limit: Duration, request: F) -> F::Output {
    let whole = OF_REQUEST.try_with(ReadingTime::clone).ok();
    let limit = whole
        .as_ref()
        .map_or(limit, |whole| limit.min(whole.left()));
    let time = ReadingTime::new(limit);
    let output = OF_REQUEST.scope(time.clone(), request).await;
    if let Some(whole) = whole {
        whole.spend(limit.saturating_sub(time.left()));
    }
    output
}

/// What is left of a time, shared by all readings that it is for.
#[derive(Clone)]
pub(crate) struct ReadingTime(Arc<AtomicU64>);

impl ReadingTime {
    fn new(limit: Duration) -> Self {
        Self(Arc::new(AtomicU64::new(micros(limit))))
    }

    /// Returns that of the request which is being answered; outside of requests each reading has
    /// its own.
    pub(crate) fn of_request() -> Self {
        OF_REQUEST
            .try_with(Self::clone)
            .unwrap_or_else(|_| Self::new(TIME_MAX))
    }

    /// Reads within what is left, and takes from it what that took.
    pub(crate) fn read<T, E: From<StoreError>>(
        &self,
        tx: &mut Tx<'_>,
        work: impl FnOnce(&mut Tx<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        let left = self.left();
        if left.is_zero() {
            return Err(StoreError::TooSlow.into());
        }
        let took = Stopwatch::start();
        let read = tx.within(left, work);
        // Engines count in coarser units: a reading that was broken off has used all its time.
        self.spend(if tx.is_too_slow() {
            left
        } else {
            took.elapsed()
        });
        read
    }

    fn left(&self) -> Duration {
        Duration::from_micros(self.0.load(Ordering::Relaxed))
    }

    fn spend(&self, time: Duration) {
        let spent = |left: u64| Some(left.saturating_sub(micros(time)));
        let _ = self
            .0
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, spent);
    }
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}
