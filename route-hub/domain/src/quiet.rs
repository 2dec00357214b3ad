//! Quiet hours: from clock times in a zone to moments.
//!
//! A moment is quiet when a clock on the wall there stands at or after the start and before the
//! end. Where clocks are turned back over an end, the later passage ends the quiet, over a start
//! the earlier one begins it; a time that clocks skip counts as the moment of the skip. So nobody
//! is written to in hours that are quiet by either reading.

use jiff::Timestamp;
use jiff::civil::{Date, DateTime, Time};
use jiff::tz::{AmbiguousOffset, TimeZone};
use postrider_model::UnixMs;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// Most days that are looked ahead at once.
const DAYS_MAX: i64 = 366;
/// One day by the clock of physics.
const DAY_MS: i64 = 86_400_000;

/// A zone of the tz database, which is part of the program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Zone(pub(crate) TimeZone);

impl Zone {
    /// Coordinated universal time.
    pub const UTC: Self = Self(TimeZone::UTC);

    /// Finds a zone by its IANA name, in any case; an alias is one too.
    pub fn find(name: &str) -> Option<Self> {
        TimeZone::get(name).ok().map(Self)
    }

    /// Returns its name as the database writes it.
    pub fn name(&self) -> &str {
        self.0.iana_name().unwrap_or("UTC")
    }

    /// Returns what clocks there show.
    pub(crate) fn clock(&self, at: UnixMs) -> Option<DateTime> {
        let at = Timestamp::from_millisecond(at.0).ok()?;
        Some(self.0.to_datetime(at))
    }

    /// Returns when clocks there show this: of two passages the first, and a time that is skipped
    /// by the offset before the skip.
    pub(crate) fn moment_of(&self, clock: DateTime) -> Option<UnixMs> {
        let moment = self.0.to_ambiguous_timestamp(clock).compatible().ok()?;
        Some(UnixMs(moment.as_millisecond()))
    }

    fn date(&self, at: UnixMs) -> Option<Date> {
        let at = Timestamp::from_millisecond(at.0).ok()?;
        Some(self.0.to_datetime(at).date())
    }

    /// Returns when clocks there show a time of a day.
    fn moment(&self, date: Date, time: TimeOfDay, which: Which) -> Option<UnixMs> {
        let local = date.to_datetime(Time::new(time.hour, time.minute, 0, 0).ok()?);
        let read = self.0.to_ambiguous_timestamp(local);
        let moment = match read.offset() {
            AmbiguousOffset::Unambiguous { .. } => read.compatible().ok()?,
            AmbiguousOffset::Fold { .. } => match which {
                Which::Start => read.earlier().ok()?,
                Which::End => read.later().ok()?,
            },
            AmbiguousOffset::Gap { .. } => {
                let before = read.earlier().ok()?;
                self.0.following(before).next()?.timestamp()
            }
        };
        Some(UnixMs(moment.as_millisecond()))
    }
}

#[derive(Clone, Copy)]
enum Which {
    Start,
    End,
}

/// A time on a clock, `HH:MM`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct TimeOfDay {
    hour: i8,
    minute: i8,
}

/// Says that a text is no time of day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InvalidTime;

impl fmt::Display for InvalidTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("must be a time of day, HH:MM")
    }
}

impl std::error::Error for InvalidTime {}

impl FromStr for TimeOfDay {
    type Err = InvalidTime;

    fn from_str(text: &str) -> Result<Self, InvalidTime> {
        let two = |text: &str, most: i8| {
            let digits = text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_digit());
            let value: i8 = text.parse().ok()?;
            (digits && value <= most).then_some(value)
        };
        let (hour, minute) = text.split_once(':').ok_or(InvalidTime)?;
        Ok(Self {
            hour: two(hour, 23).ok_or(InvalidTime)?,
            minute: two(minute, 59).ok_or(InvalidTime)?,
        })
    }
}

impl TryFrom<String> for TimeOfDay {
    type Error = InvalidTime;

    fn try_from(text: String) -> Result<Self, InvalidTime> {
        text.parse()
    }
}

impl From<TimeOfDay> for String {
    fn from(time: TimeOfDay) -> Self {
        time.to_string()
    }
}

impl TimeOfDay {
    /// Returns it on a day.
    pub(crate) fn on(self, date: Date) -> Option<DateTime> {
        let time = Time::new(self.hour, self.minute, 0, 0).ok()?;
        Some(date.to_datetime(time))
    }
}

impl fmt::Display for TimeOfDay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:02}:{:02}", self.hour, self.minute)
    }
}

/// A stretch of time, its end exclusive.
pub type Window = (UnixMs, UnixMs);

/// The hours of each day in which nothing leaves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QuietHours {
    /// When they begin.
    pub start: TimeOfDay,
    /// When they end; before `start`, it is the next day's.
    pub end: TimeOfDay,
    /// Where.
    pub zone: Zone,
}

impl QuietHours {
    /// Returns the quiet stretches that end after `from` and begin before `until`, in their order.
    ///
    /// They do not touch each other. At most a year is looked at.
    pub fn windows(&self, from: UnixMs, until: UnixMs) -> Vec<Window> {
        let days = ((until.0 - from.0) / DAY_MS + 3).clamp(0, DAYS_MAX);
        let mut windows: Vec<Window> = Vec::new();
        let yesterday = self.zone.date(from).and_then(|day| day.yesterday().ok());
        let mut day = yesterday;
        for _ in 0..days {
            let Some(today) = day else { break };
            day = today.tomorrow().ok();
            let Some((start, end)) = self.window(today) else {
                continue;
            };
            if end <= from || start >= until || start >= end {
                continue;
            }
            match windows.last_mut() {
                Some(last) if start <= last.1 => last.1 = last.1.max(end),
                _ => windows.push((start, end)),
            }
        }
        windows
    }

    /// Returns the end of the quiet stretch that a moment lies in.
    pub fn until(&self, now: UnixMs) -> Option<UnixMs> {
        let windows = self.windows(now, now.plus_ms(1));
        let window = windows
            .into_iter()
            .find(|(start, end)| (*start..*end).contains(&now))?;
        Some(window.1)
    }

    /// Returns the stretch that begins on a day.
    fn window(&self, day: Date) -> Option<Window> {
        let last = if self.start < self.end {
            day
        } else {
            day.tomorrow().ok()?
        };
        let start = self.zone.moment(day, self.start, Which::Start)?;
        Some((start, self.zone.moment(last, self.end, Which::End)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn hours(start: &str, end: &str, zone: &str) -> QuietHours {
        QuietHours {
            start: start.parse().unwrap(),
            end: end.parse().unwrap(),
            zone: Zone::find(zone).unwrap(),
        }
    }

    fn at(text: &str) -> UnixMs {
        UnixMs(text.parse::<Timestamp>().unwrap().as_millisecond())
    }

    fn shown(windows: Vec<Window>) -> Vec<(String, String)> {
        let text = |at: UnixMs| Timestamp::from_millisecond(at.0).unwrap().to_string();
        windows
            .into_iter()
            .map(|(start, end)| (text(start), text(end)))
            .collect()
    }

    fn first(hours: &QuietHours, from: &str) -> (String, String) {
        let from = at(from);
        shown(hours.windows(from, from.plus_ms(DAY_MS))).remove(0)
    }

    fn pair(start: &str, end: &str) -> (String, String) {
        (start.to_owned(), end.to_owned())
    }

    #[test]
    fn a_night_ends_on_the_next_day() {
        let night = hours("22:00", "07:30", "Africa/Nairobi");
        let (from, until) = (at("2026-03-10T12:00:00Z"), at("2026-03-12T12:00:00Z"));
        assert_eq!(
            shown(night.windows(from, until)),
            [
                pair("2026-03-10T19:00:00Z", "2026-03-11T04:30:00Z"),
                pair("2026-03-11T19:00:00Z", "2026-03-12T04:30:00Z"),
            ]
        );
        assert_eq!(night.until(at("2026-03-10T18:59:59.999Z")), None);
        let end = Some(at("2026-03-11T04:30:00Z"));
        assert_eq!(night.until(at("2026-03-10T19:00:00Z")), end);
        assert_eq!(night.until(at("2026-03-11T04:29:59.999Z")), end);
        assert_eq!(night.until(at("2026-03-11T04:30:00Z")), None);
    }

    #[test]
    fn hours_within_a_day_end_on_it() {
        let noon = hours("12:00", "14:00", "UTC");
        assert_eq!(
            first(&noon, "2026-03-10T13:00:00Z"),
            pair("2026-03-10T12:00:00Z", "2026-03-10T14:00:00Z")
        );
        assert_eq!(noon.until(at("2026-03-10T11:00:00Z")), None);
    }

    #[test]
    fn a_time_that_clocks_skip_is_the_moment_of_the_skip() {
        // New York, 2026-03-08: 02:00 is followed by 03:00, at 07:00Z.
        let end_skipped = hours("22:00", "02:30", "America/New_York");
        assert_eq!(
            first(&end_skipped, "2026-03-08T06:00:00Z"),
            pair("2026-03-08T03:00:00Z", "2026-03-08T07:00:00Z")
        );
        let start_skipped = hours("02:30", "05:00", "America/New_York");
        assert_eq!(
            first(&start_skipped, "2026-03-08T06:00:00Z"),
            pair("2026-03-08T07:00:00Z", "2026-03-08T09:00:00Z")
        );
        let all_skipped = hours("02:10", "02:50", "America/New_York");
        let day = at("2026-03-08T05:00:00Z");
        assert_eq!(all_skipped.windows(day, day.plus_ms(DAY_MS / 2)), []);
    }

    #[test]
    fn a_time_that_comes_twice_is_quiet_both_times() {
        // New York, 2026-11-01: 01:00 to 02:00 comes twice, from 05:00Z and from 06:00Z.
        let end_twice = hours("22:00", "01:30", "America/New_York");
        assert_eq!(
            first(&end_twice, "2026-11-01T05:00:00Z"),
            pair("2026-11-01T02:00:00Z", "2026-11-01T06:30:00Z")
        );
        let start_twice = hours("01:30", "05:00", "America/New_York");
        assert_eq!(
            first(&start_twice, "2026-11-01T05:00:00Z"),
            pair("2026-11-01T05:30:00Z", "2026-11-01T10:00:00Z")
        );
    }

    #[test]
    fn a_day_that_a_country_skipped_breaks_nothing() {
        // Samoa had no 30 December 2011: the quiet of the days around it still stands.
        let night = hours("22:00", "06:00", "Pacific/Apia");
        let windows = night.windows(at("2011-12-29T00:00:00Z"), at("2012-01-02T00:00:00Z"));
        assert!(windows.iter().all(|(start, end)| start < end));
        assert!(windows.windows(2).all(|pair| pair[0].1 < pair[1].0));
        assert_eq!(windows.len(), 4);
    }

    #[test]
    fn times_have_two_digits_each() {
        for text in [
            "7:00", "07:0", "24:00", "12:60", "+7:00", "07-00", "", "07:00:00",
        ] {
            assert_eq!(text.parse::<TimeOfDay>(), Err(InvalidTime), "{text}");
        }
        assert_eq!("07:05".parse::<TimeOfDay>().unwrap().to_string(), "07:05");
    }

    #[test]
    fn zones_are_found_in_any_case_and_others_are_not() {
        assert_eq!(
            Zone::find("europe/vienna").map(|zone| zone.name().to_owned()),
            Some("Europe/Vienna".to_owned())
        );
        assert_eq!(Zone::find("Europe/Entenhausen"), None);
        assert_eq!(Zone::find(""), None);
        assert_eq!(Zone::UTC.name(), "UTC");
    }

    proptest! {
        /// What a clock on the wall reads as quiet lies in a window, on every day of a year.
        #[test]
        fn no_clock_reads_quiet_outside_a_window(
            start in 0_i8..24, end in 0_i8..24, half in any::<bool>(),
            zone in prop::sample::select(vec![
                "America/New_York", "Europe/Dublin", "Australia/Lord_Howe", "Asia/Kathmandu",
                "Africa/Casablanca", "America/Havana", "Pacific/Chatham", "UTC",
            ]),
            minute in 0_i64..366 * 24 * 60,
        ) {
            prop_assume!(start != end);
            let minute_of = if half { 30 } else { 0 };
            let hours = QuietHours {
                start: TimeOfDay { hour: start, minute: minute_of },
                end: TimeOfDay { hour: end, minute: minute_of },
                zone: Zone::find(zone).unwrap(),
            };
            let moment = at("2026-01-01T00:00:00Z").plus_ms(minute * 60_000);
            let clock = hours.zone.0.to_datetime(Timestamp::from_millisecond(moment.0).unwrap());
            let shown = TimeOfDay { hour: clock.hour(), minute: clock.minute() };
            let reads_quiet = if hours.start < hours.end {
                (hours.start..hours.end).contains(&shown)
            } else {
                shown >= hours.start || shown < hours.end
            };
            if reads_quiet {
                prop_assert!(hours.until(moment).is_some());
            }
            let from = moment.plus_ms(-5 * DAY_MS);
            let all = hours.windows(from, moment.plus_ms(5 * DAY_MS));
            let inside = all.iter().any(|(start, end)| (*start..*end).contains(&moment));
            prop_assert_eq!(inside, hours.until(moment).is_some());
            prop_assert!(all.windows(2).all(|pair| pair[0].1 < pair[1].0));
        }
    }
}
