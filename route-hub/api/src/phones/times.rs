//! A phone's quiet hours, and how long it waits, as a request sets them.

use crate::members::{TIMEZONE_ID, words};
use crate::parse;
use hub_app::phones::{QuietPatch, WaitsPatch};
use hub_domain::{PhoneWaits, QuietMode, TimeOfDay};
use hub_web::{ApiError, Field, Kind, Member, Params};
use std::ops::RangeInclusive;

const MODES: [(&str, QuietMode); 3] = [
    ("off", QuietMode::Off),
    ("delay", QuietMode::Delay),
    ("confirm", QuietMode::Confirm),
];

/// When a phone is quiet.
pub(super) const QUIET: &[Member] = &[
    Member::new(
        "quiet_mode",
        Kind::Word(&words(&MODES)),
        "What happens in the quiet hours.",
    ),
    Member::new("quiet_start", Kind::TimeOfDay, "When they begin."),
    Member::new("quiet_end", Kind::TimeOfDay, "When they end."),
    TIMEZONE_ID,
];
/// How long a phone waits.
pub(super) const WAITS: &[Member] = &[
    Member::new(
        "silent_after",
        RESULT,
        "Seconds until a silent platform is asked again.",
    ),
    Member::new(
        "unknown_after",
        RESULT,
        "Seconds until a result counts as unknown.",
    ),
    Member::new(
        "report_window",
        REPORTS,
        "Seconds that delivery reports are waited for.",
    ),
];
const RESULT: Kind = range(&PhoneWaits::RESULT);
const REPORTS: Kind = range(&PhoneWaits::REPORTS);

const fn range(range: &RangeInclusive<u32>) -> Kind {
    Kind::Integer(*range.start() as i64, *range.end() as i64)
}

/// Reads `quiet_mode`, `quiet_start`, `quiet_end` and `timezone_id`.
pub(super) fn quiet(params: &Params) -> Result<QuietPatch, ApiError> {
    let mode = params.get("quiet_mode");
    let mode_read = mode.one_of(&MODES)?;
    Ok(QuietPatch {
        mode: mode_read.or(mode.is_null().then_some(QuietMode::Off)),
        start: time(&params.get("quiet_start"))?,
        end: time(&params.get("quiet_end"))?,
        zone: parse::zone(&params.get("timezone_id"))?,
    })
}

fn time(field: &Field<'_>) -> Result<Option<Option<TimeOfDay>>, ApiError> {
    let text = field.string()?;
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
    let read = |name| parse::number(&params.get(name));
    Ok(WaitsPatch {
        silent_after: read("silent_after")?,
        unknown_after: read("unknown_after")?,
        report_window: read("report_window")?,
    })
}
