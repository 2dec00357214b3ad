//! Phones: the basic routes of a project.

mod account;
mod existing;
mod patch;
mod save;
mod shape;
mod tariff;
mod times;

pub use existing::{DELETE, GET, LIST, MESSAGES, RELEASE_QUIET_HOURS, RESET_SENT_MESSAGE_COUNT};
pub use save::{CREATE, UPDATE};

pub(crate) use shape::PHONE;
