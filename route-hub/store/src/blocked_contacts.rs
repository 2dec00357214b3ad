//! Blocked contacts some of whose messages were not looked at yet.

use crate::row::Cursor;
use crate::{StoreError, Tx, values};
use postrider_model::{ContactId, ProjectId};

/// How far the messages of a blocked contact were looked at, newest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlockedContact {
    /// The contact.
    pub contact_id: ContactId,
    /// Its project.
    pub project_id: ProjectId,
    /// Messages below this key are still to be looked at.
    pub below: i64,
}

/// Notes how far a contact's messages were looked at.
pub fn put(tx: &mut Tx<'_>, blocked: &BlockedContact) -> Result<(), StoreError> {
    tx.run(
        "INSERT INTO blocked_contacts (contact_id, project_id, below) VALUES ($1, $2, $3) \
         ON CONFLICT (contact_id) DO UPDATE SET below = excluded.below",
        &values![blocked.contact_id, blocked.project_id, blocked.below],
    )?;
    Ok(())
}

/// Forgets a contact: all of its messages were looked at.
pub fn remove(tx: &mut Tx<'_>, contact_id: ContactId) -> Result<(), StoreError> {
    let sql = "DELETE FROM blocked_contacts WHERE contact_id = $1";
    tx.run(sql, &values![contact_id])?;
    Ok(())
}

/// Returns the first contact of the first project above `above` that has any.
pub fn next_after(tx: &mut Tx<'_>, above: i64) -> Result<Option<BlockedContact>, StoreError> {
    tx.query_one(
        "SELECT contact_id, project_id, below FROM blocked_contacts WHERE project_id > $1 \
         ORDER BY project_id, contact_id LIMIT 1",
        &values![above],
        |row| {
            let mut columns = Cursor::new(row);
            Ok(BlockedContact {
                contact_id: columns.id()?,
                project_id: columns.id()?,
                below: columns.int()?,
            })
        },
    )
}
