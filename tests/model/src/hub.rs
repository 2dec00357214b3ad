//! Steps of the hub and of the senders.

use crate::{
    production::Small,
    system::{NONE, Next, System, rule},
    world::{EPS, Frame, FrameKind, Hello, Row, World, at, fate, once, peer, phase, told},
};
use postrider_link::{
    dispatch::freeze::{Freeze, Scope},
    ownership::hub::{Ask, Fact, Verdict},
};
use std::convert::Infallible;

/// The key of every message: a freeze tells them from newer ones, of which there are none.
pub(crate) const KEY: i64 = 1;

impl System {
    pub(crate) fn sender_steps(&self, world: &World, m: usize, next: Next<'_>) {
        let (faults, row) = (&self.scope.faults, &world.rows[m]);
        let who = (NONE, m, 0);
        let freeze = self.freeze(world);
        let frozen = freeze.is_some();
        if !frozen && faults.cancels && row.told & told::CANCEL_USED == 0 {
            let mut after = *world;
            after.rows[m].told |= told::CANCEL_USED;
            self.take_back(&mut after, m, Small::CancelAsked);
            Self::push(next, "the sender cancels", who, after);
        }
        if !frozen && faults.deletes && row.told & told::DELETED == 0 {
            let mut after = *world;
            self.take_back(&mut after, m, Small::DeleteAsked);
            after.rows[m].told |= told::DELETED;
            Self::push(next, "the sender deletes", who, after);
        }
        if !frozen
            && faults.resends
            && row.told & told::RESEND_USED == 0
            && row.told & told::DELETED == 0
        {
            for new_route in [false, true] {
                let mut after = *world;
                self.resend(&mut after, m, new_route);
                Self::push(next, "the sender sends it again", who, after);
            }
        }
        if faults.life_ends && row.life {
            let mut after = *world;
            after.rows[m].life = false;
            Self::push(next, "its life ends", who, after);
        }
        if !row.life {
            let mut after = *world;
            // What a hub forgot may be out: nobody can say of it that it was not sent.
            let may_be_out = |freeze: Freeze| freeze.may_be_out::<Infallible>(KEY, || Ok(true));
            let Ok(fact) = Fact::life_over(row.at(), 0, || freeze.map_or(Ok(false), may_be_out));
            let fact = match fact {
                Fact::ExposureForgotten => Small::ExposureForgotten,
                _ => Small::LifeEnded,
            };
            if self.apply(&mut after, m, fact) && after != *world {
                Self::push(next, "the hub stops waiting", who, after);
            }
        }
        if faults.revokes && row.at().is_open() && row.asks().is_none() {
            let mut after = *world;
            if self.apply(&mut after, m, Small::RevokeWanted) {
                Self::push(next, "the hub wants it back", who, after);
            }
        }
    }

    /// A hub that went back has every phone asked, and every message was there before.
    pub(crate) fn freeze(&self, world: &World) -> Option<Freeze> {
        let phones = &world.phones[..self.scope.phones];
        let is_frozen = phones.iter().any(|phone| phone.frozen);
        is_frozen.then_some(Freeze {
            scope: Scope::All,
            up_to: KEY,
        })
    }

    fn take_back(&self, after: &mut World, m: usize, fact: Small) {
        let before = after.rows[m];
        let by = self.by(after, m);
        let answer = self.production.apply(before.owned(), fact, by);
        let verdict = answer.and_then(|applied| applied.verdict);
        self.apply(after, m, fact);
        let open = before.at().is_open();
        if matches!(verdict, Some(Verdict::Asked | Verdict::Cancelled)) || open {
            after.rows[m].told |= told::UNWANTED;
        }
    }

    fn resend(&self, after: &mut World, m: usize, new_route: bool) {
        let before = after.rows[m];
        let by = self.by(after, m);
        let fact = Small::ResendAsked(new_route);
        let answer = self.production.apply(before.owned(), fact, by);
        after.rows[m].told |= told::RESEND_USED;
        if answer.and_then(|applied| applied.verdict) == Some(Verdict::Requeued) {
            let row = &mut after.rows[m];
            row.told &= !(told::UNKNOWN | told::UNWANTED | told::UNSENT);
            row.life = true;
            row.allowed += 1;
        }
        self.apply(after, m, fact);
    }

    pub(crate) fn hub_steps(&self, world: &World, next: Next<'_>) {
        let faults = &self.scope.faults;
        for m in 0..self.scope.messages {
            for p in 0..self.scope.phones {
                self.expose(world, m, p, next);
                self.ask(world, m, p, next);
            }
        }
        if faults.hub_dies && world.phones.iter().any(|phone| phone.live != 0) {
            let mut after = *world;
            hub_dies(&mut after);
            Self::push(next, "the hub dies", (NONE, NONE, 0), after);
        }
        if faults.removes && world.used & once::REMOVED == 0 {
            let mut after = *world;
            after.used |= once::REMOVED;
            self.lose_device(&mut after, 0);
            Self::push(next, "its operator removes the phone", (0, NONE, 0), after);
        }
        if (faults.restores || faults.goes_back) && world.used & once::RESTORED == 0 {
            let mut after = *world;
            restore(&mut after, faults.restores);
            Self::push(
                next,
                "the hub goes back to its backup",
                (NONE, NONE, 0),
                after,
            );
        }
    }

    /// What it was exposed becomes unknown; nothing of it is freed.
    pub(crate) fn lose_device(&self, after: &mut World, p: usize) {
        let phone = &mut after.phones[p];
        phone.fate |= fate::OUT;
        phone.live = 0;
        phone.hello = Hello::NONE;
        phone.late_hello = Hello::NONE;
        self.holder_lost(after, p);
    }

    pub(crate) fn holder_lost(&self, after: &mut World, p: usize) {
        for m in 0..self.scope.messages {
            let row = &after.rows[m];
            let holder = row.holder();
            if row.at().is_open() && (holder == peer(p, 0) || holder == peer(p, 1)) {
                self.apply(after, m, Small::HolderLost);
            }
        }
    }

    fn is_open_at_hub(&self, world: &World, p: usize) -> bool {
        let phone = &world.phones[p];
        let asked = matches!(phone.phase, phase::CHALLENGE | phase::PAGES);
        phone.live != 0 && !(phone.live == phone.conn && asked)
    }

    fn expose(&self, world: &World, m: usize, p: usize, next: Next<'_>) {
        let row = &world.rows[m];
        if row.ep >= self.scope.eps || !row.can_expose() || !self.is_open_at_hub(world, p) {
            return;
        }
        // What a hub forgot may be on any phone: none is given it before all have answered.
        if self.freeze(world).and_then(Freeze::holds_up_to) >= Some(KEY) {
            return;
        }
        let mut after = *world;
        let ep = row.ep + 1;
        let frame = Frame::send(m, ep);
        let holder = peer(p, world.phones[p].link_install);
        let mut unwritten = after;
        let Some(s) = self.write(&mut after, p, frame) else {
            return;
        };
        if !self.apply(&mut after, m, Small::Exposed(holder, s)) {
            return;
        }
        let who = (p, m, ep);
        Self::push(next, "the hub exposes it", who, after);
        if self.scope.faults.hub_dies {
            self.place(&mut unwritten, p);
            self.apply(&mut unwritten, m, Small::Exposed(holder, s));
            hub_dies(&mut unwritten);
            Self::push(
                next,
                "the hub exposes it and dies before writing",
                who,
                unwritten,
            );
        }
    }

    fn ask(&self, world: &World, m: usize, p: usize, next: Next<'_>) {
        let (row, phone) = (&world.rows[m], &world.phones[p]);
        let Some(ask) = row.asks().filter(|_| row.ep > 0) else {
            return;
        };
        let mine = row.holders[at(row.ep)] == peer(p, phone.link_install);
        if !mine || phone.asked & (1 << m) != 0 || !self.is_open_at_hub(world, p) {
            return;
        }
        let kind = match ask {
            Ask::Revoke => FrameKind::Revoke,
            Ask::Cancel => FrameKind::Cancel,
        };
        let mut after = *world;
        let frame = Frame {
            kind,
            m,
            ep: row.ep,
        };
        if self.write(&mut after, p, frame).is_some() {
            after.phones[p].asked |= 1 << m;
            Self::push(next, "the hub asks for it back", (p, m, row.ep), after);
        }
    }

    /// Takes the next number, and writes a frame to the session that the hub takes for live.
    fn write(&self, after: &mut World, p: usize, frame: Frame) -> Option<u8> {
        let s = self.place(after, p)?;
        let phone = &mut after.phones[p];
        let heard = phone.is_linked() && phone.phase != phase::HELLO;
        if self.scope.disorderly {
            let known = phone.flight.contains(&frame.code());
            let free = phone.flight.iter().position(|code| *code == 0);
            if heard && !known {
                phone.flight[free?] = frame.code();
            }
        } else if heard {
            let Some(index) = s.checked_sub(phone.has() + 1) else {
                return Some(s);
            };
            let index = usize::from(index);
            *phone.flight.get_mut(index)? = frame.code();
        }
        Some(s)
    }

    /// Takes the next number of a phone's downward sequence; none when too much is out.
    fn place(&self, after: &mut World, p: usize) -> Option<u8> {
        let phone = &mut after.phones[p];
        if self.scope.disorderly || phone.link_install != phone.install {
            return Some(1);
        }
        if usize::from(phone.down_sent.saturating_sub(phone.has())) >= phone.flight.len() {
            return None;
        }
        let s = self.sessions.place(phone.down_sent)?;
        if s != phone.down_sent + 1 {
            after.breaks(rule::PLACE_TWICE);
        }
        after.phones[p].down_sent = s;
        Some(s)
    }
}

fn hub_dies(after: &mut World) {
    for phone in &mut after.phones {
        phone.live = 0;
        phone.asked = 0;
        phone.late_hello = Hello::NONE;
        if !matches!(phone.phase, phase::CHALLENGE) {
            phone.hello = Hello::NONE;
        }
    }
}

/// The hub is as it was before anything was sent, and knows that it went back, or does not.
fn restore(after: &mut World, knows: bool) {
    hub_dies(after);
    after.used |= once::RESTORED;
    if knows {
        after.generation += 1;
    }
    for row in &mut after.rows {
        *row = Row {
            life: row.life,
            air: row.air,
            allowed: row.allowed,
            told: row.told & (told::CANCEL_USED | told::RESEND_USED),
            holders: [0; EPS],
            ..Row::NEW
        };
    }
    for phone in &mut after.phones {
        if phone.slots.iter().flatten().any(|slot| slot.claim != 0) {
            // It has taken in more than the backup knows, whatever the normal form says.
            phone.down += 1;
        }
        phone.hello = Hello::NONE;
        phone.late = (0, 0);
        phone.conn = 1;
        phone.link_conn = 1;
        phone.link_install = 0;
        phone.link_generation = 1;
        phone.down_sent = 0;
        phone.down_acked = 0;
        phone.up = 0;
        phone.frozen = knows;
    }
}
