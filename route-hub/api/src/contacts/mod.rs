//! Contacts: the people on the other side.

mod create;
mod existing;
mod list;
mod read;
mod shape;
mod states;

pub use create::{CREATE, IMPORT};
pub use existing::{DELETE, GET, UPDATE};
pub use list::{LIST, MESSAGES};
pub use states::STATES;

pub(crate) use list::{CONTACTS, asked, read_numbers};
pub(crate) use shape::CONTACT;

use crate::members::read_only;
use hub_web::Member;

/// The fields that a caller may read but not write.
const READ_ONLY: &[Member] = &read_only([
    "time_created",
    "time_updated",
    "last_message_time",
    "last_incoming_message_time",
    "last_outgoing_message_time",
    "message_count",
    "incoming_message_count",
    "outgoing_message_count",
    "last_message_id",
    "group_ids",
    "project_id",
    "url",
]);
