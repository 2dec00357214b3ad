//! Applying facts to messages, and what follows from them.

use super::rows::Slot;
use crate::{
    log::{Line, Who},
    mistakes,
    world::World,
};
use postrider_link::{
    dispatch::turn::Woken,
    ownership::hub::{Fact, Flags, HubState, Outcome, Refused},
};
use postrider_model::{DeviceId, MessageId, UnixMs};
use std::collections::BTreeSet;

/// What follows a commit: wake-ups, each of them a hint.
#[derive(Debug, Clone, Default)]
pub struct Effects {
    queued: BTreeSet<DeviceId>,
    asked: BTreeSet<DeviceId>,
    settings: BTreeSet<DeviceId>,
    /// Exposures that got their result: the slot that held each, its priority, and whether another
    /// phone may send it.
    pub closed: Vec<(Slot, u8, bool)>,
}

impl Effects {
    /// A device has a message in its queue.
    pub fn queued(&mut self, slot: Slot) {
        self.queued.insert(slot.0);
    }

    /// A device is asked for something.
    pub fn asked(&mut self, slot: Slot) {
        self.asked.insert(slot.0);
    }

    /// A device's settings, or what it holds, changed.
    pub fn settings(&mut self, slot: Slot) {
        self.settings.insert(slot.0);
    }
}

/// What an event adds to a fact.
#[derive(Debug, Clone, Copy, Default)]
pub struct Detail {
    /// When it happened, as it is published.
    pub time: Option<UnixMs>,
    /// Whether it proves that nothing was sent.
    pub unsent: bool,
}

impl World {
    /// Applies a fact to a message and does everything that follows from it.
    pub(crate) fn apply(
        &mut self,
        id: MessageId,
        fact: Fact<'_>,
        detail: Detail,
        effects: &mut Effects,
    ) -> Option<Result<Outcome, Refused>> {
        self.step();
        if mistakes::is_about("hub_ignores_facts", id) && !matches!(fact, Fact::Exposed { .. }) {
            return None;
        }
        let now = self.hub_now();
        let other = self.hub.rows.messages.get(&id)?;
        let other = self.hub.rows.other_route(other);
        let message = self.hub.rows.messages.get_mut(&id)?;
        let word = fact_word(&fact);
        let is_resend = matches!(fact, Fact::ResendAsked { .. });
        let before = message.owner.clone();
        let rules = message.rules(now.unix, other.is_some());
        let applied = message.owner.apply(fact, rules);
        self.coverage.mark("fact", word, "");
        let outcome = match applied {
            Ok(outcome) => outcome,
            Err(refused) => {
                self.coverage.mark("fact refused", word, "");
                return Some(Err(refused));
            }
        };
        let message = self.hub.rows.messages.get_mut(&id)?;
        let owner = message.owner.clone();
        let names = (state_name(before.state), state_name(owner.state));
        if before.state != owner.state {
            self.coverage.mark("ownership", names.0, names.1);
            message.said_unsent = owner.state == HubState::Failed && detail.unsent;
        }
        let route = message.route;
        if let Some((ep, holder)) = &outcome.replaced {
            let past = (id, *ep, holder.device, holder.install.clone());
            self.hub.rows.past.insert(past);
        }
        if before != owner {
            let line = Line::new(Who::Hub, "exposure {}: {w} …").of(id);
            self.note(line.with([u64::from(owner.ep), 0, 0]).word(word));
            self.note(Line::new(Who::Hub, "  … is {w}").of(id).word(names.1));
        }
        self.publish(id, &outcome, detail, now.unix);
        if outcome.stays {
            self.hub.rows.moves.remove(&id);
        }
        if outcome.requeued {
            self.requeued(id, route, other, effects);
            let by_r4 = is_resend
                || owner.flags.has(Flags::RESENT_FOR_UNKNOWN)
                    && !before.flags.has(Flags::RESENT_FOR_UNKNOWN);
            if by_r4 {
                self.model.licensed(id);
            }
        }
        if outcome.closed {
            let message = &self.hub.rows.messages[&id];
            let of = (route, message.priority, message.movable);
            effects.closed.push(of);
        }
        if outcome.ask.is_some() {
            effects.asked(route);
            if let Some(holder) = &owner.holder {
                effects.asked.insert(holder.device);
            }
        }
        Some(Ok(outcome))
    }

    /// Gives a freed message to whoever is to send it now.
    fn requeued(&mut self, id: MessageId, from: Slot, other: Option<Slot>, effects: &mut Effects) {
        let moved = self.hub.rows.moves.remove(&id);
        let Some(message) = self.hub.rows.messages.get_mut(&id) else {
            return;
        };
        if let Some(slot) = moved.or(other) {
            message.tried.insert(from);
            message.route = slot;
            self.coverage.mark("dispatch", "given to another phone", "");
        }
        let route = message.route;
        effects.queued(route);
    }

    fn publish(&mut self, id: MessageId, outcome: &Outcome, detail: Detail, now: UnixMs) {
        let Some(message) = self.hub.rows.messages.get_mut(&id) else {
            return;
        };
        let mut is_timed = false;
        if let Some(published) = &outcome.publish
            && published.sets_time_sent
            && message.time_sent.is_none()
        {
            message.time_sent = Some(detail.time.map_or(now.0, |time| time.0));
            is_timed = true;
        }
        let message = &*message;
        let found = self.model.published(message, is_timed.then_some(now.0));
        self.judge(found);
    }

    /// Wakes whom a commit concerns.
    pub(crate) fn wake(&mut self, mut effects: Effects) {
        for (slot, ..) in std::mem::take(&mut effects.closed) {
            effects.settings(slot);
        }
        let links = self.hub.links.iter_mut();
        let mut woken = Vec::new();
        for (socket, link) in links {
            let Some(device) = link.device() else {
                continue;
            };
            let changed = effects.settings.contains(&device);
            let queued = effects.queued.contains(&device);
            let asked = effects.asked.contains(&device);
            let hint = Woken {
                queued,
                asked,
                changed,
            };
            if hint != Woken::default() {
                link.of.woken(hint);
                woken.push(*socket);
            }
        }
        for socket in woken {
            self.begin_commit(socket);
        }
    }
}

const fn fact_word(fact: &Fact<'_>) -> &'static str {
    match fact {
        Fact::Exposed { .. } => "exposed",
        Fact::Reported { .. } => "reported",
        Fact::PastReported { .. } => "reported of an earlier exposure",
        Fact::Shown { page: None, .. } => "shown in hello",
        Fact::Shown { page: Some(_), .. } => "shown in a held page",
        Fact::NeverReceived { .. } => "never received",
        Fact::Renumbered => "renumbered",
        Fact::LifeEnded { .. } => "life ended",
        Fact::HolderLost => "holder lost",
        Fact::ExposureForgotten => "exposure forgotten",
        Fact::RevokeWanted => "revoke wanted",
        Fact::CancelAsked => "cancel asked",
        Fact::ResendAsked { .. } => "resend asked",
        Fact::DeleteAsked => "delete asked",
    }
}

/// Returns a state's name.
pub(crate) const fn state_name(state: HubState) -> &'static str {
    match state {
        HubState::Waiting => "waiting",
        HubState::Exposed => "exposed",
        HubState::OnPhone => "on the phone",
        HubState::Retrying => "retrying",
        HubState::Submitting => "submitting",
        HubState::Unknown => "unknown",
        HubState::Sent => "sent",
        HubState::Failed => "failed",
        HubState::NotDelivered => "not delivered",
        HubState::Delivered => "delivered",
        HubState::Cancelled => "cancelled",
        HubState::Expired => "expired",
    }
}
