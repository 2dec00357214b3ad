//! Looking at deliveries.

use crate::actor::Actor;
use crate::failure::Failure;
use crate::listing::{self, ListRequest, Listed};
use crate::views::webhook_delivery::WebhookDeliveryView;
use crate::webhook_deliveries::{PERMISSION, found};
use hub_store::webhook_deliveries;
use postrider_model::WebhookDeliveryId;

/// Returns one delivery.
pub async fn get(actor: &Actor, id: WebhookDeliveryId) -> Result<WebhookDeliveryView, Failure> {
    actor.require(PERMISSION)?;
    let project = actor.project.id;
    let share = actor.hub.store.of(project);
    let reading = share.read(move |tx| webhook_deliveries::get(tx, project, id));
    Ok(WebhookDeliveryView(found(reading.await?)?))
}

/// Lists the deliveries of a project.
pub async fn list(
    actor: &Actor,
    request: ListRequest,
) -> Result<Listed<WebhookDeliveryView>, Failure> {
    actor.require(PERMISSION)?;
    listing::of_project(
        actor,
        request,
        webhook_deliveries::list,
        webhook_deliveries::count,
        WebhookDeliveryView,
    )
    .await
}
