//! Contacts, as far as messages need them: made by number, shown, and with their messages.

mod get;
mod messages;
pub mod model;

pub use get::get;
pub use messages::messages;
