//! Broadcasts: the same message to a group, to numbers, or to whom requests name.

mod existing;
mod read;
mod send;
mod send_batch;
mod send_multi;

pub use existing::{cancel, get, list};
pub use send::send;
pub use send_batch::send_batch;
pub use send_multi::send_multi;
