//! Delivering an event again: the same key and body, to where such events go now.

use crate::actor::Actor;
use crate::alerts::waiting;
use crate::failure::Failure;
use crate::outbox::origin;
use crate::transaction::run_audited;
use crate::unit_of_work::UnitOfWork;
use crate::views::webhook_delivery::WebhookDeliveryView;
use crate::webhook_deliveries::{PERMISSION, found};
use hub_domain::{DeliveryStatus, OutboxRow, WebhookDelivery, WebhookEvent};
use hub_store::{StoreError, messages, outbox, webhook_deliveries, webhooks};
use hub_view::Refusal;
use postrider_model::{Secret, WebhookDeliveryId};

/// Delivers an event again. One that is being delivered, or waits for its next attempt, is not doubled:
/// it goes as soon as it may.
pub async fn replay(actor: &Actor, id: WebhookDeliveryId) -> Result<WebhookDeliveryView, Failure> {
    actor.require(PERMISSION)?;
    run_audited(actor, move |work| {
        let delivery = webhook_deliveries::get(work.tx, work.project.id, id)?;
        let mut delivery = found(delivery)?;
        let Some(address) = address_of_now(work, &delivery)? else {
            return Err(Failure::from(Refusal::invalid_param(
                "webhook_delivery_id",
                "goes nowhere: its webhook or address is no more",
            )));
        };
        delivery.url.clone_from(&address.url);
        delivery.status = DeliveryStatus::Waiting;
        webhook_deliveries::update(work.tx, &delivery)?;
        put_in_outbox(work, &delivery, address)?;
        work.note("webhook_delivery.replay", id)?;
        Ok(WebhookDeliveryView(delivery))
    })
    .await
}

/// Where an event goes.
struct Address {
    url: String,
    secret: Option<Secret>,
}

/// Returns where such an event would go if it happened now.
fn address_of_now(
    work: &mut UnitOfWork<'_, '_>,
    delivery: &WebhookDelivery,
) -> Result<Option<Address>, StoreError> {
    let project = work.project;
    if let Some(id) = delivery.webhook_id {
        let webhook = webhooks::get(work.tx, project.id, id)?;
        return Ok(webhook.map(|webhook| Address {
            url: webhook.url,
            secret: webhook.secret,
        }));
    }
    let (url, secret) = match delivery.event {
        WebhookEvent::SendStatus => return status_address(work, delivery),
        WebhookEvent::IncomingMessage => (&project.incoming_url, &project.incoming_secret),
        WebhookEvent::Alert => (&project.alert_url, &project.alert_secret),
        WebhookEvent::SendBroadcast
        | WebhookEvent::ContactUpdate
        | WebhookEvent::MessageMetadata => (&None, &None),
    };
    Ok(address(url.as_ref(), secret.as_ref()))
}

/// Returns the message's own address, or that of the project where it has none.
fn status_address(
    work: &mut UnitOfWork<'_, '_>,
    delivery: &WebhookDelivery,
) -> Result<Option<Address>, StoreError> {
    let project = work.project;
    let message = match delivery.message_id {
        Some(id) => messages::get(work.tx, project.id, id)?,
        None => None,
    };
    let Some(message) = message else {
        return Ok(None);
    };
    Ok(match &message.status_url {
        Some(own) => address(Some(own), message.status_secret.as_ref()),
        None => address(project.status_url.as_ref(), project.status_secret.as_ref()),
    })
}

fn address(url: Option<&String>, secret: Option<&Secret>) -> Option<Address> {
    Some(Address {
        url: url?.clone(),
        secret: secret.cloned(),
    })
}

fn put_in_outbox(
    work: &mut UnitOfWork<'_, '_>,
    delivery: &WebhookDelivery,
    address: Address,
) -> Result<(), StoreError> {
    let row = OutboxRow {
        id: delivery.id.get(),
        project_id: delivery.project_id,
        webhook_id: delivery.webhook_id,
        message_id: delivery.message_id,
        origin: origin(&address.url),
        url: address.url,
        basic_password: address
            .secret
            .clone()
            .filter(|_| delivery.webhook_id.is_some()),
        secret: address.secret,
        event: delivery.event,
        body: delivery.body.clone(),
        attempts: 0,
        due_at: work.now.unix,
        time_created: work.now.unix,
    };
    work.effects.webhooks();
    if outbox::get(work.tx, row.id)?.is_some() {
        return outbox::redirect(work.tx, &row);
    }
    outbox::insert(work.tx, &row)?;
    waiting::written(work, 1)
}
