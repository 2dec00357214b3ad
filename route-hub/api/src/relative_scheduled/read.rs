//! What a request says of a relative scheduled message.

use crate::members::words;
use crate::messages::patch;
use crate::scheduled::{recipient, recurrence};
use hub_app::schedules::relative::patch::RelativePatch;
use hub_domain::{OFFSET_COUNT_MAX, OffsetScale, TimeOfDay, is_variable};
use hub_web::{ApiError, Field, Kind, Member, Params};
use postrider_model::Now;

/// Longest variable's name that is looked at, in characters.
const VARIABLE_LENGTH_MAX: usize = 64;

/// The values of `offset_scale`.
pub(crate) const SCALES: [(&str, OffsetScale); 5] = [
    ("I", OffsetScale::Minutes),
    ("D", OffsetScale::Days),
    ("W", OffsetScale::Weeks),
    ("M", OffsetScale::Months),
    ("Y", OffsetScale::Years),
];

/// When it sends, by the date of each contact.
pub(crate) const TAKES: &[Member] = &[DATE_VARIABLE, TIME_OF_DAY, OFFSET_SCALE, OFFSET_COUNT];
pub(crate) const DATE_VARIABLE: Member = Member::new(
    "date_variable",
    Kind::Text(VARIABLE_LENGTH_MAX),
    "The contacts' variable that has the date.",
);
pub(crate) const TIME_OF_DAY: Member =
    Member::new("time_of_day", Kind::TimeOfDay, "When it sends on the day.");
pub(crate) const OFFSET_SCALE: Member = Member::new(
    "offset_scale",
    Kind::Word(&words(&SCALES)),
    "What offset_count counts: minutes (I), days, weeks, months or years.",
);
pub(crate) const OFFSET_COUNT: Member = Member::new(
    "offset_count",
    Kind::Integer(-OFFSET_COUNT_MAX, OFFSET_COUNT_MAX),
    "How long after the date it sends; before it when negative.",
);

pub(crate) fn relative(params: &Params, now: Now) -> Result<RelativePatch, ApiError> {
    let offset_count = params.get("offset_count");
    Ok(RelativePatch {
        message: patch::read(params)?,
        to: recipient(params)?,
        date_variable: date_variable(&params.get("date_variable"))?,
        time_of_day: time_of_day(&params.get("time_of_day"))?,
        offset_scale: params.get("offset_scale").one_of(&SCALES)?,
        offset_count: offset_count.integer()?,
        recurrence: recurrence(params, now)?,
    })
}

pub(crate) fn date_variable(field: &Field<'_>) -> Result<Option<String>, ApiError> {
    let text = field.string()?;
    let Some(text) = text.filter(|text| !text.is_empty()) else {
        return Ok(None);
    };
    let name = text.strip_prefix("contact.vars.").unwrap_or(text);
    if is_variable(name) {
        Ok(Some(name.to_owned()))
    } else {
        Err(field.refuse("is not the name of a contact's variable"))
    }
}

pub(crate) fn time_of_day(field: &Field<'_>) -> Result<Option<TimeOfDay>, ApiError> {
    let text = field.string()?;
    let time = text.filter(|text| !text.is_empty()).map(str::parse);
    time.transpose().map_err(|invalid| field.refuse(invalid))
}
