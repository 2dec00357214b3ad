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

use crate::{Call, Failure};
use hub_app::hub::Hub;
use hub_domain::{Organization, Permission};
use hub_store::organizations;
use hub_web::ApiError;

/// Takes the organization of the path, which must be the one of the caller's key.
async fn enter(hub: &Hub, call: &Call, permission: Permission) -> Result<Organization, Failure> {
    let named = call.path_id("organization_id", "organization")?;
    let missing = || ApiError::not_found("organization");
    if named != call.caller.key.organization_id {
        return Err(missing().into());
    }
    call.caller.require(permission)?;
    let reading = hub
        .store
        .of_organization(named)
        .read(move |tx| organizations::get(tx, named));
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
