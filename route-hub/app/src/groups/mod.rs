//! Groups of contacts.

pub mod view;
