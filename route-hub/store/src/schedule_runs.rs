//! Schedules that are sending to a group: how far each has come.

use crate::row::Cursor;
use crate::{Row, StoreError, Tx, values};
use postrider_model::{GroupId, ProjectId, ScheduledId, UnixMs};

/// One moment of a schedule, on its way through a group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScheduleRun {
    /// Its key; contacts that were made after it are not in it.
    pub key: i64,
    /// The project.
    pub project_id: ProjectId,
    /// The schedule.
    pub scheduled_id: ScheduledId,
    /// The group.
    pub group_id: GroupId,
    /// The parameters of its messages, as JSON, as they were when it began.
    pub message: String,
    /// The key of the last contact that it has dealt with.
    pub done_up_to: i64,
    /// When it began.
    pub time_created: UnixMs,
}

/// Begins one.
///
/// # Errors
/// What the database says.
pub fn insert(tx: &mut Tx<'_>, run: &ScheduleRun) -> Result<(), StoreError> {
    tx.execute(
        "INSERT INTO schedule_runs (id, project_id, scheduled_id, group_id, message, done_up_to, \
         time_created) VALUES ($1, $2, $3, $4, $5, $6, $7)",
        &values![
            run.key,
            run.project_id,
            run.scheduled_id,
            run.group_id,
            &run.message,
            run.done_up_to,
            run.time_created,
        ],
    )?;
    Ok(())
}

/// Stores how far one has come, from where it was; says whether it was still there.
///
/// # Errors
/// What the database says.
pub fn advance(tx: &mut Tx<'_>, run: &ScheduleRun, done_up_to: i64) -> Result<bool, StoreError> {
    let changed = tx.execute(
        "UPDATE schedule_runs SET done_up_to = $3 WHERE id = $1 AND done_up_to = $2",
        &values![run.key, run.done_up_to, done_up_to],
    )?;
    Ok(changed == 1)
}

/// Ends one that has come through; says whether it was where it is thought to be.
///
/// # Errors
/// What the database says.
pub fn end(tx: &mut Tx<'_>, run: &ScheduleRun) -> Result<bool, StoreError> {
    let changed = tx.execute(
        "DELETE FROM schedule_runs WHERE id = $1 AND done_up_to = $2",
        &values![run.key, run.done_up_to],
    )?;
    Ok(changed == 1)
}

/// Ends those of a schedule that is cancelled.
///
/// # Errors
/// What the database says.
pub fn end_all(tx: &mut Tx<'_>, scheduled_id: ScheduledId) -> Result<(), StoreError> {
    tx.execute(
        "DELETE FROM schedule_runs WHERE scheduled_id = $1",
        &values![scheduled_id],
    )?;
    Ok(())
}

/// Returns those under way whose key is above another's, the oldest first.
///
/// # Errors
/// What the database says.
pub fn under_way(tx: &mut Tx<'_>, above: i64, limit: u32) -> Result<Vec<ScheduleRun>, StoreError> {
    tx.query(
        "SELECT id, project_id, scheduled_id, group_id, message, done_up_to, time_created \
         FROM schedule_runs WHERE id > $1 ORDER BY id LIMIT $2",
        &values![above, limit],
        read,
    )
}

fn read(row: &Row<'_>) -> Result<ScheduleRun, StoreError> {
    let mut columns = Cursor::new(row);
    Ok(ScheduleRun {
        key: columns.int()?,
        project_id: columns.id()?,
        scheduled_id: columns.id()?,
        group_id: columns.id()?,
        message: columns.text()?,
        done_up_to: columns.int()?,
        time_created: columns.time()?,
    })
}
