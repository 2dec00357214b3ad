//! A phone's quiet hours and zone.

use crate::phones::PhoneRefused;
use hub_domain::{Phone, QuietMode, TimeOfDay, Zone};

/// What is to be changed; what is `None` stays, and an inner `None` takes the setting away.
#[derive(Debug, Clone, Default)]
pub struct QuietPatch {
    /// What happens to messages in quiet hours.
    pub mode: Option<QuietMode>,
    /// When they begin.
    pub start: Option<Option<TimeOfDay>>,
    /// When they end.
    pub end: Option<Option<TimeOfDay>>,
    /// In which zone.
    pub zone: Option<Option<Zone>>,
}

impl QuietPatch {
    /// Changes a phone; what was released before no longer is. Quiet hours have a start and an end.
    pub(super) fn apply(&self, phone: &mut Phone) -> Result<(), PhoneRefused> {
        let text = |time: Option<TimeOfDay>| time.map(|time| time.to_string());
        if let Some(mode) = self.mode {
            phone.quiet_mode = mode;
        }
        if let Some(start) = self.start {
            phone.quiet_start = text(start);
        }
        if let Some(end) = self.end {
            phone.quiet_end = text(end);
        }
        if let Some(zone) = &self.zone {
            phone.timezone_id = zone.as_ref().map(|zone| zone.name().to_owned());
        }
        if self.changes_anything() {
            phone.quiet_released_until = None;
        }
        check(phone)
    }

    const fn changes_anything(&self) -> bool {
        self.mode.is_some() || self.start.is_some() || self.end.is_some() || self.zone.is_some()
    }
}

fn check(phone: &Phone) -> Result<(), PhoneRefused> {
    if phone.quiet_mode == QuietMode::Off {
        return Ok(());
    }
    let missing = "is required while quiet_mode is not off";
    let (param, rule) = match (&phone.quiet_start, &phone.quiet_end) {
        (None, _) => ("quiet_start", missing),
        (_, None) => ("quiet_end", missing),
        (Some(start), Some(end)) if start == end => (
            "quiet_end",
            "must be another time than quiet_start; send_paused stops a phone",
        ),
        _ => return Ok(()),
    };
    Err(PhoneRefused::Setting { param, rule })
}
