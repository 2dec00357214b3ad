//! Contacts.

pub mod blocking;
pub mod lookup;
pub mod patch;
pub mod saving;

pub use crate::views::contact as view;
