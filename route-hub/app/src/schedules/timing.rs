//! When a schedule sends: its start, its rule, its end and its zone.

use hub_domain::recurrence::{RULE_LENGTH_MAX, Rule};
use hub_domain::{Project, Schedule, Zone};
use hub_web::{ApiError, Field, Params};
use postrider_model::{Now, UnixMs};

/// Most seconds of an offset: ten years.
const OFFSET_SEC_MAX: i64 = 10 * 366 * 86_400;
/// Longest name of a zone that is looked at, in characters.
const ZONE_LENGTH_MAX: usize = 64;
/// What a schedule without a rule has.
const ONCE: &str = "COUNT=1";

/// What a request says of a rule, its end and its zone.
#[derive(Debug, Clone, Default)]
pub struct Recurring {
    rrule: Option<String>,
    timezone_id: Option<String>,
    /// The outer `None`: not given.
    end_time: Option<Option<UnixMs>>,
}

/// What a request says of the time of a schedule.
#[derive(Debug, Clone, Default)]
pub struct Timing {
    start_time: Option<UnixMs>,
    recurring: Recurring,
}

impl Recurring {
    pub fn read(params: &Params, project: &Project, now: Now) -> Result<Self, ApiError> {
        let end = params.get("end_time");
        let end_offset = params.get("end_time_offset");
        let given = end.is_present() || end_offset.is_given();
        let end_time = moment(&end, &end_offset, now)?;
        Ok(Self {
            rrule: rule(&params.get("rrule"))?,
            timezone_id: zone(&params.get("timezone_id"), project)?,
            end_time: given.then_some(end_time),
        })
    }

    /// Puts it into what is to be; what is not given stays.
    ///
    /// Only what recurs has an end: one that is named for what does not is refused, one that is
    /// left over goes.
    pub fn apply(
        &self,
        rrule: &mut String,
        timezone_id: &mut String,
        end_time: &mut Option<UnixMs>,
    ) -> Result<(), ApiError> {
        if let Some(given) = &self.rrule {
            rrule.clone_from(given);
        }
        if let Some(given) = &self.timezone_id {
            timezone_id.clone_from(given);
        }
        if let Some(given) = self.end_time {
            *end_time = given;
        }
        let recurs = Rule::parse(rrule).is_ok_and(|rule| rule.recurs());
        if !recurs && self.end_time.flatten().is_some() {
            let text = "is for schedules that recur: rrule names one moment";
            return Err(ApiError::invalid_param("end_time", text));
        }
        *end_time = end_time.filter(|_| recurs);
        Ok(())
    }

    /// Returns the rule, zone and end of what is new.
    pub fn of_new(&self, project: &Project) -> Result<(String, String, Option<UnixMs>), ApiError> {
        let (mut rrule, mut zone) = (ONCE.to_owned(), project.timezone_id.clone());
        let mut end_time = None;
        self.apply(&mut rrule, &mut zone, &mut end_time)?;
        Ok((rrule, zone, end_time))
    }
}

impl Timing {
    pub fn read(params: &Params, project: &Project, now: Now) -> Result<Self, ApiError> {
        let (start, offset) = (params.get("start_time"), params.get("start_time_offset"));
        Ok(Self {
            start_time: moment(&start, &offset, now)?,
            recurring: Recurring::read(params, project, now)?,
        })
    }

    /// Returns the start of what is new, with its rule, zone and end.
    pub fn of_new(
        &self,
        project: &Project,
    ) -> Result<(UnixMs, String, String, Option<UnixMs>), ApiError> {
        let required = "is required, or start_time_offset";
        let start = self.start_time;
        let start = start.ok_or_else(|| ApiError::invalid_param("start_time", required))?;
        let (rrule, zone, end_time) = self.recurring.of_new(project)?;
        Ok((start, rrule, zone, end_time))
    }

    /// Puts it into a schedule and looks for the next moment anew where it changes one.
    pub fn apply(&self, schedule: &mut Schedule, now: UnixMs) -> Result<(), ApiError> {
        let before = schedule.clone();
        if let Some(start) = self.start_time {
            schedule.start_time = start;
        }
        self.recurring.apply(
            &mut schedule.rrule,
            &mut schedule.timezone_id,
            &mut schedule.end_time,
        )?;
        let same = schedule.start_time == before.start_time
            && schedule.rrule == before.rrule
            && schedule.timezone_id == before.timezone_id
            && schedule.end_time == before.end_time;
        if !same {
            schedule.plan(now);
            check(schedule)?;
        }
        Ok(())
    }
}

/// Refuses a schedule that will never send: its own fault is named.
pub fn check(schedule: &Schedule) -> Result<(), ApiError> {
    if schedule.next_time.is_some() {
        return Ok(());
    }
    let (param, rule) = match (schedule.end_time, schedule.prev_time) {
        (Some(_), _) => ("end_time", "is before the next moment of rrule"),
        (None, Some(_)) if !recurs(schedule) => ("start_time", "is a moment that was sent already"),
        (None, _) => ("rrule", "names no moment that is still to come"),
    };
    Err(ApiError::invalid_param(param, rule))
}

fn recurs(schedule: &Schedule) -> bool {
    Rule::parse(&schedule.rrule).is_ok_and(|rule| rule.recurs())
}

/// Reads a moment, in whole seconds, or an offset from now that stands for it.
fn moment(at: &Field<'_>, offset: &Field<'_>, now: Now) -> Result<Option<UnixMs>, ApiError> {
    let moment = at.timestamp()?;
    let seconds = offset.integer(0..=OFFSET_SEC_MAX)?;
    match (moment, seconds) {
        (Some(_), Some(_)) => {
            let rule = format_args!("and {} say the same: one of them is enough", at.path());
            Err(offset.refuse(rule))
        }
        (None, Some(seconds)) => Ok(Some(whole(now.unix).plus_ms(seconds * 1_000))),
        (moment, None) => Ok(moment.map(whole)),
    }
}

fn whole(at: UnixMs) -> UnixMs {
    UnixMs(at.0 - at.0.rem_euclid(1_000))
}

fn rule(field: &Field<'_>) -> Result<Option<String>, ApiError> {
    if !field.is_present() {
        return Ok(None);
    }
    let text = field.string(RULE_LENGTH_MAX)?.unwrap_or_default().trim();
    Rule::parse(text).map_err(|invalid| field.refuse(invalid))?;
    Ok(Some(if text.is_empty() { ONCE } else { text }.to_owned()))
}

fn zone(field: &Field<'_>, project: &Project) -> Result<Option<String>, ApiError> {
    if !field.is_present() {
        return Ok(None);
    }
    let text = field.string(ZONE_LENGTH_MAX)?.unwrap_or_default();
    if text.is_empty() {
        return Ok(Some(project.timezone_id.clone()));
    }
    let zone = Zone::find(text);
    let zone = zone.ok_or_else(|| field.refuse("is not a zone of the tz database"))?;
    Ok(Some(zone.name().to_owned()))
}
