//! How long a phone waits for what its platform may never say, as a request sets it.

use crate::phones::patch::optional;
use hub_app::phones::WaitsPatch;
use hub_domain::PhoneWaits;
use hub_web::{ApiError, Params};

/// Reads `silent_after`, `unknown_after` and `report_window`, in seconds.
pub(super) fn read(params: &Params) -> Result<WaitsPatch, ApiError> {
    let read = |name, range| optional(&params.get(name), range);
    Ok(WaitsPatch {
        silent_after: read("silent_after", PhoneWaits::RESULT)?,
        unknown_after: read("unknown_after", PhoneWaits::RESULT)?,
        report_window: read("report_window", PhoneWaits::REPORTS)?,
    })
}
