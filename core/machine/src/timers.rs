//! Every timer of the agent, in one table.
//!
//! A timer belongs to a subject (the agent, a SIM or a message) and each subject has each timer at
//! most once: setting it again moves it. All run on the boot clock, which counts sleep.

use crate::{log::Log, token::MessageRef};
use postrider_model::{BootMs, SimSlot};
use std::collections::BTreeMap;

/// What to do at a [`Deadline`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Timer {
    /// When to look at the link again: a ping, a missing answer, or dialling again.
    Link,
    /// When to end a message that has expired and was not submitted.
    Expiry,
    /// When to put a message that waits for its own retry back into its SIM's queue.
    Retry,
    /// When to stop submitting on a SIM because a sent result is missing, and to ask the platform's
    /// provider for it.
    Silence,
    /// When to make a submitted message unknown.
    GiveUpOnResult,
    /// When to stop waiting for delivery reports, so that `sent` is final.
    ReportWindow,
    /// When to try a held SIM again.
    LookAtSim,
    /// When to hand back a message that another phone could send and that waits here too long.
    HandBack,
    /// When the next message of a SIM may leave: pace, gap, or the end of quiet hours.
    NextSlot,
    /// When the next USSD code of a SIM may be dialled: the end of quiet hours, or a look.
    NextUssd,
    /// When the next call of a SIM may be placed: the end of quiet hours, or a look.
    NextCall,
    /// When to stop waiting for the line to change after a placed call.
    LineSilent,
    /// When to treat a line as idle that has been busy for too long.
    LineStuck,
    /// When to look into the call log again for the calls that just ended.
    CallLog,
    /// When to read a log of the platform.
    Scan,
    /// When to make a test message unknown.
    TestGivenUp,
    /// When to undo one halving of the pace.
    PaceRecovers,
    /// When to report the health that has changed.
    Health,
    /// When to erase texts of finished messages and to forget old rows.
    Housekeeping,
}

/// Whom a timer belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Subject {
    /// The agent as a whole.
    Agent,
    /// One SIM slot.
    Sim(SimSlot),
    /// One of the platform's logs.
    Log(Log),
    /// One exposure of a message.
    Message(MessageRef),
}

/// When to call `handle_timeout`, and why.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Deadline {
    /// The moment on the boot clock.
    pub at: BootMs,
    /// What waits for it.
    pub reason: Timer,
}

/// The table.
#[derive(Debug, Default)]
pub(crate) struct Timers {
    /// By time, then by timer.
    by_time: BTreeMap<(BootMs, u128), (Timer, Subject)>,
    /// By subject.
    by_subject: BTreeMap<u128, (BootMs, Timer)>,
}

impl Timers {
    /// Sets or moves a timer.
    pub(crate) fn set(&mut self, timer: Timer, subject: Subject, at: BootMs) {
        let turn = turn(timer, subject);
        let now = (at, timer);
        if let Some((old, _)) = self.by_subject.insert(place(timer, subject), now) {
            if old == at {
                return;
            }
            self.by_time.remove(&(old, turn));
        }
        self.by_time.insert((at, turn), (timer, subject));
    }

    /// Stops a timer, if it runs.
    pub(crate) fn stop(&mut self, timer: Timer, subject: Subject) {
        if let Some((at, _)) = self.by_subject.remove(&place(timer, subject)) {
            self.by_time.remove(&(at, turn(timer, subject)));
        }
    }

    /// Stops all timers of a message.
    pub(crate) fn stop_message(&mut self, message: MessageRef) {
        let subject = Subject::Message(message);
        let all = place(Timer::Link, subject)..=place(Timer::Housekeeping, subject);
        while let Some((&key, &(at, timer))) = self.by_subject.range(all.clone()).next() {
            self.by_subject.remove(&key);
            self.by_time.remove(&(at, turn(timer, subject)));
        }
    }

    /// Returns when a timer fires.
    pub(crate) fn get(&self, timer: Timer, subject: Subject) -> Option<BootMs> {
        let found = self.by_subject.get(&place(timer, subject));
        found.map(|(at, _)| *at)
    }

    /// Removes and returns the earliest timer that is due.
    pub(crate) fn take_due(&mut self, now: BootMs) -> Option<(Timer, Subject)> {
        let (&(at, _), &(timer, subject)) = self.by_time.first_key_value()?;
        if at > now {
            return None;
        }
        self.stop(timer, subject);
        Some((timer, subject))
    }

    /// Returns the earliest deadline that is worth waking a phone for.
    pub(crate) fn next_that(&self, wakes: impl Fn(Timer, Subject) -> bool) -> Option<Deadline> {
        let mut all = self.by_time.iter();
        let found = all.find(|(_, (timer, subject))| wakes(*timer, *subject));
        found.map(|(&(at, _), &(reason, _))| Deadline { at, reason })
    }

    /// Returns the earliest deadline.
    pub(crate) fn next(&self) -> Option<Deadline> {
        let first = self.by_time.first_key_value();
        first.map(|(&(at, _), &(reason, _))| Deadline { at, reason })
    }
}

/// Returns a number that sorts by subject, then by timer.
const fn place(timer: Timer, subject: Subject) -> u128 {
    number(subject) << 8 | timer as u128
}

/// Returns a number that sorts by timer, then by subject.
const fn turn(timer: Timer, subject: Subject) -> u128 {
    (timer as u128) << 112 | number(subject)
}

/// Returns a number of 104 bits that sorts by subject.
const fn number(subject: Subject) -> u128 {
    let (kind, rest) = match subject {
        Subject::Agent => (0, 0),
        Subject::Sim(sim) => (1, sim.get() as u128),
        Subject::Log(log) => (2, log as u128),
        Subject::Message(MessageRef { id, ep }) => {
            (3, (id.get().cast_unsigned() as u128) << 32 | ep as u128)
        }
    };
    kind << 96 | rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use postrider_model::{Key, MessageId};

    fn message(n: i64) -> MessageRef {
        MessageRef {
            id: MessageId::new(Key::new(n).unwrap()),
            ep: 1,
        }
    }

    #[test]
    fn a_timer_that_is_set_again_moves() {
        let mut timers = Timers::default();
        timers.set(Timer::Health, Subject::Agent, BootMs(10));
        timers.set(Timer::Health, Subject::Agent, BootMs(20));
        assert_eq!(timers.take_due(BootMs(19)), None);
        assert_eq!(
            timers.take_due(BootMs(20)),
            Some((Timer::Health, Subject::Agent))
        );
        assert_eq!(timers.next(), None);
    }

    #[test]
    fn a_message_takes_all_its_timers_and_nobody_elses_with_it() {
        let mut timers = Timers::default();
        for n in [1, 2] {
            timers.set(Timer::Expiry, Subject::Message(message(n)), BootMs(5));
            timers.set(Timer::Retry, Subject::Message(message(n)), BootMs(6));
        }
        timers.stop_message(message(1));
        assert_eq!(
            timers.take_due(BootMs(9)),
            Some((Timer::Expiry, Subject::Message(message(2))))
        );
        assert_eq!(
            timers.take_due(BootMs(9)),
            Some((Timer::Retry, Subject::Message(message(2))))
        );
        assert_eq!(timers.take_due(BootMs(9)), None);
    }
}
