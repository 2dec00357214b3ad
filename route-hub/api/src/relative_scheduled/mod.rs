//! Messages scheduled relative to a date that contacts have in a variable.

mod create;
mod delete;
mod get;
mod list;
mod patch;
mod update;

pub use create::create;
pub use delete::delete;
pub use get::get;
pub use list::list;
pub use update::update;

use crate::Failure;
use hub_app::schedules::recipient::listed;
use hub_domain::{Project, ScheduledTo};
use hub_store::{Tx, groups};
use hub_web::ApiError;

/// One of another project is none.
fn found<T>(relative: Option<T>) -> Result<T, ApiError> {
    relative.ok_or_else(|| ApiError::not_found("relative scheduled message"))
}

/// Checks that a recipient is there, and a group one that people fill.
fn check_recipient(tx: &mut Tx<'_>, project: &Project, to: &ScheduledTo) -> Result<(), Failure> {
    listed(tx, project, to, false)?;
    if let ScheduledTo::Group(id) = to
        && groups::get(tx, project.id, *id)?.is_some_and(|group| group.is_dynamic())
    {
        let rule = "is a dynamic group: only groups that contacts are put into are followed";
        return Err(ApiError::invalid_param("group_id", rule).into());
    }
    Ok(())
}
