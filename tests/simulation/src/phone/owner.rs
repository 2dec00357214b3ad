//! What the owner asks for beyond the machine: other limits, and the end of the pairing.
//!
//! The shell keeps the limits and gives them to each start. That the owner unpairs is on disk, so
//! that a process that dies in between goes on with it: what waits is given back, what the radio
//! has runs to its end, and the phone leaves when the hub has heard of everything or the time is
//! over.

use super::{Input, Phone};
use crate::{
    log::{Line, Who},
    world::World,
};
use postrider_link::{close::CloseCode, frame::Send, mistake};
use postrider_machine::{Command, PaceLimits, SEND_LIMIT_SPAN_MS};
use postrider_model::Now;

/// How long a phone waits for the hub whose unpairing a crash cut off.
const LEAVE_MS_MAX: u64 = 30_000;
/// How often a message may be offered on one connection to a phone that gives it back: after each
/// result that it tells of, its hub may take it for one that goes on.
const OFFERS_MAX: u64 = 40;

/// From when each of the limits is judged, in milliseconds since the run began: one that is new, or
/// looks further back, knows nothing of what went before.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct JudgedFrom {
    sim: u64,
    phone: u64,
    guard: u64,
}

impl Phone {
    /// Keeps other limits.
    pub(super) fn keep_limits(&mut self, limits: PaceLimits, at: u64) {
        let old = std::mem::replace(&mut self.limits, limits);
        let from = &mut self.judged_from;
        if old.sim_parts_per_hour.is_none() {
            from.sim = at + SEND_LIMIT_SPAN_MS;
        }
        if old.phone_parts_per_hour.is_none() {
            from.phone = at + SEND_LIMIT_SPAN_MS;
        }
        let old_span_ms = old.guard.map_or(0, |guard| guard.span_ms);
        if let Some(guard) = limits.guard
            && guard.span_ms > old_span_ms
        {
            from.guard = at + guard.span_ms;
        }
    }

    /// Returns the limits that what is decided on at a moment is judged by.
    pub(super) fn judged_limits(&self, at: u64) -> PaceLimits {
        let from = self.judged_from;
        PaceLimits {
            sim_parts_per_hour: self.limits.sim_parts_per_hour.filter(|_| from.sim <= at),
            phone_parts_per_hour: self
                .limits
                .phone_parts_per_hour
                .filter(|_| from.phone <= at),
            guard: self.limits.guard.filter(|_| from.guard <= at),
        }
    }

    /// Returns how many inputs the next turn takes, `most` at most: a wish that changes what may be
    /// handed over begins a turn of its own.
    pub(super) fn ready(&self, most: usize) -> usize {
        let changes_rules =
            |input: &Input| matches!(input, Input::Unpair | Input::Command(Command::SetLimits(_)));
        let ready = self.inbox.len().min(most);
        let first = self.inbox.iter().take(ready).position(changes_rules);
        first.map_or(ready, |first| first.max(1))
    }

    /// Gives back what waits, in this life of the process.
    pub(super) fn give_back(&mut self, until: u64, now: Now, is_heard: bool) {
        let Some(agent) = &mut self.agent else {
            return;
        };
        self.leaving = Some(until);
        self.gives_back = true;
        if is_heard {
            agent.handle_unpair(now);
        }
    }
}

impl World {
    /// The owner sets a phone's limits.
    pub(crate) fn owner_limits(&mut self, no: usize, limits: PaceLimits) {
        let is_running = self.phones[no].agent.is_some();
        let word = if is_running {
            "at once"
        } else {
            "for the next start"
        };
        self.coverage.mark("setting", "the owner sets limits", word);
        self.note(Line::new(Who::Phone(no), "its owner sets other limits, {w}").word(word));
        if is_running {
            self.phone_input(no, Input::Command(Command::SetLimits(limits)));
        } else {
            let at = self.at;
            self.phones[no].keep_limits(limits, at);
        }
    }

    /// The owner unpairs a phone.
    pub(crate) fn owner_unpairs(&mut self, no: usize, within_ms: u64) {
        let until = self.at + within_ms;
        let phone = &mut self.phones[no];
        if phone.unpaired.is_some() || phone.scrapped || phone.leaving.is_some() {
            return;
        }
        phone.leaving = Some(until);
        self.note(Line::new(Who::Phone(no), "its owner unpairs it"));
        self.phone_input(no, Input::Unpair);
    }

    /// Goes on with an unpairing that an earlier life of the process has not ended.
    pub(super) fn goes_on_leaving(&mut self, no: usize, now: Now) {
        if self.phones[no].leaving.is_none() {
            return;
        }
        self.coverage
            .mark("owner", "unpairs a phone", "whose process dies over it");
        let is_heard = !mistake::is("misses_its_unpairing");
        let until = self.at + LEAVE_MS_MAX;
        self.phones[no].give_back(until, now, is_heard);
        self.step();
    }

    /// Ends the pairing when the hub has heard of everything, or when it is time.
    pub(super) fn leaves_when_told(&mut self, no: usize) {
        let (at, is_deaf) = (self.at, mistake::is("misses_its_unpairing"));
        let phone = &mut self.phones[no];
        let (Some(until), Some(agent)) = (phone.leaving, &mut phone.agent) else {
            return;
        };
        let is_told = agent.has_told_all() && !is_deaf;
        if !phone.gives_back || !(is_told || at >= until) {
            return;
        }
        if is_told {
            self.judge_given_back(no);
        }
        let phone = &mut self.phones[no];
        phone.gives_back = false;
        // What is left to write is not much.
        phone.slow_until = at;
        let now = phone.now(at);
        if let Some(agent) = &mut phone.agent {
            agent.handle_unpaired(now);
        }
        self.end_turn(no);
        if self.phones[no].agent.is_none() {
            return;
        }
        let word = if is_told {
            "and its hub has heard everything"
        } else {
            "and its hub has not heard everything"
        };
        self.coverage.mark("owner", "unpairs a phone", word);
        self.note(Line::new(Who::Phone(no), "is unpaired, {w}").word(word));
        self.phones[no].leaving = None;
        self.stop_for_pairing(no, CloseCode::NotPaired);
        self.model.journal_lost(self.phones[no].device, no);
        self.phones[no].install_anew();
    }

    /// The hub offers a message: not again and again to a phone that gives it back.
    pub(super) fn is_offered(&mut self, no: usize, send: &Send) {
        let phone = &mut self.phones[no];
        if !phone.gives_back {
            return;
        }
        let (ep, times) = phone.offered.entry(send.id).or_default();
        *times += u64::from(*ep != send.ep);
        *ep = send.ep;
        if *times > OFFERS_MAX {
            let text = format!("phone {no} is offered it {times} times on one connection");
            let rule = "a phone that is unpaired is not offered the same again and again";
            self.fail(rule, Some(send.id), text);
        }
    }

    /// The hub knows what became of everything that a phone has that leaves.
    fn judge_given_back(&mut self, no: usize) {
        let phone = &self.phones[no];
        let rest = phone.disk.rows().rest();
        let (down, install) = (rest.link.down, rest.install.clone());
        let is_left = |message: &&crate::hub::Message| {
            let owner = &message.owner;
            let is_its = owner.holder.as_ref().is_some_and(|holder| {
                holder.device == phone.device && Some(&holder.install) == install.as_ref()
            });
            is_its && owner.state.is_open() && owner.s.is_some_and(|s| s <= down)
        };
        let left = self.hub.rows.messages.values().find(is_left);
        let left = left.map(|message| (message.id, message.owner.state));
        if let Some((id, state)) = left.filter(|_| !self.model.is_suspect(phone.device)) {
            let text = format!("phone {no} has told everything, and to the hub it is {state:?}");
            self.fail(
                "a phone that is unpaired leaves nothing open",
                Some(id),
                text,
            );
        }
    }
}
