//! Scheduled messages.

mod create;
mod delete;
mod get;
mod list;
mod update;

pub use create::create;
pub use delete::delete;
pub use get::get;
pub use list::{list, of_contact, of_group};
pub use update::update;

pub(super) use list::TYPES;

use hub_web::ApiError;

/// A scheduled message of another project is none.
fn found<T>(schedule: Option<T>) -> Result<T, ApiError> {
    schedule.ok_or_else(|| ApiError::not_found("scheduled message"))
}
