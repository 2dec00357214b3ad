//! A broadcast.

use crate::commands::stored_message::StoredMessage;
use crate::holds::{self, Hold, Holds};
use crate::hub::files::Addresses;
use crate::views::pages::{Page, write_pages};
use crate::views::price::write_price;
use crate::views::stored_message::{
    BY_FILTER, Named, filter_shown, media, number_shown, write_message,
};
use hub_domain::{Address, Broadcast, BroadcastTo, ScheduledTo};
use hub_store::{StoreError, Tx, broadcasts};
use hub_view::{ObjectWriter, Resource};
use postrider_model::{BroadcastId, UnixMs};
use serde_json::{Value as Json, json};

/// How many numbers are named where recipients are written out.
const NUMBERS_NAMED: usize = 3;

/// A broadcast with the names of whom it is for.
#[derive(Debug, Clone)]
pub struct BroadcastView {
    broadcast: Broadcast,
    message: StoredMessage,
    recipients: Vec<Json>,
    recipients_str: String,
    pub(crate) hold: Option<Hold>,
    addresses: Addresses,
}

impl BroadcastView {
    /// Returns the id of the broadcast.
    pub fn id(&self) -> BroadcastId {
        self.broadcast.id
    }

    /// Looks up whom a broadcast is for, and what it waits for.
    pub(crate) fn read(
        tx: &mut Tx<'_>,
        broadcast: Broadcast,
        addresses: &Addresses,
        holds: &mut Holds<'_>,
    ) -> Result<Self, StoreError> {
        let message = StoredMessage::read(&broadcast.message).unwrap_or_default();
        let (recipients, recipients_str) = match &broadcast.to {
            BroadcastTo::Group(id) => {
                let to = ScheduledTo::Group(*id);
                let named = Named::read(tx, broadcast.project_id, &to)?;
                (
                    named.shown().cloned().into_iter().collect(),
                    named.text().to_owned(),
                )
            }
            BroadcastTo::Numbers => {
                let numbers = broadcasts::numbers(tx, broadcast.id)?;
                let shown = numbers.iter().map(|number| number_shown(number.as_str()));
                (shown.collect(), in_words(&numbers))
            }
            BroadcastTo::Filter(filter) => (vec![filter_shown(filter)], BY_FILTER.to_owned()),
            BroadcastTo::Requests => (Vec::new(), String::new()),
        };
        Ok(Self {
            hold: holds.of_broadcast(tx, &broadcast, &message)?,
            message,
            broadcast,
            recipients,
            recipients_str,
            addresses: addresses.clone(),
        })
    }
}

/// The value of what no broadcast can have yet.
const NOTHING: Option<&str> = None;

impl Resource for BroadcastView {
    fn write(&self, out: &mut ObjectWriter<'_>) {
        let broadcast = &self.broadcast;
        out.put("id", &broadcast.id);
        out.put("recipients", &self.recipients);
        out.put("recipients_str", &self.recipients_str);
        out.put("exclude_contact_id", &broadcast.exclude_contact_id);
        out.put("exclude_group_id", &broadcast.exclude_group_id);
        out.put("title", &broadcast.title);
        write_progress(broadcast, out);
        write_message(out, &self.message, broadcast.message_type.as_str());
        let media = media(&self.message, &self.addresses);
        out.put_some("media", Some(media).filter(|media| !media.is_empty()));
        out.put("status", broadcast.status());
        holds::write(out, self.hold);
        out.put_some("error_message", broadcast.problem.as_deref());
        out.put("source", broadcast.source.as_str());
        out.put("simulated", &self.message.options.simulated);
        let clicked = self.message.options.track_clicks;
        let clicked = clicked.then_some(broadcast.clicked_count);
        out.put("clicked_count", &clicked);
        write_price(out, broadcast.price);
        write_pages(out, &[Page::Shown]);
        out.put("user_id", &NOTHING);
        out.put("reply_count", &broadcast.reply_count);
        let last_reply_time = broadcast.last_reply_time.map(UnixMs::seconds);
        out.put("last_reply_time", &last_reply_time);
        out.put("scheduled_id", &broadcast.scheduled_id);
        out.put("campaign_id", &broadcast.campaign_id);
        out.put("project_id", &broadcast.project_id);
    }
}

fn write_progress(broadcast: &Broadcast, out: &mut ObjectWriter<'_>) {
    let counts = &broadcast.counts;
    out.put("time_created", &broadcast.time_created.seconds());
    let last_message_time = broadcast.last_message_time.seconds();
    out.put("last_message_time", &last_message_time);
    let last_send_time = broadcast.last_send_time.map(UnixMs::seconds);
    out.put("last_send_time", &last_send_time);
    let by_status = json!({
        "queued": counts.queued,
        "sent": counts.sent,
        "failed": counts.failed,
        "failed_queued": counts.failed_queued,
        "delivered": counts.delivered,
        "not_delivered": counts.not_delivered,
        "cancelled": counts.cancelled,
    });
    out.put("status_counts", &by_status);
    out.put("message_count", &counts.total());
    out.put("estimated_count", &broadcast.estimated_count);
    out.put("num_parts", &broadcast.num_parts);
}

/// Returns numbers for people, the first of many.
pub(crate) fn in_words(numbers: &[Address]) -> String {
    let named = numbers.iter().take(NUMBERS_NAMED).map(Address::as_str);
    let mut text = named.collect::<Vec<_>>().join(", ");
    let more = numbers.len().saturating_sub(NUMBERS_NAMED);
    if more > 0 {
        text.push_str(&format!(" and {more} more"));
    }
    text
}
