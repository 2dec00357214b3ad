//! Projects.

mod change;
mod create;
mod get;
mod list;
mod model;
mod update;
mod users;

pub use create::create;
pub use get::get;
pub use list::list;
pub use update::update;
pub use users::users;
