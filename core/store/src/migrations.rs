//! The schema's history.

use crate::JournalError;
use refinery::{Migration, Runner};
use rusqlite::Connection;

/// Every migration, in order: its name and its text. A text that was released is never changed.
const ALL: &[(&str, &str)] = &[
    ("V1__first", include_str!("../migrations/V1__first.sql")),
    (
        "V2__every_kind",
        include_str!("../migrations/V2__every_kind.sql"),
    ),
];

/// Brings a journal up to date.
pub(crate) fn run(connection: &mut Connection) -> Result<(), JournalError> {
    let migrations = ALL
        .iter()
        .map(|(name, sql)| Migration::unapplied(name, sql))
        .collect::<Result<Vec<_>, _>>()
        .map_err(Box::new)?;
    let known = migrations
        .last()
        .map_or(0, |last| i64::from(last.version()));
    let found = version(connection)?;
    if found > known {
        return Err(JournalError::Newer { found, known });
    }
    if found < known {
        let runner = Runner::new(&migrations).set_grouped(true);
        runner.run(connection).map_err(Box::new)?;
    }
    Ok(())
}

/// The table in which `refinery` keeps what was applied.
const HISTORY: &str = "refinery_schema_history";

/// Returns the schema's version; a file without a history has none yet.
fn version(connection: &Connection) -> Result<i64, JournalError> {
    if !connection.table_exists(None, HISTORY)? {
        return Ok(0);
    }
    let sql = format!("SELECT COALESCE(MAX(version), 0) FROM {HISTORY}");
    Ok(connection.query_row(&sql, [], |row| row.get(0))?)
}
