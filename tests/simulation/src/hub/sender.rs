//! What senders, operators and time ask of the hub.

use super::{
    Message, Slot,
    apply::{Detail, Effects},
    slot_of,
};
use crate::{
    log::{Line, Who},
    mistakes,
    plan::{Flaw, Setting, Sort, Wanted},
    world::{Event, World, message_id},
};
use postrider_link::{
    frame::{Address, Bytes, Data, Kind},
    limits::UNKNOWN_AFTER_LIFE_MS,
    ownership::hub::{Fact, HubState, OnUnknown, Ownership, Verdict},
};
use postrider_model::{MessageId, MessageText, SimSlot};
use std::{collections::BTreeSet, convert::Infallible};

impl World {
    /// A sender gives the hub a message: it is accepted when it is on the hub's disk.
    pub(crate) fn accepts(&mut self, wanted: &Wanted) {
        let id = message_id(wanted.no);
        if self.hub.rows.messages.contains_key(&id) {
            return;
        }
        let now = self.hub_now().unix;
        let number = format!("+1500555{:04}", wanted.text % 50);
        let (mut to, mut kind) = match wanted.sort {
            Sort::Data => (number, Kind::DataSms),
            Sort::Code => (
                format!("*1{:02}*{}#", wanted.text % 50, wanted.no),
                Kind::Ussd,
            ),
            Sort::Call => (number, Kind::Call),
            Sort::Text | Sort::Picture => (number, Kind::Sms),
        };
        let is_text = wanted.sort == Sort::Text;
        let data = (wanted.sort == Sort::Data).then(|| Data {
            port: 9_200,
            base64: Bytes(wanted.text.to_be_bytes().to_vec()),
        });
        let mut route = self.known_route(slot_of(wanted.route));
        match wanted.flaw {
            Flaw::None => {}
            Flaw::Recipient => to = "?".to_owned(),
            Flaw::Kind => kind = Kind::Other("telegram".to_owned()),
            Flaw::Slot => {
                route.1 = SimSlot::new(5).unwrap_or_default();
                self.hub.rows.sims.entry(route).or_default();
            }
        }
        let life_end = now.0 + wanted.life_ms.cast_signed();
        self.hub.rows.places += 1;
        let message = Message {
            id,
            place: self.hub.rows.places,
            owner: Ownership::new(),
            route,
            priority: wanted.priority,
            created: now.0,
            life_ms: wanted.life_ms,
            life_end,
            on_unknown: if wanted.resend_unknown {
                OnUnknown::Resend
            } else {
                OnUnknown::Report
            },
            kind,
            to: Address::new(to),
            text: is_text.then(|| text(wanted.text, wanted.parts)),
            data,
            movable: wanted.movable,
            tried: BTreeSet::new(),
            hidden: false,
            said_unsent: false,
            time_sent: None,
        };
        self.hub.rows.messages.insert(id, message);
        self.model.accepted(id);
        self.note(Line::new(Who::Sender, "accepted by the hub").of(id));
        if mistakes::is_about("hub_forgets_messages", id) {
            self.hub.rows.messages.remove(&id);
        }
        self.look_at_life(wanted.life_ms);
        let mut effects = Effects::default();
        effects.queued(route);
        self.wake(effects);
    }

    /// Returns a route, or another one in its place where the rows have no such device.
    fn known_route(&self, route: Slot) -> Slot {
        let rows = &self.hub.rows;
        if rows.devices.contains_key(&route.0) {
            return route;
        }
        let known = |slot: &&Slot| rows.devices.contains_key(&slot.0);
        rows.sims.keys().find(known).copied().unwrap_or(route)
    }

    /// Has the ends of a life looked for when they are due.
    fn look_at_life(&mut self, left_ms: u64) {
        self.push_in(left_ms + 10, Event::Sweep);
        self.push_in(left_ms + UNKNOWN_AFTER_LIFE_MS + 10, Event::Sweep);
    }

    /// A sender cancels a message.
    pub(crate) fn cancels(&mut self, id: MessageId) {
        let mut effects = Effects::default();
        let applied = self.apply(id, Fact::CancelAsked, Detail::default(), &mut effects);
        let verdict = applied
            .and_then(Result::ok)
            .and_then(|outcome| outcome.verdict);
        self.mark_verdict(verdict);
        self.wake(effects);
    }

    /// A sender wants a message sent again, perhaps by another phone.
    pub(crate) fn resends(&mut self, id: MessageId, to: Option<Slot>) {
        let now = self.hub_now().unix;
        let Some(message) = self.hub.rows.messages.get_mut(&id) else {
            return;
        };
        if message.hidden {
            return;
        }
        let is_known = |slot: &Slot| self.hub.rows.devices.contains_key(&slot.0);
        let to = to.filter(is_known);
        let Some(message) = self.hub.rows.messages.get_mut(&id) else {
            return;
        };
        let to = to.filter(|slot| *slot != message.route);
        let state = message.owner.state;
        let is_held = state.is_open();
        if !is_held && state != HubState::Waiting {
            message.life_end = now.0 + message.life_ms.cast_signed();
            let life_ms = message.life_ms;
            self.look_at_life(life_ms);
        }
        let mut effects = Effects::default();
        if to.is_some() && state == HubState::Waiting && self.may_be_with_its_phone(id) {
            self.apply(id, Fact::ExposureForgotten, Detail::default(), &mut effects);
        }
        let asked = Fact::ResendAsked {
            new_route: to.is_some(),
        };
        let applied = self.apply(id, asked, Detail::default(), &mut effects);
        let verdict = applied
            .and_then(Result::ok)
            .and_then(|outcome| outcome.verdict);
        self.mark_verdict(verdict);
        match (verdict, to) {
            (Some(Verdict::RouteOnly), Some(slot)) if is_held => {
                self.hub.rows.moves.insert(id, slot);
            }
            (Some(Verdict::RouteOnly | Verdict::Requeued), Some(slot)) => {
                if let Some(message) = self.hub.rows.messages.get_mut(&id) {
                    message.route = slot;
                }
                effects.queued(slot);
            }
            _ => {}
        }
        self.wake(effects);
    }

    /// A sender deletes a message.
    pub(crate) fn deletes(&mut self, id: MessageId) {
        let mut effects = Effects::default();
        self.apply(id, Fact::DeleteAsked, Detail::default(), &mut effects);
        if let Some(message) = self.hub.rows.messages.get_mut(&id) {
            message.hidden = true;
        }
        self.wake(effects);
    }

    fn mark_verdict(&mut self, verdict: Option<Verdict>) {
        let word = match verdict {
            Some(Verdict::Cancelled) => "cancelled",
            Some(Verdict::Asked) => "asked",
            Some(Verdict::NotCancellable) => "not cancellable",
            Some(Verdict::RouteOnly) => "route only",
            Some(Verdict::Requeued) => "requeued",
            Some(Verdict::NewMessage) => "a new message",
            None => return,
        };
        self.coverage.mark("verdict", word, "");
    }

    /// Somebody sets something for a SIM.
    pub(crate) fn sets(&mut self, slot: Slot, setting: Setting) {
        let now = self.hub_now().unix.0;
        let sim = self.hub.rows.sims.entry(slot).or_default();
        let word = match setting {
            Setting::Pause(paused) => {
                sim.paused = paused;
                "pause"
            }
            Setting::QuietFor(ms) => {
                sim.quiet = vec![(now, now + ms.cast_signed())];
                "quiet hours"
            }
            Setting::Delay(ms) => {
                sim.delay_ms = ms;
                "gap"
            }
            Setting::Limit(limit) => {
                sim.limit = (limit > 0).then_some(limit);
                "limit"
            }
        };
        self.coverage.mark("setting", word, "");
        let mut effects = Effects::default();
        effects.settings(slot);
        self.wake(effects);
    }

    /// Looks for ends of lives.
    pub(crate) fn sweep(&mut self) {
        if !self.hub.up {
            return;
        }
        if self.hub.full_until > self.at {
            return self.push(self.hub.full_until, Event::Sweep);
        }
        let now = self.hub_now().unix;
        let is_due = |message: &&Message| {
            let due = message
                .owner
                .due_at(postrider_model::UnixMs(message.life_end));
            due.is_some_and(|due| due <= now)
        };
        let messages = self.hub.rows.messages.values();
        let due: Vec<(MessageId, i64)> = messages
            .filter(is_due)
            .map(|message| (message.id, message.life_end))
            .collect();
        let mut effects = Effects::default();
        for (id, end) in due {
            let ago_ms = u64::try_from(now.0 - end).unwrap_or(0);
            let route = self.hub.rows.messages[&id].route;
            let state = self.hub.rows.messages[&id].owner.state;
            let Ok(fact) = Fact::life_over::<Infallible>(state, ago_ms, || Ok(self.may_be_out(id)));
            self.apply(id, fact, Detail::default(), &mut effects);
            effects.settings(route);
        }
        self.wake(effects);
    }

    /// Has every life looked for anew: the hub's clock was set, or its rows are others.
    pub(crate) fn look_at_lives(&mut self) {
        let now = self.hub_now().unix.0;
        let messages = self.hub.rows.messages.values();
        let lives: Vec<u64> = messages
            .filter(|message| {
                message.owner.state.is_open() || message.owner.state == HubState::Waiting
            })
            .map(|message| u64::try_from(message.life_end - now).unwrap_or(0))
            .collect();
        for left_ms in lives {
            self.look_at_life(left_ms);
        }
    }
}

/// Returns a text of so many parts that is the same for the same number.
fn text(number: u64, parts: u8) -> MessageText {
    let mut text = format!("text {number}");
    if parts > 1 {
        let length = 153 * (usize::from(parts) - 1) + 20;
        text.extend(std::iter::repeat_n('x', length - text.len()));
    }
    MessageText::new(text)
}
