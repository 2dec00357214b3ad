//! USSD codes: one at a time on each SIM, with an answer within a minute or never.
//!
//! ```text
//!  OnPhone -- line free --> Submitting -- answer --> Sent
//!                               |  \-- failure --> Failed
//!                               +-- silence, restart --> Unknown -- late answer --> Sent
//! ```
//!
//! Some failures give no callback at all, and there is no row that would say what a code
//! did. So a code without an answer ends as unknown, and is never
//! dialled again by itself: a top-up may have happened.

use super::{Cx, Outbound, Waiting, lane::Lane};
use crate::{
    effect::Effect,
    timers::{Subject, Timer, Timers},
    token::{MessageRef, SendToken},
};
use postrider_link::{
    frame::{Address, Kind, WaitingFor},
    ownership::phone::Step,
};
use postrider_model::{Now, SimSlot, WireState};
use postrider_text::ussd;
use std::collections::BTreeMap;

/// How long the network may take to answer a code before its outcome is unknown, in milliseconds.
pub const USSD_MS_MAX: u64 = 60_000;

/// The codes that wait, and the dialled one of each SIM.
#[derive(Debug, Default)]
pub(super) struct Ussd {
    /// Whether codes that change settings may be dialled.
    pub(super) codes_allowed: bool,
    pub(super) lane: Lane,
    open: BTreeMap<SimSlot, MessageRef>,
}

impl Ussd {
    /// Nothing more is expected about a code.
    pub(super) fn closed(&mut self, message: MessageRef) {
        self.open.retain(|_, open| *open != message);
    }
}

impl Outbound {
    /// Allows or forbids codes that change settings of the phone or the SIM.
    pub(crate) fn allow_ussd_codes(&mut self, allowed: bool) {
        self.ussd.codes_allowed = allowed;
    }

    /// Dials whatever may be dialled now, and sets the timers for the rest.
    pub(super) fn pump_ussd(&mut self, cx: &mut Cx<'_>) {
        for sim in self.ussd.lane.sims() {
            while let Some(next) = self.ussd.lane.next(sim) {
                if self.has_expired(next, cx) {
                    self.expire(next, cx);
                    continue;
                }
                match self.ussd_waits(sim, cx.timers, cx.now) {
                    None => self.dial(next, cx),
                    Some(waiting) => {
                        wake(waiting, Timer::NextUssd, sim, cx);
                        break;
                    }
                }
            }
        }
    }

    /// Returns what the next code of a SIM waits for.
    pub(super) fn ussd_waits(&self, sim: SimSlot, timers: &Timers, now: Now) -> Option<Waiting> {
        if let Some(open) = self.ussd.open.get(&sim) {
            return Some(Waiting {
                until: timers.get(Timer::GiveUpOnResult, Subject::Message(*open)),
                waiting_for: WaitingFor::UssdAnswer.as_str(),
            });
        }
        self.dial_waits(sim, timers, now)
    }

    fn dial(&mut self, message: MessageRef, cx: &mut Cx<'_>) {
        let Some((token, sim, code)) = self.begin(message, cx) else {
            return;
        };
        self.ussd.open.insert(sim, message);
        let at = cx.now.boot.plus_ms(USSD_MS_MAX);
        cx.timers
            .set(Timer::GiveUpOnResult, Subject::Message(message), at);
        cx.pending
            .effects
            .push(Effect::DialUssd { token, sim, code });
    }

    /// Handles the network's answer; returns the SIM and the code that it is about.
    ///
    /// An answer after its minute, or a repeated one, still counts.
    pub(crate) fn ussd_answered(
        &mut self,
        token: SendToken,
        cx: &mut Cx<'_>,
    ) -> Option<(SimSlot, Address)> {
        let live = self.in_radio(token, &Kind::Ussd, cx)?;
        let (sim, code) = (live.row.sim, live.row.to.clone());
        self.reach(token.message, Step::Sent, cx);
        self.release_if_held(sim, cx);
        Some((sim, code))
    }

    /// Notes that a code came back without an answer.
    pub(crate) fn ussd_failed(&mut self, token: SendToken, code: i32, cx: &mut Cx<'_>) {
        let Some(live) = self.in_radio(token, &Kind::Ussd, cx) else {
            return;
        };
        if !matches!(live.state(), WireState::Submitting | WireState::Unknown) {
            return;
        }
        let failure = ussd::failure(code);
        let sim = live.row.sim;
        live.row.progress.code = Some(failure.code.to_owned());
        let step = Step::Failed {
            partial: false,
            unsent: failure.is_proof,
        };
        self.reach(token.message, step, cx);
        self.hold_on(sim, cx);
    }
}

/// Sets the timer of what waits for a moment; stops it if it waits for something else.
pub(super) fn wake(waiting: Waiting, timer: Timer, sim: SimSlot, cx: &mut Cx<'_>) {
    match waiting.until.filter(|at| *at > cx.now.boot) {
        Some(at) => cx.timers.set(timer, Subject::Sim(sim), at),
        None => cx.timers.stop(timer, Subject::Sim(sim)),
    }
}
