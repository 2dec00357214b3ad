//! What can happen on a phone; every change of a claim is the production code's.

use super::{
    Scope,
    world::{EPS, Hello, Phone, World, at, bit},
};
use postrider_link::ownership::phone::{Claim, Offer, Step};
use postrider_model::WireState;

type Next<'a> = &'a mut dyn FnMut(&'static str, World);

pub fn steps(world: &World, p: usize, scope: &Scope, next: Next<'_>) {
    connection(world, p, scope, next);
    frames(world, p, scope, next);
    for ep in 1..=u8::try_from(EPS).unwrap() {
        journal(world, p, ep, scope, next);
    }
    radio(world, p, scope, next);
    accidents(world, p, scope, next);
}

/// Changes one phone of a copy of the world.
fn with(world: &World, p: usize, change: impl FnOnce(&mut Phone)) -> World {
    let mut world = *world;
    change(&mut world.phones[p]);
    world
}

fn after(claim: Option<Claim>, step: Step) -> Option<Claim> {
    claim.and_then(|claim| claim.after(step).ok())
}

fn connection(world: &World, p: usize, scope: &Scope, next: Next<'_>) {
    let phone = &world.phones[p];
    if phone.conn >= scope.conns[p] {
        return;
    }
    let connected = with(world, p, |phone| {
        phone.conn += 1;
        phone.hello = Some(Hello {
            down: phone.down,
            claims: phone.claims,
        });
        if !scope.mutant("no_conn_fence") {
            phone.sends = 0;
            phone.revokes = 0;
            phone.cancels = 0;
        }
    });
    next("connects", connected);
}

fn frames(world: &World, p: usize, scope: &Scope, next: Next<'_>) {
    let phone = &world.phones[p];
    for ep in 1..=u8::try_from(EPS).unwrap() {
        // A connection keeps its order: lower places first.
        let earlier = phone.sends & (bit(ep) - 1);
        if phone.sends & bit(ep) != 0 && earlier == 0 {
            next(
                "takes in a send",
                with(world, p, |phone| take_in(phone, ep, scope)),
            );
        }
        let send_first = phone.sends & bit(ep) != 0;
        for cancel in [false, true] {
            let bits = if cancel { phone.cancels } else { phone.revokes };
            if bits & bit(ep) == 0 || send_first {
                continue;
            }
            let answered = with(world, p, |phone| {
                let row = phone.claim(ep);
                let answer = if cancel {
                    phone.cancels &= !bit(ep);
                    Claim::cancel(row, u32::from(ep))
                } else {
                    phone.revokes &= !bit(ep);
                    Claim::revoke(row, u32::from(ep))
                };
                phone.set(answer.claim);
            });
            next("answers a revoke or cancel", answered);
        }
    }
}

fn take_in(phone: &mut Phone, ep: u8, scope: &Scope) {
    phone.sends &= !bit(ep);
    phone.down = phone.down.max(ep);
    let guard = if scope.mutant("no_phone_guard") {
        vec![]
    } else {
        phone.rows()
    };
    match Claim::offer(&guard, u32::from(ep), true) {
        Offer::Accepted { claim, supersedes } => {
            phone.set(claim);
            if let Some(old) = supersedes {
                let old = Claim::revoke(phone.claims[old as usize - 1], old);
                phone.set(old.claim);
            }
        }
        Offer::Refused { claim, .. } => phone.set(claim),
        Offer::Known(_) => {}
    }
}

/// Steps of one exposure in the journal: submit, expire, recover, report.
fn journal(world: &World, p: usize, ep: u8, scope: &Scope, next: Next<'_>) {
    let phone = &world.phones[p];
    let Some(claim) = phone.claim(ep) else {
        return;
    };
    if phone.calling == 0 {
        submit(world, p, ep, scope, next);
    }
    if !world.life_left
        && let Ok(expired) = claim.after(Step::Expire)
    {
        next("ends a life", with(world, p, |phone| phone.set(expired)));
    }
    if claim.state == WireState::Submitting && phone.calling != ep {
        recover(world, p, ep, scope, next);
    }
    let linked = phone.live != 0 && phone.live == phone.conn && phone.install == phone.link_install;
    if linked && phone.facts[at(ep)] != Some(claim) {
        let reported = with(world, p, |phone| {
            let mut fact = claim;
            if scope.mutant("ambiguous_is_proof") && fact.state == WireState::Failed {
                fact.unsent = true;
            }
            phone.facts[at(ep)] = Some(fact);
        });
        if reported != *world {
            next("reports", reported);
        }
    }
}

fn submit(world: &World, p: usize, ep: u8, scope: &Scope, next: Next<'_>) {
    let phone = &world.phones[p];
    let Some(submitting) = after(phone.claim(ep), Step::Submit) else {
        return;
    };
    if scope.mutant("mark_after_submit") {
        if phone.queued == 0 && phone.aired == 0 {
            let called = with(world, p, |phone| phone.queued = ep);
            next("MUTANT calls the radio before marking", called);
        }
        if phone.queued == ep || phone.aired == ep {
            next("marks", with(world, p, |phone| phone.set(submitting)));
        }
        return;
    }
    let marked = with(world, p, |phone| {
        phone.set(submitting);
        phone.calling = ep;
    });
    next("marks submitting", marked);
}

/// After a restart, or by a timer that fires too early.
fn recover(world: &World, p: usize, ep: u8, scope: &Scope, next: Next<'_>) {
    let phone = &world.phones[p];
    let found = phone.provider & bit(ep) != 0;
    let step = if found { Step::Sent } else { Step::Lost };
    if scope.mutant("resend_on_restart") && !found {
        let again = after(phone.claim(ep), Step::HeldBack).unwrap();
        next(
            "MUTANT tries again",
            with(world, p, |phone| phone.set(again)),
        );
    }
    if let Some(claim) = after(phone.claim(ep), step) {
        next("recovers", with(world, p, |phone| phone.set(claim)));
    }
}

fn radio(world: &World, p: usize, scope: &Scope, next: Next<'_>) {
    let phone = &world.phones[p];
    if phone.calling != 0 && phone.queued == 0 && phone.aired == 0 {
        let called = with(world, p, |phone| {
            phone.queued = std::mem::take(&mut phone.calling)
        });
        next("calls the radio", called);
    }
    if phone.queued != 0 {
        let ep = phone.queued;
        let mut aired = with(world, p, |phone| {
            phone.aired = ep;
            phone.queued = 0;
        });
        aired.air += 1;
        next("goes on the air", aired);
        for step in [Step::Retry, PROVEN] {
            if let Some(claim) = after(phone.claim(ep), step) {
                let refused = with(world, p, |phone| {
                    phone.queued = 0;
                    phone.set(claim);
                });
                next("the radio refuses with proof", refused);
            }
        }
    }
    if phone.aired != 0 {
        results(world, p, scope, next);
    }
    for ep in 1..=u8::try_from(EPS).unwrap() {
        if phone.intents & bit(ep) == 0 {
            continue;
        }
        let lost = with(world, p, |phone| phone.intents &= !bit(ep));
        next("a sent intent is lost", lost);
        if let Some(claim) = after(phone.claim(ep), Step::Sent) {
            let mut heard = lost;
            heard.phones[p].set(claim);
            next("a sent intent fires", heard);
        }
    }
}

const PROVEN: Step = Step::Failed {
    partial: false,
    unsent: true,
};

fn results(world: &World, p: usize, scope: &Scope, next: Next<'_>) {
    let ep = world.phones[p].aired;
    let accepted = with(world, p, |phone| {
        phone.aired = 0;
        phone.provider |= bit(ep);
        phone.intents |= bit(ep);
    });
    next("the network accepts", accepted);
    let ambiguous = Step::Failed {
        partial: false,
        unsent: false,
    };
    if scope.ambiguous
        && let Some(claim) = after(world.phones[p].claim(ep), ambiguous)
    {
        let failed = with(world, p, |phone| {
            phone.aired = 0;
            phone.set(claim);
        });
        next("the radio fails ambiguously", failed);
    }
}

fn accidents(world: &World, p: usize, scope: &Scope, next: Next<'_>) {
    let phone = &world.phones[p];
    if phone.calling != 0 {
        next("the app dies", with(world, p, |phone| phone.calling = 0));
    }
    if phone.calling != 0 || phone.queued != 0 || phone.aired != 0 || phone.intents != 0 {
        let rebooted = with(world, p, |phone| {
            phone.calling = 0;
            phone.queued = 0;
            phone.aired = 0;
            phone.intents = 0;
        });
        next("reboots", rebooted);
    }
    if scope.reinstalls && p == 0 && phone.install == 0 && phone.conn > 0 {
        let reinstalled = with(world, p, |phone| {
            phone.install = 1;
            phone.conn = 0;
            phone.down = 0;
            phone.claims = [None; EPS];
            phone.calling = 0;
            phone.hello = None;
            phone.sends = 0;
            phone.revokes = 0;
            phone.cancels = 0;
        });
        next("is reinstalled", reinstalled);
    }
    if scope.mutant("early_purge") {
        for ep in 1..=u8::try_from(EPS).unwrap() {
            if phone.is(ep, WireState::Sent) || phone.is(ep, WireState::Unknown) {
                let purged = with(world, p, |phone| {
                    phone.claims[at(ep)] = None;
                    phone.down = 0;
                });
                next("MUTANT forgets a result", purged);
            }
        }
    }
}
