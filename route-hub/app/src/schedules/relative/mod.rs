//! Messages scheduled relative to a date that contacts have in a variable.

pub mod create;
pub mod existing;
pub mod follow;
pub mod patch;
pub mod update;

use crate::failure::Failure;
use crate::schedules::recipient::listed;
use crate::unit_of_work::UnitOfWork;
use hub_domain::{RelativeSchedule, ScheduledTo};
use hub_store::groups;
use hub_view::Refusal;

/// One of another project is none.
fn found<T>(relative: Option<T>) -> Result<T, Refusal> {
    relative.ok_or_else(|| Refusal::not_found("relative scheduled message"))
}

/// Checks that a recipient is there, and a group one that people fill.
fn check_recipient(work: &mut UnitOfWork<'_, '_>, to: &ScheduledTo) -> Result<(), Failure> {
    listed(work, to, false)?;
    if let ScheduledTo::Group(id) = to
        && groups::get(work.tx, work.project.id, *id)?.is_some_and(|group| group.is_dynamic())
    {
        let rule = "is a dynamic group: only groups that contacts are put into are followed";
        return Err(Refusal::invalid_param("group_id", rule).into());
    }
    Ok(())
}

/// Refuses to change an item of a campaign by itself.
fn refuse_item(relative: &RelativeSchedule) -> Result<(), Refusal> {
    match relative.campaign_id {
        None => Ok(()),
        Some(_) => {
            let rule = "is of a campaign: change or unschedule that";
            Err(Refusal::invalid_param("relative_scheduled_id", rule))
        }
    }
}
