//! What a service manager such as systemd is told; without one, nobody is.

use sd_notify::NotifyState;

/// Tells that the hub serves.
pub(super) fn tell_ready() {
    tell(NotifyState::Ready);
}

/// Tells that the hub has begun to stop.
pub(super) fn tell_stopping() {
    tell(NotifyState::Stopping);
}

fn tell(state: NotifyState<'_>) {
    if let Err(error) = sd_notify::notify(&[state]) {
        tracing::warn!(%error, "the service manager could not be told of the hub's state");
    }
}
