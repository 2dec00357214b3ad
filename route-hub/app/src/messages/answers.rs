//! What comes in may answer a campaign.

use crate::contacts::{FoundGroups, saving};
use crate::unit_of_work::UnitOfWork;
use hub_domain::Contact;
use hub_store::{StoreError, campaigns, groups};

/// For how long after the last message to a contact what comes in answers it: 30 days.
pub(super) const REPLY_MS: i64 = 30 * 24 * 3_600_000;

/// Puts a contact that writes into the groups of those who answer, of each campaign that sent to it not long
/// ago.
pub(super) fn join_groups(
    work: &mut UnitOfWork<'_, '_>,
    contact: &Contact,
) -> Result<(), StoreError> {
    let since = work.now.unix.plus_ms(-REPLY_MS);
    let project = work.project.id;
    let mut found = FoundGroups::default();
    for id in campaigns::answered(work.tx, project, contact.id, since)? {
        let group = groups::get(work.tx, project, id)?;
        let group = group.filter(|group| !group.is_dynamic());
        found.join.extend(group);
    }
    if !found.join.is_empty() {
        saving::save(work, Some(contact), contact.clone(), &found)?;
    }
    Ok(())
}
