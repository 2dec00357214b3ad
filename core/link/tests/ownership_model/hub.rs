//! What can happen at the hub; every change of the row is the production code's.

use super::{
    Scope,
    world::{EPS, Hello as Shown, PHONES, Peers, World, at, bit},
};
use postrider_link::{
    frame::{Bytes, Hello},
    ownership::hub::{Ask, ErrorCode, Fact, HubState, Outcome, Report, Rules, Whose},
    ownership::phone::Claim,
    session::hub::{Admission, Circumstances, Decision, DeviceLink, decide},
};
use postrider_model::WireState;

type Next<'a> = &'a mut dyn FnMut(&'static str, World);

pub struct HubSide<'a> {
    pub peers: &'a Peers,
    pub scope: &'a Scope,
}

impl HubSide<'_> {
    pub fn steps(&self, world: &World, next: Next<'_>) {
        self.exposures(world, next);
        self.timers(world, next);
        for p in 0..PHONES {
            self.facts(world, p, next);
            self.hellos(world, p, next);
        }
        if world.phones.iter().any(|phone| phone.live != 0) {
            let mut crashed = *world;
            for phone in &mut crashed.phones {
                phone.live = 0;
                phone.facts = [None; EPS];
            }
            next("the hub dies", crashed);
        }
        if self.scope.cancels && !world.hub.cancel_used {
            let mut cancelled = *world;
            cancelled.hub.cancel_used = true;
            if self.apply(&mut cancelled, Fact::CancelAsked) {
                next("the sender cancels", cancelled);
            }
        }
        if self.scope.revokes && world.hub.state.is_open() && self.asks(world).is_none() {
            let mut wanted = *world;
            if self.apply(&mut wanted, Fact::RevokeWanted) {
                next("the hub wants it back", wanted);
            }
        }
    }

    /// Returns whether its expiry leads to an end from here: every state must have one.
    pub fn can_end(&self, world: &World) -> bool {
        let mut ended = *world;
        ended.life_left = false;
        self.apply(&mut ended, Fact::LifeEnded { ago_ms: 60_000 });
        ended.hub.state != HubState::Waiting && !ended.hub.state.is_open()
    }

    fn rules(&self, world: &World) -> Rules {
        Rules {
            on_unknown: self.scope.on_unknown,
            life_left: world.life_left,
            other_route: true,
        }
    }

    fn asks(&self, world: &World) -> Option<Ask> {
        self.peers.row(&world.hub).asks()
    }

    /// Applies a fact to the hub's row, and does what the outcome says. Returns whether it was
    /// accepted.
    fn apply(&self, world: &mut World, fact: Fact<'_>) -> bool {
        let mut row = self.peers.row(&world.hub);
        let proven = matches!(
            fact,
            Fact::Reported {
                report: Report { unsent: true, .. },
                ..
            }
        );
        let Ok(outcome) = row.apply(fact, self.rules(world)) else {
            return false;
        };
        let hub = &mut world.hub;
        hub.said_unsent = row.state == HubState::Failed && (hub.said_unsent || proven);
        hub.state = row.state;
        hub.flags = row.flags;
        hub.s = row.s.map_or(0, |s| u8::try_from(s).unwrap());
        hub.ep = u8::try_from(row.ep).unwrap();
        self.do_outcome(world, &outcome);
        true
    }

    fn do_outcome(&self, world: &mut World, outcome: &Outcome) {
        if let Some(ask) = outcome.ask {
            Self::write_ask(world, ask);
        }
        if self.scope.mutant("requeue_after_unknown")
            && outcome
                .publish
                .is_some_and(|publish| publish.error == Some(ErrorCode::UnknownOutcome))
        {
            world.hub.state = HubState::Waiting;
        }
    }

    fn write_ask(world: &mut World, ask: Ask) {
        let holder = world.hub.holders[at(world.hub.ep)];
        let p = usize::from((holder - 1) / 2);
        let ep = world.hub.ep;
        let phone = &mut world.phones[p];
        let same_peer = (holder - 1) % 2 == phone.install;
        if phone.live != 0 && phone.live == phone.conn && same_peer {
            match ask {
                Ask::Revoke => phone.revokes |= bit(ep),
                Ask::Cancel => phone.cancels |= bit(ep),
            }
        }
    }

    fn write_send(&self, world: &mut World, p: usize, ep: u8) {
        let phone = &mut world.phones[p];
        let same_peer = phone.install == phone.link_install;
        let heard = phone.live == phone.conn || self.scope.mutant("no_conn_fence");
        if phone.live != 0 && same_peer && heard {
            phone.sends |= bit(ep);
        }
    }

    fn exposures(&self, world: &World, next: Next<'_>) {
        let row = self.peers.row(&world.hub);
        if !row.can_expose(world.life_left) || world.hub.ep >= self.scope.eps {
            return;
        }
        for p in 0..PHONES {
            let phone = &world.phones[p];
            if phone.live == 0 {
                continue;
            }
            let code = Peers::code(p, phone.link_install);
            let ep = world.hub.ep + 1;
            let mut exposed = *world;
            exposed.hub.holders[at(ep)] = code;
            let holder = self.peers.of(code).clone();
            let s = u64::from(ep);
            assert!(self.apply(&mut exposed, Fact::Exposed { holder, s }));
            let mut written = exposed;
            self.write_send(&mut written, p, ep);
            next("exposes and writes", written);
            let mut crashed = exposed;
            crashed.phones.iter_mut().for_each(|phone| phone.live = 0);
            next("exposes and dies before writing", crashed);
            if self.scope.mutant("write_before_commit") {
                let mut uncommitted = *world;
                uncommitted.hub.ep = ep;
                uncommitted.hub.holders[at(ep)] = code;
                self.write_send(&mut uncommitted, p, ep);
                uncommitted
                    .phones
                    .iter_mut()
                    .for_each(|phone| phone.live = 0);
                next("MUTANT writes and dies before committing", uncommitted);
            }
        }
    }

    fn timers(&self, world: &World, next: Next<'_>) {
        if world.life_left && self.scope.life_ends {
            let mut ended = *world;
            ended.life_left = false;
            next("its life ends", ended);
        }
        let mut due = *world;
        if !world.life_left
            && self.apply(&mut due, Fact::LifeEnded { ago_ms: 60_000 })
            && due != *world
        {
            next("the hub gives up waiting", due);
        }
        if self.scope.mutant("hub_timeout_resend") && world.hub.state.is_open() {
            let mut freed = *world;
            freed.hub.state = HubState::Waiting;
            next("MUTANT a timer frees it", freed);
        }
    }

    fn facts(&self, world: &World, p: usize, next: Next<'_>) {
        let phone = &world.phones[p];
        if phone.live == 0 {
            return;
        }
        for ep in 1..=world.hub.ep {
            let Some(claim) = phone.facts[at(ep)] else {
                continue;
            };
            let mut told = *world;
            told.phones[p].facts[at(ep)] = None;
            self.fact(&mut told, p, ep, claim);
            next("a fact is committed", told);
        }
    }

    fn fact(&self, world: &mut World, p: usize, ep: u8, claim: Claim) {
        let code = Peers::code(p, world.phones[p].link_install);
        let by = self.peers.of(code);
        let report = Report {
            state: claim.state,
            partial: claim.partial,
            unsent: claim.unsent,
        };
        let row = self.peers.row(&world.hub);
        if self.scope.mutant("retrying_is_proof") && claim.state == WireState::Retrying {
            if row.whose(u32::from(ep), by) == Whose::Present && row.state.is_open() {
                world.hub.state = HubState::Waiting;
            }
            return;
        }
        let ep_long = u32::from(ep);
        match row.whose(ep_long, by) {
            Whose::Present => {
                let fact = Fact::Reported {
                    ep: ep_long,
                    by,
                    report,
                };
                assert!(self.apply(world, fact));
            }
            Whose::LookUpPast
                if world.hub.holders[at(ep)] == code
                    && !self.scope.mutant("ignore_old_exposure") =>
            {
                let ep = ep_long;
                assert!(self.apply(world, Fact::PastReported { ep, report }));
            }
            Whose::LookUpPast | Whose::Stranger => {}
        }
    }

    fn hellos(&self, world: &World, p: usize, next: Next<'_>) {
        let phone = &world.phones[p];
        let Some(shown) = phone.hello else {
            return;
        };
        let hello = self.hello(world, p, &shown);
        let link = DeviceLink {
            install: self.peers.install(p, phone.link_install),
            conn: u64::from(phone.link_conn),
            generation: 1,
            down_sent: 9,
            down_acked: 0,
            up: 0,
        };
        let around = Circumstances {
            generation: 1,
            own_generation: 0,
            overtaken: false,
            install_is_lost: false,
        };
        let Decision::Admit(admission) = decide(&hello, &link, around) else {
            panic!("a sound phone is refused: {world:?}");
        };
        for resume in [false, true] {
            let mut admitted = *world;
            self.admit(&mut admitted, p, &admission, &shown, resume);
            next("handles a hello", admitted);
        }
    }

    fn hello(&self, world: &World, p: usize, shown: &Shown) -> Hello {
        let phone = &world.phones[p];
        let device = self.peers.of(Peers::code(p, phone.install)).device;
        Hello {
            v: (1, 1),
            features: vec![],
            phone: device,
            install: self.peers.install(p, phone.install),
            conn: u64::from(phone.conn),
            sig: Bytes::default(),
            generation: 1,
            down: u64::from(shown.down),
            up_lo: 1,
            up_hi: 0,
            limit: 100,
            boot: String::new(),
            wall: 0,
            mono: 0,
            sims: vec![],
            held: vec![],
        }
    }

    fn admit(
        &self,
        world: &mut World,
        p: usize,
        admission: &Admission,
        shown: &Shown,
        resume: bool,
    ) {
        let phone = &mut world.phones[p];
        phone.hello = None;
        phone.link_conn = phone.conn;
        phone.live = phone.conn;
        phone.link_install = phone.install;
        phone.facts = [None; EPS];
        let (code, install) = (Peers::code(p, phone.install), phone.install);
        if world.hub.ep == 0 {
            return;
        }
        let holder = world.hub.holders[at(world.hub.ep)];
        if admission.lost_install.is_some() && holder != 0 && holder == Peers::code(p, 1 - install)
        {
            if self.scope.mutant("reinstall_as_empty") {
                world.hub.state = HubState::Waiting;
            } else {
                self.apply(world, Fact::HolderLost);
            }
            return;
        }
        if holder != code {
            return;
        }
        let ep = world.hub.ep;
        let above = admission.never_received_above;
        let unreceived =
            world.hub.s > 0 && above.is_some_and(|above| u64::from(world.hub.s) > above);
        if unreceived && resume && world.hub.state == HubState::Exposed {
            self.write_send(world, p, ep);
        } else if unreceived {
            let by = self.peers.of(code);
            let down = u64::from(shown.down);
            self.apply(world, Fact::NeverReceived { by, down });
        } else if let Some(claim) = shown.claims[at(ep)] {
            let by = self.peers.of(code);
            let fact = Fact::Shown {
                ep: u32::from(ep),
                by,
                state: claim.state,
                page: None,
            };
            self.apply(world, fact);
        }
    }
}
