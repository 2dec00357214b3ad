//! The radio: parts on the air, their results in any order, and what the production verdict over
//! all parts asks for.

use crate::{
    memo::Memo,
    parts::{Parts, Verdict},
    system::{Next, System},
    world::{PARTS, World, air, at, claim, slot},
};
use postrider_link::ownership::phone::{Claim, Step};
use postrider_model::WireState;

/// What a part's result does: nothing, only to the part, or a step of the message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Heard {
    /// It changes nothing.
    Nothing,
    /// The part knows it; others are awaited.
    Known,
    /// The message takes this step.
    Step(Step),
}

/// The production verdicts, asked once each.
#[derive(Debug, Default)]
pub struct Verdicts(Memo<(bool, [u8; PARTS], usize, u8, usize), Heard>);

impl Verdicts {
    /// Returns what the result `pending` of a part does to a message that is submitting, or whose
    /// outcome is unknown.
    fn hear(
        &self,
        unknown: bool,
        known: [u8; PARTS],
        part: usize,
        pending: u8,
        of: usize,
    ) -> Heard {
        let key = (unknown, known, part, pending, of);
        self.0.get(key, || {
            let mut parts = Parts::awaiting(of as u8);
            for (i, known) in known[..of].iter().enumerate() {
                if *known != air::IDLE {
                    parts.sent(i as u8, code(*known));
                }
            }
            if parts.sent(part as u8, code(pending)) {
                judge(unknown, parts.verdict())
            } else {
                Heard::Nothing
            }
        })
    }
}

/// The platform's code for a result: accepted, no resources, radio off for good, generic failure.
const fn code(result: u8) -> i32 {
    match result {
        air::ACCEPTED => -1,
        air::TRY_AGAIN => 13,
        air::REFUSED => 3,
        _ => 1,
    }
}

/// What the outbound machine does with a verdict.
fn judge(unknown: bool, verdict: Verdict) -> Heard {
    let failed = |partial, unsent| Heard::Step(Step::Failed { partial, unsent });
    match verdict {
        Verdict::AwaitingSent => Heard::Known,
        Verdict::Sent => Heard::Step(Step::Sent),
        Verdict::NeverSent { code: 13 } if !unknown => Heard::Step(Step::Retry),
        Verdict::NeverSent { .. } => failed(false, true),
        Verdict::Ambiguous { .. } => failed(false, false),
        Verdict::Partial { .. } => failed(true, false),
    }
}

impl System {
    pub(crate) fn radio(&self, world: &World, who: (usize, usize, u8), next: Next<'_>) {
        let (p, m, ep) = who;
        let here = &world.phones[p].slots[m][at(ep)];
        let of = self.scope.parts;
        let on_air = |state: &u8| matches!(*state, air::QUEUED | air::AIRED);
        if here.bits & slot::CALLING != 0 && !here.radio.iter().any(on_air) {
            let mut after = *world;
            let here = &mut after.phones[p].slots[m][at(ep)];
            here.bits &= !slot::CALLING;
            here.radio[..of].fill(air::QUEUED);
            Self::push(next, "calls the radio", who, after);
        }
        for part in 0..of {
            match here.radio[part] {
                air::IDLE => {}
                air::QUEUED => self.queued(world, who, part, next),
                air::AIRED => self.aired(world, who, part, next),
                pending => self.pending(world, who, (part, pending), next),
            }
        }
    }

    fn ends(world: &World, (p, m, ep): (usize, usize, u8), part: usize, result: u8) -> World {
        let mut after = *world;
        after.phones[p].slots[m][at(ep)].radio[part] = result;
        after
    }

    fn queued(&self, world: &World, who: (usize, usize, u8), part: usize, next: Next<'_>) {
        let faults = &self.scope.faults;
        let mut after = Self::ends(world, who, part, air::AIRED);
        let times = &mut after.rows[who.1].air[part];
        *times = (*times + 1).min(5);
        Self::push(next, "a part goes on the air", who, after);
        if faults.retries {
            let after = Self::ends(world, who, part, air::TRY_AGAIN);
            Self::push(next, "the radio refuses a part for now", who, after);
        }
        if faults.refusals {
            let after = Self::ends(world, who, part, air::REFUSED);
            Self::push(next, "the radio refuses a part for good", who, after);
        }
        if faults.ambiguous {
            let after = Self::ends(world, who, part, air::AMBIGUOUS);
            Self::push(next, "a part fails without having left", who, after);
        }
    }

    fn aired(&self, world: &World, who: (usize, usize, u8), part: usize, next: Next<'_>) {
        let mut after = Self::ends(world, who, part, air::ACCEPTED);
        let here = &mut after.phones[who.0].slots[who.1][at(who.2)];
        let taken = |i: usize| here.radio[i] == air::ACCEPTED || here.parts[i] == air::ACCEPTED;
        if (0..self.scope.parts).all(taken) {
            here.bits |= slot::PROVIDER;
        }
        Self::push(next, "the network accepts a part", who, after);
        if self.scope.faults.ambiguous {
            let after = Self::ends(world, who, part, air::AMBIGUOUS);
            Self::push(next, "a part fails after it left", who, after);
        }
    }

    /// An intent fires, fires and comes again, or is lost.
    fn pending(
        &self,
        world: &World,
        who: (usize, usize, u8),
        (part, pending): (usize, u8),
        next: Next<'_>,
    ) {
        let (p, m, ep) = who;
        let gone = Self::ends(world, who, part, air::IDLE);
        if self.scope.faults.losses {
            Self::push(next, "a result is lost", who, gone);
        }
        let here = &world.phones[p].slots[m][at(ep)];
        let row = claim(here.claim, ep);
        let heard = match row.map(|row: Claim| row.state) {
            Some(state @ (WireState::Submitting | WireState::Unknown)) => {
                let unknown = state == WireState::Unknown;
                self.radio
                    .hear(unknown, here.parts, part, pending, self.scope.parts)
            }
            _ => Heard::Nothing,
        };
        for comes_again in [false, true] {
            let mut after = if comes_again { *world } else { gone };
            if heard != Heard::Nothing {
                after.phones[p].slots[m][at(ep)].parts[part] = pending;
            }
            let after = match heard {
                Heard::Step(step) => self.step(&after, who, step, true),
                Heard::Known | Heard::Nothing => Some(after),
            };
            if let Some(after) = after.filter(|after| after != world) {
                Self::push(next, "a result comes", who, after);
            }
            if !self.scope.faults.losses {
                break;
            }
        }
    }
}
