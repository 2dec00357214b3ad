//! What resources look like, in answers and in webhooks.
//!
//! They stand below what makes or changes the resources, so that webhooks can use them.

pub(crate) mod alert;
pub mod broadcast;
pub mod contact;
pub mod field;
pub mod group;
pub mod label;
pub mod message;
pub mod organization;
pub mod phone;
pub mod project;
pub mod relative_schedule;
pub mod route;
pub mod schedule;
pub(crate) mod sight;
pub(crate) mod stored_message;
pub mod webhook;
