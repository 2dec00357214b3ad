//! A message template.

use crate::commands::stored_message::StoredMessage;
use crate::hub::files::Addresses;
use crate::views::stored_message::media;
use hub_domain::MessageTemplate;
use hub_view::{ObjectWriter, Resource};

/// A message template.
#[derive(Debug, Clone)]
pub struct MessageTemplateView {
    /// The template.
    pub template: MessageTemplate,
    message: StoredMessage,
    addresses: Addresses,
}

impl MessageTemplateView {
    /// Makes the view of a template.
    pub(crate) fn new(template: MessageTemplate, addresses: &Addresses) -> Self {
        Self {
            message: StoredMessage::read(&template.message).unwrap_or_default(),
            template,
            addresses: addresses.clone(),
        }
    }
}

impl Resource for MessageTemplateView {
    fn write(&self, out: &mut ObjectWriter<'_>) {
        let (template, message) = (&self.template, &self.message);
        let content = message.item.content.as_ref();
        out.put("id", &template.id);
        out.put("name", &template.name);
        out.put("content", &content.map(|content| content.as_str()));
        out.put("track_clicks", &template.track_clicks);
        out.put("readonly", &false);
        let params = template.short_link_params.as_deref();
        out.put_json("short_link_params", params.unwrap_or("null"));
        out.put("attachments", &media(message, &self.addresses));
        out.put("route_params", &message.options.payload);
        out.put("time_created", &template.time_created.seconds());
        out.put("time_updated", &template.time_updated.seconds());
        out.put("vars", &template.vars);
        out.put("project_id", &template.project_id);
    }
}
