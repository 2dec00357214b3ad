//! Labels of messages.

mod edit;
mod existing;
mod known;
#[cfg(test)]
mod tests;

pub use edit::{LabelPatch, delete, get_or_create, update};
pub(crate) use existing::{change, check};
pub use existing::{get, list, put_on, take_off};
pub use known::all_known;
pub(crate) use known::still_known;

use hub_domain::Permission;
use hub_view::Refusal;

/// Whoever makes, changes or removes labels needs it, and whoever puts them on messages.
pub const PERMISSION: Permission = Permission::SendMessages;
/// Whoever looks at labels needs it.
pub const VIEW: Permission = Permission::ViewMessages;

/// A label of another project is none.
fn found<T>(label: Option<T>) -> Result<T, Refusal> {
    label.ok_or_else(|| Refusal::not_found("label"))
}
