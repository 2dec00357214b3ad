//! A webhook object as the API shows it, and as it is given.

use crate::parse;
use hub_domain::{Webhook, WebhookEvent};
use hub_web::{ApiError, Field, ObjectWriter, Params, Resource};
use postrider_model::Secret;

/// The events that a webhook object may ask for.
const EVENTS: &[(&str, WebhookEvent)] = &[
    ("send_status", WebhookEvent::SendStatus),
    ("send_broadcast", WebhookEvent::SendBroadcast),
    ("contact_update", WebhookEvent::ContactUpdate),
    ("message_metadata", WebhookEvent::MessageMetadata),
];

/// A webhook object; its secret is never shown again.
#[derive(Debug, Clone)]
pub struct WebhookView(pub Webhook);

impl Resource for WebhookView {
    fn write(&self, out: &mut ObjectWriter<'_>) {
        let webhook = &self.0;
        out.put("id", &webhook.id);
        out.put("url", &webhook.url);
        let secret = webhook.secret.as_ref().map(Secret::as_str);
        out.put("secret", &secret);
        let events: Vec<&str> = webhook.events.iter().map(|event| event.as_str()).collect();
        out.put("events", &events);
        out.put("project_id", &webhook.project_id);
    }
}

/// What a request says of a webhook object; `None` is what it leaves out.
#[derive(Debug, Clone)]
pub(super) struct WebhookPatch {
    pub url: Option<String>,
    pub secret: Option<Option<Secret>>,
    pub events: Option<Vec<WebhookEvent>>,
}

impl WebhookPatch {
    pub(super) fn read(params: &Params) -> Result<Self, ApiError> {
        parse::refuse_read_only(params, &["id", "project_id"])?;
        let (url, secret) = (params.get("url"), params.get("secret"));
        let address = parse::url(&url)?;
        if url.is_present() && address.is_none() {
            return Err(url.refuse("is required"));
        }
        let password = parse::secret(&secret)?;
        Ok(Self {
            url: address,
            secret: secret.is_present().then_some(password),
            events: events(&params.get("events"))?,
        })
    }
}

fn events(field: &Field<'_>) -> Result<Option<Vec<WebhookEvent>>, ApiError> {
    let Some(items) = field.array(EVENTS.len())? else {
        return Ok(None);
    };
    let mut events = Vec::with_capacity(items.len());
    for item in items {
        let event = item
            .one_of(EVENTS)?
            .ok_or_else(|| item.refuse("must be an event"))?;
        if !events.contains(&event) {
            events.push(event);
        }
    }
    Ok(Some(events))
}
