//! A phone that lies: somebody changes what its sound machine writes, until the weather clears.
//!
//! It claims any state for any message, other numbers than it has, and pages that never end. What was
//! its own is beyond any promise then; what was another phone's is judged as ever.

use crate::{
    log::{Line, Who},
    random::Seeded,
    world::{World, message_id},
};
use postrider_link::{
    frame::{Event, Held, HeldRow, Hello, PhoneFrame},
    limits::HELD_ROWS_PER_PAGE,
    proof::{PROOF_BYTES, Proof},
};
use postrider_model::{MessageId, WireState};

/// Most rows that are added to a page.
const ROWS_MAX: u64 = 60;

impl World {
    /// Changes a frame that a lying phone writes.
    pub(super) fn lie(&mut self, no: usize, frame: &mut PhoneFrame) {
        if self.plan.fleet.liar != Some(no) || self.calm {
            return;
        }
        let mut random = self.draw(&[31, self.steps]);
        let ids: Vec<MessageId> = self.hub.rows.messages.keys().copied().collect();
        let word = match frame {
            PhoneFrame::Hello(hello) => lie_in_hello(&mut random, hello),
            PhoneFrame::Held(held) => lie_in_page(&mut random, held, &ids),
            PhoneFrame::Event(event) => lie_in_event(&mut random, event, &ids),
            _ => None,
        };
        if let Some(word) = word {
            self.coverage.mark("fault", "a phone lies", word);
            self.note(Line::new(Who::Phone(no), "lies {w}").word(word));
        }
    }

    /// Returns whether a device is the one that lies: what it was given is beyond any promise.
    pub(crate) fn is_liar(&self, device: postrider_model::DeviceId) -> bool {
        let liar = self.plan.fleet.liar.and_then(|no| self.phones.get(no));
        liar.is_some_and(|phone| phone.device == device)
    }
}

fn lie_in_hello(random: &mut Seeded, hello: &mut Hello) -> Option<&'static str> {
    match random.below(20) {
        0..5 => hello.generation += random.between(1, 3),
        5..7 => hello.down += random.between(1, 300),
        7 => hello.down = hello.down.saturating_sub(random.between(1, 3)),
        8..10 => {
            hello.up_lo += random.between(1, 3);
            hello.up_hi = hello.up_hi.max(hello.up_lo);
        }
        _ => return None,
    }
    Some("in hello")
}

fn lie_in_page(random: &mut Seeded, held: &mut Held, ids: &[MessageId]) -> Option<&'static str> {
    for row in &mut held.rows {
        if random.percent(30) {
            row.state = any_state(random);
        }
    }
    let own = held.rows.last().and_then(|row| row.proof);
    for _ in 0..random.below(ROWS_MAX) {
        if held.rows.len() >= HELD_ROWS_PER_PAGE {
            break;
        }
        let proof = match random.below(3) {
            0 => None,
            1 => own,
            _ => Some(Proof([7; PROOF_BYTES])),
        };
        held.rows.push(HeldRow {
            id: any_id(random, ids),
            ep: any_ep(random),
            state: any_state(random),
            proof,
        });
    }
    held.last &= !random.percent(5);
    Some("in a page")
}

fn lie_in_event(random: &mut Seeded, event: &mut Event, ids: &[MessageId]) -> Option<&'static str> {
    if random.percent(70) {
        return None;
    }
    event.state = any_state(random);
    event.part = None;
    event.unsent = random.percent(50);
    if random.percent(70) {
        event.id = any_id(random, ids);
        event.ep = any_ep(random);
    }
    Some("in an event")
}

fn any_id(random: &mut Seeded, ids: &[MessageId]) -> MessageId {
    random.pick(ids).unwrap_or_else(|| message_id(999_999))
}

fn any_ep(random: &mut Seeded) -> u32 {
    u32::try_from(random.between(1, 4)).unwrap_or(1)
}

fn any_state(random: &mut Seeded) -> WireState {
    random.pick(WireState::ALL).unwrap_or(WireState::Sent)
}
