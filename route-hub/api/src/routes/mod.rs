//! Custom routes: rules that pick a phone for each message.

mod edit;
mod existing;

pub use edit::{create, delete, update};
pub use existing::{get, list, route_list};
