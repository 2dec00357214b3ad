//! A scheduled message as the API shows it.

use crate::schedules::message::Message;
use hub_domain::{Schedule, ScheduledTo};
use hub_store::{StoreError, Tx, contacts, groups};
use hub_web::{ObjectWriter, Resource};
use postrider_model::{ProjectId, UnixMs};
use serde_json::{Value as Json, json};
use std::collections::{BTreeMap, BTreeSet};

/// Whom something is for, in words.
#[derive(Debug, Clone, Default)]
pub struct Named {
    /// As `recipients` shows it.
    shown: Option<Json>,
    /// For people.
    text: String,
}

/// A schedule with the names of whom it is for.
#[derive(Debug, Clone)]
pub struct ScheduleView {
    schedule: Schedule,
    message: Message,
    named: Named,
}

impl ScheduleView {
    /// Looks up whom a schedule is for.
    pub fn read(tx: &mut Tx<'_>, schedule: Schedule) -> Result<Self, StoreError> {
        let named = Named::read(tx, schedule.project_id, &schedule.to)?;
        Ok(Self::of(schedule, named))
    }

    /// Looks up whom the schedules of a page are for, each contact and group once.
    pub fn read_all(tx: &mut Tx<'_>, rows: Vec<Schedule>) -> Result<Vec<Self>, StoreError> {
        let mut known = BTreeMap::new();
        let mut views = Vec::with_capacity(rows.len());
        for schedule in rows {
            let key = match &schedule.to {
                ScheduledTo::Number(_) => None,
                ScheduledTo::Contact(id) => Some((0, id.get())),
                ScheduledTo::Group(id) => Some((1, id.get())),
            };
            let named = match key.and_then(|key| known.get(&key)) {
                Some(named) => Named::clone(named),
                None => Named::read(tx, schedule.project_id, &schedule.to)?,
            };
            if let Some(key) = key {
                known.insert(key, named.clone());
            }
            views.push(Self::of(schedule, named));
        }
        Ok(views)
    }

    fn of(schedule: Schedule, named: Named) -> Self {
        Self {
            message: Message::stored(&schedule.message),
            schedule,
            named,
        }
    }
}

impl Named {
    /// Looks up one recipient.
    pub fn read(
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

/// Returns a number as `recipients` shows it.
pub(crate) fn number_shown(number: &str) -> Json {
    json!({ "type": "phone_number", "phone_number": number })
}

impl Resource for ScheduleView {
    fn write(&self, out: &mut ObjectWriter<'_>) {
        let schedule = &self.schedule;
        out.put("id", &schedule.id);
        write_rule(out, &schedule.rrule, &schedule.timezone_id);
        let recipients: Vec<_> = self.named.shown.iter().collect();
        out.put("recipients", &recipients);
        write_recipient(out, &schedule.to, &self.named);
        write_message(out, &self.message, schedule.message_type.as_str());
        out.put("media", &media(&self.message));
        out.put("time_created", &schedule.time_created.seconds());
        out.put("start_time", &schedule.start_time.seconds());
        out.put("end_time", &schedule.end_time.map(UnixMs::seconds));
        out.put("prev_time", &schedule.prev_time.map(UnixMs::seconds));
        out.put("next_time", &schedule.next_time.map(UnixMs::seconds));
        out.put("occurrences", &schedule.occurrences);
        out.put_some("error_message", schedule.problem.as_deref());
        out.put("relative_scheduled_id", &schedule.relative_id);
        out.put("project_id", &schedule.project_id);
    }
}

/// Writes what recurs, and where.
pub fn write_rule(out: &mut ObjectWriter<'_>, rrule: &str, timezone_id: &str) {
    out.put("rrule", rrule);
    out.put("timezone_id", timezone_id);
}

/// Writes whom something is for, but for `recipients`.
pub fn write_recipient(out: &mut ObjectWriter<'_>, to: &ScheduledTo, named: &Named) {
    let (group, contact, number) = match to {
        ScheduledTo::Group(id) => (Some(id), None, None),
        ScheduledTo::Contact(id) => (None, Some(id), None),
        ScheduledTo::Number(number) => (None, None, Some(number.as_str())),
    };
    out.put("recipients_str", named.text());
    out.put("group_id", &group);
    out.put("contact_id", &contact);
    out.put("to_number", &number);
}

/// Writes the parameters of the messages.
pub fn write_message(out: &mut ObjectWriter<'_>, message: &Message, message_type: &str) {
    out.put("message_type", message_type);
    for name in [
        "content",
        "route_id",
        "service_id",
        "audio_url",
        "tts_lang",
        "tts_voice",
    ] {
        out.put(name, message.get(name));
    }
    let flag = |name| message.get(name).as_bool().unwrap_or(false);
    out.put("replace_variables", &flag("replace_variables"));
    out.put("is_template", &flag("replace_variables"));
    out.put("track_clicks", &flag("track_clicks"));
    out.put("route_params", message.get("route_params"));
    out.put_json("vars", &message.vars().to_json());
    let labels = message.get("label_ids").as_array().into_iter().flatten();
    let labels: BTreeSet<_> = labels.filter_map(Json::as_str).collect();
    out.put("label_ids", &labels);
    for name in ["on_unknown", "ttl_sec"] {
        out.put_some(
            name,
            Some(message.get(name)).filter(|value| !value.is_null()),
        );
    }
}

/// Returns what a message's media are shown as.
pub fn media(message: &Message) -> Vec<Json> {
    message.links().map(medium).collect()
}

fn medium(url: &str) -> Json {
    json!({ "url": url, "type": null, "filename": null, "size": null, "file_id": null })
}
