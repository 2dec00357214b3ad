//! What the threads of the store are worth to the system's scheduler.
//!
//! A list may keep a reader busy for seconds, while the writer and the threads that answer requests
//! work in short pieces. Where the processors are all busy, each of those pieces would wait for its
//! turn behind the lists; so the readers of lists go after them.

/// How much lower, in steps of `nice`: a third of another thread's share where both want a processor.
#[cfg(target_os = "linux")]
const NICE: i32 = 5;

/// Lowers the priority of the thread that calls.
#[cfg(target_os = "linux")]
pub(crate) fn lower() {
    // Here a thread has a priority of its own. A system that refuses is none the worse for it.
    let _ = rustix::process::nice(NICE);
}

/// Elsewhere a priority is the whole process's: it stays.
#[cfg(not(target_os = "linux"))]
pub(crate) fn lower() {}
