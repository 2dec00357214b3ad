//! A phone that lies: it was never given anything, and says any state of any exposure, in facts, in
//! hello and in held pages. No state may come of it that breaks a rule for the others.

use crate::{
    production::Small,
    system::{NONE, Next, System},
    world::{World, claim, peer},
};
use postrider_link::ownership::hub::{HubState, Standing};

/// What a lying phone is to the messages of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Liar {
    /// There is none.
    Nobody,
    /// They never were routed to it.
    OfNothing,
    /// They may be routed to it, and another phone holds them.
    OfTheirRoute,
}

/// The liar, as a holder: a second phone that nothing is exposed to.
const LIAR: u8 = peer(1, 0);

impl System {
    /// Everything that the liar can say now.
    pub(crate) fn lies(&self, world: &World, m: usize, next: Next<'_>) {
        let standing = match self.scope.faults.liar {
            Liar::Nobody => return,
            Liar::OfNothing => Standing::Nothing,
            Liar::OfTheirRoute => Standing::Concerned,
        };
        let is_own = world.rows[m].at() == HubState::Waiting;
        for ep in 1..=self.scope.eps {
            for code in (1..).take_while(|code| claim(*code, ep).is_some()) {
                let mut said = vec![
                    Small::Reported(ep, LIAR, code),
                    Small::Shown(ep, LIAR, code, None),
                ];
                // What waits and is routed to a phone it may speak of: it is that phone's own.
                if !(is_own && standing == Standing::Concerned) {
                    said.push(Small::Shown(ep, LIAR, code, Some(standing)));
                }
                for fact in said {
                    let mut after = *world;
                    if self.apply(&mut after, m, fact) && after != *world {
                        Self::push(next, "a liar speaks of it", (NONE, m, ep), after);
                    }
                }
            }
        }
    }
}
