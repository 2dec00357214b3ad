//! Organizations: the accounts that own projects.

mod billing;
mod existing;
mod usage;

pub use billing::billing;
pub use existing::{get, list, update};
pub use usage::{usage, usage_history};

use crate::{Call, Failure, who};
use hub_app::actor::OrganizationActor;
use hub_app::hub::Hub;
use hub_app::organizations;
use hub_domain::{Organization, Permission};
use hub_web::ApiError;

/// Lets the caller into the organization of the path, which must be the one of its key.
async fn enter(
    hub: &Hub,
    call: &Call,
    permission: Permission,
) -> Result<(OrganizationActor, Organization), Failure> {
    let named = call.path_id("organization_id", "organization")?;
    if named != call.caller.holder.key.organization_id {
        return Err(ApiError::not_found("organization").into());
    }
    let actor = actor_of(hub, call);
    actor.who.require(permission)?;
    let organization = organizations::get(&actor).await?;
    Ok((actor, organization))
}

/// Returns the caller as somebody at work on its key's organization.
pub(super) fn actor_of(hub: &Hub, call: &Call) -> OrganizationActor {
    OrganizationActor {
        hub: hub.clone(),
        who: who(call),
        organization_id: call.caller.holder.key.organization_id,
        now: hub.now(),
        basis: call.caller.holder.basis,
    }
}

/// As [`enter`], for what concerns every project: a key of one alone may not do it.
pub(super) async fn enter_whole(
    hub: &Hub,
    call: &Call,
    permission: Permission,
) -> Result<(OrganizationActor, Organization), Failure> {
    let entered = enter(hub, call, permission).await?;
    if call.caller.holder.key.project_id.is_some() {
        let text = "the API key is for one project, and this is the whole organization's";
        return Err(ApiError::unauthorized(text).into());
    }
    Ok(entered)
}
