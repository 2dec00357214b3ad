//! A rule on the clocks of a zone: moments.

use super::expand::{Budget, Expansion};
use super::rule::Rule;
use crate::Zone;
use jiff::Span;
use postrider_model::UnixMs;

/// How far back clock times are looked at again: further than clocks were ever set at once.
const CLOCKS_SET_MS: i64 = 25 * 3_600_000;

/// The moments of a schedule.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// What recurs.
    pub rule: Rule,
    /// The first moment, whether or not the rule would name it.
    pub start: UnixMs,
    /// No moment is after it; only for what recurs.
    pub end: Option<UnixMs>,
    /// Where its clocks are.
    pub zone: Zone,
}

/// One moment of a series.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Instance {
    /// When it is.
    pub at: UnixMs,
    /// Which one of the series it is, from 1; counted where the rule has a `COUNT`.
    pub number: u32,
}

impl Series {
    /// Returns the first moment that is not before `from`; the very first has no such bound when
    /// nothing recurs.
    pub fn first(&self, from: UnixMs) -> Option<Instance> {
        let first = Instance {
            at: self.start,
            number: 1,
        };
        if !self.rule.recurs() || self.start >= from {
            return Some(first).filter(|first| self.is_within(first.at));
        }
        self.next(first, from)
    }

    /// Returns the first moment that is after an earlier one and not before `from`.
    pub fn next(&self, last: Instance, from: UnixMs) -> Option<Instance> {
        if !self.rule.recurs() {
            return None;
        }
        let shift = Span::new().try_days(self.rule.shift_days).ok()?;
        let named = |at: UnixMs| self.zone.clock(at)?.checked_sub(shift).ok();
        let start = named(self.start)?;
        let expansion = Expansion::new(&self.rule, start)?;
        let mut budget = Budget::full();
        // Only what is counted has to be looked at one by one.
        let passed = match self.rule.count {
            Some(_) => last.at,
            None => last.at.max(from.plus_ms(-1)),
        };
        let mut clock = named(passed.plus_ms(-CLOCKS_SET_MS))?;
        let mut latest = last;
        loop {
            clock = expansion.next(clock, &mut budget)?;
            let at = self.zone.moment_of(clock.checked_add(shift).ok()?)?;
            if at <= latest.at || at <= self.start {
                continue;
            }
            if !self.is_within(at) {
                return None;
            }
            latest = Instance {
                at,
                number: latest.number.saturating_add(1),
            };
            if self.rule.count.is_some_and(|count| latest.number > count) {
                return None;
            }
            if at >= from {
                return Some(latest);
            }
        }
    }

    fn is_within(&self, at: UnixMs) -> bool {
        !self.rule.recurs() || self.end.is_none_or(|end| at <= end)
    }
}
