//! From a rule and its first clock time to the clock times that follow.

use super::STEPS_MAX;
use super::rule::{ByDay, Frequency, Rule};
use jiff::ToSpan;
use jiff::civil::{Date, DateTime, Weekday};

/// A rule from its first clock time on, with what it leaves to that filled in.
pub(super) struct Expansion<'r> {
    rule: &'r Rule,
    frequency: Frequency,
    start: DateTime,
    months: Vec<i16>,
    month_days: Vec<i16>,
    week_days: Vec<ByDay>,
    hours: Vec<i16>,
    minutes: Vec<i16>,
    seconds: Vec<i16>,
}

/// What looking may still cost.
pub(super) struct Budget(u32);

impl Budget {
    pub(super) const fn full() -> Self {
        Self(STEPS_MAX)
    }

    /// Takes a step; `None` when there are no more.
    fn step(&mut self) -> Option<()> {
        self.0 = self.0.checked_sub(1)?;
        Some(())
    }
}

/// Fills an empty list with what the first clock time has.
fn or_own(list: &[i16], own: i8) -> Vec<i16> {
    match list {
        [] => vec![i16::from(own)],
        list => list.to_vec(),
    }
}

impl<'r> Expansion<'r> {
    /// Begins a rule; `None` for what happens once.
    pub(super) fn new(rule: &'r Rule, start: DateTime) -> Option<Self> {
        let frequency = rule.frequency?;
        let mut made = Self {
            rule,
            frequency,
            start,
            months: rule.by_month.clone(),
            month_days: rule.by_month_day.clone(),
            week_days: rule.by_day.clone(),
            hours: or_own(&rule.by_hour, start.hour()),
            minutes: or_own(&rule.by_minute, start.minute()),
            seconds: or_own(&rule.by_second, start.second()),
        };
        made.fill_days();
        Some(made)
    }

    /// Takes the day of the first clock time where the rule names none.
    fn fill_days(&mut self) {
        let rule = self.rule;
        if !(rule.by_year_day.is_empty() && rule.by_month_day.is_empty() && rule.by_day.is_empty())
        {
            return;
        }
        let own_weekday = ByDay {
            nth: None,
            day: self.start.date().weekday(),
        };
        match self.frequency {
            Frequency::Yearly if !rule.by_week_no.is_empty() => self.week_days.push(own_weekday),
            Frequency::Yearly => {
                self.months = or_own(&rule.by_month, self.start.month());
                self.month_days.push(i16::from(self.start.day()));
            }
            Frequency::Monthly => self.month_days.push(i16::from(self.start.day())),
            Frequency::Weekly => self.week_days.push(own_weekday),
            Frequency::Daily | Frequency::Hourly => {}
        }
    }

    /// Returns the first clock time of the rule after `after`, and not before its first.
    pub(super) fn next(&self, after: DateTime, budget: &mut Budget) -> Option<DateTime> {
        let fits = |time: &DateTime| *time > after && *time >= self.start;
        let from = after.max(self.start);
        if self.frequency == Frequency::Hourly {
            return self.next_hourly(from, &fits, budget);
        }
        let interval = i64::from(self.rule.interval);
        let passed = self.period(from.date()) - self.period(self.start.date());
        let mut ahead = passed.div_euclid(interval).max(0) * interval;
        loop {
            let found = self.first_of_period(ahead, &fits, budget)?;
            if found.is_some() {
                return found;
            }
            ahead += interval;
        }
    }

    /// Numbers the periods that dates are in.
    fn period(&self, date: Date) -> i64 {
        match self.frequency {
            Frequency::Yearly => i64::from(date.year()),
            Frequency::Monthly => i64::from(date.year()) * 12 + i64::from(date.month()),
            Frequency::Weekly => (day_number(date) - self.days_into_week(date)).div_euclid(7),
            Frequency::Daily | Frequency::Hourly => day_number(date),
        }
    }

    /// Returns how many days of its week are before a date.
    fn days_into_week(&self, date: Date) -> i64 {
        days_since(self.rule.week_start, date.weekday())
    }

    /// Returns the first clock time that fits in the period so far ahead of the first; the outer
    /// `None` is the end of the budget, or of the calendar.
    fn first_of_period(
        &self,
        ahead: i64,
        fits: &dyn Fn(&DateTime) -> bool,
        budget: &mut Budget,
    ) -> Option<Option<DateTime>> {
        budget.step()?;
        let days = self.days(ahead, budget)?;
        if self.rule.by_set_pos.is_empty() {
            let mut times = days.into_iter().flat_map(|day| self.times(day));
            return Some(times.find(|time| fits(time)));
        }
        let times: Vec<_> = days.into_iter().flat_map(|day| self.times(day)).collect();
        Some(
            self.at_positions(&times)
                .into_iter()
                .find(|time| fits(time)),
        )
    }

    /// Returns the days of a period that the rule names, in order.
    fn days(&self, ahead: i64, budget: &mut Budget) -> Option<Vec<Date>> {
        let first = self.start.date();
        let mut days = Vec::new();
        match self.frequency {
            Frequency::Yearly => {
                let year = i16::try_from(i64::from(first.year()) + ahead).ok()?;
                for month in 1..=12 {
                    self.days_of_month(year, month, &mut days, budget)?;
                }
            }
            Frequency::Monthly => {
                let months = i64::from(first.year()) * 12 + i64::from(first.month()) - 1 + ahead;
                let year = i16::try_from(months.div_euclid(12)).ok()?;
                let month = i8::try_from(months.rem_euclid(12) + 1).ok()?;
                self.days_of_month(year, month, &mut days, budget)?;
            }
            Frequency::Weekly => {
                let begin = first.checked_sub(self.days_into_week(first).days()).ok()?;
                for day in 0..7 {
                    let date = plus_days(begin, ahead.checked_mul(7)? + day)?;
                    self.take_day(date, &mut days, budget)?;
                }
            }
            Frequency::Daily | Frequency::Hourly => {
                self.take_day(plus_days(first, ahead)?, &mut days, budget)?;
            }
        }
        Some(days)
    }

    fn days_of_month(
        &self,
        year: i16,
        month: i8,
        days: &mut Vec<Date>,
        budget: &mut Budget,
    ) -> Option<()> {
        let first = Date::new(year, month, 1).ok()?;
        if !is_among(&self.months, i16::from(month)) {
            return Some(());
        }
        for day in 1..=first.days_in_month() {
            self.take_day(Date::new(year, month, day).ok()?, days, budget)?;
        }
        Some(())
    }

    fn take_day(&self, date: Date, days: &mut Vec<Date>, budget: &mut Budget) -> Option<()> {
        budget.step()?;
        if self.names(date) {
            days.push(date);
        }
        Some(())
    }

    /// Says whether the rule names a day.
    fn names(&self, date: Date) -> bool {
        let rule = self.rule;
        is_among(&self.months, i16::from(date.month()))
            && counts(
                &self.month_days,
                i16::from(date.day()),
                i16::from(date.days_in_month()),
            )
            && counts(&rule.by_year_day, date.day_of_year(), date.days_in_year())
            && (self.week_days.is_empty() || self.week_days.iter().any(|by| self.is_day(*by, date)))
            && (rule.by_week_no.is_empty() || self.is_in_weeks(date))
    }

    fn is_day(&self, by: ByDay, date: Date) -> bool {
        let Some(nth) = by.nth else {
            return date.weekday() == by.day;
        };
        let in_year = self.frequency == Frequency::Yearly && self.rule.by_month.is_empty();
        let (day, length) = if in_year {
            (date.day_of_year(), date.days_in_year())
        } else {
            (i16::from(date.day()), i16::from(date.days_in_month()))
        };
        let nth_here = if nth > 0 {
            (day - 1) / 7 + 1
        } else {
            -((length - day) / 7 + 1)
        };
        date.weekday() == by.day && nth_here == nth
    }

    /// Says whether a date lies in a week that the rule numbers; week 1 has four days of its year.
    fn is_in_weeks(&self, date: Date) -> bool {
        let days_into_week = self.days_into_week(date);
        // The fourth day of a week is in the year that the week counts for.
        let Some(fourth) = plus_days(date, 3 - days_into_week) else {
            return false;
        };
        let week = (fourth.day_of_year() - 1) / 7 + 1;
        let weeks = week + (fourth.days_in_year() - fourth.day_of_year()) / 7;
        counts(&self.rule.by_week_no, week, weeks)
    }

    /// Returns the clock times of a day, in order.
    fn times(&self, date: Date) -> Vec<DateTime> {
        self.times_of_hours(date, &self.hours)
    }

    fn times_of_hours(&self, date: Date, hours: &[i16]) -> Vec<DateTime> {
        let mut times = Vec::with_capacity(hours.len() * self.minutes.len() * self.seconds.len());
        for hour in hours {
            for minute in &self.minutes {
                for second in &self.seconds {
                    times.extend(clock_time(date, *hour, *minute, *second));
                }
            }
        }
        times
    }

    fn at_positions(&self, times: &[DateTime]) -> Vec<DateTime> {
        let at = |position: &i16| {
            let position = isize::from(*position);
            let index = match position {
                1.. => position - 1,
                _ => isize::try_from(times.len()).ok()? + position,
            };
            times.get(usize::try_from(index).ok()?).copied()
        };
        let mut chosen: Vec<_> = self.rule.by_set_pos.iter().filter_map(at).collect();
        chosen.sort_unstable();
        chosen.dedup();
        chosen
    }

    /// As [`Self::next`], for hours: a day that the rule does not name is passed over at once.
    fn next_hourly(
        &self,
        from: DateTime,
        fits: &dyn Fn(&DateTime) -> bool,
        budget: &mut Budget,
    ) -> Option<DateTime> {
        let interval = i64::from(self.rule.interval);
        let first = hour_number(self.start);
        let passed = (hour_number(from) - first).div_euclid(interval).max(0);
        let mut hour = first + passed * interval;
        loop {
            budget.step()?;
            let date = plus_days(Date::constant(1970, 1, 1), hour.div_euclid(24))?;
            if !self.names(date) {
                let tomorrow = (hour.div_euclid(24) + 1) * 24;
                hour += (tomorrow - hour + interval - 1).div_euclid(interval) * interval;
                continue;
            }
            let of_day = i16::try_from(hour.rem_euclid(24)).ok()?;
            if is_among(&self.rule.by_hour, of_day) {
                let mut times = self.times_of_hours(date, &[of_day]);
                if !self.rule.by_set_pos.is_empty() {
                    times = self.at_positions(&times);
                }
                if let Some(found) = times.into_iter().find(|time| fits(time)) {
                    return Some(found);
                }
            }
            hour += interval;
        }
    }
}

fn clock_time(date: Date, hour: i16, minute: i16, second: i16) -> Option<DateTime> {
    let (hour, minute) = (i8::try_from(hour).ok()?, i8::try_from(minute).ok()?);
    let time = jiff::civil::Time::new(hour, minute, i8::try_from(second).ok()?, 0).ok()?;
    Some(date.to_datetime(time))
}

/// Says whether a list names a number; an empty list names all.
fn is_among(list: &[i16], number: i16) -> bool {
    list.is_empty() || list.contains(&number)
}

/// As [`is_among`], for a list that may also count from the end.
fn counts(list: &[i16], number: i16, length: i16) -> bool {
    list.is_empty() || list.contains(&number) || list.contains(&(number - length - 1))
}

/// Returns the days since 1970.
fn day_number(date: Date) -> i64 {
    let since = date.since(Date::constant(1970, 1, 1));
    since.map_or(0, |span| i64::from(span.get_days()))
}

fn hour_number(time: DateTime) -> i64 {
    day_number(time.date()) * 24 + i64::from(time.hour())
}

fn plus_days(date: Date, days: i64) -> Option<Date> {
    let span = jiff::Span::new().try_days(days).ok()?;
    date.checked_add(span).ok()
}

/// Returns the days from a weekday to the next `day`, 0 to 6.
fn days_since(from: Weekday, day: Weekday) -> i64 {
    let number = |day: Weekday| i64::from(day.to_monday_zero_offset());
    (number(day) - number(from)).rem_euclid(7)
}
