//! What a request says of a relative scheduled message.

use crate::messages::patch;
use crate::scheduled::{recipient, recurrence};
use hub_app::schedules::relative::patch::RelativePatch;
use hub_domain::{OFFSET_COUNT_MAX, OffsetScale, TimeOfDay, is_variable};
use hub_web::{ApiError, Field, Params};
use postrider_model::Now;

/// Longest time of day that is looked at, in characters.
const TIME_LENGTH_MAX: usize = 16;
/// Longest variable's name that is looked at, in characters.
const VARIABLE_LENGTH_MAX: usize = 64;

/// The values of `offset_scale`.
const SCALES: &[(&str, OffsetScale)] = &[
    ("I", OffsetScale::Minutes),
    ("D", OffsetScale::Days),
    ("W", OffsetScale::Weeks),
    ("M", OffsetScale::Months),
    ("Y", OffsetScale::Years),
];

pub(super) fn relative(params: &Params, now: Now) -> Result<RelativePatch, ApiError> {
    let offset_count = params.get("offset_count");
    Ok(RelativePatch {
        message: patch::read(params)?,
        to: recipient(params)?,
        date_variable: date_variable(&params.get("date_variable"))?,
        time_of_day: time_of_day(&params.get("time_of_day"))?,
        offset_scale: params.get("offset_scale").one_of(SCALES)?,
        offset_count: offset_count.integer(-OFFSET_COUNT_MAX..=OFFSET_COUNT_MAX)?,
        recurrence: recurrence(params, now)?,
    })
}

fn date_variable(field: &Field<'_>) -> Result<Option<String>, ApiError> {
    let text = field.string(VARIABLE_LENGTH_MAX)?;
    let Some(text) = text.filter(|text| !text.is_empty()) else {
        return Ok(None);
    };
    let name = text.strip_prefix("contact.vars.").unwrap_or(text);
    match is_variable(name) {
        true => Ok(Some(name.to_owned())),
        false => Err(field.refuse("is not the name of a contact's variable")),
    }
}

fn time_of_day(field: &Field<'_>) -> Result<Option<TimeOfDay>, ApiError> {
    let text = field.string(TIME_LENGTH_MAX)?;
    let time = text.filter(|text| !text.is_empty()).map(str::parse);
    time.transpose().map_err(|invalid| field.refuse(invalid))
}
