//! Looks at a database beside those who use it: nothing of it changes, and nobody has to wait.

use crate::backup::open_ours;
use crate::sqlite::{failure, patiently};
use crate::stopwatch::Stopwatch;
use crate::{StoreError, migrations};
use rusqlite::{Connection, ErrorCode};
use std::path::Path;
use std::time::Duration;

/// Steps of SQLite's machine between two looks at the clock.
const STEPS_PER_LOOK: i32 = 1_000;
/// Most faults that are named.
const FAULTS_NAMED_MAX: usize = 3;
/// The schema since which there are views.
const VIEWS_SINCE: i64 = 30;
/// The schema since which groups have conditions.
const GROUPS_SINCE: i64 = 3;

/// What a database looks like.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Look {
    /// Its schema; 0: it has no tables yet.
    pub schema: i64,
    /// The schema that this version gives it.
    pub newest: i64,
    /// The version of its server; `None`: it is a file.
    pub server: Option<String>,
    /// What is wrong with the file.
    pub faults: Vec<String>,
    /// Whether the whole file was looked through.
    pub is_whole: bool,
    /// The conditions that are stored in it.
    pub filters: Vec<StoredFilters>,
}

/// Conditions that a database keeps, as they are stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredFilters {
    /// What they belong to.
    pub kind: FilterKind,
    /// Its key.
    pub key: i64,
    /// The key of its project.
    pub project_key: i64,
    /// JSON.
    pub text: String,
}

/// What conditions belong to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FilterKind {
    /// A dynamic group.
    Group,
    /// A view of a data table.
    View,
}

/// Returns the statements that read stored conditions in a schema.
pub(crate) fn filters_of(schema: i64) -> impl Iterator<Item = (FilterKind, &'static str)> {
    let all = [
        (
            GROUPS_SINCE,
            FilterKind::Group,
            "SELECT id, project_id, filters FROM contact_groups WHERE filters IS NOT NULL ORDER BY id",
        ),
        (
            VIEWS_SINCE,
            FilterKind::View,
            "SELECT id, project_id, filters FROM data_views ORDER BY id",
        ),
    ];
    let known = move |(since, kind, sql)| (schema >= since).then_some((kind, sql));
    all.into_iter().filter_map(known)
}

/// Looks at the file at `path`, and through it for at most `time_max`.
///
/// # Errors
/// [`StoreError::Missing`], [`StoreError::Foreign`], [`StoreError::Newer`]; [`StoreError::Refused`] when its data
/// have moved; what else the file system says.
pub fn at_file(path: &Path, time_max: Duration) -> Result<Look, StoreError> {
    let (mut connection, schema) = patiently(|| {
        let connection = open_ours(path)?;
        let schema = migrations::known(&connection)?;
        if schema > 0 {
            migrations::check_mark(&connection)?;
        }
        Ok((connection, schema))
    })?;
    let mut filters = Vec::new();
    for (kind, sql) in filters_of(schema) {
        let mut reading = connection.prepare(sql).map_err(failure)?;
        let rows = reading.query_map([], |row| {
            Ok(StoredFilters {
                kind,
                key: row.get(0)?,
                project_key: row.get(1)?,
                text: row.get(2)?,
            })
        });
        for row in rows.map_err(failure)? {
            filters.push(row.map_err(failure)?);
        }
    }
    let (faults, is_whole) = faults(&mut connection, time_max)?;
    Ok(Look {
        schema,
        newest: migrations::newest_known(),
        server: None,
        faults,
        is_whole,
        filters,
    })
}

/// Returns what is wrong with a file, and whether the whole of it was looked through in time.
fn faults(
    connection: &mut Connection,
    time_max: Duration,
) -> Result<(Vec<String>, bool), StoreError> {
    let clock = Stopwatch::start();
    let is_over = move || clock.elapsed() >= time_max;
    connection
        .progress_handler(STEPS_PER_LOOK, Some(is_over))
        .map_err(failure)?;
    let mut checking = connection.prepare("PRAGMA quick_check").map_err(failure)?;
    let said = checking
        .query_map([], |row| row.get::<_, String>(0))
        .map_err(failure)?;
    let mut faults = Vec::new();
    for line in said.take(FAULTS_NAMED_MAX) {
        match line {
            Ok(line) if line == "ok" => {}
            Ok(line) => faults.push(line),
            Err(error) if error.sqlite_error_code() == Some(ErrorCode::OperationInterrupted) => {
                return Ok((faults, false));
            }
            Err(error) => return Err(failure(error)),
        }
    }
    Ok((faults, true))
}
