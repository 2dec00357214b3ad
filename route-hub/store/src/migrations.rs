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
    let found = applied(connection)?;
    if found > known {
        return Err(StoreError::Newer { found, known });
    }
    if found < known {
        runner.set_grouped(true).run(connection).map_err(failure)?;
    }
    Ok(())
}

/// Returns the newest schema that the database has had, 0 for a new one.
fn applied(connection: &Connection) -> Result<i64, StoreError> {
    let table = "SELECT count(*) FROM sqlite_master WHERE name = 'refinery_schema_history'";
    let newest = "SELECT COALESCE(max(version), 0) FROM refinery_schema_history";
    let read = |sql| connection.query_row(sql, [], |row| row.get::<_, i64>(0));
    match read(table).map_err(sqlite::failure)? {
        0 => Ok(0),
        _ => read(newest).map_err(sqlite::failure),
    }
}

fn failure(error: refinery::Error) -> StoreError {
    StoreError::Engine(Arc::new(error))
}
