//! Commands that are stored to be done later, as plain data.

pub mod campaign_items;
pub mod new_message;
pub mod stored_message;
