//! The end of a connection that the hub decides on, whatever its task waits for.

use futures_util::task::AtomicWaker;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::Context;

/// Ends one connection: its next read or write fails, and a task that waits for one wakes up.
#[derive(Debug, Default)]
pub struct Cut {
    is_cut: AtomicBool,
    reader: AtomicWaker,
    writer: AtomicWaker,
}

impl Cut {
    /// Ends the connection.
    pub fn cut(&self) {
        self.is_cut.store(true, Ordering::Release);
        self.reader.wake();
        self.writer.wake();
    }

    /// Says whether the connection was ended.
    pub fn is_cut(&self) -> bool {
        self.is_cut.load(Ordering::Acquire)
    }

    /// Has a task woken that waits to read.
    pub(crate) fn wake_reader(&self, context: &Context<'_>) {
        self.reader.register(context.waker());
    }

    /// Has a task woken that waits to write.
    pub(crate) fn wake_writer(&self, context: &Context<'_>) {
        self.writer.register(context.waker());
    }
}
