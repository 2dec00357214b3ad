//! API keys and what they permit.

use crate::code::coded;
use postrider_model::{ApiKeyId, OrganizationId, ProjectId, UnixMs};
use std::collections::BTreeSet;

coded! {
    /// What a caller may do.
    Permission {
        /// Read messages.
        ViewMessages = "view_messages" / 1,
        /// Send, receive, cancel, resend and update messages.
        SendMessages = "send_messages" / 2,
        /// Delete messages.
        DeleteMessages = "delete_messages" / 3,
        /// Read contacts.
        ViewContacts = "view_contacts" / 4,
        /// Make, change and delete contacts.
        EditContacts = "edit_contacts" / 5,
        /// Read phones and routes.
        ViewRoutes = "view_routes" / 6,
        /// Change phones and routes.
        EditRoutes = "edit_routes" / 7,
        /// Read projects.
        ViewProjects = "view_projects" / 8,
        /// Change a project's settings.
        EditProject = "edit_project" / 9,
        /// Make, change and delete webhook objects, read and replay their deliveries.
        ManageWebhooks = "manage_webhooks" / 10,
        /// Change the organization and make projects.
        EditOrganization = "edit_organization" / 11,
        /// Read what the organization has used.
        ViewBilling = "view_billing" / 12,
        /// Read data tables with their rows and views.
        ViewData = "view_data" / 13,
        /// Make, change and delete data tables with their rows and views.
        EditData = "edit_data" / 14,
        /// Read statistics.
        ViewStats = "view_stats" / 15,
    }
}

/// A set of permissions; stored as a JSON array of names.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Permissions(BTreeSet<Permission>);

impl Permissions {
    /// Returns the set of every permission.
    pub fn all() -> Self {
        Self(Permission::ALL.iter().copied().collect())
    }

    /// Says whether the set holds `permission`.
    pub fn allow(&self, permission: Permission) -> bool {
        self.0.contains(&permission)
    }

    /// Iterates over the set in declaration order.
    pub fn iter(&self) -> impl Iterator<Item = Permission> + '_ {
        self.0.iter().copied()
    }

    /// Writes the set as a JSON array of names.
    pub fn to_json(&self) -> String {
        let names: Vec<&str> = self.iter().map(Permission::as_str).collect();
        serde_json::Value::from(names).to_string()
    }

    /// Reads what [`Self::to_json`] wrote; names of a newer hub are left out.
    pub fn from_json(text: &str) -> Option<Self> {
        let names: Vec<String> = serde_json::from_str(text).ok()?;
        Some(names.iter().filter_map(|name| name.parse().ok()).collect())
    }
}

impl FromIterator<Permission> for Permissions {
    fn from_iter<I: IntoIterator<Item = Permission>>(permissions: I) -> Self {
        Self(permissions.into_iter().collect())
    }
}

/// A key for the API, without its secret.
#[derive(Debug, Clone, PartialEq)]
pub struct ApiKey {
    /// Its id, a part of the key itself.
    pub id: ApiKeyId,
    /// The organization it belongs to.
    pub organization_id: OrganizationId,
    /// The one project it is for; `None`: every project of the organization.
    pub project_id: Option<ProjectId>,
    /// What people call it.
    pub name: String,
    /// SHA-256 of the whole key, in lower hex.
    pub secret_hash: String,
    /// What it permits.
    pub permissions: Permissions,
    /// Requests per second; `None`: no limit.
    pub rate_per_s: Option<u32>,
    /// Most requests at once; `None`: as many as `rate_per_s`.
    pub rate_burst: Option<u32>,
    /// When it was made.
    pub time_created: UnixMs,
    /// When it was last used, to within a minute.
    pub time_last_used: Option<UnixMs>,
    /// When it ends.
    pub time_expires: Option<UnixMs>,
    /// When it was revoked.
    pub time_revoked: Option<UnixMs>,
}

impl ApiKey {
    /// Says whether the key may be used at `now`.
    pub fn is_live(&self, now: UnixMs) -> bool {
        self.time_revoked.is_none() && self.time_expires.is_none_or(|end| now < end)
    }

    /// Says whether the key reaches a project of `organization_id`.
    pub fn reaches(&self, organization_id: OrganizationId, project_id: ProjectId) -> bool {
        self.organization_id == organization_id
            && self.project_id.is_none_or(|only| only == project_id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn permissions_read_back_as_they_were_written() {
        let some: Permissions = [Permission::SendMessages, Permission::ViewRoutes]
            .into_iter()
            .collect();
        assert_eq!(some.to_json(), r#"["send_messages","view_routes"]"#);
        assert_eq!(Permissions::from_json(&some.to_json()), Some(some.clone()));
        assert!(some.allow(Permission::SendMessages) && !some.allow(Permission::EditProject));
        assert_eq!(
            Permissions::from_json(r#"["send_messages","view_routes","of_a_newer_hub"]"#),
            Some(some)
        );
        assert_eq!(Permissions::from_json("{}"), None);
    }

    #[test]
    fn names_and_codes_are_unique_and_read_back() {
        for permission in Permission::ALL {
            assert_eq!(permission.as_str().parse(), Ok(*permission));
            assert_eq!(Permission::from_code(permission.code()), Some(*permission));
        }
    }
}
