//! What a task that writes or reads a file has beside its row until it ends: blobs with parts of the
//! file, and the rows that could not be taken.

use crate::{StoreError, Tx, values};
use postrider_model::{ProjectId, TaskId};

/// Notes a part, whose bytes are kept under a name.
///
/// # Errors
/// [`StoreError::Conflict`] when the task has a part with this number.
pub fn insert(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    task: TaskId,
    number: u32,
    name: &str,
) -> Result<(), StoreError> {
    tx.run(
        "INSERT INTO task_parts (task_id, number, project_id, name) VALUES ($1, $2, $3, $4)",
        &values![task, number, project_id, name],
    )
}

/// Returns the name of a part's bytes.
pub fn name(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    task: TaskId,
    number: u32,
) -> Result<Option<String>, StoreError> {
    tx.query_one(
        "SELECT name FROM task_parts WHERE task_id = $1 AND number = $2 AND project_id = $3",
        &values![task, number, project_id],
        |row| row.text(0),
    )
}

/// Says whether a part has this name: its bytes are still needed.
pub fn is_needed(
    tx: &mut Tx<'_>,
    task: TaskId,
    number: u32,
    name: &str,
) -> Result<bool, StoreError> {
    let found = tx.query_one(
        "SELECT 1 FROM task_parts WHERE task_id = $1 AND number = $2 AND name = $3",
        &values![task, number, name],
        |_| Ok(()),
    )?;
    Ok(found.is_some())
}

/// A row of a file that could not be taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadRow {
    /// Where it begins, in bytes.
    pub place: u64,
    /// Its bytes.
    pub length: u64,
    /// Why it could not be taken.
    pub problem: String,
}

/// Notes a row that could not be taken.
pub fn insert_bad(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    task: TaskId,
    row: &BadRow,
) -> Result<(), StoreError> {
    tx.run(
        "INSERT INTO task_bad_rows (task_id, place, project_id, length, problem) \
         VALUES ($1, $2, $3, $4, $5)",
        &values![
            task,
            i64::try_from(row.place).unwrap_or(i64::MAX),
            project_id,
            i64::try_from(row.length).unwrap_or(i64::MAX),
            &row.problem,
        ],
    )
}

/// Returns the next rows that could not be taken, from a place on.
pub fn bad_from(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    task: TaskId,
    from: u64,
    limit: u32,
) -> Result<Vec<BadRow>, StoreError> {
    let from = i64::try_from(from).unwrap_or(i64::MAX);
    tx.query(
        "SELECT place, length, problem FROM task_bad_rows \
         WHERE task_id = $1 AND place >= $2 AND project_id = $3 ORDER BY place LIMIT $4",
        &values![task, from, project_id, limit],
        |row| {
            Ok(BadRow {
                place: u64::try_from(row.int(0)?).unwrap_or(0),
                length: u64::try_from(row.int(1)?).unwrap_or(0),
                problem: row.text(2)?,
            })
        },
    )
}
