//! Messages: what a program wants sent, until it is a row, and what is done with it then.

pub mod cancel;
pub mod change;
pub mod draft;
pub mod existing;
pub mod inbound;
pub mod incoming;
pub mod outgoing;
pub mod planned;
pub mod ready;
pub mod resend;
pub mod send;
pub mod sender;
pub mod sending;
pub mod stored_message;
pub mod waiting;
pub mod writing;

pub use crate::commands::new_message;

use hub_domain::Permission;
use hub_view::Refusal;

/// Whoever sends, changes or takes back messages needs it.
pub const PERMISSION: Permission = Permission::SendMessages;
/// Whoever looks at messages needs it.
pub const VIEW: Permission = Permission::ViewMessages;

/// A message of another project, or a deleted one, is none.
fn found<T>(message: Option<T>) -> Result<T, Refusal> {
    message.ok_or_else(|| Refusal::not_found("message"))
}

#[cfg(test)]
mod changes_tests;
#[cfg(test)]
mod tests;
