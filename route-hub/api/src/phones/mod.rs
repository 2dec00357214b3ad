//! Phones: the basic routes of a project.

mod account;
mod existing;
mod patch;
mod save;
mod times;

pub use existing::{delete, get, list, messages, release_quiet_hours, reset_sent_message_count};
pub use save::{create, update};
