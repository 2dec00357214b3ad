//! Days put together: by weeks, months, years, or all in one.

use crate::Day;
use crate::code::coded;

coded! {
    /// How days are put together.
    Rollup {
        /// Each alone.
        Day = "day" / 1,
        /// Those from a Monday to its Sunday.
        Week = "week" / 2,
        /// Those of a month.
        Month = "month" / 3,
        /// Those of a year.
        Year = "year" / 4,
        /// All of them.
        All = "all" / 5,
    }
}

/// Days that follow one another, the last one included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Interval {
    /// The first day.
    pub first: Day,
    /// The last day.
    pub last: Day,
}

/// Returns the intervals from the first day to the last, at most so many. Weeks, months and years are
/// cut where the days begin and end.
pub fn intervals(first: Day, last: Day, rollup: Rollup, most: usize) -> Vec<Interval> {
    let interval = |first: Day| {
        let whole = match rollup {
            Rollup::Day => Some(first),
            Rollup::Week => first.end_of_week(),
            Rollup::Month => Some(first.end_of_month()),
            Rollup::Year => Some(first.end_of_year()),
            Rollup::All => None,
        };
        let last = whole.map_or(last, |end| end.min(last));
        Interval { first, last }
    };
    let within = |day: &Day| *day <= last;
    let next = |before: &Interval| before.last.plus(1).filter(within).map(interval);
    let begun = Some(first).filter(within).map(interval);
    std::iter::successors(begun, next).take(most).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(rollup: Rollup, first: &str, last: &str) -> Vec<String> {
        let [first, last] = [first, last].map(|day| day.parse().unwrap());
        let intervals = intervals(first, last, rollup, 4);
        let show = |interval: Interval| format!("{} {}", interval.first, interval.last);
        intervals.into_iter().map(show).collect()
    }

    #[test]
    fn weeks_begin_on_monday_and_are_cut_at_both_ends() {
        let weeks = shown(Rollup::Week, "2026-01-01", "2026-01-12");
        let expected = [
            "2026-01-01 2026-01-04",
            "2026-01-05 2026-01-11",
            "2026-01-12 2026-01-12",
        ];
        assert_eq!(weeks, expected);
    }

    #[test]
    fn months_and_years_end_with_their_last_day() {
        let months = shown(Rollup::Month, "2028-02-10", "2028-03-01");
        assert_eq!(months, ["2028-02-10 2028-02-29", "2028-03-01 2028-03-01"]);
        let years = shown(Rollup::Year, "2027-12-31", "2028-12-31");
        assert_eq!(years, ["2027-12-31 2027-12-31", "2028-01-01 2028-12-31"]);
    }

    #[test]
    fn days_are_many_and_all_is_one() {
        assert_eq!(shown(Rollup::Day, "2026-01-30", "2026-02-10").len(), 4);
        let all = shown(Rollup::All, "2026-01-30", "2028-02-10");
        assert_eq!(all, ["2026-01-30 2028-02-10"]);
        assert!(shown(Rollup::All, "2026-01-30", "2026-01-29").is_empty());
    }
}
