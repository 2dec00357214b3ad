//! Broadcasts: the same message to a group, to numbers, or to whom requests name.

mod existing;
mod read;
mod send;
mod send_batch;
mod send_multi;
mod shape;

pub use existing::{CANCEL, GET, LIST};
pub use send::SEND;
pub use send_batch::SEND_BATCH;
pub use send_multi::SEND_MULTI;

pub(crate) use shape::BROADCAST;
