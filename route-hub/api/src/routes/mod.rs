//! Custom routes: rules that pick a phone for each message.

mod create;
mod delete;
mod get;
mod list;
pub mod model;
mod patch;
mod route_list;
mod update;

pub use create::create;
pub use delete::delete;
pub use get::get;
pub use list::list;
pub use route_list::route_list;
pub use update::update;

use hub_web::ApiError;

/// A route of another project is none.
fn found<T>(route: Option<T>) -> Result<T, ApiError> {
    route.ok_or_else(|| ApiError::not_found("route"))
}
