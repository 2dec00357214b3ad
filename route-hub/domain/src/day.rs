//! Days of a calendar, as quotas and statistics count them.

use crate::Zone;
use jiff::civil::Date;
use jiff::{Timestamp, ToSpan};
use postrider_model::UnixMs;
use std::fmt;
use std::str::FromStr;

/// A day of the calendar, `YYYY-MM-DD`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Day(Date);

/// Says that a text is no day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InvalidDay;

impl fmt::Display for InvalidDay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("must be a day, as 2026-01-31")
    }
}

impl std::error::Error for InvalidDay {}

/// Writes a moment, in seconds since 1970, in UTC: `2026-01-31T08:30:00Z`. `None` outside of every calendar.
pub fn utc_text(seconds: i64) -> Option<String> {
    Some(Timestamp::from_second(seconds).ok()?.to_string())
}

impl Day {
    /// Returns the day that a zone's calendars show at a moment; `None` outside of every calendar.
    pub fn of(zone: &Zone, at: UnixMs) -> Option<Self> {
        let at = Timestamp::from_millisecond(at.0).ok()?;
        Some(Self(zone.0.to_datetime(at).date()))
    }

    /// Returns when the day begins in a zone; where clocks skip midnight, at the skip.
    pub fn start(self, zone: &Zone) -> Option<UnixMs> {
        let start = self.0.to_zoned(zone.0.clone()).ok()?;
        Some(UnixMs(start.timestamp().as_millisecond()))
    }

    /// Returns the day so many days later, or earlier.
    #[must_use]
    pub fn plus(self, days: i32) -> Option<Self> {
        self.0.checked_add(days.days()).ok().map(Self)
    }

    /// Returns the Sunday of its week, which began on a Monday.
    pub(crate) fn end_of_week(self) -> Option<Self> {
        let days = 7 - i32::from(self.0.weekday().to_monday_one_offset());
        self.plus(days)
    }

    /// Returns the last day of its month.
    pub(crate) fn end_of_month(self) -> Self {
        Self(self.0.last_of_month())
    }

    /// Returns the last day of its year.
    pub(crate) fn end_of_year(self) -> Self {
        Self(self.0.last_of_year())
    }

    /// Returns how many days after `earlier` this one is.
    pub fn since(self, earlier: Self) -> i32 {
        earlier
            .0
            .until(self.0)
            .map_or(0, |between| between.get_days())
    }
}

impl fmt::Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for Day {
    type Err = InvalidDay;

    fn from_str(text: &str) -> Result<Self, InvalidDay> {
        let bytes = text.as_bytes();
        let formed = bytes.len() == 10
            && bytes.iter().enumerate().all(|(at, byte)| match at {
                4 | 7 => *byte == b'-',
                _ => byte.is_ascii_digit(),
            });
        if formed {
            text.parse().map(Self).map_err(|_| InvalidDay)
        } else {
            Err(InvalidDay)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_begins_where_the_zone_says() {
        let day: Day = "2026-03-08".parse().unwrap();
        let utc = day.start(&Zone::UTC).unwrap();
        let there = Zone::find("America/New_York").unwrap();
        assert_eq!(day.start(&there).unwrap().0 - utc.0, 5 * 3_600_000);
        let next = day.plus(1).unwrap();
        // Clocks go forward that day.
        let hours = (next.start(&there).unwrap().0 - day.start(&there).unwrap().0) / 3_600_000;
        assert_eq!(hours, 23);
        assert_eq!(Day::of(&there, day.start(&there).unwrap()), Some(day));
        assert_eq!((next.since(day), day.since(next)), (1, -1));
        assert_eq!(day.to_string(), "2026-03-08");
    }

    #[test]
    fn what_is_no_day_is_refused() {
        for text in [
            "",
            "2026-02-30",
            "2026-1-01",
            "20260101",
            "2026-01-01T00:00",
            "yesterday!",
        ] {
            assert_eq!(text.parse::<Day>(), Err(InvalidDay), "{text}");
        }
    }
}
