//! Groups of contacts, normal and dynamic.

mod create;
mod existing;
mod list;
mod read;

pub use create::{create, get_or_create};
pub use existing::{delete, get, join, leave, update};
pub use list::{contacts, list, of_contact};
