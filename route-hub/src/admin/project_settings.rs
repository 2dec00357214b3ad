//! A project's settings as the command line gives them, checked before anything is written.

use crate::admin::args::ProjectSettings;
use hub_app::data_folder::error::CommandError;
use hub_app::projects::ProjectPatch;
use hub_domain::{RouteId, Zone};
use hub_outgoing::{Allowed, Guard};
use postrider_model::{PhoneId, Secret};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// A setting to change; the empty text removes it.
type Given<T> = Option<Option<T>>;

/// Reads and checks the settings.
///
/// # Errors
/// That names the flag.
pub(super) fn read(settings: &ProjectSettings) -> Result<ProjectPatch, CommandError> {
    let zone = given("--timezone", &settings.timezone, timezone)?;
    Ok(ProjectPatch {
        country: given("--country", &settings.country, country)?,
        timezone_id: zone.map(|zone| zone.unwrap_or_else(|| "UTC".to_owned())),
        default_route_id: given("--default-route", &settings.default_route, route)?,
        incoming_url: given("--incoming-url", &settings.incoming_url, url)?,
        incoming_secret: given("--incoming-secret", &settings.incoming_secret, secret)?,
        status_url: given("--status-url", &settings.status_url, url)?,
        status_secret: given("--status-secret", &settings.status_secret, secret)?,
        alert_url: given("--alert-url", &settings.alert_url, url)?,
        alert_secret: given("--alert-secret", &settings.alert_secret, secret)?,
        message_life_ms: settings
            .message_life_h
            .map(|hours| i64::from(hours) * 3_600_000),
        queue_cap: settings.queue_cap.map(i64::from),
        auto_create_contacts: settings.auto_create_contacts,
        stopped: settings.stopped,
        ..ProjectPatch::default()
    })
}

fn given<T>(
    flag: &str,
    text: &Option<String>,
    read: impl FnOnce(&str) -> Result<T, String>,
) -> Result<Given<T>, CommandError> {
    match text.as_deref().map(str::trim) {
        None => Ok(None),
        Some("") => Ok(Some(None)),
        Some(text) => match read(text) {
            Ok(value) => Ok(Some(Some(value))),
            Err(rule) => Err(CommandError::new(format!("{flag} {rule}"))),
        },
    }
}

fn route(text: &str) -> Result<RouteId, String> {
    let phone: Result<PhoneId, _> = text.parse();
    phone
        .map(RouteId::Phone)
        .map_err(|_| "must be a phone's id, PN…".to_owned())
}

fn country(text: &str) -> Result<String, String> {
    let formed = text.len() == 2 && text.bytes().all(|b| b.is_ascii_alphabetic());
    if formed {
        Ok(text.to_ascii_uppercase())
    } else {
        Err("must be two letters such as KE".to_owned())
    }
}

/// Reads a zone of the tz database, such as `America/Port-au-Prince`.
fn timezone(text: &str) -> Result<String, String> {
    match Zone::find(text) {
        Some(zone) => Ok(zone.name().to_owned()),
        None => Err("must be a zone of the tz database such as Africa/Nairobi".to_owned()),
    }
}

fn secret(text: &str) -> Result<Secret, String> {
    Ok(Secret::new(text))
}

/// Checks only the form: on every connection the running hub checks whether it may use the address.
fn url(text: &str) -> Result<String, String> {
    let anywhere = Guard {
        allow_loopback: true,
        allowed: vec![
            Allowed::Network(IpAddr::V4(Ipv4Addr::UNSPECIFIED), 0),
            Allowed::Network(IpAddr::V6(Ipv6Addr::UNSPECIFIED), 0),
        ],
        ..Guard::default()
    };
    match anywhere.check_url(text) {
        Ok(_) => Ok(text.to_owned()),
        Err(refused) => Err(refused.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn patch(settings: ProjectSettings) -> Result<ProjectPatch, String> {
        read(&settings).map_err(|error| error.to_string())
    }

    #[test]
    fn what_is_not_named_stays_and_an_empty_text_takes_away() {
        let settings = ProjectSettings {
            timezone: Some(String::new()),
            status_url: Some(String::new()),
            incoming_url: Some("http://127.0.0.1:9/in".into()),
            incoming_secret: Some("s".into()),
            message_life_h: Some(2),
            ..ProjectSettings::default()
        };
        let patch = patch(settings).unwrap();
        assert_eq!((patch.country, patch.queue_cap), (None, None));
        assert_eq!(patch.timezone_id.as_deref(), Some("UTC"));
        assert_eq!(patch.status_url, Some(None));
        let url = "http://127.0.0.1:9/in".to_owned();
        assert_eq!(patch.incoming_url, Some(Some(url)));
        assert_eq!(patch.incoming_secret, Some(Some(Secret::new("s"))));
        assert_eq!(patch.message_life_ms, Some(7_200_000));
    }

    #[test]
    fn a_setting_that_cannot_be_is_refused_by_its_flag() {
        let with = |change: fn(&mut ProjectSettings)| {
            let mut settings = ProjectSettings::default();
            change(&mut settings);
            patch(settings).unwrap_err()
        };
        let country = with(|it| it.country = Some("KEN".into()));
        assert!(country.starts_with("--country "), "{country}");
        for zone in ["Africa Nairobi", "/UTC", "UTC/", "1/2", "Europe/Zürich"] {
            let settings = ProjectSettings {
                timezone: Some(zone.into()),
                ..ProjectSettings::default()
            };
            assert!(patch(settings).is_err(), "{zone}");
        }
        let alert = with(|it| it.alert_url = Some("ftp://a.example".into()));
        assert!(alert.starts_with("--alert-url "), "{alert}");
        assert!(with(|it| it.default_route = Some("SM1".into())).starts_with("--default-route "));
    }

    #[test]
    fn zones_of_every_shape_are_taken() {
        for zone in [
            "UTC",
            "Africa/Nairobi",
            "America/Argentina/Buenos_Aires",
            "Etc/GMT+3",
        ] {
            assert!(timezone(zone).is_ok(), "{zone}");
        }
    }
}
