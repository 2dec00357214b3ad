//! How long a connection may keep the hub waiting, and the one sweep that ends those that do.
//!
//! ```text
//!          bytes come           whole head            answer made
//!  Idle ---------------> Head ---------------> Busy ---------------> Idle
//!                                                \---- WebSocket ---> Open (keeps its own time)
//! ```
//!
//! Nothing is armed while a connection works: it notes what it does in a few atomics, and once a
//! second a sweep looks at all of them. A body is read under the limits of `hub-web`.

use crate::front::cut::Cut;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// How long a connection may stay between two requests; above what proxies keep theirs for.
pub(crate) const IDLE_S_MAX: u32 = 75;
/// How long a request's head may take from its first byte to its last.
pub(crate) const HEAD_S_MAX: u32 = 10;
/// A client that reads an answer takes at least [`WRITE_BYTES_MIN`] in this time, however large
/// the answer is: slow ones end well.
pub(crate) const WRITE_S: u32 = 30;
/// Bytes that a client takes in [`WRITE_S`].
pub(crate) const WRITE_BYTES_MIN: u64 = 4 * 1024;

/// Where a connection stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
enum Phase {
    Idle = 0,
    Head = 1,
    Busy = 2,
    Open = 3,
}

/// What one connection notes.
#[derive(Debug, Default)]
pub struct Progress {
    phase: AtomicU8,
    /// When the phase began, or its last answer moved on.
    since_s: AtomicU32,
    written_bytes: AtomicU64,
    /// Whether something waits to be written that the client does not take.
    is_blocked: AtomicBool,
}

impl Progress {
    /// Bytes came in.
    pub fn read(&self, now_s: u32) {
        if self.phase.load(Ordering::Relaxed) == Phase::Idle as u8 {
            self.enter(Phase::Head, now_s);
        }
    }

    /// The client took bytes.
    pub fn wrote(&self, bytes: usize, now_s: u32) {
        self.written_bytes
            .fetch_add(bytes as u64, Ordering::Relaxed);
        if self.phase.load(Ordering::Relaxed) == Phase::Idle as u8 {
            self.since_s.store(now_s, Ordering::Relaxed);
        }
    }

    /// The client takes nothing more for now.
    pub fn blocked(&self) {
        self.is_blocked.store(true, Ordering::Relaxed);
    }

    /// Everything was taken.
    pub fn flushed(&self) {
        self.is_blocked.store(false, Ordering::Relaxed);
    }

    /// A whole head came: the hub is at work.
    pub fn request(&self, now_s: u32) {
        self.enter(Phase::Busy, now_s);
    }

    /// The answer is made; it may take its time to be written.
    pub fn answered(&self, now_s: u32) {
        self.enter(Phase::Idle, now_s);
    }

    /// A WebSocket opened, which keeps its own deadlines.
    pub fn opened(&self) {
        self.phase.store(Phase::Open as u8, Ordering::Relaxed);
    }

    fn enter(&self, phase: Phase, now_s: u32) {
        self.since_s.store(now_s, Ordering::Relaxed);
        self.phase.store(phase as u8, Ordering::Relaxed);
    }

    fn phase(&self) -> Phase {
        match self.phase.load(Ordering::Relaxed) {
            0 => Phase::Idle,
            1 => Phase::Head,
            2 => Phase::Busy,
            _ => Phase::Open,
        }
    }
}

/// A stretch of time in which a client takes little.
#[derive(Debug, Clone, Copy)]
struct Stretch {
    began_s: u32,
    written_bytes: u64,
}

/// What the sweep knows of one connection.
#[derive(Debug)]
struct Watched {
    progress: Weak<Progress>,
    cut: Arc<Cut>,
    slow: Option<Stretch>,
}

impl Watched {
    /// Says whether the connection is to be kept.
    fn is_kept(&mut self, now_s: u32) -> bool {
        let Some(progress) = self.progress.upgrade() else {
            return false;
        };
        let for_s = now_s.saturating_sub(progress.since_s.load(Ordering::Relaxed));
        let in_time = match progress.phase() {
            Phase::Idle => for_s <= IDLE_S_MAX,
            Phase::Head => for_s <= HEAD_S_MAX,
            Phase::Busy => true,
            Phase::Open => return false,
        };
        if in_time && self.is_read(&progress, now_s) {
            return true;
        }
        self.cut.cut();
        false
    }

    /// Says whether the client takes enough of what is written to it.
    fn is_read(&mut self, progress: &Progress, now_s: u32) -> bool {
        if !progress.is_blocked.load(Ordering::Relaxed) {
            self.slow = None;
            return true;
        }
        let written_bytes = progress.written_bytes.load(Ordering::Relaxed);
        let now = Stretch {
            began_s: now_s,
            written_bytes,
        };
        let stretch = *self.slow.get_or_insert(now);
        if now_s.saturating_sub(stretch.began_s) < WRITE_S {
            return true;
        }
        self.slow = Some(now);
        written_bytes - stretch.written_bytes >= WRITE_BYTES_MIN
    }
}

/// Every connection whose deadlines the hub keeps.
#[derive(Debug, Default)]
pub struct Watch {
    now_s: AtomicU32,
    all: Mutex<All>,
}

#[derive(Debug, Default)]
struct All {
    watched: BTreeMap<u64, Watched>,
    next: u64,
}

impl Watch {
    /// Returns the seconds of the last sweep: exact enough for deadlines, and free.
    pub fn now_s(&self) -> u32 {
        self.now_s.load(Ordering::Relaxed)
    }

    /// Keeps an eye on a connection, until it has gone.
    pub fn add(&self, cut: &Arc<Cut>) -> Arc<Progress> {
        let progress = Arc::new(Progress::default());
        progress.answered(self.now_s());
        let watched = Watched {
            progress: Arc::downgrade(&progress),
            cut: Arc::clone(cut),
            slow: None,
        };
        let mut all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        let number = all.next;
        all.next += 1;
        all.watched.insert(number, watched);
        progress
    }

    /// Ends every connection that is overdue at `now_s`, and forgets those that have gone.
    pub fn sweep(&self, now_s: u32) {
        self.now_s.store(now_s, Ordering::Relaxed);
        let mut all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        all.watched.retain(|_, watched| watched.is_kept(now_s));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct One {
        watch: Watch,
        progress: Arc<Progress>,
        cut: Arc<Cut>,
    }

    impl One {
        fn new() -> Self {
            let (watch, cut) = (Watch::default(), Arc::new(Cut::default()));
            let progress = watch.add(&cut);
            Self {
                watch,
                progress,
                cut,
            }
        }

        fn ends_at(&self, now_s: u32) -> bool {
            self.watch.sweep(now_s);
            self.cut.is_cut()
        }
    }

    #[test]
    fn an_idle_connection_ends_and_each_request_begins_anew() {
        let one = One::new();
        one.progress.request(70);
        assert!(!one.ends_at(500), "the hub is at work");
        one.progress.answered(500);
        assert!(!one.ends_at(575));
        assert!(one.ends_at(576));
    }

    #[test]
    fn a_head_that_drips_has_its_time_from_the_first_byte_on() {
        let one = One::new();
        for now_s in 20..=30 {
            one.progress.read(now_s);
            assert!(!one.ends_at(now_s), "{now_s}");
        }
        one.progress.read(31);
        assert!(one.ends_at(31));
    }

    #[test]
    fn a_slow_download_ends_well_and_one_that_stands_does_not() {
        let one = One::new();
        one.progress.answered(0);
        one.progress.blocked();
        for now_s in 1..2_000 {
            one.progress.wrote(140, now_s);
            assert!(!one.ends_at(now_s), "{now_s}");
        }
        let ended = (2_000..2_062).find(|now_s| {
            one.progress.wrote(1, *now_s);
            one.ends_at(*now_s)
        });
        assert!(ended.is_some());
    }

    #[test]
    fn who_has_taken_everything_is_not_slow() {
        let one = One::new();
        one.progress.request(0);
        one.progress.blocked();
        assert!(!one.ends_at(29));
        one.progress.flushed();
        assert!(!one.ends_at(31));
        one.progress.blocked();
        assert!(!one.ends_at(60));
        assert!(one.ends_at(90));
    }

    #[test]
    fn an_open_link_keeps_its_own_time_and_who_has_gone_is_forgotten() {
        let one = One::new();
        let gone = One::new();
        one.progress.opened();
        assert!(!one.ends_at(10_000));
        assert!(one.watch.all.lock().unwrap().watched.is_empty());
        drop(gone.progress);
        gone.watch.sweep(1);
        assert!(gone.watch.all.lock().unwrap().watched.is_empty());
    }
}
