//! The schema's history.

use crate::JournalError;
use refinery::{Migration, Runner};
use rusqlite::Connection;

/// Every migration, in order: its name and its text. A text that was released is never changed.
const ALL: &[(&str, &str)] = &[("V1__first", include_str!("../migrations/V1__first.sql"))];

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
    let runner = Runner::new(&migrations);
    let last = runner
        .get_last_applied_migration(connection)
        .map_err(Box::new)?;
    let found = last.map_or(0, |last| i64::from(last.version()));
    if found > known {
        return Err(JournalError::Newer { found, known });
    }
    if found < known {
        runner.set_grouped(true).run(connection).map_err(Box::new)?;
    }
    Ok(())
}
