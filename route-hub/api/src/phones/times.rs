//! A phone's quiet hours, and how long it waits, as a request sets them.

use crate::parse;
use crate::phones::patch::optional;
use hub_app::phones::{QuietPatch, WaitsPatch};
use hub_domain::{PhoneWaits, QuietMode, TimeOfDay};
use hub_web::{ApiError, Field, Params};

/// Longest time of day that is looked at, in characters.
const TIME_LENGTH_MAX: usize = 8;

/// Reads `quiet_mode`, `quiet_start`, `quiet_end` and `timezone_id`.
pub(super) fn quiet(params: &Params) -> Result<QuietPatch, ApiError> {
    let mode = params.get("quiet_mode");
    let modes = [
        ("off", QuietMode::Off),
        ("delay", QuietMode::Delay),
        ("confirm", QuietMode::Confirm),
    ];
    let mode_read = mode.one_of(&modes)?;
    Ok(QuietPatch {
        mode: mode_read.or(mode.is_null().then_some(QuietMode::Off)),
        start: time(&params.get("quiet_start"))?,
        end: time(&params.get("quiet_end"))?,
        zone: parse::zone(&params.get("timezone_id"))?,
    })
}

fn time(field: &Field<'_>) -> Result<Option<Option<TimeOfDay>>, ApiError> {
    let text = field.string(TIME_LENGTH_MAX)?;
    match text.filter(|text| !text.is_empty()) {
        Some(text) => {
            let time = text.parse().map_err(|invalid| field.refuse(invalid))?;
            Ok(Some(Some(time)))
        }
        None => Ok(field.is_present().then_some(None)),
    }
}

/// Reads how long a phone waits for what its platform may never say, in seconds: `silent_after`,
/// `unknown_after` and `report_window`.
pub(super) fn waits(params: &Params) -> Result<WaitsPatch, ApiError> {
    let read = |name, range| optional(&params.get(name), range);
    Ok(WaitsPatch {
        silent_after: read("silent_after", PhoneWaits::RESULT)?,
        unknown_after: read("unknown_after", PhoneWaits::RESULT)?,
        report_window: read("report_window", PhoneWaits::REPORTS)?,
    })
}
