//! Incoming calls, and when to ask the log about calls of both directions.
//!
//! ```text
//!  ringing, spoken on -- idle --> looks at 0, 2, 10 and 30 s -- a row for each --> told
//!                                        \-- 60 s --> told as the line told of it
//! ```
//!
//! The log is the truth, but the platform writes it a moment after the line is free, and may not
//! show it to the app at all. Each row is reported once, whoever asked for it. A call without a row
//! after the last look is reported from the line; rows as old as that are then not reported
//! afterwards.

mod line;

pub(crate) use line::{Line, Ring};

use crate::{
    log::Log,
    timers::{Subject, Timer, Timers},
};
use postrider_model::Now;

/// When the call log is looked into after a call, in milliseconds since it ended; the last moment
/// is when it is given up.
pub(crate) const CALL_LOG_LOOKS_MS: [u64; 4] = [2_000, 10_000, 30_000, 60_000];
/// How long a call may last, in milliseconds: a line that is told to be busy for longer is taken
/// for free, lest a change that was never told keep every call back.
pub const CALL_MS_MAX: u64 = 14_400_000;

/// What is to be done about the log now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NextLook {
    /// Ask for it.
    Ask,
    /// Take it that it will not tell.
    GiveUp,
}

/// The looks into the log after calls that just ended.
#[derive(Debug, Default)]
pub(crate) struct Looks {
    /// How many of [`CALL_LOG_LOOKS_MS`] are behind, and since when they are counted.
    running: Option<(usize, Now)>,
}

impl Looks {
    /// Begins to look, unless it does already; returns whether the log is to be asked at once.
    pub(crate) fn begin(&mut self, timers: &mut Timers, now: Now) -> bool {
        if self.running.is_some() {
            return false;
        }
        self.running = Some((0, now));
        self.set_timer(timers);
        true
    }

    /// Looks again, or for the last time.
    pub(crate) fn next(&mut self, timers: &mut Timers) -> Option<NextLook> {
        let (done, _) = self.running.as_mut()?;
        *done += 1;
        if *done == CALL_LOG_LOOKS_MS.len() {
            self.running = None;
            return Some(NextLook::GiveUp);
        }
        self.set_timer(timers);
        Some(NextLook::Ask)
    }

    /// Stops looking: everything was told.
    pub(crate) fn stop(&mut self, timers: &mut Timers) {
        self.running = None;
        timers.stop(Timer::CallLog, Subject::Log(Log::Calls));
    }

    fn set_timer(&self, timers: &mut Timers) {
        if let Some((done, since)) = self.running
            && let Some(wait_ms) = CALL_LOG_LOOKS_MS.get(done)
        {
            let at = since.boot.plus_ms(*wait_ms);
            timers.set(Timer::CallLog, Subject::Log(Log::Calls), at);
        }
    }
}
