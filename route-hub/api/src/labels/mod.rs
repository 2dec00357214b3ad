//! Labels of messages.

mod edit;
mod existing;

pub use edit::{delete, get_or_create, update};
pub use existing::{get, list, messages, put_on, take_off};
