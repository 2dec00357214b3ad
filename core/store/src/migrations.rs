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
    ("V3__sums", include_str!("../migrations/V3__sums.sql")),
    ("V4__claims", include_str!("../migrations/V4__claims.sql")),
    ("V5__hub", include_str!("../migrations/V5__hub.sql")),
    ("V6__proofs", include_str!("../migrations/V6__proofs.sql")),
];

/// Tells whether a journal has to be brought up to date.
pub(crate) fn are_due(connection: &Connection) -> Result<bool, JournalError> {
    let known = known()?.last().map_or(0, |last| i64::from(last.version()));
    let found = version(connection)?;
    if found > known {
        return Err(JournalError::Newer { found, known });
    }
    Ok(found < known)
}

/// Brings a journal up to date.
pub(crate) fn run(connection: &mut Connection) -> Result<(), JournalError> {
    if are_due(connection)? {
        let runner = Runner::new(&known()?).set_grouped(true);
        runner.run(connection).map_err(Box::new)?;
    }
    Ok(())
}

fn known() -> Result<Vec<Migration>, JournalError> {
    let known = ALL
        .iter()
        .map(|(name, sql)| Migration::unapplied(name, sql));
    Ok(known.collect::<Result<_, _>>().map_err(Box::new)?)
}

/// The table in which `refinery` keeps what was applied.
const HISTORY: &str = "refinery_schema_history";

/// Returns the schema's version; 0 for a file without a history.
fn version(connection: &Connection) -> Result<i64, JournalError> {
    if !connection.table_exists(None, HISTORY)? {
        return Ok(0);
    }
    let sql = format!("SELECT COALESCE(MAX(version), 0) FROM {HISTORY}");
    Ok(connection.query_row(&sql, [], |row| row.get(0))?)
}
