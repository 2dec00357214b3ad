//! Steps of a phone's journal and radio; each change of a claim is the production code's.

use crate::{
    system::{Next, System, rule},
    world::{Frame, PARTS, Slot, World, air, at, claim, claim_code, slot},
};
use postrider_link::ownership::phone::{Claim, Offer, Step};
use postrider_model::WireState;

impl System {
    pub(crate) fn phone_steps(&self, world: &World, p: usize, next: Next<'_>) {
        for m in 0..self.scope.messages {
            for ep in 1..=self.scope.eps {
                let who = (p, m, ep);
                let slot = &world.phones[p].slots[m][at(ep)];
                if *slot == Slot::default() {
                    continue;
                }
                self.submit(world, who, next);
                self.end_life(world, who, next);
                self.recover(world, who, next);
                self.radio(world, who, next);
                self.reports(world, who, next);
            }
        }
        self.accidents(world, p, next);
        self.roll_back(world, p, next);
        self.reinstall(world, p, next);
    }

    pub(crate) fn accept(&self, after: &mut World, p: usize, frame: Frame) -> bool {
        let phone = &mut after.phones[p];
        let (m, ep) = (frame.m, frame.ep);
        match Claim::offer(&phone.claims(m), u32::from(ep), true) {
            Offer::Known(known) => phone.tell(m, ep, claim_code(&known)),
            Offer::Refused { claim, .. } => {
                phone.slots[m][at(ep)].claim = claim_code(&claim);
                phone.tell(m, ep, claim_code(&claim))
            }
            Offer::Accepted {
                claim: new,
                supersedes,
            } => {
                if let Some(old) = supersedes {
                    let old = old as u8;
                    let row = claim(phone.slots[m][at(old)].claim, old);
                    let answer = Claim::revoke(row, u32::from(old));
                    phone.slots[m][at(old)].claim = claim_code(&answer.claim);
                    if !phone.tell(m, old, claim_code(&answer.claim)) {
                        return false;
                    }
                }
                let others = phone.claims(m);
                let slot = &mut phone.slots[m][at(ep)];
                slot.claim = claim_code(&new);
                slot.parts = [0; PARTS];
                if others.iter().any(|row| row.ep > u32::from(ep)) {
                    after.breaks(rule::OLDER_TAKEN);
                } else if others
                    .iter()
                    .any(|row| matches!(claim_code(row), 5 | 9 | 10))
                {
                    after.breaks(rule::SENT_AGAIN);
                } else if others.iter().any(|row| row.state == WireState::Submitting) {
                    after.breaks(rule::TWO_ATTEMPTS);
                } else if phone
                    .claims(m)
                    .iter()
                    .filter(|row| row.is_waiting())
                    .count()
                    > 1
                {
                    after.breaks(rule::TWO_WAIT);
                }
                true
            }
        }
    }

    pub(crate) fn answer(&self, after: &mut World, p: usize, frame: Frame, cancel: bool) -> bool {
        let phone = &mut after.phones[p];
        let (m, ep) = (frame.m, frame.ep);
        let row = claim(phone.slots[m][at(ep)].claim, ep);
        let answer = if cancel {
            Claim::cancel(row, u32::from(ep))
        } else {
            Claim::revoke(row, u32::from(ep))
        };
        if answer.changed {
            phone.slots[m][at(ep)].claim = claim_code(&answer.claim);
        }
        phone.tell(m, ep, claim_code(&answer.claim))
    }

    /// Takes a claim one step on; `None` when the rules forbid it, or a fact has no room.
    pub(crate) fn step(
        &self,
        world: &World,
        (p, m, ep): (usize, usize, u8),
        step: Step,
        tells: bool,
    ) -> Option<World> {
        let row = claim(world.phones[p].slots[m][at(ep)].claim, ep)?;
        let code = claim_code(&row.after(step).ok()?);
        let mut after = *world;
        let phone = &mut after.phones[p];
        phone.slots[m][at(ep)].claim = code;
        (!tells || phone.tell(m, ep, code)).then_some(after)
    }

    fn submit(&self, world: &World, who: (usize, usize, u8), next: Next<'_>) {
        let (p, m, ep) = who;
        let phone = &world.phones[p];
        let here = &phone.slots[m][at(ep)];
        let waits = claim(here.claim, ep).is_some_and(Claim::is_waiting);
        if !waits || here.bits & slot::CALLING != 0 {
            return;
        }
        let Some(mut after) = self.step(world, who, Step::Submit, false) else {
            return;
        };
        let others = phone.claims(m);
        let mut others = others.iter().filter(|row| row.ep != u32::from(ep));
        if others.any(|row| row.state == WireState::Submitting) {
            after.breaks(rule::TWO_ATTEMPTS);
        }
        let here = &mut after.phones[p].slots[m][at(ep)];
        here.bits |= slot::CALLING;
        here.parts = [0; PARTS];
        // Results of an earlier attempt name it, and are not taken for this one's.
        for result in here
            .radio
            .iter_mut()
            .filter(|result| **result >= air::ACCEPTED)
        {
            *result = air::IDLE;
        }
        Self::push(next, "marks it as submitting", who, after);
    }

    fn end_life(&self, world: &World, who: (usize, usize, u8), next: Next<'_>) {
        if !world.rows[who.1].life
            && let Some(after) = self.step(world, who, Step::Expire, true)
        {
            Self::push(next, "ends its life", who, after);
        }
    }

    /// After a restart, or by a timer that comes too early.
    fn recover(&self, world: &World, who: (usize, usize, u8), next: Next<'_>) {
        let (p, m, ep) = who;
        let here = &world.phones[p].slots[m][at(ep)];
        let submitting = claim(here.claim, ep).is_some_and(|it| it.state == WireState::Submitting);
        if !submitting || here.bits & slot::CALLING != 0 {
            return;
        }
        let (name, step) = if here.bits & slot::PROVIDER != 0 {
            ("finds it sent by the provider", Step::Sent)
        } else {
            ("gives up waiting for a result", Step::Lost)
        };
        if let Some(mut after) = self.step(world, who, step, true) {
            if step == Step::Sent {
                let parts = &mut after.phones[p].slots[m][at(ep)].parts;
                parts[..self.scope.parts].fill(air::ACCEPTED);
            }
            Self::push(next, name, who, after);
        }
    }

    fn reports(&self, world: &World, who: (usize, usize, u8), next: Next<'_>) {
        let (p, m, ep) = who;
        let here = &world.phones[p].slots[m][at(ep)];
        if !self.scope.faults.reports || here.bits & slot::PROVIDER == 0 {
            return;
        }
        for (name, step) in [
            ("is told that it was delivered", Step::Delivered),
            ("is told that it was not delivered", Step::NotDelivered),
        ] {
            if let Some(after) = self.step(world, who, step, true) {
                Self::push(next, name, who, after);
            }
        }
    }

    fn accidents(&self, world: &World, p: usize, next: Next<'_>) {
        let slots = world.phones[p].slots.iter().flatten();
        let calling = slots.clone().any(|it| it.bits & slot::CALLING != 0);
        let busy = slots.clone().any(|it| it.radio != [air::IDLE; PARTS]);
        let who = (p, crate::system::NONE, 0);
        if self.scope.faults.app_dies && calling {
            let mut after = *world;
            for slot in after.phones[p].slots.iter_mut().flatten() {
                slot.bits &= !slot::CALLING;
            }
            Self::push(next, "the app dies", who, after);
        }
        if self.scope.faults.reboots && busy {
            let mut after = *world;
            for slot in after.phones[p].slots.iter_mut().flatten() {
                slot.bits &= !slot::CALLING;
                slot.radio = [air::IDLE; PARTS];
            }
            Self::push(next, "reboots", who, after);
        }
    }
}
