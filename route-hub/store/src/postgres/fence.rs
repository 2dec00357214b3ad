//! What keeps a process from working on when others have taken its place.

use tokio::sync::watch;

/// Whether this process still counts. One that stood still for long is taken over: it commits nothing
/// any more, and is to end.
#[derive(Debug)]
pub(crate) struct Fence(watch::Sender<bool>);

impl Fence {
    pub(crate) fn new() -> Self {
        Self(watch::Sender::new(false))
    }

    /// Notes that another process has taken over.
    pub(crate) fn end(&self) {
        self.0.send_replace(true);
    }

    pub(crate) fn has_ended(&self) -> bool {
        *self.0.borrow()
    }

    /// Becomes true once this process is to end.
    pub(crate) fn watch(&self) -> watch::Receiver<bool> {
        self.0.subscribe()
    }
}
