//! The audit log: lines are only ever added.

use crate::row::Cursor;
use crate::{StoreError, Tx, values};
use hub_domain::AuditEntry;
use postrider_model::OrganizationId;

/// Adds a line.
pub fn insert(tx: &mut Tx<'_>, entry: &AuditEntry) -> Result<(), StoreError> {
    tx.run(
        "INSERT INTO audit_log (id, organization_id, project_id, actor, action, target, time) \
         VALUES ($1, $2, $3, $4, $5, $6, $7)",
        &values![
            entry.id,
            entry.organization_id,
            entry.project_id,
            &entry.actor,
            &entry.action,
            &entry.target,
            entry.time,
        ],
    )?;
    Ok(())
}

/// Returns an organization's last lines, newest first.
pub fn latest(
    tx: &mut Tx<'_>,
    organization_id: OrganizationId,
    limit: u32,
) -> Result<Vec<AuditEntry>, StoreError> {
    tx.query(
        "SELECT id, organization_id, project_id, actor, action, target, time FROM audit_log \
         WHERE organization_id = $1 ORDER BY id DESC LIMIT $2",
        &values![organization_id, limit],
        |row| {
            let mut columns = Cursor::new(row);
            Ok(AuditEntry {
                id: columns.int()?,
                organization_id: columns.id()?,
                project_id: columns.opt_id()?,
                actor: columns.text()?,
                action: columns.text()?,
                target: columns.text()?,
                time: columns.time()?,
            })
        },
    )
}
