//! A webhook object.

use hub_domain::Webhook;
use hub_view::{ObjectWriter, Resource};
use postrider_model::Secret;

/// A webhook object.
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
