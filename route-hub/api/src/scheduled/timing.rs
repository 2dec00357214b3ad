//! What a request says of when a schedule sends.

use crate::members::TIMEZONE_ID;
use hub_app::schedules::timing::{RecurrencePatch, TimingPatch};
use hub_domain::Zone;
use hub_domain::recurrence::{RULE_LENGTH_MAX, Rule};
use hub_web::{ApiError, Field, Kind, Member, Params};
use postrider_model::{Now, UnixMs};

/// Most seconds of an offset: ten years.
const OFFSET_SEC_MAX: i64 = 10 * 366 * 86_400;

/// When a schedule begins.
pub(crate) const START: &[Member] = &[
    Member::new("start_time", Kind::Time, "When it sends first."),
    Member::new(
        "start_time_offset",
        OFFSET,
        "Seconds from now, instead of start_time.",
    ),
];
/// How a schedule goes on.
pub(crate) const RECURRENCE: &[Member] = &[
    Member::new(
        "rrule",
        Kind::Text(RULE_LENGTH_MAX),
        "When it sends again, as a rule of iCalendar; once without it.",
    ),
    TIMEZONE_ID,
    Member::new("end_time", Kind::Time, "When it ends."),
    Member::new(
        "end_time_offset",
        OFFSET,
        "Seconds from now, instead of end_time.",
    ),
];
const OFFSET: Kind = Kind::Integer(0, OFFSET_SEC_MAX);

pub(crate) fn recurrence(params: &Params, now: Now) -> Result<RecurrencePatch, ApiError> {
    let end = params.get("end_time");
    let end_offset = params.get("end_time_offset");
    let given = end.is_present() || end_offset.is_given();
    let end_time = moment(&end, &end_offset, now)?;
    Ok(RecurrencePatch {
        rrule: rule(&params.get("rrule"))?,
        timezone_id: zone(&params.get("timezone_id"))?,
        end_time: given.then_some(end_time),
    })
}

pub(super) fn timing(params: &Params, now: Now) -> Result<TimingPatch, ApiError> {
    let (start, offset) = (params.get("start_time"), params.get("start_time_offset"));
    Ok(TimingPatch {
        start_time: moment(&start, &offset, now)?,
        recurrence: recurrence(params, now)?,
    })
}

/// Reads a moment, in whole seconds, or an offset from now that stands for it.
fn moment(at: &Field<'_>, offset: &Field<'_>, now: Now) -> Result<Option<UnixMs>, ApiError> {
    let moment = at.timestamp()?;
    let seconds = offset.integer()?;
    match (moment, seconds) {
        (Some(_), Some(_)) => {
            let rule = format_args!("and {} say the same: one of them is enough", at.path());
            Err(offset.refuse(rule))
        }
        (None, Some(seconds)) => Ok(Some(whole(now.unix).plus_ms(seconds * 1_000))),
        (moment, None) => Ok(moment.map(whole)),
    }
}

pub(crate) fn whole(at: UnixMs) -> UnixMs {
    UnixMs(at.0 - at.0.rem_euclid(1_000))
}

fn rule(field: &Field<'_>) -> Result<Option<String>, ApiError> {
    if !field.is_present() {
        return Ok(None);
    }
    let text = field.string()?.unwrap_or_default().trim();
    Rule::parse(text).map_err(|invalid| field.refuse(invalid))?;
    Ok(Some(text.to_owned()))
}

pub(crate) fn zone(field: &Field<'_>) -> Result<Option<String>, ApiError> {
    if !field.is_present() {
        return Ok(None);
    }
    let text = field.string()?.unwrap_or_default();
    if text.is_empty() {
        return Ok(Some(String::new()));
    }
    let zone = Zone::find(text);
    let zone = zone.ok_or_else(|| field.refuse("is not a zone of the tz database"))?;
    Ok(Some(zone.name().to_owned()))
}
