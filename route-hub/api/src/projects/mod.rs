//! Projects.

mod existing;
mod patch;
mod save;

pub use existing::{get, list, users};
pub use save::{create, update};
