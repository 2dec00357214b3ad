//! The whole system as the explorer sees it: steps, broken promises, ends, and the normal form
//! that keeps it finite.

use crate::{
    production::{By, Production, Small},
    scope::Scope,
    session::{Link, Sessions},
    world::{Fact, Hello, Phone, World, air, at, claim, fate, peer, phase, slot, told},
};
use postrider_link::ownership::hub::{Flags, HubState};

/// What a step is called, and whom it is about; 255 is nobody.
#[derive(Debug, Clone, Copy)]
pub struct Step {
    /// In words.
    pub name: &'static str,
    /// The phone.
    pub p: usize,
    /// The message.
    pub m: usize,
    /// The exposure.
    pub ep: u8,
}

/// Where steps go.
pub type Next<'a> = &'a mut Vec<(Step, World)>;

/// Nobody.
pub const NONE: usize = 255;

/// Rules that a world can break, by number.
pub const BROKEN: [&str; 21] = [
    "",
    "handed to the radio twice without R0 to R4",
    "said sent, and it did not go out whole",
    "said not sent, and some of it went out",
    "a told unknown was queued again",
    "queued again although the sender took it back",
    "queued again after its life",
    "a webhook of a deleted message went out",
    "the truth that it went out was not told",
    "an earlier exposure won, and the newer one is not taken back",
    "two attempts at once on one phone",
    "taken in again after the network took it",
    "two exposures of a message wait on one phone",
    "a sound phone must pair again",
    "two sound ends broke the protocol",
    "a commit of an older connection was taken",
    "a fact was acked and is not stored",
    "a frame was acked and is not stored",
    "a place was given twice",
    "an exposure that a phone may have was taken for a stranger's",
    "an earlier exposure was taken in after a newer one",
];

/// Numbers of [`BROKEN`].
pub mod rule {
    pub(crate) const DOUBLE: u8 = 1;
    pub(crate) const FALSE_SENT: u8 = 2;
    pub(crate) const FALSE_UNSENT: u8 = 3;
    pub(crate) const TOLD_QUEUED: u8 = 4;
    pub(crate) const UNWANTED_QUEUED: u8 = 5;
    pub(crate) const DEAD_QUEUED: u8 = 6;
    pub(crate) const DELETED_TOLD: u8 = 7;
    pub(crate) const TRUTH_NOT_TOLD: u8 = 8;
    pub(crate) const NEWER_LEFT: u8 = 9;
    pub(crate) const TWO_ATTEMPTS: u8 = 10;
    pub(crate) const SENT_AGAIN: u8 = 11;
    pub(crate) const TWO_WAIT: u8 = 12;
    pub(crate) const SOUND_REFUSED: u8 = 13;
    pub(crate) const PROTOCOL: u8 = 14;
    pub(crate) const OLD_COMMIT: u8 = 15;
    pub(crate) const FACT_LOST: u8 = 16;
    pub(crate) const FRAME_LOST: u8 = 17;
    pub(crate) const PLACE_TWICE: u8 = 18;
    pub(crate) const STRANGER: u8 = 19;
    pub(crate) const OLDER_TAKEN: u8 = 20;
}

/// One search's system.
#[derive(Debug)]
pub struct System {
    /// Its bounds.
    pub scope: Scope,
    pub(crate) production: Production,
    pub(crate) sessions: Sessions,
    pub(crate) radio: crate::radio::Verdicts,
}

impl System {
    /// Makes the system of a scope.
    pub fn new(scope: Scope) -> Self {
        Self {
            scope,
            production: Production::new(),
            sessions: Sessions::default(),
            radio: crate::radio::Verdicts::default(),
        }
    }

    /// Returns every step from here.
    pub fn steps(&self, world: &World, next: Next<'_>) {
        for m in 0..self.scope.messages {
            self.sender_steps(world, m, next);
            self.lies(world, m, next);
        }
        self.hub_steps(world, next);
        for p in 0..self.scope.phones {
            self.link_steps(world, p, next);
            self.phone_steps(world, p, next);
        }
        for (_, after) in next.iter_mut() {
            self.normalise(after);
        }
    }

    pub(crate) fn push(
        next: Next<'_>,
        name: &'static str,
        (p, m, ep): (usize, usize, u8),
        after: World,
    ) {
        next.push((Step { name, p, m, ep }, after));
    }

    pub(crate) fn by(&self, world: &World, m: usize) -> By {
        By {
            resend: self.scope.on_unknown_resend,
            life: world.rows[m].life,
            other_route: self.scope.phones > 1,
        }
    }

    /// Applies a fact to the hub's row and watches what becomes of it. Returns whether it was taken.
    pub(crate) fn apply(&self, world: &mut World, m: usize, fact: Small) -> bool {
        self.requeues(world, m, fact).is_some()
    }

    /// Applies a fact like [`Self::apply`]. Returns whether it puts the message into the queue again;
    /// `None` when it is refused.
    pub(crate) fn requeues(&self, world: &mut World, m: usize, fact: Small) -> Option<bool> {
        let before = world.rows[m];
        let by = self.by(world, m);
        let applied = self.production.apply(before.owned(), fact, by)?;
        let owned = applied.owned;
        let row = &mut world.rows[m];
        (row.state, row.ep, row.s, row.flags) = (owned.state, owned.ep, owned.s, owned.flags);
        if owned.ep > 0 {
            row.holders[at(owned.ep)] = owned.holder;
        }
        let had_r4 = before.has(Flags::RESENT_FOR_UNKNOWN);
        if row.has(Flags::RESENT_FOR_UNKNOWN) && !had_r4 {
            row.allowed += 1;
            row.told |= told::R4;
        }
        let failed = row.at() == HubState::Failed;
        let proven = matches!(fact, Small::Reported(_, _, 8));
        if failed && proven {
            row.told |= told::UNSENT;
        } else if !failed {
            row.told &= !told::UNSENT;
        }
        let queued = row.at() == HubState::Waiting;
        let back = queued || (row.at().is_open() && !matches!(fact, Small::Exposed(..)));
        let row = *row;
        if applied.webhook && before.told & told::DELETED != 0 {
            world.breaks(rule::DELETED_TOLD);
        }
        if back && row.told & told::UNKNOWN != 0 && before.at() == HubState::Unknown {
            world.breaks(rule::TOLD_QUEUED);
        }
        if queued && row.told & told::UNWANTED != 0 {
            world.breaks(rule::UNWANTED_QUEUED);
        }
        if applied.requeued && !row.life {
            world.breaks(rule::DEAD_QUEUED);
        }
        if row.shows_unknown() {
            world.rows[m].told |= told::UNKNOWN;
        }
        Some(applied.requeued)
    }

    /// Returns the hub's row of a phone's link.
    pub(crate) fn link_of(phone: &Phone, p: usize) -> Link {
        Link {
            p: p as u8,
            install: phone.link_install,
            conn: phone.link_conn,
            generation: phone.link_generation,
            down_sent: phone.down_sent,
            down_acked: phone.down_acked,
            up: phone.up,
        }
    }

    /// Returns the rule that is broken here, if one is.
    pub fn broken(&self, world: &World) -> Option<&'static str> {
        let rule = self.broken_rule(world);
        (rule != 0).then(|| BROKEN[usize::from(rule)])
    }

    fn broken_rule(&self, world: &World) -> u8 {
        if world.broken != 0 {
            return world.broken;
        }
        for m in 0..self.scope.messages {
            let row = &world.rows[m];
            let parts = &row.air[..self.scope.parts];
            if parts.iter().any(|times| *times > row.allowed) {
                return rule::DOUBLE;
            }
            let state = row.at();
            if state.went_out() && parts.contains(&0) {
                return rule::FALSE_SENT;
            }
            let never = state == HubState::Failed && row.has(Flags::NEVER_SENT);
            let ended = matches!(state, HubState::Expired | HubState::Cancelled);
            let unsent = never || ended || row.told & told::UNSENT != 0;
            if unsent && (parts.iter().any(|times| *times > 0) || self.in_radio(world, m)) {
                return rule::FALSE_UNSENT;
            }
        }
        if world.used == 0 {
            for phone in &world.phones[..self.scope.phones] {
                if phone.up_acked > phone.up {
                    return rule::FACT_LOST;
                }
                if phone.down_acked > phone.down {
                    return rule::FRAME_LOST;
                }
            }
        }
        0
    }

    fn in_radio(&self, world: &World, m: usize) -> bool {
        world.phones.iter().any(|phone| {
            let slots = phone.slots[m].iter();
            let busy = |state: &u8| matches!(*state, air::QUEUED | air::AIRED);
            slots.flat_map(|slot| slot.radio).any(|state| busy(&state))
        })
    }

    /// Returns whether everything is told and nothing is left to do: an end.
    pub fn is_end(&self, world: &World) -> bool {
        let told = world.rows[..self.scope.messages].iter().all(|row| {
            // One that waits for an exposure beyond the scope's is at the scope's end.
            let waits = row.at() == HubState::Waiting && row.ep < self.scope.eps;
            !waits && !row.at().is_open() && row.asks().is_none()
        });
        told && world.phones[..self.scope.phones].iter().all(|phone| {
            let idle = phone.slots.iter().flatten().all(|slot| {
                let done = !matches!(slot.claim, 1..=3) || phone.fate & fate::OUT != 0;
                done && slot.bits & slot::CALLING == 0 && slot.radio == [air::IDLE; 2]
            });
            let numbers = self.scope.disorderly
                || (phone.down == phone.down_sent && phone.down == phone.down_acked);
            let linked = phone.is_linked()
                && phone.phase == phase::OPEN
                && numbers
                && phone.up_acked == phone.up_hi
                && phone.up == phone.up_hi;
            idle && (linked || phone.fate & fate::OUT != 0)
        })
    }

    /// Brings a world into its normal form: only the differences of numbers count, and nothing is
    /// kept that can have no effect.
    fn normalise(&self, world: &mut World) {
        for p in 0..self.scope.phones {
            let phone = &mut world.phones[p];
            if phone.late.1 <= phone.down && !self.scope.disorderly {
                phone.late = (0, 0);
            }
            if phone.live == 0 || phone.live == phone.conn {
                phone.late_up = 0;
            }
            let code = peer(p, phone.link_install);
            for (m, row) in world.rows.iter().enumerate() {
                let asking = row.ep > 0 && row.holders[at(row.ep)] == code && row.asks().is_some();
                if !asking {
                    world.phones[p].asked &= !(1 << m);
                }
            }
            self.normalise_conn(&mut world.phones[p]);
            let phone = &world.phones[p];
            if phone.install == phone.link_install && phone.generation == phone.link_generation {
                normalise_numbers(world, p);
            }
        }
    }
}

impl System {
    /// Only the order of the connections' numbers counts, and how far the phone is ahead of what
    /// the hub admitted only so far.
    fn normalise_conn(&self, phone: &mut Phone) {
        if phone.install != phone.link_install {
            phone.conn = phone.conn.min(self.scope.ahead);
            phone.hello.conn = phone.hello.conn.min(phone.conn);
            phone.late_hello.conn = phone.late_hello.conn.min(phone.conn.saturating_sub(1));
            return;
        }
        let mut low = phone.link_conn.min(phone.conn);
        for conn in [phone.live, phone.hello.conn, phone.late_hello.conn] {
            if conn != 0 {
                low = low.min(conn);
            }
        }
        let low = low.saturating_sub(1);
        phone.conn -= low;
        phone.link_conn -= low;
        for conn in [
            &mut phone.live,
            &mut phone.hello.conn,
            &mut phone.late_hello.conn,
        ] {
            *conn = conn.saturating_sub(low);
        }
        let highest = phone.conn;
        phone.conn = phone.conn.min(phone.link_conn + self.scope.ahead);
        if phone.hello.conn == highest {
            phone.hello.conn = phone.conn;
        }
        phone.late_hello.conn = phone.late_hello.conn.min(phone.conn.saturating_sub(1));
        if phone.late_hello.conn == 0 {
            phone.late_hello = Hello::NONE;
        }
    }
}

/// Only the differences of the places count, and what is below all of them is one.
fn normalise_numbers(world: &mut World, p: usize) {
    let phone = &mut world.phones[p];
    let mut down = phone.down.min(phone.down_acked).min(phone.down_sent);
    let mut up = phone.up_acked.min(phone.up).min(phone.up_hi);
    for hello in [&phone.hello, &phone.late_hello] {
        if hello.conn != 0 {
            down = down.min(hello.down);
            up = up.min(hello.up_acked);
        }
    }
    phone.down -= down;
    phone.down_sent -= down;
    phone.down_acked -= down;
    phone.late.1 = phone.late.1.saturating_sub(down);
    phone.up_acked -= up;
    phone.up_hi -= up;
    phone.up -= up;
    phone.late_up = phone.late_up.saturating_sub(up);
    for hello in [&mut phone.hello, &mut phone.late_hello] {
        if hello.conn != 0 {
            hello.down -= down;
            hello.up_acked -= up;
            hello.up_hi -= up;
        }
    }
    let code = peer(p, phone.install);
    for row in &mut world.rows {
        if row.s > 0 && row.ep > 0 && row.holders[at(row.ep)] == code {
            row.s = row.s.max(down + 1) - down;
        }
    }
}

impl Phone {
    /// Puts a fact into the journal; returns whether there was room.
    pub(crate) fn tell(&mut self, m: usize, ep: u8, claim: u8) -> bool {
        let place = usize::from(self.up_hi - self.up_acked);
        if place >= self.facts.len() {
            return false;
        }
        self.facts[place] = Fact { m, ep, claim }.code();
        self.up_hi += 1;
        true
    }

    /// Returns the fact at a place of the journal.
    pub(crate) fn fact(&self, s: u8) -> Option<Fact> {
        let index = usize::from(s.checked_sub(self.up_acked + 1)?);
        let code = *self.facts.get(index)?;
        (s <= self.up_hi && code != 0).then(|| Fact::of(code))
    }

    /// Forgets the facts up to a place.
    pub(crate) fn forget_facts(&mut self, up_to: u8) {
        let count = usize::from(up_to.saturating_sub(self.up_acked));
        for i in 0..self.facts.len() {
            self.facts[i] = self.facts.get(i + count).copied().unwrap_or(0);
        }
        self.up_acked = self.up_acked.max(up_to);
    }

    /// Returns what hello shows: held rows, or every row.
    pub(crate) fn shows(&self, all: bool) -> Hello {
        let mut hello = Hello {
            conn: self.conn,
            install: self.install,
            generation: self.generation,
            down: self.down,
            up_acked: self.up_acked,
            up_hi: self.up_hi,
            ..Hello::NONE
        };
        for (m, slots) in self.slots.iter().enumerate() {
            for (i, slot) in slots.iter().enumerate() {
                let ep = i as u8 + 1;
                let acked = !(self.up_acked + 1..=self.up_hi)
                    .filter_map(|s| self.fact(s))
                    .any(|fact| fact.m == m && fact.ep == ep);
                let shown = claim(slot.claim, ep).is_some_and(|it| all || it.is_held(acked));
                hello.held[m][i] = if shown { slot.claim } else { 0 };
            }
        }
        hello
    }
}
