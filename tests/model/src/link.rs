//! Steps of the link: connections, hellos, held pages, frames, facts and acks.

use crate::{
    held::{Held, rows},
    production::Small,
    session::{Admitted, Decided, Journal},
    system::{NONE, Next, System, rule},
    world::{
        FRAMES, Fact, Frame, FrameKind, Hello, Phone, World, at, fate, once, peer, phase, slot,
    },
};
use postrider_link::{dispatch::held, ownership::hub::Whose};

impl System {
    pub(crate) fn link_steps(&self, world: &World, p: usize, next: Next<'_>) {
        self.connect(world, p, next);
        self.hellos(world, p, next);
        self.pages(world, p, next);
        self.welcome(world, p, next);
        self.frames(world, p, next);
        self.facts(world, p, next);
        self.acks(world, p, next);
    }

    fn connect(&self, world: &World, p: usize, next: Next<'_>) {
        let phone = &world.phones[p];
        let whole = phone.is_linked() && p >= self.scope.faults.cuts;
        if whole || phone.fate & fate::OUT != 0 {
            return;
        }
        let mut after = *world;
        let phone = &mut after.phones[p];
        if phone.phase == phase::OPEN && phone.live == phone.conn {
            phone.late_up = phone.up_hi;
        }
        let late_hello = self.scope.faults.late_hellos && phone.phase == phase::HELLO;
        phone.late_hello = if late_hello { phone.hello } else { Hello::NONE };
        phone.late = (0, 0);
        if self.scope.faults.late_frames {
            self.keep_late_frame(phone);
        }
        phone.flight = [0; FRAMES];
        phone.conn += 1;
        phone.phase = phase::HELLO;
        phone.hello = phone.shows(self.scope.disorderly);
        Self::push(next, "connects", (p, NONE, 0), after);
    }

    fn keep_late_frame(&self, phone: &mut Phone) {
        let sends = |code: &u8| Frame::of(*code).is_some_and(|frame| frame.kind == FrameKind::Send);
        if let Some(i) = phone.flight.iter().position(sends) {
            let s = if self.scope.disorderly {
                1
            } else {
                phone.down + 1 + i as u8
            };
            phone.late = (phone.flight[i], s);
        }
    }

    fn hellos(&self, world: &World, p: usize, next: Next<'_>) {
        let phone = &world.phones[p];
        if phone.phase == phase::HELLO && phone.hello.conn != 0 {
            self.hello(world, p, phone.hello, false, next);
        }
        if phone.late_hello.conn != 0 {
            self.hello(world, p, phone.late_hello, true, next);
        }
    }

    fn hello(&self, world: &World, p: usize, shown: Hello, late: bool, next: Next<'_>) {
        let mut after = *world;
        let phone = &mut after.phones[p];
        let link = Self::link_of(phone, p);
        if late {
            phone.late_hello = Hello::NONE;
        } else {
            phone.hello = Hello::NONE;
        }
        let who = (p, NONE, 0);
        match self
            .sessions
            .decide(p, &shown, link, world.generation, late)
        {
            Decided::WentBack => {
                if phone.fate & fate::UNSOUND == 0 {
                    after.breaks(rule::SOUND_REFUSED);
                }
                self.lose_device(&mut after, p);
                Self::push(next, "the hub sees that the journal went back", who, after);
            }
            Decided::Overtaken => Self::push(next, "an overtaken hello is refused", who, after),
            Decided::Refused => {
                after.breaks(rule::PROTOCOL);
                Self::push(next, "a hello is refused", who, after);
            }
            Decided::Admitted(admitted) => {
                for resume in [true, false] {
                    let mut after = after;
                    self.admit(&mut after, p, &shown, &admitted, resume);
                    Self::push(next, "the hub admits it", who, after);
                }
            }
        }
    }

    fn admit(&self, after: &mut World, p: usize, shown: &Hello, it: &Admitted, resume: bool) {
        let phone = &mut after.phones[p];
        let old = phone.live;
        if old != 0 && old != shown.conn && !it.lost_install && it.link.takes_commit_of(old) {
            after.breaks(rule::OLD_COMMIT);
        }
        if it.lost_install {
            self.holder_lost(after, p);
        }
        if let Some(raised) = it.raises {
            after.generation = raised;
            for phone in &mut after.phones {
                phone.frozen = true;
                phone.live = 0;
            }
        }
        let phone = &mut after.phones[p];
        phone.link_conn = it.link.conn;
        phone.link_install = it.link.install;
        phone.link_generation = it.link.generation;
        phone.down_sent = it.link.down_sent;
        phone.down_acked = it.link.down_acked;
        phone.up = it.link.up;
        phone.live = shown.conn;
        phone.asked = 0;
        let by = self.production.holder(peer(p, shown.install));
        let mut held = self.held(after, (p, shown), resume);
        let (above, resumes) = (it.above.map(u64::from), it.resumes);
        let Ok(_) = held::in_hello(&mut held, by, &rows(shown), above, resumes);
        let wanted = held.wanted;
        let is_present = after.phones[p].conn == shown.conn;
        if it.pages.is_some() {
            after.phones[p].phase = if is_present {
                phase::CHALLENGE
            } else {
                phase::HELLO
            };
        } else if is_present {
            after.phones[p].phase = phase::WELCOME;
            self.write_again(after, p, shown, wanted);
        }
    }

    fn held<'a>(
        &'a self,
        world: &'a mut World,
        (p, shown): (usize, &'a Hello),
        may_send: bool,
    ) -> Held<'a> {
        Held {
            system: self,
            world,
            p,
            shown,
            may_send,
            is_page: false,
            wanted: [0; FRAMES],
        }
    }

    fn write_again(&self, after: &mut World, p: usize, shown: &Hello, wanted: [u8; FRAMES]) {
        if self.scope.disorderly {
            after.phones[p].flight = wanted;
            return;
        }
        let link = Self::link_of(&after.phones[p], p);
        let Some(resumed) = self
            .sessions
            .resume(shown, link, wanted.map(|code| code != 0))
        else {
            return after.breaks(rule::PROTOCOL);
        };
        let void = Frame {
            kind: FrameKind::Void,
            m: 0,
            ep: 0,
        };
        for i in 0..FRAMES {
            after.phones[p].flight[i] = match resumed[i] {
                1 => wanted[i],
                2 => void.code(),
                _ => 0,
            };
        }
    }

    fn pages(&self, world: &World, p: usize, next: Next<'_>) {
        let phone = &world.phones[p];
        if phone.phase == phase::CHALLENGE {
            let mut after = *world;
            let phone = &mut after.phones[p];
            phone.phase = phase::PAGES;
            phone.hello = phone.shows(true);
            Self::push(next, "shows what it holds", (p, NONE, 0), after);
        }
        if phone.phase == phase::PAGES && phone.is_linked() && phone.hello.conn != 0 {
            for resume in [true, false] {
                let mut after = *world;
                self.take_pages(&mut after, p, resume);
                Self::push(next, "the hub takes in what it holds", (p, NONE, 0), after);
            }
        }
    }

    fn take_pages(&self, after: &mut World, p: usize, resume: bool) {
        let phone = &mut after.phones[p];
        let shown = std::mem::replace(&mut phone.hello, Hello::NONE);
        let link = Self::link_of(phone, p);
        let generation = after.generation;
        let by = self.production.holder(peer(p, shown.install));
        let mut held = Held {
            is_page: true,
            ..self.held(after, (p, &shown), resume)
        };
        let Ok(page) = held::in_page(&mut held, by, &rows(&shown));
        if !page.refused.is_empty() {
            held.world.breaks(rule::STRANGER);
        }
        let Some((row, restarts)) = self.sessions.reconcile(&shown, link, generation) else {
            return held.world.breaks(rule::PROTOCOL);
        };
        let Ok(_) = held::all_came(&mut held, by, restarts);
        let wanted = held.wanted;
        let phone = &mut after.phones[p];
        phone.link_generation = row.generation;
        phone.down_sent = row.down_sent;
        phone.down_acked = row.down_acked;
        phone.up = row.up;
        phone.frozen = false;
        phone.phase = phase::WELCOME_AFTER_PAGES;
        if !restarts {
            let from_start = Hello {
                down: 0,
                generation: row.generation,
                up_acked: row.up,
                up_hi: row.up,
                ..shown
            };
            after.phones[p].down_acked = 0;
            self.write_again(after, p, &from_start, wanted);
        }
    }

    fn welcome(&self, world: &World, p: usize, next: Next<'_>) {
        let phone = &world.phones[p];
        let pages = match phone.phase {
            phase::WELCOME => None,
            // What the hub remembered: nothing, or the counters before they started over.
            phase::WELCOME_AFTER_PAGES => Some((0, 0)),
            _ => return,
        };
        let journal = Journal {
            conn: phone.conn.saturating_sub(1),
            generation: phone.generation,
            down: phone.down,
            up_acked: phone.up_acked,
            up_hi: phone.up_hi,
        };
        let generation = phone.link_generation;
        let mut after = *world;
        let phone = &mut after.phones[p];
        let welcomed = self.sessions.welcome(journal, pages, generation, phone.up);
        phone.phase = phase::OPEN;
        if let Some(sinks_by) = welcomed.sinks_by {
            phone.forget_facts(welcomed.acked);
            phone.up_acked = 0;
            phone.up_hi -= sinks_by;
            phone.down = 0;
        }
        phone.forget_facts(welcomed.up_acked);
        phone.generation = generation;
        if !welcomed.open {
            after.breaks(rule::PROTOCOL);
        }
        Self::push(next, "is welcomed", (p, NONE, 0), after);
    }

    fn frames(&self, world: &World, p: usize, next: Next<'_>) {
        let phone = &world.phones[p];
        if phone.phase != phase::OPEN {
            return;
        }
        if phone.late.0 != 0 {
            let mut after = *world;
            after.phones[p].late = (0, 0);
            let (code, s) = phone.late;
            self.frame(&after, p, s, (code, false), next);
        }
        if self.scope.disorderly {
            for code in phone.flight.iter().filter(|code| **code != 0) {
                self.frame(world, p, 1, (*code, true), next);
            }
        } else if let Some(i) = phone.flight.iter().position(|code| *code != 0) {
            let mut after = *world;
            let flight = &mut after.phones[p].flight;
            let code = flight[i];
            flight.rotate_left(i + 1);
            flight[FRAMES - i - 1..].fill(0);
            self.frame(&after, p, phone.down + 1 + i as u8, (code, true), next);
        }
    }

    fn frame(&self, world: &World, p: usize, s: u8, (code, present): (u8, bool), next: Next<'_>) {
        let Some(frame) = Frame::of(code) else {
            return;
        };
        let down = if self.scope.disorderly {
            0
        } else {
            world.phones[p].down
        };
        let taken = self.sessions.take_in(down, s, present, code);
        let who = (p, frame.m, frame.ep);
        if taken.closed {
            let mut after = *world;
            after.breaks(rule::PROTOCOL);
            Self::push(next, "refuses a frame", who, after);
            return;
        }
        if let Some(acked) = taken.acked_before {
            let mut after = *world;
            after.phones[p].down_acked = acked;
            Self::push(
                next,
                "acks a frame and dies before it is stored",
                who,
                after,
            );
        }
        if !taken.received {
            return;
        }
        let mut after = *world;
        if !self.scope.disorderly {
            after.phones[p].down = taken.down;
            if self.scope.acks_at_once && after.phones[p].is_linked() {
                self.ack_frames(&mut after, p);
            }
        }
        let (name, done) = match frame.kind {
            FrameKind::Send => ("takes in the message", self.accept(&mut after, p, frame)),
            FrameKind::Revoke => ("answers a revoke", self.answer(&mut after, p, frame, false)),
            FrameKind::Cancel => ("answers a cancel", self.answer(&mut after, p, frame, true)),
            FrameKind::Void => ("takes in a void", true),
        };
        if done {
            Self::push(next, name, who, after);
        }
    }

    fn facts(&self, world: &World, p: usize, next: Next<'_>) {
        let phone = &world.phones[p];
        let s = phone.up + 1;
        let present = phone.is_linked() && phone.phase == phase::OPEN;
        let older = phone.live != 0
            && phone.live != phone.conn
            && phone.live == phone.link_conn
            && phone.link_install == phone.install
            && s <= phone.late_up;
        if !present && !older {
            return;
        }
        let Some(fact) = phone.fact(s) else {
            return;
        };
        let counted = self.sessions.count(phone.up, s);
        let who = (p, fact.m, fact.ep);
        if let Some(acked) = counted.acked_before {
            let mut after = *world;
            after.phones[p].forget_facts(acked);
            after.phones[p].live = 0;
            Self::push(
                next,
                "the hub acks a fact and dies before it is stored",
                who,
                after,
            );
        }
        let mut after = *world;
        if counted.closed {
            after.breaks(rule::PROTOCOL);
        }
        if counted.counts {
            let by = peer(p, phone.link_install);
            self.take_fact(&mut after, by, fact);
            after.phones[p].up += 1;
            if self.scope.acks_at_once && present {
                self.ack_facts(&mut after, p);
            }
        }
        Self::push(next, "the hub stores its fact", who, after);
    }

    fn take_fact(&self, after: &mut World, by: u8, Fact { m, ep, claim }: Fact) {
        let before = after.rows[m];
        let went_out = matches!(claim, 5 | 9 | 10);
        match self.production.whose(before.owned(), ep, by) {
            Whose::Present => {
                self.apply(after, m, Small::Reported(ep, by, claim));
            }
            Whose::LookUpPast if before.holders[at(ep)] == by => {
                self.apply(after, m, Small::PastReported(ep, claim));
                let left = before.at().is_open() && after.rows[m].asks().is_none();
                if went_out && left {
                    after.breaks(rule::NEWER_LEFT);
                }
            }
            Whose::LookUpPast | Whose::Stranger => return,
        }
        if went_out && !after.rows[m].at().went_out() {
            after.breaks(rule::TRUTH_NOT_TOLD);
        }
    }

    fn acks(&self, world: &World, p: usize, next: Next<'_>) {
        let phone = &world.phones[p];
        if !phone.is_linked() || phone.phase != phase::OPEN {
            return;
        }
        if phone.up > phone.up_acked {
            let mut after = *world;
            self.ack_facts(&mut after, p);
            Self::push(
                next,
                "learns that its facts are stored",
                (p, NONE, 0),
                after,
            );
        }
        if phone.down > phone.down_acked && !self.scope.disorderly {
            let mut after = *world;
            self.ack_frames(&mut after, p);
            Self::push(next, "the hub learns what it stored", (p, NONE, 0), after);
        }
    }

    fn ack_facts(&self, after: &mut World, p: usize) {
        let phone = &after.phones[p];
        match self.sessions.ack(phone.up_acked, phone.up_hi, phone.up) {
            Some(up_to) => after.phones[p].forget_facts(up_to),
            None => after.breaks(rule::PROTOCOL),
        }
    }

    fn ack_frames(&self, after: &mut World, p: usize) {
        let phone = &after.phones[p];
        match self
            .sessions
            .learn(phone.down_sent, phone.down_acked, phone.down)
        {
            Some(acked) => after.phones[p].down_acked = acked,
            None => after.breaks(rule::PROTOCOL),
        }
        if self.scope.faults.rolls_back {
            after.phones[p].fate |= fate::ACKED;
        }
    }

    /// The journal as it was after the first connection; the hub has an ack of more.
    pub(crate) fn roll_back(&self, world: &World, p: usize, next: Next<'_>) {
        let once = world.used & once::ROLLED_BACK == 0 && p == 0;
        let seen = world.phones[p].fate & fate::ACKED != 0;
        if !self.scope.faults.rolls_back || !once || !seen {
            return;
        }
        let mut after = *world;
        after.used |= once::ROLLED_BACK;
        let by = peer(p, world.phones[p].install);
        let phone = &mut after.phones[p];
        phone.fate |= fate::UNSOUND;
        let shift = 1 - phone.down_acked.min(1);
        wipe(phone);
        phone.conn = phone.link_conn.saturating_sub(1);
        phone.down_sent += shift;
        phone.down_acked += shift;
        for row in &mut after.rows {
            if row.s > 0 && row.ep > 0 && row.holders[at(row.ep)] == by {
                row.s += shift;
            }
        }
        Self::push(next, "its journal goes back", (p, NONE, 0), after);
    }

    pub(crate) fn reinstall(&self, world: &World, p: usize, next: Next<'_>) {
        let once = world.used & once::REINSTALLED == 0 && p == 0;
        if !self.scope.faults.reinstalls || !once || world.phones[p].fate & fate::OUT != 0 {
            return;
        }
        let mut after = *world;
        after.used |= once::REINSTALLED;
        let phone = &mut after.phones[p];
        wipe(phone);
        phone.install = 1;
        phone.conn = 0;
        phone.generation = 0;
        Self::push(next, "is installed anew", (p, NONE, 0), after);
    }
}

/// Forgets what the journal held; the radio goes on.
fn wipe(phone: &mut Phone) {
    phone.down = 0;
    phone.up_acked = 0;
    phone.up_hi = 0;
    phone.facts = Default::default();
    phone.flight = [0; FRAMES];
    phone.late = (0, 0);
    phone.late_up = 0;
    phone.hello = Hello::NONE;
    phone.late_hello = Hello::NONE;
    phone.phase = phase::HELLO;
    for slot in phone.slots.iter_mut().flatten() {
        slot.claim = 0;
        slot.bits &= slot::PROVIDER;
        slot.parts = Default::default();
    }
}
