//! A project's settings as the command line gives them, checked before anything is written.

use crate::admin::args::ProjectSettings;
use hub_app::data_folder::error::CommandError;
use hub_domain::{Project, RouteId, Zone};
use hub_outgoing::{Allowed, Guard};
use hub_store::{StoreError, Tx, phones};
use postrider_model::{PhoneId, Secret};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// A text of the command line: an empty one takes the setting away.
type Given<T> = Option<Option<T>>;

/// What is to be changed; what is `None` stays.
#[derive(Debug, Clone, Default)]
pub(super) struct Changes {
    country: Given<String>,
    timezone: Given<String>,
    pub(super) default_route: Given<PhoneId>,
    incoming_url: Given<String>,
    incoming_secret: Given<Secret>,
    status_url: Given<String>,
    status_secret: Given<Secret>,
    alert_url: Given<String>,
    alert_secret: Given<Secret>,
    message_life_h: Option<u32>,
    queue_cap: Option<u32>,
    auto_create_contacts: Option<bool>,
    stopped: Option<bool>,
}

impl Changes {
    /// Reads and checks the settings.
    ///
    /// # Errors
    /// That names the flag.
    pub(super) fn read(settings: &ProjectSettings) -> Result<Self, CommandError> {
        let route = |text: &str| {
            text.parse()
                .map_err(|_| "is not a phone's id, PN…".to_owned())
        };
        Ok(Self {
            country: given("--country", &settings.country, country)?,
            timezone: given("--timezone", &settings.timezone, timezone)?,
            default_route: given("--default-route", &settings.default_route, route)?,
            incoming_url: given("--incoming-url", &settings.incoming_url, url)?,
            incoming_secret: given("--incoming-secret", &settings.incoming_secret, secret)?,
            status_url: given("--status-url", &settings.status_url, url)?,
            status_secret: given("--status-secret", &settings.status_secret, secret)?,
            alert_url: given("--alert-url", &settings.alert_url, url)?,
            alert_secret: given("--alert-secret", &settings.alert_secret, secret)?,
            message_life_h: settings.message_life_h,
            queue_cap: settings.queue_cap,
            auto_create_contacts: settings.auto_create_contacts,
            stopped: settings.stopped,
        })
    }

    /// Checks that the default route is a phone of the project.
    pub(super) fn check_route(
        &self,
        tx: &mut Tx<'_>,
        project: &Project,
    ) -> Result<Result<(), &'static str>, StoreError> {
        match self.default_route.flatten() {
            Some(phone) if phones::get(tx, project.id, phone)?.is_none() => {
                Ok(Err("--default-route is not a phone of the project"))
            }
            _ => Ok(Ok(())),
        }
    }

    /// Changes the project.
    pub(super) fn apply(&self, project: &mut Project) {
        put(&mut project.country, &self.country);
        if let Some(timezone) = &self.timezone {
            project.timezone_id = timezone.clone().unwrap_or_else(|| "UTC".to_owned());
        }
        if let Some(phone) = self.default_route {
            project.default_route_id = phone.map(RouteId::Phone);
        }
        put(&mut project.incoming_url, &self.incoming_url);
        put(&mut project.incoming_secret, &self.incoming_secret);
        put(&mut project.status_url, &self.status_url);
        put(&mut project.status_secret, &self.status_secret);
        put(&mut project.alert_url, &self.alert_url);
        put(&mut project.alert_secret, &self.alert_secret);
        if let Some(hours) = self.message_life_h {
            project.message_life_ms = i64::from(hours) * 3_600_000;
        }
        if let Some(cap) = self.queue_cap {
            project.queue_cap = i64::from(cap);
        }
        project.auto_create_contacts = self
            .auto_create_contacts
            .unwrap_or(project.auto_create_contacts);
        project.stopped = self.stopped.unwrap_or(project.stopped);
    }
}

fn put<T: Clone>(setting: &mut Option<T>, given: &Given<T>) {
    if let Some(value) = given {
        setting.clone_from(value);
    }
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

fn country(text: &str) -> Result<String, String> {
    let formed = text.len() == 2 && text.bytes().all(|b| b.is_ascii_alphabetic());
    match formed {
        true => Ok(text.to_ascii_uppercase()),
        false => Err("must be two letters such as KE".to_owned()),
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

/// Checks the form only: whether the address may be reached is up to the running hub, which looks
/// at it again on every connection.
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
    use postrider_model::{Key, OrganizationId, ProjectId, UnixMs};

    fn project() -> Project {
        let id = ProjectId::new(Key::new(1).unwrap());
        let organization = OrganizationId::new(Key::new(2).unwrap());
        Project::new(id, organization, "Clinic", UnixMs(0))
    }

    fn read(settings: ProjectSettings) -> Result<Changes, String> {
        Changes::read(&settings).map_err(|error| error.to_string())
    }

    #[test]
    fn what_is_not_named_stays_and_an_empty_text_takes_away() {
        let mut project = project();
        project.country = Some("KE".into());
        project.status_url = Some("https://a.example/".into());
        let settings = ProjectSettings {
            status_url: Some(String::new()),
            incoming_url: Some("http://127.0.0.1:9/in".into()),
            incoming_secret: Some("s".into()),
            message_life_h: Some(2),
            ..ProjectSettings::default()
        };
        read(settings).unwrap().apply(&mut project);
        assert_eq!(project.country.as_deref(), Some("KE"));
        assert_eq!(project.status_url, None);
        assert_eq!(
            project.incoming_url.as_deref(),
            Some("http://127.0.0.1:9/in")
        );
        assert_eq!(project.incoming_secret, Some(Secret::new("s")));
        assert_eq!(project.message_life_ms, 7_200_000);
        assert_eq!(project.queue_cap, Project::QUEUE_CAP);
    }

    #[test]
    fn a_setting_that_cannot_be_is_refused_by_its_flag() {
        let with = |change: fn(&mut ProjectSettings)| {
            let mut settings = ProjectSettings::default();
            change(&mut settings);
            read(settings).unwrap_err()
        };
        let country = with(|it| it.country = Some("KEN".into()));
        assert!(country.starts_with("--country "), "{country}");
        for zone in ["Africa Nairobi", "/UTC", "UTC/", "1/2", "Europe/Zürich"] {
            let settings = ProjectSettings {
                timezone: Some(zone.into()),
                ..ProjectSettings::default()
            };
            assert!(read(settings).is_err(), "{zone}");
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
