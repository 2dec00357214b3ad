//! Custom routes: rules that pick a phone for each message.

mod edit;
mod existing;
mod patch;
#[cfg(test)]
mod tests;

pub use edit::{NewRoute, create, delete, update};
pub use existing::{get, list, list_all};
pub use patch::RoutePatch;

use hub_domain::Permission;
use hub_view::Refusal;

/// Whoever makes, changes or removes custom routes needs it.
pub const PERMISSION: Permission = Permission::EditRoutes;
/// Whoever looks at custom routes needs it.
pub const VIEW: Permission = Permission::ViewRoutes;

/// A custom route of another project is none.
fn found<T>(route: Option<T>) -> Result<T, Refusal> {
    route.ok_or_else(|| Refusal::not_found("route"))
}
