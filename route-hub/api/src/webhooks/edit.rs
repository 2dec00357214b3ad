//! `POST /projects/{project_id}/webhooks`, and `POST` and `DELETE` of one webhook object.

use crate::members::{read_only, words};
use crate::webhooks::WEBHOOK;
use crate::{ApiResult, Call, operation, parse};
use hub_app::actor::Actor;
use hub_app::webhook_objects::{self, NewWebhook, PERMISSION, WebhookPatch};
use hub_domain::WebhookEvent;
use hub_web::{Answer, ApiError, Field, Fields, Kind, Member, Params};

/// The fields that a caller may read but not write.
const READ_ONLY: &[Member] = &read_only(["id", "project_id"]);
/// The events that a webhook object may ask for.
const KINDS: [(&str, WebhookEvent); 4] = [
    ("send_status", WebhookEvent::SendStatus),
    ("send_broadcast", WebhookEvent::SendBroadcast),
    ("contact_update", WebhookEvent::ContactUpdate),
    ("message_metadata", WebhookEvent::MessageMetadata),
];

/// Where events are posted.
pub(super) const ADDRESS: Member = Member::new(
    "url",
    Kind::Url(hub_outgoing::URL_LENGTH_MAX),
    "Where events are posted.",
);
/// What the hub proves itself with.
pub(super) const SECRET: Member = Member::new(
    "secret",
    Kind::Text(parse::SECRET_LENGTH_MAX),
    "The password that the hub gives with each post, and signs with.",
);
/// What is posted.
pub(super) const EVENTS: Member = Member::new(
    "events",
    Kind::Array(&Kind::Word(&words(&KINDS)), KINDS.len()),
    "The events that are posted.",
);

operation! {
    /// Makes a webhook object.
    CREATE = "createWebhook": Project(PERMISSION), create -> Object(&WEBHOOK);
    .takes(&[&[ADDRESS.required(), SECRET, EVENTS], READ_ONLY])
    .example(r#"{"url":"https://example.com/hook","events":["send_status"]}"#)
}

async fn create(actor: Actor, call: Call) -> ApiResult {
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

operation! {
    /// Changes a webhook object.
    UPDATE = "updateWebhook": Project(PERMISSION), update -> Object(&WEBHOOK);
    .takes(&[&[ADDRESS, SECRET, EVENTS], READ_ONLY])
    .example(r#"{"events":["send_status","contact_update"]}"#)
}

async fn update(actor: Actor, call: Call) -> ApiResult {
    let id = call.path_id("webhook_id", "webhook")?;
    let fields = Fields::read(&call.params)?;
    let patch = patch(&call.params)?;
    let webhook = webhook_objects::update(&actor, id, patch).await?;
    Ok(Answer::object(&webhook, &fields))
}

operation! {
    /// Removes a webhook object; what waits to be delivered for it is still delivered.
    DELETE = "deleteWebhook": Project(PERMISSION), delete -> Nothing;
}

async fn delete(actor: Actor, call: Call) -> ApiResult {
    let id = call.path_id("webhook_id", "webhook")?;
    webhook_objects::delete(&actor, id).await?;
    Ok(Answer::void())
}

fn patch(params: &Params) -> Result<WebhookPatch, ApiError> {
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
    let Some(items) = field.array()? else {
        return Ok(None);
    };
    let mut events = Vec::with_capacity(items.len());
    for item in items {
        let event = item.one_of(&KINDS)?;
        let event = event.ok_or_else(|| item.refuse("must be an event"))?;
        if !events.contains(&event) {
            events.push(event);
        }
    }
    Ok(Some(events))
}
