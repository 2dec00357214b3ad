//! Deliveries of a project's events: what became of them, and delivering them again.

mod existing;
mod replay;
#[cfg(test)]
mod tests;

pub use existing::{get, list};
pub use replay::replay;

use hub_domain::Permission;
use hub_view::Refusal;

/// Whoever looks at deliveries, or has any repeated, needs it.
pub const PERMISSION: Permission = Permission::ManageWebhooks;

/// A delivery of another project is none.
fn found<T>(delivery: Option<T>) -> Result<T, Refusal> {
    delivery.ok_or_else(|| Refusal::not_found("webhook delivery"))
}
