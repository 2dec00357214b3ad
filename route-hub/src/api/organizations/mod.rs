//! Organizations: the accounts that own projects.

mod billing;
mod get;
mod list;
mod model;
mod update;
mod usage;
mod usage_history;

pub use billing::billing;
pub use get::get;
pub use list::list;
pub use update::update;
pub use usage::usage;
pub use usage_history::usage_history;

use super::{Call, Failure};
use crate::hub::Hub;
use hub_domain::{AuditEntry, Organization, Permission};
use hub_store::{StoreError, Tx, audit, organizations};
use hub_web::ApiError;
use postrider_model::{ApiKeyId, Now, OrganizationId, ProjectId};

/// Takes the organization of the path, which must be the one of the caller's key.
async fn enter(hub: &Hub, call: &Call, permission: Permission) -> Result<Organization, Failure> {
    let named = call.path_id("organization_id", "organization")?;
    let missing = || ApiError::not_found("organization");
    if named != call.caller.key.organization_id {
        return Err(missing().into());
    }
    call.caller.require(permission)?;
    let reading = hub.store.read(move |tx| organizations::get(tx, named));
    Ok(reading.await?.ok_or_else(missing)?)
}

/// As [`enter`], for what concerns every project: a key of one alone may not do it.
pub(super) async fn enter_whole(
    hub: &Hub,
    call: &Call,
    permission: Permission,
) -> Result<Organization, Failure> {
    let organization = enter(hub, call, permission).await?;
    if call.caller.key.project_id.is_some() {
        let text = "the API key is for one project, and this is the whole organization's";
        return Err(ApiError::unauthorized(text).into());
    }
    Ok(organization)
}

/// Writes a line of the audit log: what was done, and to what.
pub(super) fn note(
    hub: &Hub,
    tx: &mut Tx<'_>,
    organization_id: OrganizationId,
    project_id: Option<ProjectId>,
    actor: ApiKeyId,
    (action, target): (&str, String),
    now: Now,
) -> Result<(), StoreError> {
    let entry = AuditEntry {
        id: hub.key(now).get(),
        organization_id,
        project_id,
        actor: actor.to_string(),
        action: action.to_owned(),
        target,
        time: now.unix,
    };
    audit::insert(tx, &entry)
}
