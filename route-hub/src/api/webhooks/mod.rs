//! Webhook objects: addresses that a project's events are posted to.

mod create;
mod delete;
mod get;
mod list;
mod model;
mod update;

pub use create::create;
pub use delete::delete;
pub use get::get;
pub use list::list;
pub use update::update;

use crate::dispatch::settle::Work;
use hub_domain::{AuditEntry, Webhook};
use hub_store::{StoreError, Tx, audit};
use hub_web::ApiError;
use postrider_model::{ApiKeyId, WebhookId};

fn found(webhook: Option<Webhook>) -> Result<Webhook, ApiError> {
    webhook.ok_or_else(|| ApiError::not_found("webhook"))
}

/// Writes down who changed where events go.
fn note(
    work: &Work<'_, '_>,
    tx: &mut Tx<'_>,
    actor: ApiKeyId,
    action: &str,
    target: WebhookId,
) -> Result<(), StoreError> {
    let entry = AuditEntry {
        id: work.hub.key(work.now).get(),
        organization_id: work.project.organization_id,
        project_id: Some(work.project.id),
        actor: actor.to_string(),
        action: action.to_owned(),
        target: target.to_string(),
        time: work.now.unix,
    };
    audit::insert(tx, &entry)
}
