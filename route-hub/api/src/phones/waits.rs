//! How long a phone waits for what its platform may never say, as a request sets it.

use crate::phones::update::optional;
use hub_domain::PhoneWaits;
use hub_web::{ApiError, Params};

/// What is to be changed; what is `None` stays, and an inner `None` takes the setting away.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct WaitsChange {
    silent_after: Option<Option<u32>>,
    unknown_after: Option<Option<u32>>,
    report_window: Option<Option<u32>>,
}

impl WaitsChange {
    /// Reads `silent_after`, `unknown_after` and `report_window`, in seconds.
    pub(super) fn read(params: &Params) -> Result<Self, ApiError> {
        let read = |name, range| optional(&params.get(name), range);
        Ok(Self {
            silent_after: read("silent_after", PhoneWaits::RESULT)?,
            unknown_after: read("unknown_after", PhoneWaits::RESULT)?,
            report_window: read("report_window", PhoneWaits::REPORTS)?,
        })
    }

    /// Changes a phone's.
    ///
    /// # Errors
    /// `invalid_param` when its radio would be silent after the message is unknown.
    pub(super) fn apply(&self, waits: &mut PhoneWaits) -> Result<(), ApiError> {
        *waits = PhoneWaits {
            silent_after: self.silent_after.unwrap_or(waits.silent_after),
            unknown_after: self.unknown_after.unwrap_or(waits.unknown_after),
            report_window: self.report_window.unwrap_or(waits.report_window),
        };
        match waits.are_in_order() {
            true => Ok(()),
            false => {
                let rule = "must not be above unknown_after";
                Err(ApiError::invalid_param("silent_after", rule))
            }
        }
    }
}
