//! What keeps a process from working on when others have taken its place.

use crate::stopwatch::boot_ms;
use std::sync::atomic::{AtomicU64, Ordering};
use tokio::sync::watch;

/// How long after its last answered beat a process may still begin a post. Who takes over waits for
/// longer, and so nothing is posted by both.
const POSTS_MS: u64 = 3_000;

/// Whether this process still counts. One that stood still for long is taken over: it commits nothing
/// any more, and is to end.
#[derive(Debug)]
pub(crate) struct Fence {
    has_ended: watch::Sender<bool>,
    /// When the last beat was sent that was answered, on the machine's own clock.
    beat_ms: AtomicU64,
}

impl Fence {
    pub(crate) fn new() -> Self {
        Self {
            has_ended: watch::Sender::new(false),
            beat_ms: AtomicU64::new(boot_ms()),
        }
    }

    /// Notes that another process has taken over.
    pub(crate) fn end(&self) {
        self.has_ended.send_replace(true);
    }

    pub(crate) fn has_ended(&self) -> bool {
        *self.has_ended.borrow()
    }

    /// Becomes true once this process is to end.
    pub(crate) fn watch(&self) -> watch::Receiver<bool> {
        self.has_ended.subscribe()
    }

    /// Notes that a beat was answered, and when it was sent.
    pub(crate) fn beat(&self, sent_ms: u64) {
        self.beat_ms.store(sent_ms, Ordering::Release);
    }

    /// Says whether something may begin now that only one process may do.
    pub(crate) fn may_post(&self) -> bool {
        let since_ms = boot_ms().saturating_sub(self.beat_ms.load(Ordering::Acquire));
        since_ms <= POSTS_MS && !self.has_ended()
    }
}
