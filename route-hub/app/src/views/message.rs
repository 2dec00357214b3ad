//! A message.

use crate::hub::files::Addresses;
use crate::views::file;
use crate::views::pages::{Page, write_pages};
use crate::views::price::write_price;
use hub_domain::{Direction, Message, MessageType, ShortLink, WaitingFor};
use hub_store::{StoreError, Tx, labels, short_links};
use hub_view::{ObjectWriter, Resource};
use postrider_link::ownership::hub::HubState;
use postrider_model::{LabelId, UnixMs};
use serde_json::{Value, json};

/// Why a queued message still waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Waiting {
    /// The reason.
    pub reason: Option<WaitingFor>,
    /// When its phone may send again.
    pub next_slot_time: Option<UnixMs>,
}

/// A message with what only its phone knows.
#[derive(Debug, Clone)]
pub struct MessageView {
    /// The message.
    pub message: Message,
    /// Why it waits, while it is queued.
    pub waiting: Option<Waiting>,
    /// Its labels.
    pub label_ids: Vec<LabelId>,
    /// Gives the addresses of its files.
    pub addresses: Addresses,
    /// The short links in its text.
    pub links: Vec<ShortLink>,
}

/// Looks up the short links of a message.
pub(crate) fn links_of(tx: &mut Tx<'_>, message: &Message) -> Result<Vec<ShortLink>, StoreError> {
    if message.may_have_links() {
        short_links::of_message(tx, message.project_id, message.id)
    } else {
        Ok(Vec::new())
    }
}

impl MessageView {
    /// Looks up the labels and links of a message.
    pub(crate) fn read(
        tx: &mut Tx<'_>,
        message: Message,
        addresses: Addresses,
    ) -> Result<Self, StoreError> {
        Ok(Self {
            addresses,
            label_ids: labels::of_message(tx, message.id)?,
            links: links_of(tx, &message)?,
            waiting: None,
            message,
        })
    }

    fn write_sent_at(&self, time_sent: Option<UnixMs>, out: &mut ObjectWriter<'_>) {
        let message = &self.message;
        out.put("id", &message.id);
        out.put("direction", message.direction.as_str());
        out.put("status", message.status.as_str());
        out.put("message_type", message.message_type.as_str());
        out.put("source", message.source.as_str());
        write_times_and_numbers(message, time_sent, out);
        out.put("starred", &message.starred);
        out.put("simulated", &message.simulated);
        out.put("label_ids", &self.label_ids);
        let route_params = message.route_params.as_deref();
        out.put_json("route_params", route_params.unwrap_or("null"));
        out.put("vars", &message.vars);
        if message.direction == Direction::Outgoing {
            out.put("priority", &message.priority);
            out.put("send_attempts", &message.send_attempts());
        }
        out.put_some("error_message", message.error_message.as_deref());
        out.put_some("error_code", message.error_code.as_deref());
        write_network(message, out);
        if !message.media.is_empty() {
            out.put(
                "media",
                &file::media(&message.media, &self.addresses, false),
            );
        }
        write_short_links(message, &self.links, out);
        write_ids(message, out);
        if let Some(waiting) = self.waiting {
            out.put("waiting_for", &waiting.reason.map(WaitingFor::as_str));
            let seconds = waiting.next_slot_time.map(UnixMs::seconds);
            out.put("next_slot_time", &seconds);
        }
    }
}

impl Resource for MessageView {
    /// The network's time of a message that came in is for its event alone.
    fn write(&self, out: &mut ObjectWriter<'_>) {
        let is_outgoing = self.message.direction == Direction::Outgoing;
        self.write_sent_at(self.message.time_sent.filter(|_| is_outgoing), out);
    }
}

/// A message in the event that it came in: with the network's time.
pub(crate) struct Arrived(pub(crate) MessageView);

impl Resource for Arrived {
    fn write(&self, out: &mut ObjectWriter<'_>) {
        self.0.write_sent_at(self.0.message.time_sent, out);
    }
}

fn write_times_and_numbers(
    message: &Message,
    time_sent: Option<UnixMs>,
    out: &mut ObjectWriter<'_>,
) {
    out.put("time_created", &message.time_created.seconds());
    out.put("time_sent", &time_sent.map(UnixMs::seconds));
    out.put("time_updated", &message.time_updated.seconds());
    out.put("from_number", &message.from_number);
    out.put("to_number", &message.to_number);
    let content = message.content.as_ref();
    out.put("content", &content.map(|content| content.as_str()));
}

fn write_network(message: &Message, out: &mut ObjectWriter<'_>) {
    out.put("external_id", &message.external_id);
    out.put("num_parts", &message.num_parts);
    write_price(out, message.price);
    if is_live(message.message_type) {
        out.put("duration", &message.duration_sec);
        out.put("ring_time", &message.ring_time_sec);
        out.put("in_progress", &is_in_progress(message));
    }
    out.put("track_clicks", &message.track_clicks);
    out.put("network_code", &message.network_code);
}

/// Writes the short links that stand in the text as it is shown: who sees its template alone is not told
/// where the URLs lead that are written for its recipient.
fn write_short_links(message: &Message, links: &[ShortLink], out: &mut ObjectWriter<'_>) {
    let first = links.iter().filter_map(|link| link.time_clicked).min();
    out.put_some("time_clicked", first.map(UnixMs::seconds));
    let text = message.content.as_ref().map_or("", |text| text.as_str());
    let shown = links.iter().filter(|link| text.contains(&link.short_url()));
    let shown: Vec<_> = shown.map(short_url).collect();
    out.put_some("short_urls", Some(shown).filter(|shown| !shown.is_empty()));
}

fn short_url(link: &ShortLink) -> Value {
    let mut shown = json!({
        "short_url": link.short_url(),
        "link_type": link.target.link_type(),
        "time_clicked": link.time_clicked.map(UnixMs::seconds),
        "expiration_time": link.expiration_time.map(UnixMs::seconds),
    });
    match link.target.media_index() {
        Some(index) => shown["media_index"] = json!(index),
        None => shown["destination_url"] = json!(link.target.address()),
    }
    shown
}

fn write_ids(message: &Message, out: &mut ObjectWriter<'_>) {
    out.put("service_id", &NOTHING);
    out.put("phone_id", &message.phone_id);
    out.put("contact_id", &message.contact_id);
    out.put("route_id", &message.route_id);
    out.put("broadcast_id", &message.broadcast_id);
    out.put("scheduled_id", &message.scheduled_id);
    out.put("user_id", &NOTHING);
    out.put("project_id", &message.project_id);
    write_pages(out, &[Page::Shown]);
}

/// The value of what no message can have yet.
const NOTHING: Option<&str> = None;

/// A message that is shown by itself: only then with the parts of a multimedia message.
#[derive(Debug, Clone)]
pub struct Alone(pub MessageView);

impl Resource for Alone {
    fn write(&self, out: &mut ObjectWriter<'_>) {
        self.0.write(out);
        if let Some(parts) = mms_parts(&self.0.message) {
            out.put("mms_parts", &parts);
        }
    }
}

/// Returns the parts of a multimedia message that came in: its text, since media stay on the phone.
pub fn mms_parts(message: &Message) -> Option<Vec<Value>> {
    let came_in = message.direction == Direction::Incoming;
    if !came_in || message.message_type != MessageType::Mms {
        return None;
    }
    let part = |size: usize| {
        json!({
            "cid": null, "type": "text/plain", "filename": null, "size": size, "url": null,
        })
    };
    let text = message.content.as_ref().map(|text| text.as_str().len());
    Some(text.map(part).into_iter().collect())
}

/// Says whether a call or a dialogue goes on at this moment, as far as its phone has said.
fn is_in_progress(message: &Message) -> bool {
    message.state() == Some(HubState::Submitting)
}

fn is_live(message_type: MessageType) -> bool {
    matches!(message_type, MessageType::Call | MessageType::UssdSession)
}
