//! Messages scheduled relative to a date that contacts have in a variable.

mod create;
mod existing;
mod list;
mod read;
mod update;

pub use create::create;
pub use existing::{delete, get};
pub use list::list;
pub use update::update;
