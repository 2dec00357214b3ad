//! Contacts: the people on the other side.

mod create;
mod delete;
mod get;
mod groups;
mod import;
mod list;
mod messages;
mod rows_and_states;
mod update;

pub use create::create;
pub use delete::delete;
pub use get::get;
pub use groups::groups;
pub use import::import;
pub use list::list;
pub use messages::messages;
pub use rows_and_states::{rows, states};
pub use update::update;

pub(super) use list::list_within;

use hub_web::ApiError;

/// A contact of another project is none.
fn found<T>(contact: Option<T>) -> Result<T, ApiError> {
    contact.ok_or_else(|| ApiError::not_found("contact"))
}
