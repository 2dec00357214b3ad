//! Scheduled messages.

mod create;
mod existing;
mod list;
mod read;
mod timing;
mod update;

pub use create::create;
pub use existing::{delete, get};
pub use list::{list, of_contact, of_group};
pub use update::update;

pub(super) use list::TYPES;
pub(super) use read::recipient;
pub(super) use timing::recurrence;
