//! Broadcasts: the same message to a group, to numbers, or to whom requests name.

mod cancel;
mod get;
mod list;
mod send;

pub use cancel::cancel;
pub use get::get;
pub use list::list;
pub use send::send;

use hub_web::ApiError;

/// A broadcast of another project is none.
fn found<T>(broadcast: Option<T>) -> Result<T, ApiError> {
    broadcast.ok_or_else(|| ApiError::not_found("broadcast"))
}
