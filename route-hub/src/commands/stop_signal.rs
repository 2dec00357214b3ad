//! The word to stop: Ctrl-C or SIGTERM.

use std::io;
use tokio::signal::unix::{Signal, SignalKind, signal};

/// Both signals.
pub(super) struct StopSignal {
    interrupt: Signal,
    terminate: Signal,
}

impl StopSignal {
    /// Begins to listen: from now on the signals do not end the process by themselves.
    pub(super) fn listen() -> io::Result<Self> {
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
        })
    }

    /// Waits for one of them.
    pub(super) async fn given(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }
}
