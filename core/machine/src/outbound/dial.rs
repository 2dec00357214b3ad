//! What USSD codes and calls share: when a SIM may dial, and its first step.

use super::{
    Cx, Message, Outbound, Waiting,
    queue::{Obstacle, SimQueue},
    submit::end_of,
};
use crate::{
    event::Event,
    parts::Parts,
    timers::{Subject, Timer, Timers},
    token::{MessageRef, SendToken},
};
use postrider_link::{
    frame::{Address, Kind},
    ownership::phone::Step,
};
use postrider_model::{Now, SimSlot};

impl Outbound {
    /// Returns what keeps a SIM from dialling; limits of the pace do not count.
    pub(super) fn dial_waits(&self, sim: SimSlot, timers: &Timers, now: Now) -> Option<Waiting> {
        let queue = self.sims.get(&sim)?;
        let obstacle = match queue {
            SimQueue { present: false, .. } => Some(Obstacle::NoSim),
            _ if self.rules.no_calling => Some(Obstacle::NotPermitted),
            queue if queue.keeps_from_dialling() => Some(Obstacle::Held),
            _ => self.rules.obstacle(sim, now),
        }?;
        Some(Waiting {
            until: end_of(obstacle, sim, queue, timers),
            waiting_for: obstacle.as_str(),
        })
    }

    /// Returns the separate queues of a SIM, each with what its next message waits for.
    pub(crate) fn lanes_of(
        &self,
        sim: SimSlot,
        timers: &Timers,
        now: Now,
    ) -> Vec<(Kind, usize, Option<Waiting>)> {
        let (codes, calls) = (self.ussd.lane.count(sim), self.calls.lane.count(sim));
        let lanes = [
            (Kind::Ussd, codes, self.ussd_waits(sim, timers, now)),
            (Kind::Call, calls, self.call_waits(sim, timers, now)),
        ];
        lanes
            .into_iter()
            .filter(|(_, count, _)| *count > 0)
            .collect()
    }

    /// Hands a message to the radio, after its row says so. Returns its token, its SIM, and
    /// what to dial.
    pub(super) fn begin(
        &mut self,
        message: MessageRef,
        cx: &mut Cx<'_>,
    ) -> Option<(SendToken, SimSlot, Address)> {
        if !self.step(message, Step::Submit, cx) {
            self.leave_queue(message, cx);
            return None;
        }
        let stamp = self.stamp(cx.now);
        let live = self.live.get_mut(&message)?;
        let progress = &mut live.row.progress;
        progress.attempt += 1;
        progress.submitted = Some(stamp);
        progress.parts = Parts::default();
        progress.code = None;
        let (place, token, sim) = (live.place(), live.token(), live.row.sim);
        let (kind, to) = (live.row.kind.clone(), live.row.to.clone());
        self.leave_lane(&kind, sim, &place);
        cx.timers.stop(Timer::Expiry, Subject::Message(message));
        cx.pending
            .events
            .push(Event::MessageSubmitted { token, parts: 0 });
        Some((token, sim, to))
    }

    /// Returns the message of a kind that was handed over with this token.
    pub(super) fn in_radio(
        &mut self,
        token: SendToken,
        kind: &Kind,
        cx: &mut Cx<'_>,
    ) -> Option<&mut Message> {
        let is_it = |live: &&mut Message| {
            live.token() == token && live.row.kind == *kind && !live.claim().is_waiting()
        };
        let found = self.live.get_mut(&token.message).filter(is_it);
        if found.is_none() {
            cx.pending.events.push(Event::StrayResult { token });
        }
        found
    }

    /// Releases a SIM whose radio answered.
    pub(super) fn release_if_held(&mut self, sim: SimSlot, cx: &mut Cx<'_>) {
        let queue = self.sims.get(&sim);
        if queue.is_some_and(|queue| queue.hold.is_some()) {
            self.lift_hold(sim, cx);
        }
    }

    /// Keeps holding a SIM whose radio failed again.
    pub(super) fn hold_on(&mut self, sim: SimSlot, cx: &mut Cx<'_>) {
        let Some(queue) = self.sims.get_mut(&sim) else {
            return;
        };
        if let Some(hold) = queue.hold.filter(|hold| hold.looking) {
            let at = cx.now.boot.plus_ms(queue.hold(hold.code).wait_ms());
            cx.timers.set(Timer::LookAtSim, Subject::Sim(sim), at);
        }
    }
}
