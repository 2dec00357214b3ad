//! The schema's history: one folder for all engines, each text read through the engine's dialect.

use crate::{StoreError, sqlite};
use refinery::{Migration, Runner};
use rusqlite::Connection;
use std::sync::Arc;

/// Every migration, in order: its name and its text.
const ALL: &[(&str, &str)] = &[("V1__first", include_str!("../migrations/V1__first.sql"))];

/// Brings an SQLite database up to date.
///
/// # Errors
/// [`StoreError::Newer`] when the database has a schema that this version does not know.
pub(crate) fn run(connection: &mut Connection) -> Result<(), StoreError> {
    let migrations = ALL
        .iter()
        .map(|(name, sql)| Migration::unapplied(name, &sqlite::dialect(sql)))
        .collect::<Result<Vec<_>, _>>()
        .map_err(failure)?;
    let known = migrations
        .last()
        .map_or(0, |last| i64::from(last.version()));
    let runner = Runner::new(&migrations);
    let last = runner
        .get_last_applied_migration(connection)
        .map_err(failure)?;
    let found = last.map_or(0, |last| i64::from(last.version()));
    if found > known {
        return Err(StoreError::Newer { found, known });
    }
    if found < known {
        runner.set_grouped(true).run(connection).map_err(failure)?;
    }
    Ok(())
}

fn failure(error: refinery::Error) -> StoreError {
    StoreError::Engine(Arc::new(error))
}
