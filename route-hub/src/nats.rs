//! Through which NATS the hubs on one database hint to each other: the settings that `serve` and `demo` share.

use crate::database::{DatabaseSettings, first_line, none_given, secret};
use crate::environment;
use clap::Args;
use hub_app::data_folder::Data;
use hub_app::data_folder::error::CommandError;
use hub_nats::{NatsSettings, Servers};
use postrider_model::Secret;
use std::path::{Path, PathBuf};

/// The variable of the password, which has no flag: everybody can read a command line.
pub(crate) const PASSWORD_VARIABLE: &str = "ROUTE_HUB_NATS_PASSWORD";

/// NATS, unless hubs hint to each other by the database's own notices.
#[derive(Debug, Clone, Default, Args)]
pub struct HintSettings {
    /// NATS for the hints between hubs on one database, in place of the database's own notices:
    /// `nats://USER@HOST:PORT`, with several servers `nats://USER@ONE,TWO`; `tls://` demands TLS.
    ///
    /// The password comes from --nats-password-file or from the variable ROUTE_HUB_NATS_PASSWORD; without
    /// a user it is a token.
    #[arg(
        id = "nats_url",
        long = "nats",
        env = "ROUTE_HUB_NATS",
        hide_env_values = true,
        value_name = "URL",
        value_parser = secret
    )]
    pub url: Option<Secret>,
    /// File whose first line is the password for NATS.
    #[arg(
        id = "nats_password_file",
        long = "nats-password-file",
        env = "ROUTE_HUB_NATS_PASSWORD_FILE",
        value_name = "FILE"
    )]
    pub password_file: Option<PathBuf>,
    /// Certificates in PEM that may sign those of NATS, beside the system's.
    #[arg(
        id = "nats_ca",
        long = "nats-ca",
        env = "ROUTE_HUB_NATS_CA",
        value_name = "FILE"
    )]
    pub ca: Option<PathBuf>,
    /// Speak with NATS without TLS, over a network that nobody else reads. Loopback needs no TLS anyway.
    #[arg(id = "nats_plain", long = "nats-plain", env = "ROUTE_HUB_NATS_PLAIN", num_args = 0..=1, default_missing_value = "true", value_name = "BOOL")]
    pub plain: Option<bool>,
}

impl HintSettings {
    /// Returns where the data are, and the servers that carry hints unless the database does.
    ///
    /// # Errors
    /// When a setting cannot be used, or NATS is set where there can be no second hub.
    pub fn with(
        &self,
        database: &DatabaseSettings,
        folder: &Path,
    ) -> Result<(Data, Option<Servers>), CommandError> {
        let servers = self.servers()?;
        let mut data = database.data(folder)?;
        match (&mut data, &servers) {
            (Data::Postgres(settings), _) => settings.notices = servers.is_none(),
            (Data::Folder(_), None) => {}
            (Data::Folder(_), Some(_)) => {
                return Err(CommandError::new(
                    "--nats is for the hubs on one PostgreSQL database: give --database",
                ));
            }
        }
        Ok((data, servers))
    }

    fn servers(&self) -> Result<Option<Servers>, CommandError> {
        let Some(url) = &self.url else {
            let given = [
                ("--nats-password-file", self.password_file.is_some()),
                ("--nats-ca", self.ca.is_some()),
                ("--nats-plain", self.plain.is_some()),
            ];
            none_given("--nats", &given)?;
            return Ok(None);
        };
        let password = match &self.password_file {
            Some(file) => first_line("--nats-password-file", file)?,
            None => environment::variable(PASSWORD_VARIABLE),
        };
        let settings = NatsSettings {
            url: url.clone(),
            password: password.map(Secret::new),
            ca: self.ca.clone(),
            plain: self.plain.unwrap_or(false),
        };
        let servers = Servers::new(&settings);
        Ok(Some(
            servers.map_err(|error| CommandError::of("--nats", &error))?,
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(url: &str) -> HintSettings {
        HintSettings {
            url: Some(Secret::new(url)),
            ..HintSettings::default()
        }
    }

    fn on(url: Option<&str>) -> DatabaseSettings {
        DatabaseSettings {
            url: url.map(Secret::new),
            ..DatabaseSettings::default()
        }
    }

    #[test]
    fn the_database_s_notices_carry_hints_unless_nats_does() {
        let carries = |hints: &HintSettings| {
            let (data, servers) = hints
                .with(&on(Some("postgres://db/hub")), Path::new("here"))
                .unwrap();
            let Data::Postgres(settings) = data else {
                panic!("a folder");
            };
            (settings.notices, servers.is_some())
        };
        assert_eq!(carries(&HintSettings::default()), (true, false));
        assert_eq!(carries(&at("nats://localhost")), (false, true));
    }

    #[test]
    fn nats_without_a_server_for_several_hubs_is_refused() {
        let refused = at("nats://localhost")
            .with(&on(None), Path::new("here"))
            .unwrap_err();
        assert!(refused.to_string().contains("--database"), "{refused}");
    }

    #[test]
    fn how_to_reach_nats_is_refused_where_none_is_named() {
        let none = HintSettings::default;
        let given = [
            (
                "--nats-password-file",
                HintSettings {
                    password_file: Some("password".into()),
                    ..none()
                },
            ),
            (
                "--nats-ca",
                HintSettings {
                    ca: Some("ca.pem".into()),
                    ..none()
                },
            ),
            (
                "--nats-plain",
                HintSettings {
                    plain: Some(true),
                    ..none()
                },
            ),
        ];
        for (flag, settings) in given {
            let refused = settings
                .with(&on(Some("postgres://db/hub")), Path::new("here"))
                .unwrap_err();
            assert_eq!(
                refused.to_string(),
                format!("{flag} needs --nats beside it")
            );
        }
    }

    #[test]
    fn a_password_file_that_is_missing_is_named_and_the_url_is_not() {
        let settings = HintSettings {
            password_file: Some("no-such-file".into()),
            ..at("nats://someone:hunter2@localhost")
        };
        let error = settings
            .with(&on(Some("postgres://db/hub")), Path::new("here"))
            .unwrap_err();
        assert!(
            error
                .to_string()
                .contains("--nats-password-file no-such-file"),
            "{error}"
        );
        assert!(!format!("{error} {settings:?}").contains("hunter2"));
    }
}
