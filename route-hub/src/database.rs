//! Where the database is: the settings that `serve`, `demo`, `admin` and the others share.

use crate::environment;
use clap::Args;
use hub_app::data_folder::Data;
use hub_app::data_folder::error::CommandError;
use hub_store::PostgresSettings;
use postrider_model::Secret;
use std::convert::Infallible;
use std::path::{Path, PathBuf};

/// The variable of the database's password, which has no flag: everybody can read a command line.
pub(crate) const PASSWORD_VARIABLE: &str = "ROUTE_HUB_DATABASE_PASSWORD";
/// The heading in the help of what nearly every command takes.
pub(crate) const COMMON: &str = "Common options";
/// How the URL of a PostgreSQL database begins.
const SCHEMES: [&str; 2] = ["postgres://", "postgresql://"];

/// Where the database is, unless it is a file in the data folder.
#[derive(Debug, Clone, Default, Args)]
pub struct DatabaseSettings {
    /// PostgreSQL database, instead of a file in the data folder:
    /// `postgres://USER@HOST:PORT/NAME`, with several hosts `postgres://USER@ONE,TWO/NAME`.
    ///
    /// The password comes from --database-password-file or from the variable
    /// ROUTE_HUB_DATABASE_PASSWORD. One in the URL works too, but others may read it in the list of
    /// processes.
    #[arg(
        long = "database",
        env = "ROUTE_HUB_DATABASE",
        hide_env_values = true,
        value_name = "URL",
        value_parser = secret,
        global = true,
        help_heading = COMMON
    )]
    pub url: Option<Secret>,
    /// File whose first line is the database's password.
    #[arg(
        long = "database-password-file",
        env = "ROUTE_HUB_DATABASE_PASSWORD_FILE",
        value_name = "FILE",
        global = true,
        help_heading = COMMON
    )]
    pub password_file: Option<PathBuf>,
    /// Certificates in PEM that may sign the database's, beside the system's.
    #[arg(
        long = "database-ca",
        env = "ROUTE_HUB_DATABASE_CA",
        value_name = "FILE",
        global = true,
        help_heading = COMMON
    )]
    pub ca: Option<PathBuf>,
    /// Speak with the database without TLS, over a network that nobody else reads. Loopback and
    /// Unix sockets need no TLS anyway.
    #[arg(long = "database-plain", env = "ROUTE_HUB_DATABASE_PLAIN", num_args = 0..=1, default_missing_value = "true", value_name = "BOOL", global = true, help_heading = COMMON)]
    pub plain: Option<bool>,
}

impl DatabaseSettings {
    /// Returns where the data are: in the database, if one is set, else in `folder`.
    ///
    /// # Errors
    /// When the URL is of another kind, the file of the password cannot be read, or a setting has no database.
    pub fn data(&self, folder: &Path) -> Result<Data, CommandError> {
        let Some(url) = &self.url else {
            self.refused_without("--database")?;
            return Ok(Data::Folder(folder.to_owned()));
        };
        let url = url.as_str();
        // PostgreSQL's own tools also write `host=… dbname=…`.
        let is_list = !url.contains("://") && url.contains('=');
        if !is_postgres(url) && !is_list {
            return Err(CommandError::new(
                "--database must be a URL such as postgres://USER@HOST:PORT/NAME",
            ));
        }
        Ok(Data::Postgres(PostgresSettings {
            password: self.password()?,
            ca: self.ca.clone(),
            plain: self.plain.unwrap_or(false),
            ..PostgresSettings::new(url)
        }))
    }

    /// Refuses a database that is no file, for a command that copies files.
    ///
    /// # Errors
    /// With what does the command's work on PostgreSQL.
    pub(crate) fn only_a_folder(&self, command: &str) -> Result<(), CommandError> {
        match self.url {
            None => self.refused_without("--database"),
            Some(_) => Err(CommandError::new(format!(
                "{command} is for a data folder. A PostgreSQL database is saved and brought back with \
                 pg_dump or its point-in-time recovery; run route-hub restored after that, before the \
                 hub starts (docs/postgresql.md)"
            ))),
        }
    }

    /// Refuses how to reach a server where none is named; `needed` would name it.
    pub(crate) fn refused_without(&self, needed: &str) -> Result<(), CommandError> {
        let given = [
            ("--database-password-file", self.password_file.is_some()),
            ("--database-ca", self.ca.is_some()),
            ("--database-plain", self.plain.is_some()),
        ];
        none_given(needed, &given)
    }

    fn password(&self) -> Result<Option<String>, CommandError> {
        match &self.password_file {
            Some(file) => first_line("--database-password-file", file),
            None => Ok(environment::variable(PASSWORD_VARIABLE)),
        }
    }
}

/// Says whether a text is the URL of a PostgreSQL database.
pub(crate) fn is_postgres(text: &str) -> bool {
    SCHEMES.iter().any(|scheme| text.starts_with(scheme))
}

/// Refuses settings that say how to reach what `needed` would name.
pub(crate) fn none_given(needed: &str, settings: &[(&str, bool)]) -> Result<(), CommandError> {
    match settings.iter().find(|(_, is_given)| *is_given) {
        None => Ok(()),
        Some((flag, _)) => Err(CommandError::new(format!(
            "{flag} needs {needed} beside it"
        ))),
    }
}

/// Reads the first line of the file that a flag names.
pub(crate) fn first_line(flag: &str, file: &Path) -> Result<Option<String>, CommandError> {
    let text = std::fs::read_to_string(file)
        .map_err(|error| CommandError::of(format!("{flag} {}", file.display()), &error))?;
    Ok(text.lines().next().map(str::to_owned))
}

pub(crate) fn secret(text: &str) -> Result<Secret, Infallible> {
    Ok(Secret::new(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn on(url: &str) -> DatabaseSettings {
        DatabaseSettings {
            url: Some(Secret::new(url)),
            ..DatabaseSettings::default()
        }
    }

    #[test]
    fn without_a_url_the_data_are_in_the_folder() {
        let data = DatabaseSettings::default().data(Path::new("here")).unwrap();
        assert_eq!(data.to_string(), "here/hub.db");
    }

    #[test]
    fn how_to_reach_a_database_is_refused_where_none_is_named() {
        let none = DatabaseSettings::default;
        let given = [
            (
                "--database-password-file",
                DatabaseSettings {
                    password_file: Some("password".into()),
                    ..none()
                },
            ),
            (
                "--database-ca",
                DatabaseSettings {
                    ca: Some("ca.pem".into()),
                    ..none()
                },
            ),
            (
                "--database-plain",
                DatabaseSettings {
                    plain: Some(true),
                    ..none()
                },
            ),
        ];
        for (flag, settings) in given {
            let why = format!("{flag} needs --database beside it");
            let refused = settings.data(Path::new("here")).unwrap_err();
            assert_eq!(refused.to_string(), why);
            let refused = settings.only_a_folder("backup").unwrap_err();
            assert_eq!(refused.to_string(), why);
        }
    }

    #[test]
    fn the_first_line_of_the_file_is_the_password() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("password");
        std::fs::write(&file, "open sesame\nnot this\n").unwrap();
        let settings = DatabaseSettings {
            password_file: Some(file.clone()),
            ..on("postgres://hub@db/hub")
        };
        let Data::Postgres(postgres) = settings.data(dir.path()).unwrap() else {
            panic!("a folder");
        };
        assert_eq!(postgres.password.as_deref(), Some("open sesame"));
        std::fs::remove_file(&file).unwrap();
        let error = settings.data(dir.path()).unwrap_err();
        assert!(
            error.to_string().contains("--database-password-file"),
            "{error}"
        );
    }

    #[test]
    fn a_url_of_another_database_is_refused_and_not_shown() {
        for url in ["mysql://hub:hunter2@db/hub", "postgres:/db", "hub.db"] {
            let refused = on(url).data(Path::new("here")).unwrap_err().to_string();
            assert!(refused.contains("postgres://USER@HOST"), "{refused}");
            assert!(!refused.contains("hunter2"), "{refused}");
        }
        for url in [
            "postgres://db/hub",
            "postgresql:///hub",
            "host=/run dbname=hub",
        ] {
            assert!(on(url).data(Path::new("here")).is_ok(), "{url}");
        }
    }

    #[test]
    fn nothing_shows_a_password() {
        let settings = on("postgres://hub:hunter2@db/hub");
        let data = settings.data(Path::new("here")).unwrap();
        let shown = format!("{settings:?} {data:?} {data}");
        assert!(!shown.contains("hunter2"), "{shown}");
    }

    #[test]
    fn a_backup_of_files_points_to_the_database_s_own_tools() {
        let refused = on("postgres://hub@db/hub")
            .only_a_folder("backup")
            .unwrap_err();
        assert!(refused.to_string().contains("pg_dump"), "{refused}");
    }
}
