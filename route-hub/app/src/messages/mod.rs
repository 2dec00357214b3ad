//! Messages: what a program wants sent, until it is a row, and what is done with it then.

mod answers;
pub mod cancel;
pub mod change;
pub(crate) mod draft;
pub mod existing;
pub mod inbound;
pub mod incoming;
pub(crate) mod linking;
pub(crate) mod outgoing;
pub(crate) mod planned;
pub(crate) mod ready;
pub mod resend;
pub mod send;
pub(crate) mod sender;
pub(crate) mod sending;
pub(crate) mod stored_message;
pub mod waiting;
pub(crate) mod writing;

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
