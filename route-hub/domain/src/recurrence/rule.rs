//! A rule's text and what it says.

use jiff::civil::Weekday;
use std::fmt;

/// Longest text of a rule, in bytes.
pub const RULE_LENGTH_MAX: usize = 500;
/// Highest `INTERVAL`.
pub(crate) const INTERVAL_MAX: u32 = 10_000;
/// Highest `COUNT`.
pub const COUNT_MAX: u32 = 10_000;
/// Most times a day that a rule may name; a rule that names more is a frequency below hourly.
pub(crate) const TIMES_A_DAY_MAX: usize = 24;

/// What a stored rule may end in, with a number behind it.
pub const SHIFT_DAYS: &str = ";X-DAYS=";

/// How long a rule's period is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Frequency {
    Hourly,
    Daily,
    Weekly,
    Monthly,
    Yearly,
}

/// A weekday, and which one of its month or year: counted from the start, negative from the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ByDay {
    pub(super) nth: Option<i16>,
    pub(super) day: Weekday,
}

/// What a recurrence rule says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    /// `None`: once.
    pub(super) frequency: Option<Frequency>,
    pub(super) interval: u32,
    pub(super) count: Option<u32>,
    pub(super) by_month: Vec<i16>,
    pub(super) by_week_no: Vec<i16>,
    pub(super) by_year_day: Vec<i16>,
    pub(super) by_month_day: Vec<i16>,
    pub(super) by_day: Vec<ByDay>,
    pub(super) by_hour: Vec<i16>,
    pub(super) by_minute: Vec<i16>,
    pub(super) by_second: Vec<i16>,
    pub(super) by_set_pos: Vec<i16>,
    pub(super) week_start: Weekday,
    pub(super) shift_days: i32,
}

/// Says what is wrong with a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InvalidRule {
    /// Longer than any rule is.
    TooLong,
    /// Not parts like `NAME=VALUE` with `;` between them, or one of them twice.
    Malformed,
    /// A part that no rule has.
    UnknownPart,
    /// No `FREQ`, or one that does not exist.
    Frequency,
    /// A frequency below hourly.
    TooOften,
    /// A part whose value is outside what it may be.
    Value(&'static str),
    /// A part that goes with other frequencies alone.
    Mismatch(&'static str),
}

impl fmt::Display for InvalidRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLong => write!(f, "must have at most {RULE_LENGTH_MAX} characters"),
            Self::Malformed => {
                f.write_str("must be parts like NAME=VALUE, each once, with ; between")
            }
            Self::UnknownPart => f.write_str("has a part that recurrence rules do not know"),
            Self::Frequency => {
                f.write_str("must have FREQ: HOURLY, DAILY, WEEKLY, MONTHLY or YEARLY")
            }
            Self::TooOften => write!(
                f,
                "is too often: at least HOURLY, and at most {TIMES_A_DAY_MAX} times a day"
            ),
            Self::Value(part) => write!(f, "has a {part} that is not {}", allowed(part)),
            Self::Mismatch(part) => write!(f, "has a {part} that does not go with its FREQ"),
        }
    }
}

impl std::error::Error for InvalidRule {}

/// Returns what a part may be, for people.
fn allowed(part: &str) -> &'static str {
    match part {
        "INTERVAL" | "COUNT" => "1 to 10000",
        "BYMONTH" => "1 to 12",
        "BYWEEKNO" => "1 to 53 or -53 to -1",
        "BYYEARDAY" | "BYSETPOS" => "1 to 366 or -366 to -1",
        "BYMONTHDAY" => "1 to 31 or -31 to -1",
        "BYDAY" => "MO, TU, WE, TH, FR, SA or SU, alone or with 1 to 53 or -53 to -1 before it",
        "BYHOUR" => "0 to 23",
        "BYMINUTE" | "BYSECOND" => "0 to 59",
        "WKST" => "MO, TU, WE, TH, FR, SA or SU",
        _ => "what it may be",
    }
}

impl Rule {
    /// Reads a rule. Nothing, or `COUNT=1` alone, is once; `UNTIL` is passed over.
    ///
    /// # Errors
    /// The first thing that is wrong with it.
    pub fn parse(text: &str) -> Result<Self, InvalidRule> {
        if text.len() > RULE_LENGTH_MAX {
            return Err(InvalidRule::TooLong);
        }
        let text = text.trim().to_ascii_uppercase();
        let text = text.strip_prefix("RRULE:").unwrap_or(&text);
        let mut rule = Self::once();
        let mut seen = Vec::new();
        for part in text.split(';').filter(|part| !part.is_empty()) {
            let (name, value) = part.split_once('=').ok_or(InvalidRule::Malformed)?;
            if seen.contains(&name) {
                return Err(InvalidRule::Malformed);
            }
            seen.push(name);
            rule.take(name, value)?;
        }
        rule.check()?;
        Ok(rule)
    }

    /// As [`Rule::parse`], for one of the hub's own: behind [`SHIFT_DAYS`] it has how many days after what the rest
    /// names each moment is.
    ///
    /// # Errors
    /// The first thing that is wrong with it.
    pub fn parse_stored(text: &str) -> Result<Self, InvalidRule> {
        let Some((rest, days)) = text.split_once(SHIFT_DAYS) else {
            return Self::parse(text);
        };
        let shift_days = days.parse().map_err(|_| InvalidRule::Value("X-DAYS"))?;
        Ok(Self {
            shift_days,
            ..Self::parse(rest)?
        })
    }

    /// Returns the rule of what happens once.
    pub fn once() -> Self {
        Self {
            frequency: None,
            interval: 1,
            count: None,
            by_month: Vec::new(),
            by_week_no: Vec::new(),
            by_year_day: Vec::new(),
            by_month_day: Vec::new(),
            by_day: Vec::new(),
            by_hour: Vec::new(),
            by_minute: Vec::new(),
            by_second: Vec::new(),
            by_set_pos: Vec::new(),
            week_start: Weekday::Monday,
            shift_days: 0,
        }
    }

    /// Says whether it names more than one moment.
    pub fn recurs(&self) -> bool {
        self.frequency.is_some() && self.count != Some(1)
    }

    fn take(&mut self, name: &str, value: &str) -> Result<(), InvalidRule> {
        match name {
            "FREQ" => self.frequency = Some(frequency(value)?),
            "UNTIL" => {}
            "INTERVAL" => self.interval = count(value, INTERVAL_MAX, "INTERVAL")?,
            "COUNT" => self.count = Some(count(value, COUNT_MAX, "COUNT")?),
            "WKST" => self.week_start = weekday(value).ok_or(InvalidRule::Value("WKST"))?,
            "BYMONTH" => self.by_month = numbers(value, 1..=12, "BYMONTH")?,
            "BYWEEKNO" => self.by_week_no = both_ways(value, 53, "BYWEEKNO")?,
            "BYYEARDAY" => self.by_year_day = both_ways(value, 366, "BYYEARDAY")?,
            "BYMONTHDAY" => self.by_month_day = both_ways(value, 31, "BYMONTHDAY")?,
            "BYDAY" => self.by_day = by_days(value)?,
            "BYHOUR" => self.by_hour = numbers(value, 0..=23, "BYHOUR")?,
            "BYMINUTE" => self.by_minute = numbers(value, 0..=59, "BYMINUTE")?,
            "BYSECOND" => self.by_second = numbers(value, 0..=59, "BYSECOND")?,
            "BYSETPOS" => self.by_set_pos = both_ways(value, 366, "BYSETPOS")?,
            _ => return Err(InvalidRule::UnknownPart),
        }
        Ok(())
    }

    fn check(&self) -> Result<(), InvalidRule> {
        let Some(frequency) = self.frequency else {
            let says_once = *self
                == Self {
                    count: self.count,
                    ..Self::once()
                };
            let is_once = matches!(self.count, None | Some(1));
            return if says_once && is_once {
                Ok(())
            } else {
                Err(InvalidRule::Frequency)
            };
        };
        let hours = match frequency {
            Frequency::Hourly if self.by_hour.is_empty() => {
                24 / self.interval.clamp(1, 24) as usize
            }
            _ => self.by_hour.len().max(1),
        };
        let times = hours * self.by_minute.len().max(1) * self.by_second.len().max(1);
        if times > TIMES_A_DAY_MAX {
            return Err(InvalidRule::TooOften);
        }
        self.check_parts(frequency)
    }

    fn check_parts(&self, frequency: Frequency) -> Result<(), InvalidRule> {
        use Frequency::{Daily, Hourly, Monthly, Weekly, Yearly};
        let is = |allowed: &[Frequency]| allowed.contains(&frequency);
        if !self.by_week_no.is_empty() && !is(&[Yearly]) {
            return Err(InvalidRule::Mismatch("BYWEEKNO"));
        }
        if !self.by_year_day.is_empty() && !is(&[Hourly, Yearly]) {
            return Err(InvalidRule::Mismatch("BYYEARDAY"));
        }
        if !self.by_month_day.is_empty() && is(&[Weekly]) {
            return Err(InvalidRule::Mismatch("BYMONTHDAY"));
        }
        let counts_days = self.by_day.iter().any(|by| by.nth.is_some());
        let in_weeks = is(&[Hourly, Daily, Weekly]) || !self.by_week_no.is_empty();
        let in_month = is(&[Monthly]) || !self.by_month.is_empty();
        let too_high = |by: &ByDay| in_month && by.nth.is_some_and(|nth| nth.abs() > 5);
        if counts_days && (in_weeks || self.by_day.iter().any(too_high)) {
            return Err(InvalidRule::Mismatch("BYDAY"));
        }
        let others = [
            &self.by_month,
            &self.by_week_no,
            &self.by_year_day,
            &self.by_month_day,
            &self.by_hour,
            &self.by_minute,
            &self.by_second,
        ];
        let alone = self.by_day.is_empty() && others.iter().all(|by| by.is_empty());
        if !self.by_set_pos.is_empty() && alone {
            return Err(InvalidRule::Mismatch("BYSETPOS"));
        }
        Ok(())
    }
}

fn frequency(value: &str) -> Result<Frequency, InvalidRule> {
    Ok(match value {
        "YEARLY" => Frequency::Yearly,
        "MONTHLY" => Frequency::Monthly,
        "WEEKLY" => Frequency::Weekly,
        "DAILY" => Frequency::Daily,
        "HOURLY" => Frequency::Hourly,
        "MINUTELY" | "SECONDLY" => return Err(InvalidRule::TooOften),
        _ => return Err(InvalidRule::Frequency),
    })
}

/// Reads a number of plain digits with a sign or without.
fn number(text: &str) -> Option<i16> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if (1..=4).contains(&digits.len()) && is_digits(digits) {
        text.parse().ok()
    } else {
        None
    }
}

fn count(value: &str, most: u32, part: &'static str) -> Result<u32, InvalidRule> {
    let wrong = InvalidRule::Value(part);
    if value.len() > 9 || !is_digits(value) {
        return Err(wrong);
    }
    match value.parse() {
        Ok(count) if (1..=most).contains(&count) => Ok(count),
        _ => Err(wrong),
    }
}

fn is_digits(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

fn numbers(
    value: &str,
    range: std::ops::RangeInclusive<i16>,
    part: &'static str,
) -> Result<Vec<i16>, InvalidRule> {
    let read = |text| number(text).filter(|number| range.contains(number));
    let list: Option<Vec<i16>> = value.split(',').map(read).collect();
    let mut list = list.ok_or(InvalidRule::Value(part))?;
    list.sort_unstable();
    list.dedup();
    Ok(list)
}

/// Reads numbers that count from a start, or from an end when negative; 0 is refused.
fn both_ways(value: &str, most: i16, part: &'static str) -> Result<Vec<i16>, InvalidRule> {
    let list = numbers(value, -most..=most, part)?;
    if list.contains(&0) {
        return Err(InvalidRule::Value(part));
    }
    Ok(list)
}

fn by_days(value: &str) -> Result<Vec<ByDay>, InvalidRule> {
    let read = |text: &str| {
        let (nth, day) = text.split_at_checked(text.len().checked_sub(2)?)?;
        let nth = match nth {
            "" => None,
            nth => Some(number(nth).filter(|nth| *nth != 0 && nth.abs() <= 53)?),
        };
        Some(ByDay {
            nth,
            day: weekday(day)?,
        })
    };
    let list: Option<Vec<ByDay>> = value.split(',').map(read).collect();
    list.ok_or(InvalidRule::Value("BYDAY"))
}

fn weekday(text: &str) -> Option<Weekday> {
    Some(match text {
        "MO" => Weekday::Monday,
        "TU" => Weekday::Tuesday,
        "WE" => Weekday::Wednesday,
        "TH" => Weekday::Thursday,
        "FR" => Weekday::Friday,
        "SA" => Weekday::Saturday,
        "SU" => Weekday::Sunday,
        _ => return None,
    })
}
