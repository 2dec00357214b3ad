//! What resources look like, in answers and in webhooks.
//!
//! These stand below whatever makes or changes the resources, so that webhooks can show them, too.

pub(crate) mod alert;
pub mod broadcast;
pub mod contact;
pub mod field;
pub mod label;
pub mod message;
pub mod phone;
pub mod route;
pub(crate) mod sight;
pub(crate) mod stored_message;
pub mod webhook;
