//! Messages scheduled relative to a date that contacts have in a variable.

mod existing;
mod read;
mod save;

pub use existing::{delete, get, list};
pub use save::{create, update};
