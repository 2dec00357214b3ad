//! Making an organization.

use crate::hub_work::HubWork;
use hub_domain::{Organization, Plan};
use hub_store::{StoreError, organizations};

/// Makes an organization, whose days are those of UTC.
pub fn create(work: &mut HubWork<'_, '_>, name: &str) -> Result<Organization, StoreError> {
    let organization = Organization {
        id: work.id(),
        name: name.to_owned(),
        timezone_id: "UTC".to_owned(),
        plan: Plan::default(),
        time_created: work.now.unix,
    };
    organizations::insert(work.tx, &organization)?;
    work.note(organization.id, "organization.create", organization.id)?;
    Ok(organization)
}
