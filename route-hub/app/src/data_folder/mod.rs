//! The data folder: where the database is, and how it is opened.

pub mod copy;
mod data;
pub mod error;
pub mod folder_lock;
pub mod owner;
pub mod replacement;
pub mod stamp;
pub mod upgrade;

pub use self::data::{Data, Opened};

use self::folder_lock::Place;
use self::upgrade::Upgrading;
use crate::clock::SystemClock;
use crate::data_folder::error::CommandError;
use crate::hub::proofs::Proofs;
use crate::hub::{Hub, HubParts};
use crate::hub_id;
use crate::random::Random;
use hub_store::{SqliteSettings, Store, StoreError, meta};
use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

/// The name of the database's file.
const DATABASE_FILE: &str = "hub.db";

/// Returns the database's file of a data folder.
pub fn database(folder: &Path) -> PathBuf {
    folder.join(DATABASE_FILE)
}

/// Makes a folder that only its owner may look into, unless it is there.
///
/// # Errors
/// When it cannot be made.
pub fn make(folder: &Path) -> Result<(), CommandError> {
    let made = DirBuilder::new().recursive(true).mode(0o700).create(folder);
    made.map_err(|error| CommandError::of(folder.display(), &error))
}

/// Enters a data folder beside others, and finishes a restore that was broken off in it.
///
/// # Errors
/// When the folder is missing or cannot be used, or a restore is under way in it.
pub fn enter(folder: &Path) -> Result<Place, CommandError> {
    if !folder.is_dir() {
        let path = database(folder);
        return Err(StoreError::Missing { path }.into());
    }
    loop {
        replacement::finish(folder)?;
        let place = folder_lock::beside_others(folder)?;
        let place = place.ok_or_else(|| replacement::under_way(folder))?;
        if !replacement::is_pending(folder) {
            return Ok(place);
        }
    }
}

/// As [`enter`]; a missing folder is made.
///
/// # Errors
/// When the folder cannot be made or used, or a restore is under way in it.
pub fn make_and_enter(folder: &Path) -> Result<Place, CommandError> {
    make(folder)?;
    enter(folder)
}

/// Enters the data folder of a hub that is to serve, as the only one that does. One without a database is
/// refused, unless `create` says that a new hub is wanted: a hub that starts empty by mistake knows no phone.
///
/// # Errors
/// When there is no database, another hub serves the folder, it cannot be used, or a restore is under way in it.
pub fn enter_to_serve(folder: &Path, create: bool) -> Result<Place, CommandError> {
    let place = if create {
        make_and_enter(folder)?
    } else {
        let place = folder.is_dir().then(|| enter(folder)).transpose()?;
        place
            .filter(|_| has_database(folder))
            .ok_or_else(|| no_database(folder))?
    };
    place.serving(folder, SystemClock::start().now().unix)
}

/// Says whether a folder has a database; an empty file is none.
fn has_database(folder: &Path) -> bool {
    std::fs::metadata(database(folder)).is_ok_and(|file| file.len() > 0)
}

fn no_database(folder: &Path) -> CommandError {
    CommandError::new(format!(
        "there is no database at {}. A hub that has one is started with its folder in --dir (is its \
         disk mounted?); a new hub is made by `route-hub admin organization create`, or by serve \
         with --create",
        database(folder).display()
    ))
}

/// Opens the database of a data folder as the process of a number, makes both when they are missing,
/// and brings the schema up to date. A program enters the folder first and keeps its place as long as
/// the store.
///
/// # Errors
/// When the folder or the database cannot be used.
pub fn open(folder: &Path, process: u8) -> Result<Store, CommandError> {
    make(folder)?;
    Ok(Store::open_sqlite(SqliteSettings {
        reserve_log: true,
        process,
        ..SqliteSettings::new(database(folder))
    })?)
}

/// Opens data for one admin command; missing ones are made only when `create` says so.
///
/// # Errors
/// When they cannot be used.
pub fn open_for_admin(
    data: &Data,
    create: bool,
    upgrading: Upgrading,
) -> Result<(Hub, Option<Place>), CommandError> {
    let (place, store) = data.open_for_command(create, upgrading)?;
    Ok((hub_of(store)?, place))
}

/// Opens the database of a folder that the caller has entered, for one command.
///
/// # Errors
/// When the database cannot be used.
pub fn hub_on(folder: &Path, create: bool) -> Result<Hub, CommandError> {
    hub_of(data::for_command(folder, create)?)
}

/// Returns the hub on a store, for one command.
///
/// # Errors
/// When the database cannot be read.
pub fn hub_of(store: Store) -> Result<Hub, CommandError> {
    let parts = parts(store, String::new(), Vec::new())?;
    Ok(Hub::new(parts))
}

/// Puts together what a hub on a store is made of.
pub fn parts(
    store: Store,
    base_url: String,
    host_names: Vec<String>,
) -> Result<HubParts, CommandError> {
    let generation = store.read_blocking(meta::generation)?;
    let proofs = Proofs::kept(&store, Random::new().token::<32>())?;
    Ok(HubParts {
        id: hub_id::of(&store)?,
        process: store.process(),
        store,
        clock: SystemClock::start(),
        generation,
        proofs,
        base_url,
        host_names,
    })
}
