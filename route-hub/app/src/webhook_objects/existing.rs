//! Looking at webhook objects.

use crate::actor::Actor;
use crate::failure::Failure;
use crate::listing::{self, ListRequest, Listed};
use crate::views::webhook::WebhookView;
use crate::webhook_objects::{PERMISSION, found};
use hub_store::webhooks;
use postrider_model::WebhookId;

/// Returns one webhook object.
pub async fn get(actor: &Actor, id: WebhookId) -> Result<WebhookView, Failure> {
    actor.require(PERMISSION)?;
    let project = actor.project.id;
    let share = actor.hub.store.of(project);
    let webhook = share.read(move |tx| webhooks::get(tx, project, id)).await?;
    Ok(WebhookView(found(webhook)?))
}

/// Lists the webhook objects of a project.
pub async fn list(actor: &Actor, request: ListRequest) -> Result<Listed<WebhookView>, Failure> {
    actor.require(PERMISSION)?;
    listing::of_project(actor, request, webhooks::list, webhooks::count, WebhookView).await
}
