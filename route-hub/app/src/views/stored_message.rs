//! What schedules and broadcasts show alike: whom they are for, and what they send.

use crate::commands::stored_message::StoredMessage;
use crate::hub::files::Addresses;
use crate::views::file;
use hub_domain::{ContactFilter, ScheduledTo};
use hub_store::{StoreError, Tx, contacts, groups};
use hub_view::ObjectWriter;
use postrider_model::ProjectId;
use serde_json::{Value as Json, json};
use std::collections::BTreeSet;

/// Whom something is for, in words.
#[derive(Debug, Clone, Default)]
pub(crate) struct Named {
    /// As `recipients` shows it.
    shown: Option<Json>,
    /// For people.
    text: String,
}

impl Named {
    /// Looks up one recipient.
    pub(crate) fn read(
        tx: &mut Tx<'_>,
        project_id: ProjectId,
        to: &ScheduledTo,
    ) -> Result<Self, StoreError> {
        Ok(match to {
            ScheduledTo::Number(number) => Self {
                shown: Some(number_shown(number.as_str())),
                text: number.as_str().to_owned(),
            },
            ScheduledTo::Contact(id) => {
                let contact = contacts::get(tx, project_id, *id)?;
                let number = contact
                    .as_ref()
                    .and_then(|contact| contact.phone_number.as_ref());
                let number = number.map(|number| number.as_str().to_owned());
                let name = contact.as_ref().and_then(|contact| contact.name.clone());
                Self {
                    shown: number.as_deref().map(number_shown),
                    text: name.or(number).unwrap_or_default(),
                }
            }
            ScheduledTo::Filter(filter) => Self {
                shown: Some(filter_shown(filter)),
                text: BY_FILTER.to_owned(),
            },
            ScheduledTo::Group(id) => {
                let name = groups::get(tx, project_id, *id)?.map(|group| group.name);
                let shown = json!({ "type": "group", "group_id": id, "group_name": name });
                Self {
                    shown: Some(shown),
                    text: name.unwrap_or_default(),
                }
            }
        })
    }

    /// Returns it as `recipients` shows it; `None` for a contact without a number.
    pub(crate) fn shown(&self) -> Option<&Json> {
        self.shown.as_ref()
    }

    /// Returns it for people.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }
}

/// What contacts are called that a filter finds.
pub(crate) const BY_FILTER: &str = "contacts by a filter";

/// Returns a filter as `recipients` shows it.
pub(crate) fn filter_shown(filter: &ContactFilter) -> Json {
    let params = serde_json::from_str(&filter.filter_params).unwrap_or(Json::Null);
    json!({ "type": "filter", "filter_type": filter.filter_type.as_str(), "filter_params": params })
}

/// Returns a number as `recipients` shows it.
pub(crate) fn number_shown(number: &str) -> Json {
    json!({ "type": "phone_number", "phone_number": number })
}

/// The value of what no message can have yet.
const NOTHING: Option<&str> = None;

/// Writes what the messages say and how they are sent.
pub(crate) fn write_message(
    out: &mut ObjectWriter<'_>,
    message: &StoredMessage,
    message_type: &str,
) {
    let (item, options) = (&message.item, &message.options);
    let content = item.content.as_ref();
    let sender = options.sender.as_ref();
    let replaces = options.replaces_variables.as_ref();
    let replaces = replaces.is_some_and(|replaces| replaces.value);
    out.put("message_type", message_type);
    out.put("content", &content.map(|content| content.as_str()));
    out.put("route_id", &sender.map(|sender| sender.value));
    out.put("service_id", &NOTHING);
    out.put("audio_url", &NOTHING);
    out.put("tts_lang", &message.tts_lang);
    out.put("tts_voice", &message.tts_voice);
    out.put("replace_variables", &replaces);
    out.put("is_template", &replaces);
    out.put("track_clicks", &options.track_clicks);
    out.put("route_params", &options.payload);
    out.put("vars", &item.vars);
    out.put("label_ids", &options.labels.iter().collect::<BTreeSet<_>>());
    let on_unknown = options.on_unknown.map(|on_unknown| on_unknown.as_str());
    out.put_some("on_unknown", on_unknown);
    out.put_some("ttl_sec", options.ttl_sec);
}

/// Returns what a message's media are shown as.
pub(crate) fn media(message: &StoredMessage, addresses: &Addresses) -> Vec<Json> {
    let media = message.options.media.as_ref();
    let media = media.map_or(&[][..], |media| &media.value);
    file::media(media, addresses, true)
}
