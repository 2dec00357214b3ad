//! Messages, both ways.

mod change;
mod existing;
pub(crate) mod links;
pub(crate) mod patch;
mod receive;
mod send;
mod shape;

pub use change::{CANCEL, RESEND, UPDATE};
pub use existing::{DELETE, GET, LIST, MMS_PARTS, SEND_READ_RECEIPT, SEND_TYPING_INDICATOR};
pub use receive::RECEIVE;
pub use send::SEND;

pub(crate) use existing::{LIST_OF, list_within};
pub(crate) use shape::{
    COUNT, DIRECTION, ERROR_MESSAGE, MESSAGE, MMS_PART, ROUTE_PARAMS_SHOWN, STATUS, STATUSES, TEXT,
};
