//! Recurrence rules: which moments a schedule names.
//!
//! A [`Rule`] is what RFC 2445 calls a recurrence rule, without frequencies below hourly and
//! without `UNTIL`, which schedules say otherwise. A [`Series`] is a rule with its first moment, its
//! end and its zone.
//!
//! # Clocks
//! Rules speak of clocks on the wall: a series keeps its time of day when clocks change. A time
//! that clocks skip is read with the offset before the skip (02:30 becomes 03:30), a time that comes
//! twice is the first of both, as RFC 5545 has it. Hours of hourly rules are hours on the wall too.
//!
//! # Bounds
//! Looking for a moment takes at most [`STEPS_MAX`] steps, each a day or an hour looked at, whatever
//! the rule says. What is not found within them does not come.

mod expand;
mod rule;
mod series;

pub use rule::{COUNT_MAX, InvalidRule, RULE_LENGTH_MAX, Rule, SHIFT_DAYS};
pub use series::{Instance, Series};

/// Most days and hours that are looked at for one moment: a hundred years of days.
pub const STEPS_MAX: u32 = 40_000;

#[cfg(test)]
mod tests;
