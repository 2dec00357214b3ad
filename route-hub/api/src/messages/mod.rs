//! Messages, both ways.

mod change;
mod existing;
mod links;
pub(crate) mod patch;
mod receive;
mod send;
pub(crate) mod unsupported_params;

pub use change::{cancel, resend, update};
pub use existing::{delete, get, list, mms_parts, send_read_receipt, send_typing_indicator};
pub use receive::receive;
pub use send::send;

pub(super) use existing::list_within;
