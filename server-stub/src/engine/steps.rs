//! What a scenario or the control interface wants done.

use super::link::unknown_frame;
use super::memory::Message;
use super::{Engine, Made, Refused, bytes};
use crate::scenario::{Action, ConfigAction, SendAction, UnknownAction, Wait};
use postrider_link::close::CloseCode;
use postrider_link::dispatch::hello::Service;
use postrider_link::frame::{Config, HubFrame, Kind, Send, Void};
use postrider_link::ownership::hub::{Fact, Ownership};
use postrider_model::{MessageId, MessageText, Now, SimSlot};

/// Most messages of a run; what a step wants beyond it is refused.
const MESSAGES_MAX: usize = 20_000;
/// Letters of a made text of one part.
const SHORT_TEXT: usize = 24;
/// Letters that each further part of a made text adds: a part with its header holds as many.
const LETTERS_PER_PART: usize = 153;

impl Engine {
    /// Does something now; returns the messages that it is about.
    ///
    /// # Errors
    /// [`Refused`] when it cannot be done as things are.
    pub fn act(&mut self, action: Action, now: Now) -> Result<Vec<MessageId>, Refused> {
        let done = self.perform(action, now);
        self.turn(now);
        done
    }

    /// Does what is due by the scenario; returns whether there was anything.
    pub(super) fn work(&mut self, now: Now) -> bool {
        let mut moved = self.end_lives(now);
        while let Some((key, _)) = self
            .scheduled
            .first_key_value()
            .filter(|((at, _), _)| *at <= now.boot)
        {
            let key = *key;
            if let Some(send) = self.scheduled.remove(&key) {
                self.make(&send, now);
            }
            moved = true;
        }
        while self.step_is_due(now) {
            let Some(step) = self.steps.pop_front() else {
                break;
            };
            self.step_due = None;
            if let Err(refused) = self.perform(step.action, now) {
                tracing::warn!(%refused, "a step could not be done");
                let text = format!("a step could not be done: {refused}");
                self.watch
                    .finished(crate::watch::Rule::Settled, false, &text, now);
            }
            moved = true;
        }
        moved | self.dispatch(now)
    }

    fn step_is_due(&mut self, now: Now) -> bool {
        let Some(step) = self.steps.front() else {
            return false;
        };
        if self.step_due.is_none() {
            if !self.meets(&step.wait) || (needs_phone(&step.action) && self.links.is_empty()) {
                return false;
            }
            self.step_due = Some(now.boot.plus_ms(step.after_ms));
        }
        self.step_due.is_some_and(|due| due <= now.boot)
    }

    pub(super) fn meets(&self, wait: &Wait) -> bool {
        let counts = self.counts;
        let connected = |wanted: u64| {
            let open = self.links.values().any(|link| link.is_open());
            counts.connected >= wanted && open
        };
        let reached = |it: &crate::scenario::StateWait| {
            let of = |id: MessageId| match &it.label {
                Some(label) => self.made.get(&id).is_some_and(|made| made.label == *label),
                None => true,
            };
            self.watch.exposures().reached(it.is, of) >= it.count
        };
        wait.connected.is_none_or(connected)
            && wait.dials.is_none_or(|wanted| counts.dials >= wanted)
            && wait.ended.is_none_or(|wanted| counts.ended >= wanted)
            && wait.inbound.is_none_or(|wanted| counts.inbound >= wanted)
            && wait.facts.is_none_or(|wanted| counts.facts >= wanted)
            && wait
                .settled
                .is_none_or(|wanted| self.is_settled() == wanted)
            && wait.state.as_ref().is_none_or(reached)
    }

    fn perform(&mut self, action: Action, now: Now) -> Result<Vec<MessageId>, Refused> {
        match action {
            Action::Send(send) => return self.send(&send, now),
            Action::Revoke(which) => return self.take_back(&which, false, now),
            Action::Cancel(which) => return self.take_back(&which, true, now),
            Action::Config(config) => self.configure_from_now(&config, now),
            Action::Unknown(unknown) => self.write_unknown(unknown, now)?,
            Action::Close(code) => self.newest()?.close(code, now),
            Action::Cut => self.newest()?.cut(now),
            Action::Stall(stall) => {
                let dial = self.newest()?.dial;
                if let Some(mut link) = self.links.remove(&dial) {
                    self.stall(&mut link, stall.side, stall.ms, now);
                    self.links.insert(dial, link);
                }
            }
            Action::Bye(retry_ms) => self.newest()?.of.session.drain(retry_ms, now),
            Action::Generation(generation) => {
                self.memory.generation = generation;
                self.close_all(CloseCode::GoingAway, now);
            }
            Action::Remember => self.remembered = Some(self.memory.clone()),
            Action::GoBack => {
                let memory = self.remembered.clone().ok_or(Refused::NothingRemembered)?;
                self.memory = memory;
                self.close_all(CloseCode::GoingAway, now);
            }
            Action::Unpair => {
                if let Some(device) = &mut self.device {
                    device.service = Service::Ended;
                }
                self.holder_lost(now);
                self.close_all(CloseCode::NotPaired, now);
            }
            Action::Pairing(answer) => self.scenario.pairing.answer = answer,
            Action::Pass => {}
        }
        Ok(Vec::new())
    }

    fn newest(&mut self) -> Result<&mut super::Link, Refused> {
        let newest = self.links.iter_mut().next_back();
        newest.map(|(_, link)| link).ok_or(Refused::NotConnected)
    }

    fn close_all(&mut self, code: CloseCode, now: Now) {
        for link in self.links.values_mut() {
            link.close(code.code(), now);
        }
    }

    fn send(&mut self, send: &SendAction, now: Now) -> Result<Vec<MessageId>, Refused> {
        let wanted = usize::try_from(send.count).unwrap_or(usize::MAX);
        let there = self.made.len() + self.scheduled.len();
        if there.saturating_add(wanted) > MESSAGES_MAX {
            return Err(Refused::Full);
        }
        let mut made = Vec::new();
        for n in 0..u64::from(send.count) {
            if n == 0 || send.every_ms == 0 {
                made.push(self.make(send, now));
                continue;
            }
            self.counts.scheduled += 1;
            let at = now.boot.plus_ms(n * send.every_ms);
            self.scheduled
                .insert((at, self.counts.scheduled), send.clone());
        }
        Ok(made)
    }

    fn make(&mut self, wish: &SendAction, now: Now) -> MessageId {
        let id = MessageId::new(self.keys.next(now.unix.0));
        let number = self.made.len() + 1;
        let has_text = matches!(wish.kind, Kind::Sms | Kind::Mms | Kind::Other(_));
        let text = match &wish.text {
            Some(text) => Some(text.clone()),
            None => has_text.then(|| made_text(number, usize::from(wish.parts))),
        };
        let send = Send {
            s: 0,
            id,
            ep: 0,
            proof: None,
            kind: wish.kind.clone(),
            to: wish.to.clone(),
            text,
            data: wish.data.clone(),
            sim: wish.sim,
            parts_max: wish.parts_max,
            ttl_ms: wish.ttl_ms,
            report: wish.report,
            priority: wish.priority,
            movable: wish.movable,
            media: wish.media.clone(),
        };
        let message = Message {
            send,
            owned: Ownership::new(),
            life_end: now.unix.plus_ms(wish.ttl_ms.cast_signed()),
            movable: wish.movable,
            on_unknown: wish.on_unknown,
            withheld: false,
        };
        self.memory.messages.insert(id, message);
        let made = Made {
            label: wish.label.clone(),
            report: wish.report && wish.kind == Kind::Sms,
        };
        self.made.insert(id, made);
        id
    }

    /// Takes back or cancels the messages of a label, or the one with an id.
    fn take_back(
        &mut self,
        which: &str,
        cancels: bool,
        now: Now,
    ) -> Result<Vec<MessageId>, Refused> {
        let by_id: Option<MessageId> = which.parse().ok();
        let chosen = |(id, made): (&MessageId, &Made)| {
            (by_id == Some(*id) || made.label == which).then_some(*id)
        };
        let ids: Vec<MessageId> = self.made.iter().filter_map(chosen).collect();
        if ids.is_empty() {
            return Err(Refused::NoSuchMessage);
        }
        for id in &ids {
            if cancels {
                self.apply(*id, Fact::CancelAsked, now);
                continue;
            }
            if let Some(message) = self.memory.messages.get_mut(id) {
                message.withheld = true;
            }
            self.apply(*id, Fact::RevokeWanted, now);
        }
        Ok(ids)
    }

    fn configure_from_now(&mut self, wish: &ConfigAction, now: Now) {
        let sim = wish.sim.and_then(SimSlot::new);
        let at = |ms: i64| now.unix.0.saturating_add(ms);
        let config = Config {
            s: 0,
            sim,
            pause: wish.pause,
            send_delay_ms: wish.send_delay_ms,
            quiet: wish
                .quiet_in_ms
                .iter()
                .map(|(from, to)| (at(*from), at(*to)))
                .collect(),
            send_limit_max: wish.send_limit_max,
            device_send_limit_max: wish.device_send_limit_max,
            silent_after_ms: wish.silent_after_ms,
            unknown_after_ms: wish.unknown_after_ms,
            report_window_ms: wish.report_window_ms,
            shift_tables: wish.shift_tables.clone(),
        };
        self.memory.configs.insert(sim, config);
        self.memory.configured += 1;
    }

    fn write_unknown(&mut self, unknown: UnknownAction, now: Now) -> Result<(), Refused> {
        let open = self.links.iter_mut().rev().find(|(_, link)| link.is_open());
        let (_, link) = open.ok_or(Refused::NotConnected)?;
        if !unknown.numbered {
            let (text, delivers) = unknown_frame(None, unknown.crit);
            link.raw(bytes::text(text.as_bytes()), delivers, now);
            return Ok(());
        }
        let s = link.of.session.assign_control().ok_or(Refused::NoCredit)?;
        link.unknown.insert(s, unknown);
        link.of.session.down_committed(HubFrame::Void(Void { s }));
        self.sent_down(s);
        Ok(())
    }

    /// Returns whether nothing more is to come of any message.
    pub(super) fn is_settled(&self) -> bool {
        self.scheduled.is_empty() && self.made.keys().all(|id| self.message_is_settled(*id))
    }

    /// What the hub forgot is settled as the phone told it.
    pub(super) fn message_is_settled(&self, id: MessageId) -> bool {
        let reports = self.scenario.end.reports;
        if let Some(message) = self.memory.messages.get(&id) {
            return message.is_settled(reports);
        }
        let waits = reports && self.made.get(&id).is_some_and(|made| made.report);
        let last = self.watch.exposures().of(id).last();
        let state = last.and_then(|(_, exposure)| exposure.states.last());
        state.is_some_and(|state| match state {
            postrider_model::WireState::OnPhone
            | postrider_model::WireState::Retrying
            | postrider_model::WireState::Submitting => false,
            postrider_model::WireState::Sent => !waits,
            _ => true,
        })
    }
}

const fn needs_phone(action: &Action) -> bool {
    matches!(
        action,
        Action::Unknown(_) | Action::Close(_) | Action::Cut | Action::Stall(_) | Action::Bye(_)
    )
}

/// A text that no other message of the run has, of so many parts in the default alphabet.
fn made_text(number: usize, parts: usize) -> MessageText {
    let mut text = format!("stub {number} ");
    let length = SHORT_TEXT + LETTERS_PER_PART * parts.saturating_sub(1);
    let filler = length.saturating_sub(text.len());
    text.extend(std::iter::repeat_n('a', filler));
    MessageText::new(text)
}
