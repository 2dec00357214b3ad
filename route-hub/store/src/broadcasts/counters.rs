//! What messages do to the counts of their broadcasts.

use crate::{StoreError, Tx, values};
use hub_domain::{BroadcastCounts, BroadcastShare, Currency, Message, Price};
use postrider_model::{BroadcastId, MessageStatus, UnixMs};
use std::collections::BTreeMap;

/// What the messages of one unit of work do to broadcasts, so that each is written once.
#[derive(Debug, Clone, Default)]
pub struct Tallies {
    by_broadcast: BTreeMap<BroadcastId, Tally>,
}

#[derive(Debug, Clone, Default)]
struct Tally {
    expected: i64,
    counts: BroadcastCounts,
    parts: i64,
    last_message: Option<UnixMs>,
    last_send: Option<UnixMs>,
    replies: i64,
    last_reply: Option<UnixMs>,
    clicked: i64,
    price: i64,
    /// `Some(None)`: several.
    currency: Option<Option<Currency>>,
}

impl Tally {
    fn add_price(&mut self, price: Option<Price>, sign: i64) {
        let Some(price) = price else {
            return;
        };
        self.price += sign * price.millionths;
        let own = Some(price.currency);
        self.currency = match self.currency {
            None => Some(own),
            Some(before) => Some(before.filter(|_| before == own)),
        };
    }
}

impl Tallies {
    /// Counts a new message; one that is part of no broadcast counts nowhere.
    pub fn made(&mut self, message: &Message) {
        self.changed(None, message);
        if let Some(id) = message.broadcast_id {
            let tally = self.of(id);
            tally.last_message = tally.last_message.max(Some(message.time_created));
        }
    }

    /// Counts a message whose share has changed.
    pub fn changed(&mut self, before: Option<BroadcastShare>, message: &Message) {
        let after = BroadcastShare::of(message);
        if before == after {
            return;
        }
        if let Some(before) = before {
            let tally = self.of(before.broadcast_id);
            tally.counts.add(before.status, -1);
            tally.parts -= before.parts;
            tally.add_price(before.price, -1);
        }
        if let Some(after) = after {
            let tally = self.of(after.broadcast_id);
            tally.counts.add(after.status, 1);
            tally.parts += after.parts;
            tally.add_price(after.price, 1);
            tally.last_send = tally.last_send.max(after.time_sent);
            if after.status == MessageStatus::Failed {
                tally.last_send = tally.last_send.max(Some(message.time_updated));
            }
        }
    }

    /// Counts recipients that a request adds, blocked ones too.
    pub fn expect(&mut self, id: BroadcastId, recipients: i64) {
        self.of(id).expected += recipients;
    }

    /// Counts a message that came in answer.
    pub fn replied(&mut self, id: BroadcastId, at: UnixMs) {
        let tally = self.of(id);
        tally.replies += 1;
        tally.last_reply = tally.last_reply.max(Some(at));
    }

    /// Counts a message of which a link was clicked for the first time.
    pub fn clicked(&mut self, id: BroadcastId) {
        self.of(id).clicked += 1;
    }

    fn of(&mut self, id: BroadcastId) -> &mut Tally {
        self.by_broadcast.entry(id).or_default()
    }

    /// Stores what was counted.
    pub fn write(self, tx: &mut Tx<'_>) -> Result<(), StoreError> {
        for (id, tally) in self.by_broadcast {
            let counts = tally.counts;
            let currency = tally.currency.as_ref();
            let currency = currency.map(|one| one.as_ref().map_or("", Currency::as_str));
            tx.run(
                "UPDATE broadcasts SET estimated_count = estimated_count + $2, \
                 queued_count = queued_count + $3, sent_count = sent_count + $4, \
                 failed_count = failed_count + $5, \
                 failed_queued_count = failed_queued_count + $6, \
                 delivered_count = delivered_count + $7, \
                 not_delivered_count = not_delivered_count + $8, \
                 cancelled_count = cancelled_count + $9, num_parts = num_parts + $10, \
                 reply_count = reply_count + $11, \
                 last_message_time = CASE WHEN CAST($12 AS BIGINT) IS NULL OR last_message_time > $12 \
                 THEN last_message_time ELSE $12 END, \
                 last_send_time = CASE WHEN CAST($13 AS BIGINT) IS NULL OR last_send_time > $13 \
                 THEN last_send_time ELSE $13 END, \
                 last_reply_time = CASE WHEN CAST($14 AS BIGINT) IS NULL OR last_reply_time > $14 \
                 THEN last_reply_time ELSE $14 END, \
                 clicked_count = clicked_count + $15, price = price + $16, \
                 price_currency = CASE WHEN CAST($17 AS TEXT) IS NULL THEN price_currency \
                 WHEN price_currency IS NULL OR price_currency = $17 THEN $17 ELSE '' END \
                 WHERE id = $1",
                &values![
                    id,
                    tally.expected,
                    counts.queued,
                    counts.sent,
                    counts.failed,
                    counts.failed_queued,
                    counts.delivered,
                    counts.not_delivered,
                    counts.cancelled,
                    tally.parts,
                    tally.replies,
                    tally.last_message,
                    tally.last_send,
                    tally.last_reply,
                    tally.clicked,
                    tally.price,
                    currency,
                ],
            )?;
        }
        Ok(())
    }
}
