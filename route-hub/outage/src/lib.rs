//! What a hub needs and cannot reach: its database, the place of its files, NATS, name servers.
//!
//! However many jobs fail meanwhile, the log has a line when it goes away, one a minute with their
//! count, and one when it is back. What comes and goes has no more lines than what stays away.

use std::fmt::Display;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
pub use tracing::Level;

/// How often the log hears of what is away.
const TELL_EVERY: Duration = Duration::from_secs(60);

/// Something that may be away.
#[derive(Debug)]
pub struct Outage {
    level: Level,
    away: &'static str,
    back: &'static str,
    /// Whether it is: known without the lock, for what works is told all the time.
    is_away: AtomicBool,
    state: Mutex<State>,
}

impl Outage {
    /// Begins with what is there. The log says at a level, `WARN` or `ERROR`, that it is `away`, and
    /// then that it is `back`.
    pub const fn new(level: Level, away: &'static str, back: &'static str) -> Self {
        Self {
            level,
            away,
            back,
            is_away: AtomicBool::new(false),
            state: Mutex::new(State::NEW),
        }
    }

    /// Takes a failure, which says why.
    pub fn failed(&self, why: &dyn Display) {
        let line = {
            let mut state = self.state();
            self.is_away.store(true, Ordering::Release);
            state.failed(now())
        };
        let Some(Line { failures, away_s }) = line else {
            return;
        };
        if self.level == Level::ERROR {
            tracing::error!(%why, failures, away_s, "{}", self.away);
        } else {
            tracing::warn!(%why, failures, away_s, "{}", self.away);
        }
    }

    /// Takes that it did what it was asked.
    pub fn worked(&self) {
        if !self.is_away.load(Ordering::Acquire) {
            return;
        }
        let line = {
            let mut state = self.state();
            self.is_away.store(false, Ordering::Release);
            state.worked(now())
        };
        if let Some(Line { failures, away_s }) = line {
            tracing::info!(failures, away_s, "{}", self.back);
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "the one place of this crate that reads a clock: when a line is due"
)]
fn now() -> Instant {
    Instant::now()
}

/// What a line says: how many failures there were since the last one, and how long it has been away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Line {
    failures: u64,
    away_s: u64,
}

#[derive(Debug)]
struct State {
    /// Since when it is away.
    since: Option<Instant>,
    /// Failures that no line has counted.
    failures: u64,
    /// When the log was told last that it is away.
    told: Option<Instant>,
    /// Whether it was told since it went away.
    is_told: bool,
}

impl State {
    const NEW: Self = Self {
        since: None,
        failures: 0,
        told: None,
        is_told: false,
    };

    fn failed(&mut self, now: Instant) -> Option<Line> {
        self.since.get_or_insert(now);
        self.failures += 1;
        let is_due = |told| now.saturating_duration_since(told) >= TELL_EVERY;
        if !self.told.is_none_or(is_due) {
            return None;
        }
        self.told = Some(now);
        self.is_told = true;
        Some(self.line(now))
    }

    fn worked(&mut self, now: Instant) -> Option<Line> {
        let line = std::mem::take(&mut self.is_told).then(|| self.line(now));
        self.since = None;
        line
    }

    fn line(&mut self, now: Instant) -> Line {
        let away = self.since.map(|since| now.saturating_duration_since(since));
        Line {
            failures: std::mem::take(&mut self.failures),
            away_s: away.unwrap_or_default().as_secs(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(failures: u64, away_s: u64) -> Option<Line> {
        Some(Line { failures, away_s })
    }

    #[test]
    fn what_is_away_is_told_once_then_once_a_minute_with_a_count_and_once_when_it_is_back() {
        let (mut state, began) = (State::NEW, now());
        let at = |s| began + Duration::from_secs(s);
        assert_eq!(state.failed(at(0)), line(1, 0));
        for s in 1..60 {
            assert_eq!(state.failed(at(s)), None);
        }
        assert_eq!(state.failed(at(60)), line(60, 60));
        assert_eq!(state.failed(at(61)), None);
        assert_eq!(state.worked(at(90)), line(1, 90));
        assert_eq!(state.worked(at(91)), None);
        assert_eq!(state.failed(at(200)), line(1, 0), "it is news again");
    }

    #[test]
    fn what_comes_and_goes_is_told_once_a_minute() {
        let (mut state, began) = (State::NEW, now());
        let at = |s| began + Duration::from_secs(s);
        assert_eq!(state.failed(at(0)), line(1, 0));
        assert_eq!(state.worked(at(1)), line(0, 1));
        for s in 1..30 {
            assert_eq!(state.failed(at(2 * s)), None);
            assert_eq!(
                state.worked(at(2 * s + 1)),
                None,
                "nobody was told that it was away"
            );
        }
        assert_eq!(state.failed(at(60)), line(30, 0));
    }
}
