//! A campaign by the dates of contacts: each of its items is a relative schedule while it runs.

use crate::campaigns::check::{self, Part};
use crate::failure::Failure;
use crate::files;
use crate::stored_caps::Cap;
use crate::unit_of_work::UnitOfWork;
use hub_domain::{Campaign, FileHolder, RelativeSchedule, ScheduledTo};
use hub_store::{StoreError, relative_schedules};

/// Makes a relative schedule of each item.
pub(super) fn begin(
    work: &mut UnitOfWork<'_, '_>,
    campaign: &Campaign,
    parts: &[Part],
) -> Result<(), Failure> {
    let group = check::group(work.tx, campaign)?;
    let (cap, project) = (Cap::RelativeSchedules, campaign.project_id);
    if let Some(reached) = cap.exceeded_by(work.tx, project, parts.len())? {
        return Err(reached.refuse("items").into());
    }
    for part in parts {
        let (Some(item), Some(date_variable)) = (&part.item, &campaign.date_variable) else {
            continue;
        };
        let relative = RelativeSchedule {
            id: work.id(),
            project_id: campaign.project_id,
            campaign_id: Some(campaign.id),
            message_type: part.message_type,
            message: part.message.to_text(),
            to: ScheduledTo::Group(group.id),
            date_variable: date_variable.clone(),
            time_of_day: item.time_of_day,
            offset_scale: item.offset_scale,
            offset_count: item.offset_count,
            rrule: campaign.campaign_type.rrule().to_owned(),
            timezone_id: campaign.timezone_id.clone(),
            end_time: None,
            walked_up_to: Some(0),
            removed: false,
            time_created: work.now.unix,
        };
        relative_schedules::insert(work.tx, &relative)?;
        let by = (FileHolder::RelativeScheduled, relative.id.get());
        files::name_by(work, by, &part.message.files())?;
    }
    Ok(())
}

/// Removes the relative schedules of a campaign: none of them sends any more.
pub(super) fn end(work: &mut UnitOfWork<'_, '_>, campaign: &Campaign) -> Result<(), StoreError> {
    let project = campaign.project_id;
    for id in relative_schedules::of_campaign(work.tx, campaign.id)? {
        relative_schedules::remove(work.tx, project, id)?;
        hub_store::files::let_go(
            work.tx,
            FileHolder::RelativeScheduled,
            id.get(),
            work.now.unix,
        )?;
    }
    Ok(())
}
