//! Messages scheduled relative to a date that contacts have in a variable.

use crate::code::coded;
use crate::recurrence::SHIFT_DAYS;
use crate::{CampaignType, MessageType, ScheduledTo, TimeOfDay, VarValue, Zone};
use jiff::civil::{Date, DateTime};
use jiff::{Span, Timestamp};
use postrider_model::{CampaignId, ProjectId, RelativeScheduledId, UnixMs};

/// Most steps of an offset, either way.
pub const OFFSET_COUNT_MAX: i64 = 100_000;
/// Longest text that is looked at as a date.
const DATE_LENGTH_MAX: usize = 64;

coded! {
    /// In what an offset counts.
    OffsetScale {
        /// Minutes, from the moment itself.
        Minutes = "I" / 1,
        /// Days.
        Days = "D" / 2,
        /// Weeks.
        Weeks = "W" / 3,
        /// Months.
        Months = "M" / 4,
        /// Years.
        Years = "Y" / 5,
    }
}

/// A message for each contact at a time that its date says.
#[derive(Debug, Clone, PartialEq)]
pub struct RelativeSchedule {
    /// Its id.
    pub id: RelativeScheduledId,
    /// The project it is in.
    pub project_id: ProjectId,
    /// The campaign that it is an item of.
    pub campaign_id: Option<CampaignId>,
    /// What kind of message it sends.
    pub message_type: MessageType,
    /// The parameters of its messages, as JSON.
    pub message: String,
    /// Whose dates it goes by.
    pub to: ScheduledTo,
    /// The contact variable with the date.
    pub date_variable: String,
    /// When on that day.
    pub time_of_day: TimeOfDay,
    /// In what the offset counts.
    pub offset_scale: OffsetScale,
    /// How far from the date it is; negative: before the date.
    pub offset_count: i64,
    /// What recurs from there on, as it was written.
    pub rrule: String,
    /// The zone of its clocks.
    pub timezone_id: String,
    /// No moment is after it, where something recurs.
    pub end_time: Option<UnixMs>,
    /// The key of the last contact that was looked at since it changed; `None`: all were.
    pub walked_up_to: Option<i64>,
    /// Whether it was deleted, and only its schedules still have to go.
    pub removed: bool,
    /// When it was made.
    pub time_created: UnixMs,
}

impl RelativeSchedule {
    /// Returns the moment that a contact's date stands for; `None` when it is no date.
    ///
    /// A date is `2026-03-31`, with a time `2026-03-31 09:30` as clocks in the zone show it, with an
    /// offset behind it, or Unix seconds. Months without the day have their last one.
    pub fn start(&self, value: &VarValue) -> Option<UnixMs> {
        let zone = Zone::find(&self.timezone_id)?;
        let (date, clock) = read(value, &zone)?;
        let count = self.offset_count;
        let span = match self.offset_scale {
            OffsetScale::Minutes => {
                let clock = clock.or_else(|| self.time_of_day.on(date))?;
                return plus_minutes(zone.moment_of(clock)?, count);
            }
            OffsetScale::Days => Span::new().try_days(count),
            OffsetScale::Weeks => Span::new().try_weeks(count),
            OffsetScale::Months => Span::new().try_months(count),
            OffsetScale::Years => Span::new().try_years(count),
        };
        let date = date.checked_add(span.ok()?).ok()?;
        zone.moment_of(self.time_of_day.on(date)?)
    }

    /// Returns the rule of a contact's schedule that begins at `start`.
    ///
    /// It is the own one, but for an anniversary: there the date recurs, not the start, and the offset counts
    /// from the date of each year.
    pub fn rule(&self, value: &VarValue, start: UnixMs) -> String {
        let own = self.rrule.as_str();
        let is_anniversary = self.campaign_id.is_some() && own == CampaignType::Anniversary.rrule();
        let of_date = || {
            let zone = Zone::find(&self.timezone_id)?;
            let (date, _) = read(value, &zone)?;
            let start = zone.clock(start)?.date();
            rule_of_date(date, start, self.offset_scale)
        };
        let of_date = is_anniversary.then(of_date).flatten();
        of_date.unwrap_or_else(|| own.to_owned())
    }
}

/// Returns the rule by which a date comes in each year at the offset at which `start` is from it; `None`: that of
/// the start.
fn rule_of_date(date: Date, start: Date, scale: OffsetScale) -> Option<String> {
    let is_leap_day = (date.month(), date.day()) == (2, 29);
    if matches!(scale, OffsetScale::Months | OffsetScale::Years) {
        if is_leap_day {
            return Some(LEAP_YEARS.to_owned());
        }
        let is_cut = date.day() > 28 && start.month() == 2;
        return is_cut.then(|| "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=-1".to_owned());
    }
    let days = start.since(date).ok()?.get_days();
    if days == 0 {
        return None;
    }
    if days.abs() > DAYS_IN_TWO_YEARS {
        return Some(shifted(days));
    }
    if is_leap_day {
        return Some(LEAP_YEARS.to_owned());
    }
    let offset = Span::new().try_days(days).ok()?;
    let in_year = |year| {
        let date = Date::new(year, date.month(), date.day()).ok()?;
        date.checked_add(offset).ok()
    };
    let dates: Option<Vec<_>> = (2001..=2004).map(in_year).collect();
    rule_of_dates(&dates?, days)
}

/// The rule of what is in leap years alone.
const LEAP_YEARS: &str = "FREQ=YEARLY;INTERVAL=4";
/// Beyond these, no rule says what an offset leads to, or only until a century without a leap day.
const DAYS_IN_TWO_YEARS: i32 = 730;

/// Returns the rule that names each of these dates, of four years in a row; `None`: their month and day are the
/// same. The part of the hub's own stands only where no other says it.
fn rule_of_dates(dates: &[Date], days: i32) -> Option<String> {
    let same = |part: fn(&Date) -> i16| {
        let mut parts = dates.iter().map(part);
        let first = parts.next()?;
        parts.all(|other| other == first).then_some(first)
    };
    let month = same(|date| date.month().into());
    let day = same(|date| date.day().into());
    let day_from_end = same(|date| i16::from(date.day() - date.days_in_month()) - 1);
    let day_of_year = same(|date| date.day_of_year());
    let day_of_year_from_end = same(|date| date.day_of_year() - date.days_in_year() - 1);
    Some(match (month, day, day_from_end) {
        (Some(_), Some(_), _) => return None,
        (Some(month), None, Some(day)) => format!("FREQ=YEARLY;BYMONTH={month};BYMONTHDAY={day}"),
        _ => match day_of_year.or(day_of_year_from_end) {
            Some(day) => format!("FREQ=YEARLY;BYYEARDAY={day}"),
            None => shifted(days),
        },
    })
}

fn shifted(days: i32) -> String {
    format!("FREQ=YEARLY{SHIFT_DAYS}{days}")
}

fn plus_minutes(at: UnixMs, minutes: i64) -> Option<UnixMs> {
    let at = at.0.checked_add(minutes.checked_mul(60_000)?)?;
    Timestamp::from_millisecond(at).ok().map(|_| UnixMs(at))
}

/// Reads a date, and a time of day where it has one, as clocks in the zone show them.
fn read(value: &VarValue, zone: &Zone) -> Option<(Date, Option<DateTime>)> {
    let of_seconds = |seconds: i64| {
        let clock = zone.clock(UnixMs(seconds.checked_mul(1_000)?))?;
        Some((clock.date(), Some(clock)))
    };
    let text = match value {
        VarValue::Flag(_) => return None,
        VarValue::Number(number) => return of_seconds(number.as_i64()?),
        VarValue::Text(text) if text.len() > DATE_LENGTH_MAX => return None,
        VarValue::Text(text) => text.trim(),
    };
    let is_number = text.len() > 8 && text.bytes().all(|byte| byte.is_ascii_digit());
    if is_number {
        return of_seconds(text.parse().ok()?);
    }
    if let Ok(at) = text.parse::<Timestamp>() {
        return of_seconds(at.as_second());
    }
    let has_time = text.len() > 10;
    let clock: DateTime = text.parse().ok()?;
    Some((clock.date(), has_time.then_some(clock)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recurrence::{Instance, Rule, Series};
    use postrider_model::{ContactId, Key};
    use serde_json::json;

    fn relative(scale: OffsetScale, count: i64) -> RelativeSchedule {
        let key = |n| Key::new(n).unwrap();
        RelativeSchedule {
            id: RelativeScheduledId::new(key(1)),
            project_id: ProjectId::new(key(2)),
            campaign_id: None,
            message_type: MessageType::Sms,
            message: "{}".to_owned(),
            to: ScheduledTo::Contact(ContactId::new(key(3))),
            date_variable: "due".to_owned(),
            time_of_day: "09:30".parse().unwrap(),
            offset_scale: scale,
            offset_count: count,
            rrule: "COUNT=1".to_owned(),
            timezone_id: "America/New_York".to_owned(),
            end_time: None,
            walked_up_to: None,
            removed: false,
            time_created: UnixMs(0),
        }
    }

    fn start(scale: OffsetScale, count: i64, date: &str) -> Option<String> {
        let at = relative(scale, count).start(&VarValue::Text(date.to_owned()))?;
        Some(Timestamp::from_millisecond(at.0).unwrap().to_string())
    }

    #[test]
    fn a_date_and_an_offset_are_a_moment() {
        use OffsetScale::{Days, Months, Weeks, Years};
        for (scale, count, date, expected) in [
            (Days, 0, "2026-03-01", "2026-03-01T14:30:00Z"),
            (Days, -3, "2026-03-01", "2026-02-26T14:30:00Z"),
            (Days, 10, "2026-03-01", "2026-03-11T13:30:00Z"),
            (Weeks, 1, "2026-03-01 23:00", "2026-03-08T13:30:00Z"),
            (Months, 1, "2026-01-31", "2026-02-28T14:30:00Z"),
            (Years, 1, "2024-02-29", "2025-02-28T14:30:00Z"),
            (Days, 0, "2026-03-01T02:00:00Z", "2026-02-28T14:30:00Z"),
            (Days, 0, "1772330400", "2026-02-28T14:30:00Z"),
        ] {
            assert_eq!(
                start(scale, count, date).as_deref(),
                Some(expected),
                "{date} {count}"
            );
        }
    }

    #[test]
    fn minutes_count_from_the_moment_itself() {
        use OffsetScale::Minutes;
        for (count, date, expected) in [
            (-90, "2026-03-01 12:00", "2026-03-01T15:30:00Z"),
            (15, "2026-03-01T12:00:00Z", "2026-03-01T12:15:00Z"),
            (0, "2026-03-01", "2026-03-01T14:30:00Z"),
        ] {
            assert_eq!(
                start(Minutes, count, date).as_deref(),
                Some(expected),
                "{date}"
            );
        }
    }

    /// Returns the first moments of an anniversary.
    fn anniversaries(of: &RelativeSchedule, date: Date, most: usize) -> Vec<UnixMs> {
        let value = VarValue::Text(date.to_string());
        let start = of.start(&value).unwrap();
        let series = Series {
            rule: Rule::parse_stored(&of.rule(&value, start)).unwrap(),
            start,
            end: None,
            zone: Zone::find(&of.timezone_id).unwrap(),
        };
        let after = |last: &Instance| series.next(*last, last.at.plus_ms(1));
        let all = std::iter::successors(series.first(start), after);
        all.take(most).map(|instance| instance.at).collect()
    }

    /// Returns the first dates in later years that stand in the calendar.
    fn each_year(date: Date, most: usize) -> Vec<Date> {
        let years = date.year()..date.year() + 30;
        let all = years.filter_map(|year| Date::new(year, date.month(), date.day()).ok());
        all.take(most).collect()
    }

    #[test]
    fn an_anniversary_counts_its_offset_from_the_date_of_each_year() {
        use OffsetScale::{Days, Months, Weeks, Years};
        let dates = [
            "1999-12-20",
            "2001-01-25",
            "2003-02-25",
            "1999-06-20",
            "2000-12-25",
        ];
        let dates = dates.map(|first| first.parse::<Date>().unwrap());
        let dates = dates
            .iter()
            .flat_map(|first| first.series(Span::new().days(1)).take(15));
        let leap_days = ["2000-02-28", "2000-02-29", "2000-03-01", "2000-03-31"];
        let leap_days = leap_days.iter().map(|date| date.parse().unwrap());
        for date in dates.chain(leap_days) {
            for (scale, count) in [
                (Days, -500),
                (Days, -120),
                (Days, -1),
                (Days, 0),
                (Days, 1),
                (Days, 65),
                (Days, 300),
                (Weeks, -3),
                (Weeks, 9),
                (Months, -4),
                (Months, -1),
                (Months, 1),
                (Months, 14),
                (Years, 1),
            ] {
                let mut of = relative(scale, count);
                of.campaign_id = Some(CampaignId::new(Key::new(4).unwrap()));
                CampaignType::Anniversary.rrule().clone_into(&mut of.rrule);
                let own = |date: Date| of.start(&VarValue::Text(date.to_string())).unwrap();
                let expected: Vec<_> = each_year(date, 6).into_iter().map(own).collect();
                assert_eq!(
                    anniversaries(&of, date, 6),
                    expected,
                    "{date} {count} {scale:?}"
                );
            }
        }
    }

    #[test]
    fn only_an_anniversary_has_another_rule_than_its_own() {
        let mut of = relative(OffsetScale::Days, -1);
        of.rrule = "FREQ=YEARLY".to_owned();
        let value = VarValue::Text("2000-03-01".to_owned());
        let start = of.start(&value).unwrap();
        assert_eq!(of.rule(&value, start), "FREQ=YEARLY");
        of.campaign_id = Some(CampaignId::new(Key::new(4).unwrap()));
        let last_of_february = "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=-1";
        assert_eq!(of.rule(&value, start), last_of_february);
    }

    #[test]
    fn an_anniversary_has_a_part_of_the_hubs_own_only_where_no_rule_says_the_same() {
        for (date, days, expected) in [
            ("1990-06-10", 14, "FREQ=YEARLY"),
            ("1990-03-10", -1, "FREQ=YEARLY"),
            ("1990-01-05", -10, "FREQ=YEARLY"),
            ("1990-03-10", -20, "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=-11"),
            ("1990-03-10", -40, "FREQ=YEARLY;BYYEARDAY=-337"),
            ("1990-01-25", 65, "FREQ=YEARLY;BYYEARDAY=90"),
            ("1990-12-25", 80, "FREQ=YEARLY;BYYEARDAY=74"),
            ("1990-01-05", -320, "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=-10"),
            ("1992-02-29", -1, "FREQ=YEARLY;INTERVAL=4"),
            ("1990-03-10", -100, "FREQ=YEARLY;X-DAYS=-100"),
            ("1990-02-20", 330, "FREQ=YEARLY;X-DAYS=330"),
            ("1990-06-10", -500, "FREQ=YEARLY;X-DAYS=-500"),
            ("1990-06-10", 1_461, "FREQ=YEARLY;X-DAYS=1461"),
        ] {
            let mut of = relative(OffsetScale::Days, days);
            of.campaign_id = Some(CampaignId::new(Key::new(4).unwrap()));
            CampaignType::Anniversary.rrule().clone_into(&mut of.rrule);
            let value = VarValue::Text(date.to_owned());
            let start = of.start(&value).unwrap();
            assert_eq!(of.rule(&value, start), expected, "{date} {days}");
        }
    }

    #[test]
    fn what_is_no_date_has_no_moment() {
        for date in [
            "",
            "soon",
            "2026-02-30",
            "20",
            "31.12.2026",
            "2026-13-01",
            "99999999999999",
        ] {
            assert_eq!(start(OffsetScale::Days, 0, date), None, "{date}");
        }
        assert_eq!(
            start(OffsetScale::Years, OFFSET_COUNT_MAX, "2026-01-01"),
            None
        );
        let relative = relative(OffsetScale::Days, 0);
        assert_eq!(relative.start(&VarValue::Flag(true)), None);
        let seconds = VarValue::Number(json!(1_772_330_400).as_number().unwrap().clone());
        assert!(relative.start(&seconds).is_some());
        let fraction = VarValue::Number(json!(1.5).as_number().unwrap().clone());
        assert_eq!(relative.start(&fraction), None);
    }
}
