//! Projects.

mod create;
mod get;
mod list;
mod patch;
mod update;
mod users;

pub use create::create;
pub use get::get;
pub use list::list;
pub use update::update;
pub use users::users;
