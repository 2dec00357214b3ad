//! Messages from before there were counters: each project's are counted in steps, in the order of
//! their keys. A message that the steps have not come to is not counted when it changes: the step
//! counts it as it is by then.

use crate::row::Cursor;
use crate::{StoreError, Tx, values};
use hub_domain::Message;
use postrider_model::ProjectId;

/// Returns the highest key of a message that may not be counted yet, 0 when all are.
pub(crate) fn uncounted_until(tx: &mut Tx<'_>) -> Result<i64, StoreError> {
    let until = tx.query_one("SELECT max(until) FROM uncounted_messages", &[], |row| {
        row.opt_int(0)
    })?;
    Ok(until.flatten().unwrap_or(0))
}

/// Says whether a stored message is counted. Only one from before there were counters needs a look.
pub(crate) fn is_counted(tx: &mut Tx<'_>, message: &Message) -> Result<bool, StoreError> {
    if message.id.get() > tx.uncounted_until() {
        return Ok(true);
    }
    let uncounted = tx.query_one(
        "SELECT 1 FROM uncounted_messages WHERE project_id = $1 AND above < $2 AND until >= $2",
        &values![message.project_id, message.id],
        |_| Ok(()),
    )?;
    Ok(uncounted.is_none())
}

/// Returns the projects that have messages to count.
pub fn uncounted(tx: &mut Tx<'_>) -> Result<Vec<ProjectId>, StoreError> {
    tx.query(
        "SELECT project_id FROM uncounted_messages ORDER BY project_id",
        &[],
        |row| row.id(0),
    )
}

/// Says whether a project has messages to count.
pub fn is_uncounted(tx: &mut Tx<'_>, project_id: ProjectId) -> Result<bool, StoreError> {
    Ok(range(tx, project_id)?.is_some())
}

/// Notes that a project's messages are counted up to a key; `None`: all of them.
pub(crate) fn counted_up_to(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    key: Option<i64>,
) -> Result<(), StoreError> {
    match key {
        Some(key) => tx.run(
            "UPDATE uncounted_messages SET above = $2 WHERE project_id = $1",
            &values![project_id, key],
        ),
        None => tx.run(
            "DELETE FROM uncounted_messages WHERE project_id = $1",
            &values![project_id],
        ),
    }
}

/// Returns above which key, and up to which, a project's messages are still to be counted.
pub(crate) fn range(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
) -> Result<Option<(i64, i64)>, StoreError> {
    tx.query_one(
        "SELECT above, until FROM uncounted_messages WHERE project_id = $1",
        &values![project_id],
        |row| {
            let mut columns = Cursor::new(row);
            Ok((columns.int()?, columns.int()?))
        },
    )
}
