//! Counting messages by where their short links lead.

use crate::Quarter;

/// Destinations of a project and day that are counted by name.
const DESTINATIONS_MAX: i64 = 1_000;
/// Quarter hours of a day of UTC.
const QUARTERS: i64 = 96;

/// What a message with short links is counted under.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CountedLink {
    /// Once for each message, however many links it has.
    Any,
    /// A destination that came when its day had as many as it may have.
    Other,
    /// A destination, by its number.
    Destination(i64),
}

impl CountedLink {
    /// Returns it as it is stored.
    pub const fn code(self) -> i64 {
        match self {
            Self::Any => -2,
            Self::Other => -1,
            Self::Destination(number) => number,
        }
    }

    /// Returns what is stored as this.
    pub const fn from_code(code: i64) -> Option<Self> {
        match code {
            -2 => Some(Self::Any),
            -1 => Some(Self::Other),
            0.. => Some(Self::Destination(code)),
            _ => None,
        }
    }
}

/// Returns the numbers of the destinations that may be counted by name on the day of UTC of a quarter hour:
/// from the first until before the last.
pub fn destinations_of_day(quarter: Quarter) -> (i64, i64) {
    let first = quarter.0.div_euclid(QUARTERS).max(0) * DESTINATIONS_MAX;
    (first, first + DESTINATIONS_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_of_two_days_do_not_meet() {
        let day = |quarter| destinations_of_day(Quarter(quarter));
        assert_eq!(day(95), (0, 1_000));
        assert_eq!(day(96), (1_000, 2_000));
        assert_eq!(day(-1), (0, 1_000), "nothing was made before 1970");
    }

    #[test]
    fn what_links_are_counted_under_reads_back() {
        for link in [
            CountedLink::Any,
            CountedLink::Other,
            CountedLink::Destination(7),
        ] {
            assert_eq!(CountedLink::from_code(link.code()), Some(link));
        }
        assert_eq!(CountedLink::from_code(-3), None);
    }
}
