//! What a request says of a relative scheduled message.

use hub_app::messages::planned::Planned;
use hub_app::schedules::recipient::recipient_group;
use hub_app::schedules::timing::Recurring;
use hub_domain::{
    OFFSET_COUNT_MAX, OffsetScale, Project, RelativeSchedule, ScheduledTo, TimeOfDay, is_variable,
};
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

/// What is given of a relative schedule, beside its message and recipient.
#[derive(Debug, Clone, Default)]
pub(super) struct RelativeSchedulePatch {
    pub(super) date_variable: Option<String>,
    pub(super) time_of_day: Option<TimeOfDay>,
    offset_scale: Option<OffsetScale>,
    offset_count: Option<i64>,
    pub(super) recurring: Recurring,
}

impl RelativeSchedulePatch {
    pub(super) fn read(params: &Params, project: &Project, now: Now) -> Result<Self, ApiError> {
        let offset_count = params.get("offset_count");
        Ok(Self {
            date_variable: date_variable(&params.get("date_variable"))?,
            time_of_day: time_of_day(&params.get("time_of_day"))?,
            offset_scale: params.get("offset_scale").one_of(SCALES)?,
            offset_count: offset_count.integer(-OFFSET_COUNT_MAX..=OFFSET_COUNT_MAX)?,
            recurring: Recurring::read(params, project, now)?,
        })
    }

    /// Puts it into what is to be; what is not given stays.
    pub(super) fn apply(&self, relative: &mut RelativeSchedule) -> Result<(), ApiError> {
        if let Some(variable) = &self.date_variable {
            relative.date_variable.clone_from(variable);
        }
        relative.time_of_day = self.time_of_day.unwrap_or(relative.time_of_day);
        relative.offset_scale = self.offset_scale.unwrap_or(relative.offset_scale);
        relative.offset_count = self.offset_count.unwrap_or(relative.offset_count);
        self.recurring.apply(
            &mut relative.rrule,
            &mut relative.timezone_id,
            &mut relative.end_time,
        )
    }

    pub(super) fn scale_and_count(&self) -> (OffsetScale, i64) {
        let scale = self.offset_scale.unwrap_or(OffsetScale::Days);
        (scale, self.offset_count.unwrap_or(0))
    }
}

/// Refuses a message to a code.
pub(super) fn refuse_code(planned: &Planned) -> Result<(), ApiError> {
    let rule = "cannot be ussd here: contacts are no codes";
    match planned.is_for_code() {
        true => Err(ApiError::invalid_param("message_type", rule)),
        false => Ok(()),
    }
}

/// Reads whom a request names; `None` for nobody.
pub(super) fn recipient(
    params: &Params,
    planned: &Planned,
    project: &Project,
) -> Result<Option<ScheduledTo>, ApiError> {
    if let Some(group) = recipient_group(params)? {
        return Ok(Some(group));
    }
    let named = ["to_number", "contact_id"].map(|name| params.get(name));
    if named.iter().all(Field::is_empty) {
        return Ok(None);
    }
    planned.recipient(params, project).map(Some)
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
