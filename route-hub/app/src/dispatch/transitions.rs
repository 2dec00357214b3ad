//! What follows from a fact about a message: its row, its status, its webhook.

use crate::dispatch::{explain, routing};
use crate::unit_of_work::{Closed, UnitOfWork};
use crate::webhooks::enqueue;
use hub_domain::{BroadcastShare, Counted, Message, Phone};
use hub_store::past_exposures::{self, PastExposure};
use hub_store::{StoreError, messages, pending_reroutes, phones, statistics};
use postrider_link::ownership::hub::{ErrorCode, Fact, Flags, Outcome, Ownership, Published};
use postrider_model::{MessageStatus, UnixMs, WireState};
use std::sync::Arc;

/// What an event of the phone adds to a fact.
#[derive(Debug, Clone, Default)]
pub struct Detail {
    /// When it happened, as it is published.
    pub time: Option<UnixMs>,
    /// Why, for programs.
    pub code: Option<String>,
    /// Why, for people.
    pub text: Option<String>,
    /// How many parts the message has.
    pub parts: Option<u32>,
    /// How long a placed call lasted, in seconds; -1 when nobody answered.
    pub duration_sec: Option<i64>,
    /// How long it rang, in seconds; negative: not known.
    pub ring_sec: Option<i64>,
}

impl UnitOfWork<'_, '_> {
    /// Applies a fact to a message and writes everything that follows from it.
    ///
    /// `None` for a fact that the message's state refuses: message and database stay as they were.
    pub fn apply(
        &mut self,
        message: &mut Message,
        fact: Fact<'_>,
        detail: &Detail,
    ) -> Result<Option<Outcome>, StoreError> {
        let Some(before) = message.ownership.clone() else {
            return Ok(None);
        };
        let counted = Counted::of(message);
        let mut owned = before.clone();
        if is_sent_again(&before, &fact) {
            self.count_sent(message.phone_id);
        }
        let mut rules = message.rules(self.now.unix);
        rules.other_route = routing::may_move(self, message)?;
        let Ok(outcome) = owned.apply(fact, rules) else {
            return Ok(None);
        };
        if outcome.stays {
            pending_reroutes::take(self.tx, message.id)?;
        }
        if outcome.closed {
            self.closed.push(Closed {
                phone_id: message.phone_id,
                priority: message.priority,
                routed: message.route_id.is_some(),
            });
        }
        let parts_known = detail.parts.is_some() && message.num_parts != detail.parts;
        let call_known = message.note_call(detail.duration_sec, detail.ring_sec);
        if call_known {
            self.price_call(message)?;
            messages::update_call(self.tx, message)?;
        }
        if owned == before && outcome.publish.is_none() && !parts_known && !call_known {
            return Ok(Some(outcome));
        }
        self.keep(message, owned, &outcome, detail, &counted)?;
        Ok(Some(outcome))
    }

    fn keep(
        &mut self,
        message: &mut Message,
        owned: Ownership,
        outcome: &Outcome,
        detail: &Detail,
        counted: &Counted,
    ) -> Result<(), StoreError> {
        if let Some((ep, holder)) = &outcome.replaced {
            let past = PastExposure {
                message_id: message.id,
                ep: *ep,
                device_id: holder.device,
                install: holder.install.as_str().to_owned(),
            };
            past_exposures::insert(self.tx, &past)?;
        }
        let share = BroadcastShare::of(message);
        message.ownership = Some(owned);
        let parts_before = message.num_parts;
        message.num_parts = detail.parts.or(parts_before);
        match &outcome.publish {
            None if message.num_parts == parts_before => {
                messages::update_exposure(self.tx, message)?
            }
            None => messages::update_ownership(self.tx, message)?,
            Some(published) => {
                self.publish(message, published, detail)?;
                messages::update_ownership(self.tx, message)?;
            }
        }
        self.tallies.changed(share, message);
        statistics::recount(self.tx, counted, message)?;
        if outcome.publish.is_some_and(|published| published.webhook) {
            enqueue::send_status(self, message)?;
        }
        self.effects.changed(message.id);
        if outcome.requeued {
            self.move_on(message)?;
            self.wake(message);
        }
        if outcome.ask.is_some() {
            self.effects.asked(message.phone_id);
        }
        Ok(())
    }

    /// Gives a freed message to the phone that its sender named while another one held it, or to
    /// another one of its custom route.
    fn move_on(&mut self, message: &mut Message) -> Result<(), StoreError> {
        let phone = match pending_reroutes::take(self.tx, message.id)? {
            Some(named) => phones::get(self.tx, message.project_id, named)?.map(Arc::new),
            None => routing::pick_other(self, message)?,
        };
        match phone {
            Some(phone) => self.route_to(message, &phone),
            None => Ok(()),
        }
    }

    /// Gives a message that no phone holds to another one; a test route simulates it from then on.
    pub fn route_to(&mut self, message: &mut Message, phone: &Phone) -> Result<(), StoreError> {
        let counted = Counted::of(message);
        message.send_by(phone);
        message.time_updated = self.now.unix;
        messages::update_route(self.tx, message)?;
        statistics::recount(self.tx, &counted, message)?;
        self.wake(message);
        Ok(())
    }

    /// Fixes what a call cost that was placed before its length was known.
    fn price_call(&mut self, message: &mut Message) -> Result<(), StoreError> {
        if message.time_sent.is_some()
            && let Some(phone) = self.phone_that_sent(message.phone_id)?
        {
            message.note_price(phone);
        }
        Ok(())
    }

    fn publish(
        &mut self,
        message: &mut Message,
        published: &Published,
        detail: &Detail,
    ) -> Result<(), StoreError> {
        message.status = published.status;
        message.time_updated = self.now.unix;
        let error = published.error.map(|error| match error {
            // A held page says that it failed and not why.
            ErrorCode::FromEvent if detail.code.is_none() && has_no_proof(message) => {
                ErrorCode::UnknownOutcome
            }
            error => error,
        });
        message.error_code = match error.map(|error| error.as_str()) {
            None => None,
            Some(Some(code)) => Some(code.to_owned()),
            Some(None) => detail.code.clone(),
        };
        message.error_message = match (error, published.status) {
            (Some(error), _) => Some(
                detail
                    .text
                    .clone()
                    .unwrap_or_else(|| explain::error(error).to_owned()),
            ),
            (None, MessageStatus::FailedQueued | MessageStatus::NotDelivered) => {
                detail.text.clone()
            }
            (None, _) => None,
        };
        if published.sets_time_sent && message.time_sent.is_none() {
            message.time_sent = Some(detail.time.unwrap_or(self.now.unix));
            self.count_sent(message.phone_id);
            if let Some(phone) = self.phone_that_sent(message.phone_id)? {
                message.note_sent_on(phone);
            }
        }
        Ok(())
    }
}

/// Says whether a fact tells of a second sending: by another exposure than the one that counted the
/// message as sent. A phone says `sent` once for each exposure.
fn is_sent_again(before: &Ownership, fact: &Fact<'_>) -> bool {
    let earlier_won = before.flags.has(Flags::EARLIER_WON);
    let of_another = match fact {
        Fact::PastReported { report, .. } => report.state == WireState::Sent && !earlier_won,
        Fact::Reported { ep, report, .. } => {
            report.state == WireState::Sent && *ep == before.ep && earlier_won
        }
        _ => false,
    };
    of_another && before.state.went_out()
}

fn has_no_proof(message: &Message) -> bool {
    let owned = message.ownership.as_ref();
    owned.is_some_and(|owned| owned.flags.has(Flags::NO_PROOF))
}
