//! Carrying out what ownership says about a message: the row, its status, its webhook.

use crate::actor::{Actor, Who};
use crate::audit;
use crate::dispatch::effects::Effects;
use crate::dispatch::ownership;
use crate::dispatch::routing::{self, KnownGroups, KnownPhones};
use crate::hub::Hub;
use crate::webhooks::enqueue::{self, ContactAdded};
use hub_domain::{Address, Broadcast, BroadcastShare, Contact, Message, Phone, PhoneType, Project};
use hub_store::broadcasts::{self, Tallies};
use hub_store::past_exposures::{self, PastExposure};
use hub_store::{StoreError, Tx, messages, pending_reroutes, phones};
use postrider_link::ownership::hub::{
    ErrorCode, Fact, Flags, Outcome, Ownership, Published, Refused,
};
use postrider_model::{BroadcastId, MessageStatus, Now, PhoneId, UnixMs, WireState};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

/// One unit of work on messages: what it goes by, and what it gathers until its end.
pub struct UnitOfWork<'w, 't> {
    /// The hub.
    pub hub: &'w Hub,
    /// The transaction that it is written in.
    pub tx: &'w mut Tx<'t>,
    /// Who does it.
    pub who: Who,
    /// The project of every message in it.
    pub project: &'w Project,
    /// When it was begun.
    pub now: Now,
    /// What follows the commit.
    pub effects: Effects,
    /// Exposures that got their result: the phone's window has room again.
    pub closed: Vec<Closed>,
    /// Phones that were looked up for custom routes.
    pub known: KnownPhones,
    /// Which dynamic groups contacts are in, as was asked for custom routes.
    pub groups: KnownGroups,
    /// What its messages do to the counts of their broadcasts.
    pub tallies: Tallies,
    called_off: BTreeMap<BroadcastId, Option<i64>>,
    sent: BTreeMap<PhoneId, u64>,
}

/// An exposure that got its result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Closed {
    /// The phone that held it.
    pub phone_id: PhoneId,
    /// The message's priority.
    pub priority: u8,
    /// Whether a custom route gave it to the phone.
    pub routed: bool,
}

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
    /// How long it rang, in seconds; below nothing when that is not known.
    pub ring_sec: Option<i64>,
}

impl<'w, 't> UnitOfWork<'w, 't> {
    /// Begins what the hub does by itself.
    pub fn new(hub: &'w Hub, tx: &'w mut Tx<'t>, project: &'w Project, now: Now) -> Self {
        Self {
            hub,
            tx,
            who: Who::Hub,
            project,
            now,
            effects: Effects::default(),
            closed: Vec::new(),
            known: KnownPhones::new(),
            groups: KnownGroups::new(),
            tallies: Tallies::default(),
            called_off: BTreeMap::new(),
            sent: BTreeMap::new(),
        }
    }

    /// Begins what somebody does.
    pub fn of(actor: &'w Actor, tx: &'w mut Tx<'t>) -> Self {
        Self {
            who: actor.who.clone(),
            ..Self::new(&actor.hub, tx, &actor.project, actor.now)
        }
    }

    /// Writes down in the audit log what was done, and to what.
    pub fn note(
        &mut self,
        action: &'static str,
        target: impl fmt::Display,
    ) -> Result<(), StoreError> {
        let line = audit::Line {
            organization_id: self.project.organization_id,
            project_id: Some(self.project.id),
            action,
            target: target.to_string(),
        };
        audit::write_as(self.hub, self.tx, &self.who.to_string(), line, self.now)
    }

    /// Applies a fact to a message and writes everything that follows from it.
    ///
    /// A refused fact leaves message and database as they were.
    pub fn apply(
        &mut self,
        message: &mut Message,
        fact: Fact<'_>,
        detail: &Detail,
    ) -> Result<Result<Outcome, Refused>, StoreError> {
        let mut owned = ownership::of(message)?;
        let before = owned.clone();
        if is_sent_again(&before, &fact) {
            self.count_sent(message.phone_id);
        }
        let mut rules = ownership::rules(message, self.now.unix);
        rules.other_route = routing::may_move(self, message)?;
        let outcome = match owned.apply(fact, rules) {
            Ok(outcome) => outcome,
            Err(refused) => return Ok(Err(refused)),
        };
        let was_asked_back = before.flags.has(Flags::REVOKE_ASKED);
        if was_asked_back && !owned.flags.has(Flags::REVOKE_ASKED) && !outcome.requeued {
            pending_reroutes::take(self.tx, message.id)?;
        }
        if before.state.is_open() && !owned.state.is_open() {
            self.closed.push(Closed {
                phone_id: message.phone_id,
                priority: message.priority,
                routed: message.route_id.is_some(),
            });
        }
        let parts_known = detail.parts.is_some() && message.num_parts != detail.parts;
        let call_known = message.note_call(detail.duration_sec, detail.ring_sec);
        if call_known {
            messages::update_call(self.tx, message)?;
        }
        if owned == before && outcome.publish.is_none() && !parts_known && !call_known {
            return Ok(Ok(outcome));
        }
        self.keep(message, &owned, &outcome, detail)?;
        Ok(Ok(outcome))
    }

    fn keep(
        &mut self,
        message: &mut Message,
        owned: &Ownership,
        outcome: &Outcome,
        detail: &Detail,
    ) -> Result<(), StoreError> {
        if let Some((ep, holder)) = &outcome.replaced {
            let install = holder.install.as_str().to_owned();
            let device_id = holder.device;
            let past = PastExposure {
                message_id: message.id,
                ep: *ep,
                device_id,
                install,
            };
            past_exposures::insert(self.tx, &past)?;
        }
        let share = BroadcastShare::of(message);
        ownership::put(message, owned);
        let parts_before = message.num_parts;
        message.num_parts = detail.parts.or(parts_before);
        match &outcome.publish {
            None if message.num_parts == parts_before => {
                messages::update_exposure(self.tx, message)?
            }
            None => messages::update_ownership(self.tx, message)?,
            Some(published) => {
                self.publish(message, published, detail);
                messages::update_ownership(self.tx, message)?;
            }
        }
        self.tallies.changed(share, message);
        if outcome.publish.is_some_and(|published| published.webhook) {
            self.tell_status(message)?;
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
        message.phone_id = phone.id;
        message.from_number = phone.phone_number.as_ref().map(Address::from);
        message.time_updated = self.now.unix;
        message.simulated |= phone.phone_type == PhoneType::Simulated;
        messages::update_route(self.tx, message)?;
        self.wake(message);
        Ok(())
    }

    /// Has whoever sends a waiting message hear of it after the commit.
    pub fn wake(&mut self, message: &Message) {
        if message.simulated {
            self.effects.simulated();
        } else {
            self.effects.queued(message.phone_id);
        }
    }

    /// Counts a message that was sent on a phone.
    pub fn count_sent(&mut self, phone: PhoneId) {
        *self.sent.entry(phone).or_default() += 1;
    }

    fn publish(&mut self, message: &mut Message, published: &Published, detail: &Detail) {
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
                    .unwrap_or_else(|| crate::dispatch::explain::error(error).to_owned()),
            ),
            (None, MessageStatus::FailedQueued | MessageStatus::NotDelivered) => {
                detail.text.clone()
            }
            (None, _) => None,
        };
        if published.sets_time_sent && message.time_sent.is_none() {
            message.time_sent = Some(detail.time.unwrap_or(self.now.unix));
            self.count_sent(message.phone_id);
        }
    }

    /// Writes the webhook rows of a message's present status.
    pub fn tell_status(&mut self, message: &Message) -> Result<(), StoreError> {
        if enqueue::send_status(self.hub, self.tx, self.project, message, self.now)? {
            self.effects.webhooks();
        }
        Ok(())
    }

    /// Writes the webhook rows of a new contact.
    pub fn tell_contact_added(
        &mut self,
        contact: &Contact,
        added: ContactAdded,
    ) -> Result<(), StoreError> {
        if enqueue::contact_added(self.hub, self.tx, self.project, contact, added, self.now)? {
            self.effects.webhooks();
        }
        Ok(())
    }

    /// Writes the webhook rows of a new broadcast.
    pub fn tell_broadcast(&mut self, broadcast: &Broadcast) -> Result<(), StoreError> {
        if enqueue::send_broadcast(self.hub, self.tx, self.project, broadcast, self.now)? {
            self.effects.webhooks();
        }
        Ok(())
    }

    /// Returns how many messages this unit of work has seen sent on a phone, which its row does not
    /// count yet.
    pub fn sent_on(&self, phone: PhoneId) -> u64 {
        self.sent.get(&phone).copied().unwrap_or(0)
    }

    /// Says whether a message is not to be sent, since its broadcast was cancelled.
    pub fn is_called_off(&mut self, message: &Message) -> Result<bool, StoreError> {
        let Some(id) = message.broadcast_id else {
            return Ok(false);
        };
        let walked_up_to = match self.called_off.get(&id) {
            Some(known) => *known,
            None => broadcasts::called_off(self.tx, id)?,
        };
        self.called_off.insert(id, walked_up_to);
        Ok(walked_up_to.is_some_and(|up_to| message.id.get() > up_to))
    }

    /// Stores what was counted of broadcasts so far, for whoever shows one before the end.
    pub fn write_tallies(&mut self) -> Result<(), StoreError> {
        std::mem::take(&mut self.tallies).write(self.tx)
    }

    /// Ends the unit of work: counts what was sent on each phone, and what became of broadcasts.
    pub fn finish(&mut self) -> Result<Effects, StoreError> {
        self.write_tallies()?;
        for (phone_id, sent) in std::mem::take(&mut self.sent) {
            let Some(mut phone) = phones::by_key(self.tx, phone_id)? else {
                continue;
            };
            let paused = phone.send_paused;
            phone.count_sent(sent);
            phone.last_active_time = Some(self.now.unix);
            phones::update_sent_count(self.tx, &phone)?;
            if paused != phone.send_paused {
                self.effects.settings(phone_id);
            }
        }
        Ok(std::mem::take(&mut self.effects))
    }
}

/// Says whether a fact tells of a second sending: of another exposure than the one by which the
/// message is counted as sent. A phone says `sent` once of each.
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
    Flags::from_code(message.ownership.flags).has(Flags::NO_PROOF)
}
