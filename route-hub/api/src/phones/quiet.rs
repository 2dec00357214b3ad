//! A phone's quiet hours and zone, as a request sets them.

use hub_app::parse;
use hub_domain::{Phone, QuietMode, TimeOfDay, Zone};
use hub_web::{ApiError, Field, Params};

/// Longest time of day that is looked at, in characters.
const TIME_LENGTH_MAX: usize = 8;

/// What is to be changed; what is `None` stays, and an inner `None` takes the setting away.
#[derive(Debug, Clone, Default)]
pub(super) struct QuietChange {
    mode: Option<QuietMode>,
    start: Option<Option<TimeOfDay>>,
    end: Option<Option<TimeOfDay>>,
    zone: Option<Option<Zone>>,
}

impl QuietChange {
    /// Reads `quiet_mode`, `quiet_start`, `quiet_end` and `timezone_id`.
    pub(super) fn read(params: &Params) -> Result<Self, ApiError> {
        let mode = params.get("quiet_mode");
        let modes = [
            ("off", QuietMode::Off),
            ("delay", QuietMode::Delay),
            ("confirm", QuietMode::Confirm),
        ];
        let mode_read = mode.one_of(&modes)?;
        Ok(Self {
            mode: mode_read.or(mode.is_null().then_some(QuietMode::Off)),
            start: time(&params.get("quiet_start"))?,
            end: time(&params.get("quiet_end"))?,
            zone: parse::zone(&params.get("timezone_id"))?,
        })
    }

    /// Changes a phone; what was released before no longer is.
    ///
    /// # Errors
    /// `invalid_param` when quiet hours are to be kept without a start or an end.
    pub(super) fn apply(&self, phone: &mut Phone) -> Result<(), ApiError> {
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

fn check(phone: &Phone) -> Result<(), ApiError> {
    if phone.quiet_mode == QuietMode::Off {
        return Ok(());
    }
    let missing = "is required while quiet_mode is not off";
    match (&phone.quiet_start, &phone.quiet_end) {
        (None, _) => Err(ApiError::invalid_param("quiet_start", missing)),
        (_, None) => Err(ApiError::invalid_param("quiet_end", missing)),
        (Some(start), Some(end)) if start == end => {
            let rule = "must be another time than quiet_start; send_paused stops a phone";
            Err(ApiError::invalid_param("quiet_end", rule))
        }
        _ => Ok(()),
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::phones::phone_of_tests as phone;
    use postrider_model::UnixMs;

    fn change(body: &str) -> Result<QuietChange, ApiError> {
        let body = Some(("application/json", body.as_bytes()));
        QuietChange::read(&Params::from_parts("", body).unwrap())
    }

    #[test]
    fn a_night_is_set_and_taken_away() {
        let mut phone = phone();
        let night = r#"{"quiet_mode":"delay","quiet_start":"22:00","quiet_end":"07:30",
            "timezone_id":"africa/nairobi"}"#;
        change(night).unwrap().apply(&mut phone).unwrap();
        assert_eq!(phone.quiet_mode, QuietMode::Delay);
        assert_eq!(phone.quiet_start.as_deref(), Some("22:00"));
        assert_eq!(phone.timezone_id.as_deref(), Some("Africa/Nairobi"));
        phone.quiet_released_until = Some(UnixMs(1));
        change("{}").unwrap().apply(&mut phone).unwrap();
        assert!(phone.quiet_released_until.is_some());
        let off = r#"{"quiet_mode":"off","quiet_start":null,"timezone_id":""}"#;
        change(off).unwrap().apply(&mut phone).unwrap();
        assert_eq!((phone.quiet_start, phone.timezone_id), (None, None));
        assert_eq!(phone.quiet_end.as_deref(), Some("07:30"));
        assert_eq!(phone.quiet_released_until, None);
    }

    #[test]
    fn hours_that_cannot_be_kept_are_refused_by_name() {
        for (body, named) in [
            (r#"{"quiet_mode":"delay"}"#, "quiet_start"),
            (
                r#"{"quiet_mode":"delay","quiet_start":"22:00"}"#,
                "quiet_end",
            ),
            (
                r#"{"quiet_mode":"confirm","quiet_start":"22:00","quiet_end":"22:00"}"#,
                "quiet_end",
            ),
            (r#"{"quiet_mode":"maybe"}"#, "quiet_mode"),
            (r#"{"quiet_start":"25:00"}"#, "quiet_start"),
            (r#"{"quiet_end":"7:00"}"#, "quiet_end"),
            (r#"{"quiet_end":700}"#, "quiet_end"),
            (r#"{"timezone_id":"Mars/Olympus"}"#, "timezone_id"),
        ] {
            let refused = change(body).and_then(|change| change.apply(&mut phone()));
            let param = refused.unwrap_err().param().map(str::to_owned);
            assert_eq!(param.as_deref(), Some(named), "{body}");
        }
    }
}
