//! How long a phone waits for what its platform may never say.

use crate::phones::PhoneRefused;
use hub_domain::PhoneWaits;

/// What is to be changed, in seconds; what is `None` stays, and an inner `None` takes the setting
/// away.
#[derive(Debug, Clone, Copy, Default)]
pub struct WaitsPatch {
    /// After how long without a result the radio counts as silent.
    pub silent_after: Option<Option<u32>>,
    /// After how long without a result the message is unknown.
    pub unknown_after: Option<Option<u32>>,
    /// How long delivery reports are waited for.
    pub report_window: Option<Option<u32>>,
}

impl WaitsPatch {
    /// Changes a phone's; its radio must not be silent after the message is unknown.
    pub(super) fn apply(&self, waits: &mut PhoneWaits) -> Result<(), PhoneRefused> {
        *waits = PhoneWaits {
            silent_after: self.silent_after.unwrap_or(waits.silent_after),
            unknown_after: self.unknown_after.unwrap_or(waits.unknown_after),
            report_window: self.report_window.unwrap_or(waits.report_window),
        };
        if waits.are_in_order() {
            Ok(())
        } else {
            Err(PhoneRefused::Setting {
                param: "silent_after",
                rule: "must not be above unknown_after",
            })
        }
    }
}
