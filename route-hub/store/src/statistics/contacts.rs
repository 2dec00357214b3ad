//! Contacts and members of now, by the quarter hour in which they came.

use crate::row::Cursor;
use crate::{StoreError, Tx, Value, values};
use hub_domain::Quarter;
use postrider_model::{GroupId, Key, ProjectId};

/// Returns how many contacts of a project were made in each quarter hour.
pub fn contacts_made(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
) -> Result<Vec<(Quarter, i64)>, StoreError> {
    // The key of a contact says when it was made, so the index alone is read.
    let keys_of_a_quarter = Key::first_of_ms(Quarter(1).start().0).get();
    by_quarter(
        tx,
        "SELECT id / $2, count(*) FROM contacts WHERE project_id = $1 GROUP BY 1 ORDER BY 1",
        &values![project_id, keys_of_a_quarter],
    )
}

/// Returns how many members of a group joined it in each quarter hour.
pub fn members_joined(tx: &mut Tx<'_>, group: GroupId) -> Result<Vec<(Quarter, i64)>, StoreError> {
    by_quarter(
        tx,
        "SELECT time_joined / $2, count(*) FROM group_members WHERE group_id = $1 GROUP BY 1 ORDER BY 1",
        &values![group, Quarter(1).start()],
    )
}

fn by_quarter(
    tx: &mut Tx<'_>,
    sql: &'static str,
    values: &[Value<'_>],
) -> Result<Vec<(Quarter, i64)>, StoreError> {
    tx.query(sql, values, |row| {
        let mut columns = Cursor::new(row);
        Ok((Quarter(columns.int()?), columns.int()?))
    })
}
