//! From a SIM's queue to the radio.

use super::{
    Cx, Message, Outbound,
    queue::{Obstacle, SimQueue},
};
use crate::{
    change::{Change, PaceRow},
    effect::{Effect, SendParts},
    event::Event,
    pacer::{HALVING_MS, PaceRule, Slot},
    parts::Parts,
    timers::{Subject, Timer, Timers},
    token::MessageRef,
};
use postrider_link::{frame::WaitingFor, ownership::phone::Step};
use postrider_model::{BootMs, Now, SimSlot, WireState};
use std::collections::BTreeMap;

/// A message that another phone could send is handed back if it would wait longer than this
/// after the radio refused it.
pub(super) const HAND_BACK_MS: u64 = 60_000;

/// What the next message of a SIM waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Waiting {
    /// Until when, if that is known.
    pub(crate) until: Option<BootMs>,
    /// The reason as a word.
    pub(crate) waiting_for: &'static str,
}

impl Outbound {
    /// Hands over whatever may be sent now, and sets the timers for the rest.
    pub(crate) fn pump(&mut self, cx: &mut Cx<'_>) {
        let sims: Vec<SimSlot> = self.sims.keys().copied().collect();
        for sim in sims {
            while let Some(next) = self.next_of(sim) {
                if self.has_expired(next, cx) {
                    self.expire(next, cx);
                    continue;
                }
                match self.waiting_of(sim, next, cx.timers, cx.now) {
                    None => self.submit(next, cx),
                    Some(Waiting { until, .. }) => {
                        let subject = Subject::Sim(sim);
                        match until.filter(|at| *at > cx.now.boot) {
                            Some(at) => cx.timers.set(Timer::NextSlot, subject, at),
                            None => cx.timers.stop(Timer::NextSlot, subject),
                        }
                        break;
                    }
                }
            }
        }
        self.pump_ussd(cx);
        self.pump_calls(cx);
        if !cx.pending.changes.is_empty()
            && let Some(below) = self.pacer.take_forgotten(cx.now)
        {
            cx.pending.changes.push(Change::SpentForgotten { below });
        }
    }

    /// Returns what the next message in the queue of a SIM waits for.
    pub(crate) fn queue_waits(&self, sim: SimSlot, timers: &Timers, now: Now) -> Option<Waiting> {
        match self.next_of(sim) {
            Some(next) => self.waiting_of(sim, next, timers, now),
            None if self.waiting_of_sim(sim) > 0 => self.next_retry(sim, timers),
            None => None,
        }
    }

    fn next_of(&self, sim: SimSlot) -> Option<MessageRef> {
        let queue = self.sims.get(&sim)?;
        let is_free = |message: &MessageRef| self.flying_twin(queue, *message).is_none();
        let mut ready = queue.ready.iter().map(|place| place.message);
        let first = queue.ready.first()?.message;
        Some(ready.find(is_free).unwrap_or(first))
    }

    /// Returns the message of the same recipient and text that is with the radio: two of them
    /// could not be told apart among the platform's sent ones.
    fn flying_twin(&self, queue: &SimQueue, message: MessageRef) -> Option<MessageRef> {
        let this = self.live.get(&message)?;
        this.row.text.as_ref()?;
        let mut flying = queue.flying.iter().filter_map(|other| self.live.get(other));
        let is_twin =
            |other: &&Message| other.row.to == this.row.to && other.row.text == this.row.text;
        flying.find(is_twin).map(|twin| twin.row.message)
    }

    /// The wait when all messages wait for their own retry.
    fn next_retry(&self, sim: SimSlot, timers: &Timers) -> Option<Waiting> {
        let of_sim = self
            .live
            .iter()
            .filter(|(_, live)| live.row.sim == sim && live.state() == WireState::Retrying);
        let ends =
            of_sim.filter_map(|(message, _)| timers.get(Timer::Retry, Subject::Message(*message)));
        ends.min().map(|at| Waiting {
            until: Some(at),
            waiting_for: WaitingFor::Retry.as_str(),
        })
    }

    /// A timer may fire late, but an expired message must never be sent.
    pub(super) fn has_expired(&self, message: MessageRef, cx: &Cx<'_>) -> bool {
        let expiry = cx.timers.get(Timer::Expiry, Subject::Message(message));
        expiry.is_some_and(|at| at <= cx.now.boot)
    }

    fn waiting_of(
        &self,
        sim: SimSlot,
        next: MessageRef,
        timers: &Timers,
        now: Now,
    ) -> Option<Waiting> {
        let queue = self.sims.get(&sim)?;
        let wait = |obstacle: Obstacle| Waiting {
            until: end_of(obstacle, sim, queue, timers),
            waiting_for: obstacle.as_str(),
        };
        let twin = || {
            let twin = Subject::Message(self.flying_twin(queue, next)?);
            Some(Waiting {
                until: timers.get(Timer::GiveUpOnResult, twin),
                waiting_for: Obstacle::SentResults.as_str(),
            })
        };
        if self.rules.no_sending {
            return Some(wait(Obstacle::NotPermitted));
        }
        let held = queue.obstacle().map(wait).or_else(twin);
        if let Some(waiting) = held.or_else(|| self.rules.obstacle(sim, now).map(wait)) {
            return Some(waiting);
        }
        let parts = self
            .live
            .get(&next)
            .map_or(1, |live| u32::from(live.row.parts));
        let gap_ms = self.rules.of(sim).send_delay_ms;
        match self.pacer.slot(sim, parts, gap_ms, now) {
            Slot::Free => None,
            Slot::At { at, rule } => Some(Waiting {
                until: Some(at),
                waiting_for: rule.as_str(),
            }),
        }
    }

    /// Hands one message to the radio, after its row says so.
    fn submit(&mut self, message: MessageRef, cx: &mut Cx<'_>) {
        let (boot_id, now) = (self.boot_id.clone(), cx.now);
        if !self.step(message, Step::Submit, cx) {
            self.leave_queue(message, cx);
            return;
        }
        let Some(live) = self.live.get_mut(&message) else {
            return;
        };
        let (place, sim, parts) = (live.place(), live.row.sim, live.row.parts);
        if let Some(wanted) = self.rules.reports.get(&sim) {
            live.row.report = *wanted;
        }
        let spent = self.pacer.spend(sim, u32::from(parts), &boot_id, now);
        let progress = &mut live.row.progress;
        progress.attempt += 1;
        progress.submitted = Some(crate::Stamp::new(&boot_id, now));
        progress.retry = None;
        progress.parts = Parts::awaiting(parts);
        progress.spent = spent.as_ref().map(|row| row.no);
        progress.code = None;
        live.cause = None;
        let task = SendParts {
            token: live.token(),
            sim,
            to: live.row.to.clone(),
            body: live.body(),
            parts,
            report: live.row.report,
        };
        if let Some(queue) = self.sims.get_mut(&sim) {
            queue.ready.remove(&place);
            queue.flying.insert(message);
        }
        let subject = Subject::Message(message);
        cx.timers.stop(Timer::Expiry, subject);
        let waits = self.waits_of(sim);
        let silent = now.boot.plus_ms(waits.silence_ms);
        cx.timers.set(Timer::Silence, subject, silent);
        self.claims.handed_over(now.unix);
        let unknown = now.boot.plus_ms(waits.unknown_ms);
        cx.timers.set(Timer::GiveUpOnResult, subject, unknown);
        cx.pending.changes.extend(spent.map(Change::SpentAdded));
        cx.pending.events.push(Event::MessageSubmitted {
            token: task.token,
            parts,
        });
        cx.pending.effects.push(Effect::SendParts(task));
    }

    /// Holds a SIM whose radio cannot send, and puts the message back in its place.
    pub(super) fn hold_sim(&mut self, message: MessageRef, code: i32, cx: &mut Cx<'_>) {
        let now = cx.now.boot;
        if !self.step(message, Step::HeldBack, cx) {
            return;
        }
        let Some(live) = self.live.get_mut(&message) else {
            return;
        };
        let sim = live.row.sim;
        let held_since = *live.held_since.get_or_insert(now);
        let is_movable = live.row.movable;
        let queue = self.sims.entry(sim).or_default();
        let hold = queue.hold(code);
        cx.timers.set(
            Timer::LookAtSim,
            Subject::Sim(sim),
            now.plus_ms(hold.wait_ms()),
        );
        if hold.looks == 0 {
            cx.pending.events.push(Event::SimHeld { sim, code });
        }
        self.resume_waiting(message, cx);
        if is_movable && !self.is_leaving {
            let at = held_since.plus_ms(HAND_BACK_MS);
            cx.timers
                .set(Timer::HandBack, Subject::Message(message), at);
        }
    }

    /// Hands back a message that another phone could send and that waits for this radio.
    pub(super) fn hand_back(&mut self, message: MessageRef, cx: &mut Cx<'_>) {
        self.fail_unsent(message, cx);
    }

    /// Lets one message try whether a held SIM sends again.
    pub(super) fn look_at(&mut self, sim: SimSlot) {
        if let Some(queue) = self.sims.get_mut(&sim) {
            queue.look();
        }
    }

    /// Releases a SIM that was held or silent, for its owner. Silent messages are still awaited,
    /// but no longer block others.
    pub(crate) fn release(&mut self, sim: SimSlot, cx: &mut Cx<'_>) {
        let queue = self.sims.get_mut(&sim);
        let was_silent = queue.is_some_and(SimQueue::excuse_silent);
        let was_held = self.lift_hold(sim, cx);
        if was_silent && !was_held {
            cx.pending.events.push(Event::SimReleased { sim });
        }
    }

    /// Releases a SIM whose radio sends again. Returns whether it was held.
    pub(super) fn lift_hold(&mut self, sim: SimSlot, cx: &mut Cx<'_>) -> bool {
        let queue = self.sims.get_mut(&sim);
        let was_held = queue.is_some_and(|queue| queue.hold.take().is_some());
        cx.timers.stop(Timer::LookAtSim, Subject::Sim(sim));
        if was_held {
            cx.pending.events.push(Event::SimReleased { sim });
        }
        was_held
    }

    /// Releases all SIMs that are held for one reason.
    pub(super) fn lift_holds_for(&mut self, code: i32, cx: &mut Cx<'_>) {
        let is_it = |queue: &SimQueue| queue.hold.is_some_and(|hold| hold.code == code);
        let held = self.sims.iter().filter(|(_, queue)| is_it(queue));
        let held: Vec<SimSlot> = held.map(|(sim, _)| *sim).collect();
        for sim in held {
            self.lift_hold(sim, cx);
        }
    }

    /// Notes that a SIM's service came or went.
    pub(crate) fn service_changed(&mut self, sim: SimSlot, in_service: bool, cx: &mut Cx<'_>) {
        if in_service {
            self.lift_hold(sim, cx);
        } else {
            self.hold_idle(sim, NO_SERVICE, cx);
        }
    }

    /// Holds a SIM that is not held yet, without a message that found it out.
    pub(super) fn hold_idle(&mut self, sim: SimSlot, code: i32, cx: &mut Cx<'_>) {
        if let Some(queue) = self.sims.get_mut(&sim)
            && queue.hold.is_none()
        {
            let wait_ms = queue.hold(code).wait_ms();
            let at = cx.now.boot.plus_ms(wait_ms);
            cx.timers.set(Timer::LookAtSim, Subject::Sim(sim), at);
            cx.pending.events.push(Event::SimHeld { sim, code });
        }
    }

    /// Keeps holding, after a restart, the SIMs that met the platform's limit: what the
    /// platform counts for an app survives its process, and ends with the boot.
    ///
    /// A SIM that its radio held is tried at once, because nobody reported its service meanwhile.
    pub(super) fn resume_limit_holds(&mut self, pace: Option<&PaceRow>, cx: &mut Cx<'_>) {
        let Some(pace) = pace.filter(|pace| pace.since.is_of(&self.boot_id)) else {
            return;
        };
        let held = self.live.values().filter(|live| live.claim().is_waiting());
        let held = held.filter_map(|live| Some((live.row.sim, live.limit_code()?)));
        for (sim, code) in held.collect::<BTreeMap<_, _>>() {
            let hold = self.sims.entry(sim).or_default().hold(code);
            let at = pace.since.due_after(hold.wait_ms(), &self.boot_id, cx.now);
            cx.timers.set(Timer::LookAtSim, Subject::Sim(sim), at);
            cx.pending.events.push(Event::SimHeld { sim, code });
        }
    }

    /// Halves the pace after the platform's limit was reached.
    pub(super) fn halve_pace(&mut self, cx: &mut Cx<'_>) {
        let halvings = self.pacer.halve();
        self.set_pace(halvings, cx);
        cx.pending.events.push(Event::PaceHalved { halvings });
    }

    /// Undoes one halving.
    pub(super) fn recover_pace(&mut self, cx: &mut Cx<'_>) {
        let halvings = self.pacer.recover();
        self.set_pace(halvings, cx);
    }

    fn set_pace(&mut self, halvings: u8, cx: &mut Cx<'_>) {
        let since = self.stamp(cx.now);
        cx.pending
            .changes
            .push(Change::PaceSet(PaceRow { halvings, since }));
        if halvings > 0 {
            let at = cx.now.boot.plus_ms(HALVING_MS);
            cx.timers.set(Timer::PaceRecovers, Subject::Agent, at);
        }
    }
}

/// The platform's code for a SIM without service.
const NO_SERVICE: i32 = 4;

/// When an obstacle ends at the latest, if only time ends it.
pub(super) fn end_of(
    obstacle: Obstacle,
    sim: SimSlot,
    queue: &SimQueue,
    timers: &Timers,
) -> Option<BootMs> {
    let gives_up =
        |message: &MessageRef| timers.get(Timer::GiveUpOnResult, Subject::Message(*message));
    match obstacle {
        Obstacle::Quiet { until } => Some(until),
        Obstacle::Held => timers.get(Timer::LookAtSim, Subject::Sim(sim)),
        Obstacle::Silent => queue.silent.iter().filter_map(gives_up).max(),
        Obstacle::SentResults => queue.awaited().filter_map(gives_up).min(),
        Obstacle::NoSim
        | Obstacle::NotKnown
        | Obstacle::NotPermitted
        | Obstacle::SimChanged
        | Obstacle::Paused => None,
    }
}

impl PaceRule {
    /// Returns the word for health and screens.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::SendLimit => WaitingFor::SendLimit,
            Self::PlatformGuard => WaitingFor::PlatformGuard,
            Self::SendDelay => WaitingFor::SendDelay,
        }
        .as_str()
    }
}
