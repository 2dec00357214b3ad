//! Scheduled messages.

mod existing;
mod save;
mod timing;

pub use existing::{delete, get, list, of_contact, of_group};
pub use save::{create, update};

pub(super) use save::recipient;
pub(super) use timing::recurrence;
