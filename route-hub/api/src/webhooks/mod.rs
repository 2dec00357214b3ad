//! Webhook objects: addresses that a project's events are posted to.

mod edit;
mod existing;

pub use edit::{create, delete, update};
pub use existing::{get, list};
