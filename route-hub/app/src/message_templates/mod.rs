//! Message templates: texts that people and programs keep to use again.
//!
//! The hub keeps them as they are given; whoever sends takes over what it wants of them.

mod edit;
mod existing;
#[cfg(test)]
mod tests;

pub use edit::{TemplatePatch, create, delete, update};
pub use existing::{get, list};

use hub_domain::Permission;
use hub_view::Refusal;

/// Whoever makes, changes or removes templates needs it.
pub const PERMISSION: Permission = Permission::SendMessages;
/// Whoever looks at templates needs it.
pub const VIEW: Permission = Permission::ViewMessages;

/// A template of another project is none.
fn found<T>(template: Option<T>) -> Result<T, Refusal> {
    template.ok_or_else(|| Refusal::not_found("message template"))
}
