//! Lines of the audit log: who did what, and to what.

use crate::actor::Who;
use hub_domain::AuditEntry;
use hub_store::{StoreError, Tx};
use postrider_model::{Now, OrganizationId, ProjectId};

/// What somebody did, and on what.
#[derive(Debug, Clone)]
pub(crate) struct Line {
    /// The organization that it concerns.
    pub organization_id: OrganizationId,
    /// The project that it concerns.
    pub project_id: Option<ProjectId>,
    /// What was done, such as `key.create`.
    pub action: &'static str,
    /// The id of what it was done to.
    pub target: String,
}

/// Writes a line of what somebody did, in the transaction of what it tells of.
pub(crate) fn write(tx: &mut Tx<'_>, who: &Who, line: Line, now: Now) -> Result<(), StoreError> {
    let entry = AuditEntry {
        id: tx.key(now.unix).get(),
        organization_id: line.organization_id,
        project_id: line.project_id,
        actor: who.to_string(),
        action: line.action.to_owned(),
        target: line.target,
        time: now.unix,
    };
    hub_store::audit::insert(tx, &entry)
}
