//! The plain model: every day of some years is asked whether the rule means it, by counting.

use crate::recurrence::rule::{ByDay, Frequency, Rule};
use jiff::civil::{Date, DateTime, date};
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};
use postrider_model::UnixMs;

/// How many days are asked: six years, so that the year of the horizon is a whole one too.
const DAYS: i64 = 2_200;

pub(super) fn horizon(start: UnixMs) -> UnixMs {
    start.plus_ms((DAYS - 700) * 86_400_000)
}

/// Returns the first moments of a rule in UTC, its first among them, up to [`horizon`].
pub(super) fn moments(rule: &Rule, start: UnixMs, most: usize) -> Vec<UnixMs> {
    let Some(frequency) = rule.frequency else {
        return vec![start];
    };
    let clock = TimeZone::UTC.to_datetime(Timestamp::from_millisecond(start.0).unwrap());
    // Whole periods: positions count in all of the first one.
    let mut day = date(clock.year(), 1, 1).checked_sub(7.days()).unwrap();
    let mut by_period: Vec<(i64, Vec<DateTime>)> = Vec::new();
    for _ in 0..DAYS {
        for time in times(rule, frequency, day, clock) {
            let period = period(rule, frequency, time);
            match by_period.last_mut() {
                Some((last, times)) if *last == period => times.push(time),
                _ => by_period.push((period, vec![time])),
            }
        }
        day = day.tomorrow().unwrap();
    }
    let first = period(rule, frequency, clock);
    let mut found = vec![start];
    for (period, times) in by_period {
        if period < first || (period - first) % i64::from(rule.interval) != 0 {
            continue;
        }
        for (index, time) in times.iter().enumerate() {
            let from_start = index as i64 + 1;
            let from_end = index as i64 - times.len() as i64;
            let positions: Vec<_> = rule.by_set_pos.iter().map(|n| i64::from(*n)).collect();
            let chosen = positions.is_empty()
                || positions.contains(&from_start)
                || positions.contains(&from_end);
            let at = TimeZone::UTC.to_timestamp(*time).unwrap();
            let at = UnixMs(at.as_millisecond());
            if chosen && *time > clock && at <= horizon(start) {
                found.push(at);
            }
        }
    }
    found.truncate(most);
    found
}

fn times(rule: &Rule, frequency: Frequency, day: Date, start: DateTime) -> Vec<DateTime> {
    if !is_meant(rule, frequency, day, start.date()) {
        return Vec::new();
    }
    let hours: Vec<i8> = (0..24)
        .filter(|hour| match (rule.by_hour.is_empty(), frequency) {
            (false, _) => rule.by_hour.contains(&i16::from(*hour)),
            (true, Frequency::Hourly) => true,
            (true, _) => *hour == start.hour(),
        })
        .collect();
    let at = |hour| day.at(hour, start.minute(), start.second(), 0);
    hours.into_iter().map(at).collect()
}

fn period(rule: &Rule, frequency: Frequency, time: DateTime) -> i64 {
    let days = i64::from((time.date() - date(1970, 1, 1)).get_days());
    match frequency {
        Frequency::Hourly => days * 24 + i64::from(time.hour()),
        Frequency::Daily => days,
        Frequency::Weekly => {
            let begin = begin_of_week(rule, time.date());
            i64::from((begin - date(1900, 1, 1)).get_days()) / 7
        }
        Frequency::Monthly => i64::from(time.year()) * 12 + i64::from(time.month()),
        Frequency::Yearly => i64::from(time.year()),
    }
}

fn begin_of_week(rule: &Rule, mut day: Date) -> Date {
    while day.weekday() != rule.week_start {
        day = day.yesterday().unwrap();
    }
    day
}

fn is_meant(rule: &Rule, frequency: Frequency, day: Date, start: Date) -> bool {
    let month = rule.by_month.is_empty() || rule.by_month.contains(&i16::from(day.month()));
    let month_day = rule.by_month_day.is_empty()
        || is_at(
            &rule.by_month_day,
            &days_from(day.first_of_month(), day.last_of_month()),
            day,
        );
    let year_day = rule.by_year_day.is_empty()
        || is_at(
            &rule.by_year_day,
            &days_from(day.first_of_year(), day.last_of_year()),
            day,
        );
    let week = rule.by_week_no.is_empty() || is_in_week(rule, day);
    let week_day = rule.by_day.is_empty()
        || rule
            .by_day
            .iter()
            .any(|by| is_by_day(rule, frequency, *by, day));
    let own = if rule.by_month_day.is_empty()
        && rule.by_year_day.is_empty()
        && rule.by_day.is_empty()
    {
        match frequency {
            Frequency::Hourly | Frequency::Daily => true,
            Frequency::Weekly => day.weekday() == start.weekday(),
            Frequency::Yearly if !rule.by_week_no.is_empty() => day.weekday() == start.weekday(),
            Frequency::Monthly => day.day() == start.day(),
            Frequency::Yearly => {
                let own_month = !rule.by_month.is_empty() || day.month() == start.month();
                own_month && day.day() == start.day()
            }
        }
    } else {
        true
    };
    month && month_day && year_day && week && week_day && own
}

fn days_from(first: Date, last: Date) -> Vec<Date> {
    first
        .series(1.day())
        .take_while(|day| *day <= last)
        .collect()
}

/// Says whether a day stands at one of the places of a list, counted from either end.
fn is_at(places: &[i16], list: &[Date], day: Date) -> bool {
    places.iter().any(|place| {
        let index = if *place > 0 {
            *place as i64 - 1
        } else {
            list.len() as i64 + i64::from(*place)
        };
        usize::try_from(index)
            .ok()
            .and_then(|index| list.get(index))
            == Some(&day)
    })
}

fn is_by_day(rule: &Rule, frequency: Frequency, by: ByDay, day: Date) -> bool {
    let Some(nth) = by.nth else {
        return day.weekday() == by.day;
    };
    let of_year = frequency == Frequency::Yearly && rule.by_month.is_empty();
    let mut list = if of_year {
        days_from(day.first_of_year(), day.last_of_year())
    } else {
        days_from(day.first_of_month(), day.last_of_month())
    };
    list.retain(|other| other.weekday() == by.day);
    is_at(&[nth], &list, day)
}

/// Numbers the weeks of a year by walking over them.
fn is_in_week(rule: &Rule, day: Date) -> bool {
    let begin = begin_of_week(rule, day);
    let days_in = |begin: Date, year: i16| {
        let week = begin.series(1.day()).take(7);
        week.filter(|day| day.year() == year).count()
    };
    let year = if days_in(begin, day.year()) >= 4 {
        day.year()
    } else if begin.year() < day.year() {
        begin.year()
    } else {
        day.year() + 1
    };
    let mut weeks = Vec::new();
    let mut week = begin_of_week(rule, date(year, 1, 1));
    while days_in(week, year) > 0 {
        if days_in(week, year) >= 4 {
            weeks.push(week);
        }
        week = week.checked_add(7.days()).unwrap();
    }
    is_at(&rule.by_week_no, &weeks, begin)
}
