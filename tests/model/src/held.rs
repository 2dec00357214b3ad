//! What a phone shows that it holds, by the production rules (`dispatch::held`): the rows behind
//! them.

use crate::{
    hub::KEY,
    production::Small,
    session::{message, send},
    system::System,
    world::{EPS, FRAMES, Frame, Hello, World, at, claim, claim_code, peer},
};
use postrider_link::{
    dispatch::{
        freeze::Freeze,
        held::{PageRows, Rows},
    },
    frame::{HeldRow, Send},
    ownership::{
        hub::{Fact, HubState, Outcome, Ownership},
        phone::Claim,
    },
};
use postrider_model::MessageId;
use std::convert::Infallible;

/// The messages that a phone may hold, while the hub takes in what it shows.
pub(crate) struct Held<'a> {
    pub(crate) system: &'a System,
    pub(crate) world: &'a mut World,
    pub(crate) p: usize,
    pub(crate) shown: &'a Hello,
    /// Whether its SIM may send now.
    pub(crate) may_send: bool,
    /// Whether it shows pages: then its counters say nothing of what it has.
    pub(crate) is_page: bool,
    /// What goes out again, by its place.
    pub(crate) wanted: [u8; FRAMES],
}

impl Held<'_> {
    fn code(&self) -> u8 {
        peer(self.p, self.shown.install)
    }

    /// Where a frame goes that is written again; `None` when there is no room.
    fn place(&mut self, s: u64) -> Option<&mut u8> {
        if self.system.scope.disorderly {
            return self.wanted.iter_mut().find(|code| **code == 0);
        }
        let down = if self.is_page { 0 } else { self.shown.down };
        let index = s.checked_sub(u64::from(down) + 1)?;
        self.wanted.get_mut(usize::try_from(index).ok()?)
    }
}

impl Rows for Held<'_> {
    type Error = Infallible;
    type Message = usize;

    fn message(&mut self, id: MessageId) -> Result<Option<usize>, Infallible> {
        Ok(usize::try_from(id.get() - 1).ok())
    }

    fn placed_above(&mut self, down: u64) -> Result<Vec<usize>, Infallible> {
        let is_placed = |m: &usize| {
            let row = &self.world.rows[*m];
            let is_out = row.at().is_open() || row.at() == HubState::Unknown;
            let is_here = row.ep > 0 && [0, 1].map(|n| peer(self.p, n)).contains(&row.holder());
            // Without numbers, a row tells that its frame came.
            let has_come = || self.system.scope.disorderly && self.shown.held[*m][at(row.ep)] != 0;
            is_out && is_here && u64::from(row.s) > down + 1 && !has_come()
        };
        let mut placed: Vec<usize> = (0..self.system.scope.messages).filter(is_placed).collect();
        placed.sort_by_key(|m| self.world.rows[*m].s);
        Ok(placed)
    }

    fn owned(&self, m: &usize) -> Result<Ownership, Infallible> {
        let row = &self.world.rows[*m];
        Ok(self.system.production.row(row.owned()))
    }

    fn is_alive(&self, m: &usize) -> bool {
        self.world.rows[*m].life
    }

    fn apply(&mut self, m: &mut usize, fact: Fact<'_>) -> Result<Option<Outcome>, Infallible> {
        let fact = match fact {
            Fact::Shown {
                ep, state, page, ..
            } => {
                let claim = Claim {
                    ep,
                    state,
                    partial: false,
                    unsent: false,
                };
                Small::Shown(ep as u8, self.code(), claim_code(&claim), page)
            }
            Fact::NeverReceived { down, .. } => Small::NeverReceived(self.code(), down as u8),
            Fact::Renumbered => Small::Renumbered,
            Fact::ExposureForgotten => Small::ExposureForgotten,
            other => unreachable!("what a phone shows is no {other:?}"),
        };
        let requeued = self.system.requeues(self.world, *m, fact);
        let outcome = |requeued| Outcome {
            requeued,
            ..Outcome::default()
        };
        Ok(requeued.map(outcome))
    }

    fn frame_again(&mut self, m: &usize, s: u64) -> Result<Option<Send>, Infallible> {
        let code = Frame::send(*m, self.world.rows[*m].ep).code();
        let may_send = self.may_send;
        let Some(place) = self.place(s).filter(|_| may_send) else {
            return Ok(None);
        };
        *place = code;
        Ok(Some(send(s)))
    }

    fn freeze(&mut self) -> Result<Option<Freeze>, Infallible> {
        Ok(self.system.freeze(self.world))
    }

    fn key(&self, _: &usize) -> i64 {
        KEY
    }
}

impl PageRows for Held<'_> {
    fn is_proven(&self, _: &HeldRow) -> bool {
        true
    }

    fn was_held(&mut self, row: &HeldRow) -> Result<bool, Infallible> {
        let Ok(Some(m)) = self.message(row.id) else {
            return Ok(false);
        };
        Ok(self.world.rows[m].holders[at(row.ep as u8)] == self.code())
    }

    fn is_concerned(&mut self, _: &usize) -> Result<bool, Infallible> {
        Ok(true)
    }
}

/// Returns the rows that a hello or its pages show.
pub(crate) fn rows(shown: &Hello) -> Vec<HeldRow> {
    let mut rows = Vec::new();
    for (m, codes) in shown.held.iter().enumerate() {
        for ep in 1..=EPS as u8 {
            rows.extend(claim(codes[at(ep)], ep).map(|claim| HeldRow {
                id: message(m),
                ep: u32::from(ep),
                state: claim.state,
                proof: None,
            }));
        }
    }
    rows
}
