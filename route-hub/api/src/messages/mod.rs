//! Messages, both ways.

mod cancel;
mod chat;
mod delete;
mod draft;
mod get;
mod list;
mod mms_parts;
pub mod model;
mod outgoing;
mod planned;
mod ready;
mod receive;
mod resend;
mod send;
mod send_batch;
mod send_multi;
mod sender;
mod sending;
mod unsupported_params;
mod update;
mod waiting;
mod writing;

#[cfg(test)]
pub(crate) mod tests;

pub use cancel::cancel;
pub use chat::{send_read_receipt, send_typing_indicator};
pub use delete::delete;
pub use get::get;
pub use list::list;
pub use mms_parts::mms_parts;
pub use receive::receive;
pub use resend::resend;
pub use send::send;
pub use send_batch::send_batch;
pub use send_multi::send_multi;
pub use update::update;

pub(super) use list::{Within, list_within};
pub(crate) use outgoing::sees;
pub(crate) use planned::{Planned, Unsent};
pub(crate) use ready::Ready;

use hub_web::{ApiError, Params};

/// Reads the addresses of a request's media.
pub(super) fn links_of(params: &Params) -> Result<Vec<String>, ApiError> {
    writing::links(draft::Place::Top(params))
}

/// A message of another project, or a deleted one, is none.
fn found<T>(message: Option<T>) -> Result<T, ApiError> {
    message.ok_or_else(|| ApiError::not_found("message"))
}
