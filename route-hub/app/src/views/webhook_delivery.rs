//! The delivery of an event.

use hub_domain::WebhookDelivery;
use hub_view::{ObjectWriter, Resource};
use serde_json::json;

/// The delivery of an event.
#[derive(Debug, Clone)]
pub struct WebhookDeliveryView(pub WebhookDelivery);

/// Returns the `webhook-id` that all requests of one event carry.
pub(crate) fn header_id(key: i64) -> String {
    format!("msg_{key:016x}")
}

impl Resource for WebhookDeliveryView {
    fn write(&self, out: &mut ObjectWriter<'_>) {
        let delivery = &self.0;
        out.put("id", &delivery.id);
        out.put("header_id", &header_id(delivery.id.get()));
        out.put("event", &delivery.event.as_str());
        out.put("status", &delivery.status.as_str());
        out.put("url", &delivery.url);
        let attempts = delivery.attempts.iter().map(|attempt| {
            json!({
                "time": attempt.time.seconds(),
                "outcome": attempt.outcome,
                "http_status": attempt.http_status,
            })
        });
        out.put("attempts", &attempts.collect::<Vec<_>>());
        out.put("body", &delivery.body);
        out.put("webhook_id", &delivery.webhook_id);
        out.put("message_id", &delivery.message_id);
        out.put("time_created", &delivery.time_created.seconds());
        out.put("project_id", &delivery.project_id);
    }
}
