//! When something happens, by the phone's clock and calendar.

use postrider_model::UnixMs;

/// A day in the phone's time zone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Day {
    /// Its year times a thousand, and which day of that year it is, from 1.
    pub number: u32,
    /// When it began.
    pub began: UnixMs,
}

/// A moment, and the day that it is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Moment {
    /// The moment.
    pub at: UnixMs,
    /// The day.
    pub day: Day,
}
