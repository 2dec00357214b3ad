//! Messages, both ways.

mod cancel;
mod chat;
mod delete;
mod get;
mod links;
mod list;
mod mms_parts;
pub(crate) mod patch;
mod receive;
mod resend;
mod send;
mod send_batch;
mod send_multi;
mod unsupported_params;
mod update;

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

use hub_web::ApiError;

/// A message of another project, or a deleted one, is none.
fn found<T>(message: Option<T>) -> Result<T, ApiError> {
    message.ok_or_else(|| ApiError::not_found("message"))
}
