//! The audit log: who did what.

use postrider_model::{OrganizationId, ProjectId, UnixMs};

/// One line of the audit log; lines are only ever added.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditEntry {
    /// Its key.
    pub id: i64,
    /// The organization it concerns.
    pub organization_id: OrganizationId,
    /// The project it concerns.
    pub project_id: Option<ProjectId>,
    /// Who: an id, or `admin` for the command line.
    pub actor: String,
    /// What, such as `key.create`.
    pub action: String,
    /// On what: an id.
    pub target: String,
    /// When.
    pub time: UnixMs,
}
