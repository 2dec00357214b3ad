//! What follows every call: the link's frames reach the machines, the machines' facts reach the
//! link, and the outputs are passed on.
//!
//! Rows come before the effects that need them: changes of the link, other changes, rows of
//! exposures, and then effects.

use crate::{
    agent::Agent,
    change::Change,
    effect::Effect,
    event::Event,
    health::NextHealth,
    timers::{Subject, Timer},
    token::MessageRef,
};
use postrider_link::{
    close::CloseCode,
    session::phone::{LinkChange, PhoneAlert, PhoneEffect, PhoneFact, Received, Stopped},
};
use postrider_model::Now;

impl Agent {
    /// Passes on everything that a call led to.
    pub(crate) fn after_call(&mut self, now: Now) {
        self.now = now;
        self.watch_wall(now);
        self.take_received(now);
        self.watch_call_log(now);
        let not_known = self.session.is_not_known();
        let (outbound, mut cx) = self.outbound_cx(now);
        outbound.set_not_known(not_known);
        outbound.pump(&mut cx);
        self.flush(now);
    }

    /// Passes on everything that a start led to. Nothing is handed over before the first call,
    /// because that may say that the phone is being unpaired.
    pub(crate) fn after_start(&mut self, now: Now) {
        self.watch_wall(now);
        self.flush(now);
    }

    fn flush(&mut self, now: Now) {
        self.tell_health(now);
        self.number_facts();
        self.flush_link(now);
        self.flush_pending();
        self.watch_link();
    }

    /// Notices whether the wall clock was set, before it is used for any age.
    pub(crate) fn watch_wall(&mut self, now: Now) {
        if let Some(by_ms) = self.wall.moved_ms(now) {
            self.scans.wall_moved(now.unix);
            self.pending.changes.push(Change::WallMoved { by_ms });
            let passed = self.outbound.wall_moved(by_ms, now.unix);
            self.pending.changes.extend(passed);
        }
    }

    fn take_received(&mut self, now: Now) {
        if self.session.is_open() {
            self.known_sims.hello_accepted();
        }
        while let Some(received) = self.session.poll_received() {
            let (outbound, mut cx) = self.outbound_cx(now);
            match received {
                Received::Send(send) => outbound.accept(send, &mut cx),
                Received::Revoke(revoke) => outbound.revoke(revoke, &mut cx),
                Received::Cancel(cancel) => outbound.cancel(cancel, &mut cx),
                Received::Config(config) => {
                    cx.pending.changes.push(Change::ConfigSet(config.clone()));
                    let unpaused = (!config.pause).then_some(config.sim);
                    outbound.take_config(config);
                    if let Some(sim) = unpaused {
                        self.pending.changes.extend(self.known_sims.unpaused(sim));
                        self.hold_changed_sims();
                    }
                }
            }
        }
    }

    fn tell_health(&mut self, now: Now) {
        if !self.session.is_open() {
            self.timers.stop(Timer::Health, Subject::Agent);
            return;
        }
        match self.health.next(&self.outbound, &self.timers, now) {
            NextHealth::Nothing => {}
            NextHealth::NotBefore(at) => self.timers.set(Timer::Health, Subject::Agent, at),
            NextHealth::Tell(health) => {
                let s = self.session.put(PhoneFact::Health(*health));
                self.known_sims.told_by(s);
            }
        }
    }

    fn number_facts(&mut self) {
        let mut facts = std::mem::take(&mut self.pending.facts);
        for fact in facts.drain(..) {
            let (id, ep) = (fact.id, fact.ep);
            let s = self.session.put(PhoneFact::Event(fact));
            self.outbound.fact_numbered(MessageRef { id, ep }, s);
        }
        self.pending.facts = facts;
    }

    fn flush_link(&mut self, now: Now) {
        while let Some(change) = self.session.poll_change() {
            let (outbound, mut cx) = self.outbound_cx(now);
            match &change {
                LinkChange::FactsAcked { up_to } => {
                    outbound.facts_acked(*up_to, &mut cx);
                    self.known_sims.acked(*up_to);
                }
                LinkChange::Restarted { sinks_by, .. } => outbound.restarted(*sinks_by),
                LinkChange::Conn(_)
                | LinkChange::Down(_)
                | LinkChange::FactStored(_)
                | LinkChange::HubLearned(_)
                | LinkChange::NotKnown(_) => {}
            }
            let at = now.unix;
            self.outputs.link_change(Change::Link { change, at });
        }
    }

    fn flush_pending(&mut self) {
        let pending = &mut self.pending;
        for change in pending.changes.drain(..) {
            self.outputs.change(change);
        }
        for change in self.outbound.moved(&pending.dirty) {
            self.outputs.change(change);
        }
        pending.dirty.clear();
        for effect in pending.effects.drain(..) {
            self.outputs.effect(effect);
        }
        for event in pending.events.drain(..) {
            self.outputs.event(event);
        }
    }

    fn watch_link(&mut self) {
        match self.session.poll_timeout() {
            Some(due) => self.timers.set(Timer::Link, Subject::Agent, due.at),
            None => self.timers.stop(Timer::Link, Subject::Agent),
        }
        if self.was_open && !self.session.is_open() {
            self.outputs.event(Event::LinkDown);
        }
        self.was_open = self.session.is_open();
    }

    /// Returns the link's next effect as an effect of the agent; frames of an older connection are
    /// dropped.
    pub(crate) fn poll_link_effect(&mut self) -> Option<Effect> {
        while let Some(effect) = self.session.poll_effect() {
            let is_present = |conn: u64| conn == self.session.conn();
            match effect {
                PhoneEffect::Dial => return Some(Effect::Connect),
                PhoneEffect::PlanRedial(pace) => return Some(Effect::PlanRedial(pace)),
                PhoneEffect::ResetSchedule => return Some(Effect::ResetRedial),
                PhoneEffect::Sign { conn, bytes } if is_present(conn) => {
                    return Some(Effect::SignHello { bytes });
                }
                PhoneEffect::Write { conn, frame } if is_present(conn) => {
                    return Some(Effect::WriteFrame(frame));
                }
                PhoneEffect::Disconnect { conn, code } if is_present(conn) => {
                    return Some(Effect::CloseLink(code));
                }
                PhoneEffect::Sign { .. }
                | PhoneEffect::Write { .. }
                | PhoneEffect::Disconnect { .. } => {}
                PhoneEffect::LoadFacts(range) => return Some(Effect::LoadFacts(range)),
                PhoneEffect::UploadInboundAgain => return Some(Effect::LoadInbound),
                PhoneEffect::LoadHeld { down, up } => {
                    if let Some(effect) = self.load_held(down, up) {
                        return Some(effect);
                    }
                }
                PhoneEffect::Opened => self.outputs.event(Event::LinkUp),
                PhoneEffect::Stopped(why) => self.outputs.event(stopped(why)),
                PhoneEffect::Alert(PhoneAlert::ProtocolErrors) => {
                    self.outputs.event(Event::LinkFailing);
                }
                PhoneEffect::Alert(PhoneAlert::NotKnown) => {
                    self.outputs.event(Event::NotKnownHere);
                }
                PhoneEffect::Alert(PhoneAlert::Replaced) => {
                    self.outputs.event(Event::LinkReplaced);
                }
            }
        }
        None
    }
}

fn stopped(why: Stopped) -> Event {
    match why {
        Stopped::Unpaired => Event::PairingNeeded {
            close: CloseCode::NotPaired,
        },
        Stopped::PairAgain => Event::PairingNeeded {
            close: CloseCode::JournalWentBack,
        },
        Stopped::NeedsNewerApp => Event::UpdateNeeded,
    }
}
