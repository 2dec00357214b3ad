//! Projects.

mod get;
mod list;
mod model;

pub use get::get;
pub use list::list;
