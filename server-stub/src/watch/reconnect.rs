//! When the phone must be back, and when it must not.

use super::findings::{At, Findings};
use super::{EndedBy, Rule};
use postrider_link::close::CloseCode;
use postrider_link::limits::{DAILY_MS, GOOD_SESSION_MS, REDIAL_MS_MAX, REDIAL_UNKNOWN_MS_MAX};
use postrider_model::{BootMs, Now};

/// The longest wait that a redial may draw at first, in milliseconds; it doubles each time.
const FIRST_MS: u64 = 1_000;

/// What the phone is expected to do next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Expected {
    /// Anything: it has not joined, it is connected, or it left by itself.
    Anything,
    /// To dial until then.
    DialUntil(BootMs),
    /// Not to dial before then.
    SilenceUntil(BootMs),
    /// Never to dial again as it is paired now.
    SilenceForGood,
}

/// The schedule of redials, seen from the hub.
#[derive(Debug, Clone)]
pub(super) struct Reconnect {
    grace_ms: u64,
    expected: Expected,
    ends: u32,
}

impl Reconnect {
    pub(super) const fn new(grace_ms: u64) -> Self {
        Self {
            grace_ms,
            expected: Expected::Anything,
            ends: 0,
        }
    }

    /// Takes in that the phone joined, anew or for the first time.
    pub(super) const fn joined(&mut self) {
        *self = Self::new(self.grace_ms);
    }

    pub(super) fn dialled(&mut self, at: At, findings: &mut Findings) {
        let holds = match self.expected {
            Expected::Anything | Expected::DialUntil(_) => true,
            Expected::SilenceUntil(until) => at.now.boot >= until,
            Expected::SilenceForGood => false,
        };
        let text = || "it dialled after it was told to stop".to_owned();
        findings.check(Rule::Reconnect, at, None, holds, text);
        self.expected = match self.expected {
            Expected::SilenceForGood => Expected::SilenceForGood,
            _ => Expected::Anything,
        };
    }

    /// Takes in that it is connected: what was expected of it has come true.
    pub(super) fn opened(&mut self) {
        if self.expected != Expected::SilenceForGood {
            self.expected = Expected::Anything;
        }
    }

    /// Takes in the end of a connection that was open for `lasted_ms`, or of a dial that came to
    /// nothing; `told_ms` is what a bye said.
    pub(super) fn ended(&mut self, by: EndedBy, lasted_ms: u64, told_ms: Option<u64>, now: Now) {
        if self.expected == Expected::SilenceForGood {
            return;
        }
        if lasted_ms >= GOOD_SESSION_MS {
            self.ends = 0;
        }
        let code = match by {
            EndedBy::PhoneLeft => {
                self.expected = Expected::Anything;
                return;
            }
            EndedBy::Hub(code) | EndedBy::Phone(code) => CloseCode::from_code(code),
            EndedBy::Broken => None,
        };
        let longest_ms = match code {
            Some(CloseCode::NotKnown) => REDIAL_UNKNOWN_MS_MAX,
            _ => REDIAL_MS_MAX,
        };
        let wait_ms = longest_ms.min(FIRST_MS << self.ends.min(10));
        let wait_ms = wait_ms.max(told_ms.unwrap_or(0)) + self.grace_ms;
        let until = now.boot.plus_ms(wait_ms);
        self.ends += 1;
        self.expected = match code {
            Some(CloseCode::NotPaired | CloseCode::JournalWentBack) => Expected::SilenceForGood,
            Some(CloseCode::NeedsNewerApp | CloseCode::VersionNotSpoken) => {
                Expected::SilenceUntil(now.boot.plus_ms(DAILY_MS.saturating_sub(self.grace_ms)))
            }
            Some(CloseCode::Replaced) => Expected::Anything,
            _ => Expected::DialUntil(until),
        };
    }

    pub(super) const fn poll_timeout(&self) -> Option<BootMs> {
        match self.expected {
            Expected::DialUntil(until) => Some(until),
            _ => None,
        }
    }

    pub(super) fn handle_timeout(&mut self, at: At, findings: &mut Findings) {
        if self
            .poll_timeout()
            .is_some_and(|until| until <= at.now.boot)
        {
            self.expected = Expected::Anything;
            let text = || "it did not dial again in time".to_owned();
            findings.check(Rule::Reconnect, at, None, false, text);
        }
    }
}
