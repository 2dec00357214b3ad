//! Scheduled messages.

mod existing;
pub(crate) mod planned;
mod save;
mod shape;
pub(crate) mod timing;

pub use existing::{DELETE, GET, LIST, OF_CONTACT, OF_GROUP};
pub use save::{CREATE, UPDATE};

pub(crate) use save::{TO, recipient};
pub(crate) use shape::SCHEDULED;
pub(crate) use timing::{RECURRENCE, recurrence};
