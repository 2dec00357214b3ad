//! Where a hub keeps its data: in a data folder, or in a PostgreSQL database.

use crate::data_folder::error::CommandError;
use crate::data_folder::folder_lock::Place;
use crate::data_folder::upgrade::Upgrading;
use crate::data_folder::{database, enter, enter_to_serve, make, open};
use crate::random::Random;
use hub_store::{PostgresSettings, Since, SqliteSettings, Store, StoreError};
use std::fmt;
use std::path::{Path, PathBuf};

/// The number of the admin commands in the keys that they make: above every hub's.
const ADMIN_PROCESS: u8 = 240;
/// How many numbers they have, so that two at the same moment make different keys.
const ADMIN_PROCESSES: u64 = 16;

/// Where a hub keeps its data.
#[derive(Debug, Clone)]
pub enum Data {
    /// In an SQLite file of a folder.
    Folder(PathBuf),
    /// In a PostgreSQL database. No folder is used then.
    Postgres(PostgresSettings),
}

/// The place in the database's folder, kept as long as the store, and the store.
pub type Opened = (Option<Place>, Store);

impl Data {
    /// Opens the data for a hub that is to serve. Where there are none it refuses, unless `create`
    /// says that a new hub is wanted: one that starts empty by mistake knows no phone. `process` is its
    /// number in the keys of a file; a server gives each its own. `nothing_lost` takes a database that
    /// changed while no hub lived. `upgrading` is for a file whose schema is older.
    ///
    /// # Errors
    /// When there are no data, or they cannot be used.
    pub fn open_to_serve(
        &self,
        create: bool,
        nothing_lost: bool,
        process: u8,
        upgrading: Upgrading,
    ) -> Result<Opened, CommandError> {
        match self {
            Self::Folder(_) if nothing_lost => Err(CommandError::new(
                "--nothing-lost needs --database beside it: a file is not moved by its server",
            )),
            Self::Folder(folder) => {
                let place = enter_to_serve(folder, create)?;
                let _alone = upgrading.prepare(folder)?;
                Ok((Some(place), open(folder, process)?))
            }
            Self::Postgres(settings) => {
                let since = if nothing_lost {
                    Since::NothingLost
                } else {
                    Since::Unknown
                };
                let settings = PostgresSettings {
                    since,
                    ..settings.clone()
                };
                Ok((None, on_server(&settings, create)?))
            }
        }
    }

    /// Opens a database that was brought back, on which nobody works.
    ///
    /// # Errors
    /// When somebody does, or it cannot be used.
    pub fn open_restored(&self) -> Result<Store, CommandError> {
        match self {
            Self::Folder(folder) => Ok(for_command(folder, false)?),
            Self::Postgres(settings) => {
                let settings = PostgresSettings {
                    readers: 1,
                    serves: false,
                    since: Since::Restored,
                    ..settings.clone()
                };
                on_server(&settings, false)
            }
        }
    }

    /// Opens the data for one command; missing ones are made only when `create` says so.
    ///
    /// # Errors
    /// When they cannot be made or used.
    pub fn open_for_command(
        &self,
        create: bool,
        upgrading: Upgrading,
    ) -> Result<Opened, CommandError> {
        match self {
            Self::Folder(folder) => {
                if create {
                    make(folder)?;
                }
                let place = enter(folder)?;
                let _alone = upgrading.prepare(folder)?;
                Ok((Some(place), for_command(folder, create)?))
            }
            Self::Postgres(settings) => {
                let settings = PostgresSettings {
                    readers: 1,
                    serves: false,
                    ..settings.clone()
                };
                Ok((None, on_server(&settings, create)?))
            }
        }
    }
}

/// Names the place; a database's URL may hold a password and is not shown.
impl fmt::Display for Data {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Folder(folder) => write!(f, "{}", database(folder).display()),
            Self::Postgres(_) => f.write_str("the database"),
        }
    }
}

/// Opens the file of a folder that the caller has entered, for one command.
pub(super) fn for_command(folder: &Path, create: bool) -> Result<Store, StoreError> {
    let number = Random::new().below(ADMIN_PROCESSES);
    Store::open_sqlite(SqliteSettings {
        create,
        readers: 1,
        process: ADMIN_PROCESS + u8::try_from(number).unwrap_or(0),
        ..SqliteSettings::new(database(folder))
    })
}

fn on_server(settings: &PostgresSettings, create: bool) -> Result<Store, CommandError> {
    let settings = PostgresSettings {
        create,
        ..settings.clone()
    };
    let opened = Store::open_postgres(&settings);
    opened.map_err(|error| CommandError::of("--database", &error))
}
