//! Who is let in: into the project or the organization that a path names.

use crate::state::Caller;
use crate::{Call, Failure};
use hub_app::actor::{Actor, OrganizationActor, Who};
use hub_app::auth;
use hub_app::hub::Hub;
use hub_domain::Permission;
use hub_web::{ApiError, PathValues};
use std::sync::Arc;

/// Lets the caller into the project of the path, which its key must reach with this permission.
pub(crate) async fn project(
    hub: &Hub,
    call: &Call,
    permission: Permission,
) -> Result<Actor, Failure> {
    let id = call.path_id("project_id", "project")?;
    Ok(auth::enter(hub, &call.caller.holder, id, permission).await?)
}

/// Says whether a caller would be let into the project of a path, before its body is read.
pub(crate) async fn allowed(
    hub: &Hub,
    caller: &Caller,
    path: &PathValues,
    permission: Permission,
) -> Result<(), Failure> {
    let id = path.id("project_id", "project")?;
    auth::enter(hub, &caller.holder, id, permission).await?;
    Ok(())
}

/// Lets the caller into the organization of its key, which must be the one of the path if that
/// names one.
pub(crate) fn organization(
    hub: &Hub,
    call: &Call,
    permission: Permission,
) -> Result<OrganizationActor, Failure> {
    let holder = &call.caller.holder;
    let own = holder.key.organization_id;
    if call.path("organization_id").is_some() {
        let named = call.path_id("organization_id", "organization")?;
        if named != own {
            return Err(ApiError::not_found("organization").into());
        }
    }
    let who = Who::Key(Arc::clone(&holder.key));
    who.require(permission)?;
    Ok(OrganizationActor {
        hub: hub.clone(),
        who,
        organization_id: own,
        now: hub.now(),
        basis: holder.basis,
    })
}

/// As [`organization`], for what concerns every project: a key of one alone may not do it.
pub(crate) fn whole_organization(
    hub: &Hub,
    call: &Call,
    permission: Permission,
) -> Result<OrganizationActor, Failure> {
    let actor = organization(hub, call, permission)?;
    if call.caller.holder.key.project_id.is_some() {
        let text = "the API key is for one project, and this is the whole organization's";
        return Err(ApiError::unauthorized(text).into());
    }
    Ok(actor)
}
