//! Contacts: the people on the other side.

mod create;
mod existing;
mod list;
mod read;
mod rows_and_states;

pub use create::{create, import};
pub use existing::{delete, get, update};
pub use list::{list, messages};
pub use rows_and_states::{rows, states};

pub(super) use list::asked;

/// The fields that a caller may read but not write.
const READ_ONLY: &[&str] = &[
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
];
