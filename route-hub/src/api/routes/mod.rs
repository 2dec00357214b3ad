//! Custom routes: rules that pick a phone for each message.

mod create;
mod delete;
mod get;
mod given;
mod list;
pub mod model;
mod route_list;
mod update;

pub use create::create;
pub use delete::delete;
pub use get::get;
pub use list::list;
pub use route_list::route_list;
pub use update::update;

use crate::dispatch::settle::Work;
use hub_domain::AuditEntry;
use hub_store::{StoreError, Tx, audit};
use hub_web::ApiError;
use postrider_model::{ApiKeyId, CustomRouteId};

/// A route of another project is none.
fn found<T>(route: Option<T>) -> Result<T, ApiError> {
    route.ok_or_else(|| ApiError::not_found("route"))
}

/// Writes a line of the audit log.
fn note(
    work: &Work<'_, '_>,
    tx: &mut Tx<'_>,
    actor: ApiKeyId,
    action: &str,
    id: CustomRouteId,
) -> Result<(), StoreError> {
    let entry = AuditEntry {
        id: work.hub.key(work.now).get(),
        organization_id: work.project.organization_id,
        project_id: Some(work.project.id),
        actor: actor.to_string(),
        action: action.to_owned(),
        target: id.to_string(),
        time: work.now.unix,
    };
    audit::insert(tx, &entry)
}
