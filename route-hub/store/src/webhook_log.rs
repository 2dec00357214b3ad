//! Attempts to deliver that versions before wrote, until their time is over.

use crate::purge::{self, Purged};
use crate::{StoreError, Tx, values};
use postrider_model::{Key, ProjectId, UnixMs};

/// Removes a project's attempts that ended before `before`, one step of them.
///
/// Their ids are made as they end, so that the order of ids is that of time.
pub fn purge(tx: &mut Tx<'_>, project_id: ProjectId, before: UnixMs) -> Result<Purged, StoreError> {
    let first_kept = Key::first_of_ms(before.0).get();
    purge::step(tx, |tx, limit| {
        tx.execute(
            "DELETE FROM webhook_log WHERE id IN (SELECT id FROM webhook_log \
             WHERE project_id = $1 AND id < $2 ORDER BY id LIMIT $3)",
            &values![project_id, first_kept, limit],
        )
    })
}
