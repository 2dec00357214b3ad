//! Contacts.

pub mod lookup;
pub mod model;
pub mod patch;
