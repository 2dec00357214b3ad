//! What is left of something that was deleted: more pairs than one job can remove.
//!
//! Their group or label is gone for everybody, their task has ended; a row here says that some pairs are left, so that the
//! hub goes on removing them after a restart.

use crate::purge::{self, Purged};
use crate::{StoreError, Tx, values};

/// What was deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Holder {
    /// A group, with its members.
    Group,
    /// A label, on its messages.
    Label,
    /// A task that ended, with the contacts that it dealt with.
    Task,
    /// A task that ended, with the parts of its file.
    TaskParts,
    /// A task that ended, with the rows that failed.
    TaskBadRows,
}

impl Holder {
    const ALL: [Self; 5] = [
        Self::Group,
        Self::Label,
        Self::Task,
        Self::TaskParts,
        Self::TaskBadRows,
    ];

    /// What a task has beside its row until it ends.
    pub(crate) const OF_TASKS: [Self; 3] = [Self::Task, Self::TaskParts, Self::TaskBadRows];

    const fn code(self) -> i64 {
        match self {
            Self::Group => 1,
            Self::Label => 2,
            Self::Task => 3,
            Self::TaskParts => 4,
            Self::TaskBadRows => 5,
        }
    }

    const fn remove(self) -> &'static str {
        match self {
            Self::Group => {
                "DELETE FROM group_members WHERE group_id = $1 AND member_id IN (SELECT member_id \
                 FROM group_members WHERE group_id = $1 LIMIT $2)"
            }
            Self::Label => {
                "DELETE FROM message_labels WHERE label_id = $1 AND labelled_id IN \
                 (SELECT labelled_id FROM message_labels WHERE label_id = $1 LIMIT $2)"
            }
            Self::Task => {
                "DELETE FROM task_contacts WHERE task_id = $1 AND contact_id IN \
                 (SELECT contact_id FROM task_contacts WHERE task_id = $1 LIMIT $2)"
            }
            Self::TaskParts => {
                "DELETE FROM task_parts WHERE task_id = $1 AND number IN \
                 (SELECT number FROM task_parts WHERE task_id = $1 LIMIT $2)"
            }
            Self::TaskBadRows => {
                "DELETE FROM task_bad_rows WHERE task_id = $1 AND place IN \
                 (SELECT place FROM task_bad_rows WHERE task_id = $1 LIMIT $2)"
            }
        }
    }
}

/// Removes what belongs to something deleted, as far as one job may; notes that more is left.
pub(crate) fn remove(tx: &mut Tx<'_>, of: Holder, key: i64) -> Result<(), StoreError> {
    if step(tx, of, key)?.more {
        tx.run(
            "INSERT INTO leftovers (holder_kind, holder) VALUES ($1, $2) \
             ON CONFLICT (holder_kind, holder) DO NOTHING",
            &values![of.code(), key],
        )?;
    }
    Ok(())
}

fn step(tx: &mut Tx<'_>, of: Holder, key: i64) -> Result<Purged, StoreError> {
    purge::step(tx, |tx, limit| {
        tx.execute(of.remove(), &values![key, limit])
    })
}

/// Removes one step of whatever is left.
pub fn purge(tx: &mut Tx<'_>) -> Result<Purged, StoreError> {
    let first = tx.query_one(
        "SELECT holder_kind, holder FROM leftovers ORDER BY holder_kind, holder LIMIT 1",
        &[],
        |row| {
            let code = row.int(0)?;
            let of = Holder::ALL.into_iter().find(|of| of.code() == code);
            Ok((of.ok_or(StoreError::BadRow { column: 0 })?, row.int(1)?))
        },
    )?;
    let Some((of, key)) = first else {
        return Ok(Purged::default());
    };
    let purged = step(tx, of, key)?;
    if !purged.more {
        tx.run(
            "DELETE FROM leftovers WHERE holder_kind = $1 AND holder = $2",
            &values![of.code(), key],
        )?;
    }
    // Something else may be left behind this one.
    let more = true;
    Ok(Purged { more, ..purged })
}
