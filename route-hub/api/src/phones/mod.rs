//! Phones: the basic routes of a project.

mod account;
mod create;
mod delete;
mod get;
mod list;
mod messages;
mod patch;
mod quiet;
mod release_quiet_hours;
mod reset_sent_message_count;
mod update;
mod waits;

pub use create::create;
pub use delete::delete;
pub use get::get;
pub use list::list;
pub use messages::messages;
pub use release_quiet_hours::release_quiet_hours;
pub use reset_sent_message_count::reset_sent_message_count;
pub use update::update;
