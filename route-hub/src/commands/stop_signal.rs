//! The signal to stop: Ctrl-C or SIGTERM.

use std::io;
use tokio::signal::unix::{Signal, SignalKind, signal};

/// Both signals.
pub(super) struct StopSignal {
    interrupt: Signal,
    terminate: Signal,
}

impl StopSignal {
    /// Starts listening: from now on the signals alone do not end the process.
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
