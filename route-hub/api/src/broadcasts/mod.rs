//! Broadcasts: the same message to a group, to numbers, or to whom requests name.

mod existing;
mod list;
mod read;
mod send;

pub use existing::{cancel, get};
pub use list::list;
pub use send::send;

pub(super) use read::{named, title};
