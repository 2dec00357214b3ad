//! What resources look like, in answers and in webhooks.
//!
//! They stand below what makes or changes the resources, so that webhooks can use them.

pub(crate) mod alert;
pub mod broadcast;
pub mod campaign;
pub(crate) mod contact;
pub(crate) mod data_row;
pub(crate) mod data_table;
pub(crate) mod data_view;
pub(crate) mod field;
pub mod file;
pub(crate) mod group;
pub(crate) mod label;
pub mod message;
pub(crate) mod message_template;
pub(crate) mod organization;
mod pages;
pub(crate) mod phone;
mod price;
pub(crate) mod project;
pub mod relative_schedule;
pub(crate) mod route;
pub mod schedule;
pub(crate) mod sight;
pub(crate) mod stored_message;
pub(crate) mod task;
pub(crate) mod webhook;
pub(crate) mod webhook_delivery;
