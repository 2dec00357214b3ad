//! `POST /projects/{project_id}/webhooks`, and `POST` and `DELETE` of one webhook object.

use crate::{ApiResult, Call, enter, parse};
use axum::extract::State;
use hub_app::hub::Hub;
use hub_app::webhook_objects::{self, NewWebhook, PERMISSION, WebhookPatch};
use hub_domain::WebhookEvent;
use hub_web::{Answer, ApiError, Field, Fields, Params};

/// The fields that a caller may read but not write.
const READ_ONLY: &[&str] = &["id", "project_id"];
/// The events that a webhook object may ask for.
const EVENTS: &[(&str, WebhookEvent)] = &[
    ("send_status", WebhookEvent::SendStatus),
    ("send_broadcast", WebhookEvent::SendBroadcast),
    ("contact_update", WebhookEvent::ContactUpdate),
    ("message_metadata", WebhookEvent::MessageMetadata),
];

/// Makes a webhook object.
pub async fn create(State(hub): State<Hub>, call: Call) -> ApiResult {
    let actor = enter(&hub, &call, PERMISSION).await?;
    let fields = Fields::read(&call.params)?;
    let patch = patch(&call.params)?;
    let url = patch.url;
    let command = NewWebhook {
        url: url.ok_or_else(|| ApiError::invalid_param("url", "is required"))?,
        secret: patch.secret.flatten(),
        events: patch.events.unwrap_or_default(),
    };
    let webhook = webhook_objects::create(&actor, command).await?;
    Ok(Answer::object(&webhook, &fields))
}

/// Changes a webhook object.
pub async fn update(State(hub): State<Hub>, call: Call) -> ApiResult {
    let actor = enter(&hub, &call, PERMISSION).await?;
    let id = call.path_id("webhook_id", "webhook")?;
    let fields = Fields::read(&call.params)?;
    let patch = patch(&call.params)?;
    let webhook = webhook_objects::update(&actor, id, patch).await?;
    Ok(Answer::object(&webhook, &fields))
}

/// Removes a webhook object; what waits to be delivered for it is still delivered.
pub async fn delete(State(hub): State<Hub>, call: Call) -> ApiResult {
    let actor = enter(&hub, &call, PERMISSION).await?;
    let id = call.path_id("webhook_id", "webhook")?;
    webhook_objects::delete(&actor, id).await?;
    Ok(Answer::void())
}

fn patch(params: &Params) -> Result<WebhookPatch, ApiError> {
    parse::refuse_read_only(params, READ_ONLY)?;
    let (url, secret) = (params.get("url"), params.get("secret"));
    let address = parse::url(&url)?;
    if url.is_present() && address.is_none() {
        return Err(url.refuse("is required"));
    }
    let password = parse::secret(&secret)?;
    Ok(WebhookPatch {
        url: address,
        secret: secret.is_present().then_some(password),
        events: events(&params.get("events"))?,
    })
}

fn events(field: &Field<'_>) -> Result<Option<Vec<WebhookEvent>>, ApiError> {
    let Some(items) = field.array(EVENTS.len())? else {
        return Ok(None);
    };
    let mut events = Vec::with_capacity(items.len());
    for item in items {
        let event = item.one_of(EVENTS)?;
        let event = event.ok_or_else(|| item.refuse("must be an event"))?;
        if !events.contains(&event) {
            events.push(event);
        }
    }
    Ok(Some(events))
}
