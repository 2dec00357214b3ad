//! Webhook objects: addresses that a project's events are posted to.

mod edit;
mod existing;
#[cfg(test)]
mod tests;

pub use edit::{NewWebhook, WebhookPatch, create, delete, update};
pub use existing::{get, list};

use hub_domain::Permission;
use hub_view::Refusal;

/// Whoever looks at webhook objects, or changes any, needs it.
pub const PERMISSION: Permission = Permission::ManageWebhooks;

/// A webhook object of another project is none.
fn found<T>(webhook: Option<T>) -> Result<T, Refusal> {
    webhook.ok_or_else(|| Refusal::not_found("webhook"))
}
