//! Damaged rows, taken out of their tables so that they stop nobody else.
//!
//! A job of the row's own project keeps it with all its columns, so that an operator can put it
//! back.

use crate::damaged::Damaged;
use crate::messages::retention;
use crate::{StoreError, Tx, usage, values};
use hub_domain::UsageType;
use postrider_model::UnixMs;

/// Takes a row out of its table and keeps it aside.
pub fn set_aside(tx: &mut Tx<'_>, damaged: &Damaged, now: UnixMs) -> Result<(), StoreError> {
    let project = damaged.project_id.map_or(0, postrider_model::Id::get);
    tx.run(
        "INSERT INTO rows_aside (table_name, row_id, project_id, content, time) \
         VALUES ($1, $2, $3, $4, $5) \
         ON CONFLICT (table_name, row_id) DO UPDATE SET content = excluded.content, \
         time = excluded.time",
        &values![damaged.table, damaged.id, project, &damaged.content, now],
    )?;
    let delete = match damaged.table {
        "messages" => {
            retention::erase_by_key(tx, damaged.id, now)?;
            if let Some(project) = damaged.project_id {
                usage::count(tx, project, UsageType::StoredMessages, -1, now)?;
            }
            return Ok(());
        }
        "schedules" => "DELETE FROM schedules WHERE id = $1",
        "relative_schedules" => "DELETE FROM relative_schedules WHERE id = $1",
        _ => return Ok(()),
    };
    tx.run(delete, &values![damaged.id])?;
    Ok(())
}

/// Returns the table, key and columns of each row that was set aside, in the order of the tables.
pub fn all(tx: &mut Tx<'_>) -> Result<Vec<(String, i64, String)>, StoreError> {
    tx.query(
        "SELECT table_name, row_id, content FROM rows_aside ORDER BY table_name, row_id",
        &[],
        |row| Ok((row.text(0)?, row.int(1)?, row.text(2)?)),
    )
}
