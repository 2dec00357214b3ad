//! A campaign that is sent once becomes a broadcast, in one transaction.

use crate::broadcasts::new_broadcast::{NewBroadcast, Recipients};
use crate::campaigns::check::{self, Part};
use crate::failure::Failure;
use crate::unit_of_work::UnitOfWork;
use hub_domain::{Campaign, MessageSource};

/// Makes the broadcast of a campaign and notes it; the caller stores the campaign in the same transaction.
///
/// Nothing is written where it is refused.
pub(super) fn go_out(
    work: &mut UnitOfWork<'_, '_>,
    campaign: &mut Campaign,
    part: &Part,
    source: MessageSource,
) -> Result<(), Failure> {
    let group = check::group(work.tx, campaign)?;
    let given = NewBroadcast {
        source,
        scheduled_id: None,
        campaign_id: Some(campaign.id),
        message_type: part.message_type,
        message: part.message.clone(),
        title: Some(campaign.name.clone()),
        recipients: Recipients::group(&group).but_for(campaign.exclude_group_id),
    };
    let broadcast = given.store(work)?;
    campaign.sent_as(broadcast.id);
    Ok(())
}
