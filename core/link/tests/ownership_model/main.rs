//! Every possible history of one message with two phones: what the design's model checks, on the
//! production transitions of both sides.
//!
//! The adversary cuts connections, loses frames and intents, kills the hub, the app and the
//! phone, reinstalls it, fires recovery timers too early, and delivers facts late. The
//! order within one connection, and that a fact counts once, belong to the sessions (`pair.rs`).
//! Each mutant is a mistake seen in gateways; the search must find where it breaks the promise.

#![expect(
    clippy::unwrap_used,
    reason = "a test stops where its ground gives way"
)]

#[path = "hub.rs"]
mod hub;
#[path = "phone.rs"]
mod phone;
#[path = "world.rs"]
mod world;

use hub::HubSide;
use postrider_link::ownership::hub::OnUnknown;
use std::{
    collections::{HashSet, VecDeque},
    hash::{DefaultHasher, Hash, Hasher},
};
use world::{PHONES, Peers, World};

/// What may happen in a run.
struct Scope {
    eps: u8,
    conns: [u8; PHONES],
    on_unknown: OnUnknown,
    life_ends: bool,
    reinstalls: bool,
    ambiguous: bool,
    cancels: bool,
    revokes: bool,
    mutant: &'static str,
}

impl Scope {
    fn mutant(&self, name: &str) -> bool {
        self.mutant == name
    }
}

/// Two exposures, two connections of one phone and one of the other.
const BASE: Scope = Scope {
    eps: 2,
    conns: [2, 1],
    on_unknown: OnUnknown::Report,
    life_ends: false,
    reinstalls: false,
    ambiguous: false,
    cancels: false,
    revokes: true,
    mutant: "",
};

/// Most states of a run; more is a mistake in its scope.
const STATES_MAX: usize = 4_000_000;

struct Found {
    states: usize,
    broken: Option<(&'static str, Vec<&'static str>)>,
}

fn fingerprint(world: &World) -> u64 {
    let mut hasher = DefaultHasher::new();
    world.hash(&mut hasher);
    hasher.finish()
}

/// Breadth first, so that the history of a broken promise is a shortest one.
fn search(scope: &Scope) -> Found {
    let peers = Peers::new();
    let hub = HubSide {
        peers: &peers,
        scope,
    };
    let start = World::new();
    let mut seen = HashSet::from([fingerprint(&start)]);
    let mut ways: Vec<(u32, &'static str)> = vec![(0, "")];
    let mut todo = VecDeque::from([(0_u32, start)]);
    while let Some((index, world)) = todo.pop_front() {
        if let Some(why) = world.broken() {
            return Found {
                states: ways.len(),
                broken: Some((why, trace(&ways, index))),
            };
        }
        let faithful = scope.mutant.is_empty();
        assert!(
            !faithful || hub.can_end(&world),
            "{:?}",
            trace(&ways, index)
        );
        let mut next = |name: &'static str, after: World| {
            if seen.insert(fingerprint(&after)) {
                todo.push_back((u32::try_from(ways.len()).unwrap(), after));
                ways.push((index, name));
            }
        };
        hub.steps(&world, &mut next);
        for p in 0..PHONES {
            phone::steps(&world, p, scope, &mut next);
        }
        assert!(ways.len() < STATES_MAX, "the scope is too wide");
    }
    Found {
        states: ways.len(),
        broken: None,
    }
}

fn trace(ways: &[(u32, &'static str)], mut index: u32) -> Vec<&'static str> {
    let mut trace = Vec::new();
    while index != 0 {
        let (before, name) = ways[index as usize];
        trace.push(name);
        index = before;
    }
    trace.reverse();
    trace
}

fn holds(scope: &Scope, states_min: usize) {
    let found = search(scope);
    assert_eq!(found.broken, None);
    println!("{} states", found.states);
    assert!(found.states > states_min, "only {} states", found.states);
}

#[test]
fn nothing_goes_out_twice_and_no_status_is_false() {
    holds(&BASE, 10_000);
}

/// Everything that the mutants may use.
const WIDE: Scope = Scope {
    life_ends: true,
    reinstalls: true,
    ambiguous: true,
    ..BASE
};

#[test]
fn nor_when_lives_end_phones_are_reinstalled_and_radios_fail_ambiguously() {
    holds(&WIDE, 100_000);
}

#[test]
fn nor_when_the_sender_cancels() {
    let scope = Scope {
        cancels: true,
        life_ends: true,
        revokes: false,
        ..BASE
    };
    holds(&scope, 100_000);
}

#[test]
fn the_senders_choice_sends_it_once_more_and_not_twice() {
    let scope = Scope {
        on_unknown: OnUnknown::Resend,
        revokes: false,
        eps: 3,
        ..BASE
    };
    holds(&scope, 100_000);
}

#[test]
fn nor_is_a_status_false_after_the_senders_choice() {
    let scope = Scope {
        on_unknown: OnUnknown::Resend,
        revokes: false,
        life_ends: true,
        cancels: true,
        conns: [1, 1],
        ..BASE
    };
    holds(&scope, 100_000);
}

#[test]
fn each_mistake_breaks_the_promise() {
    for mutant in [
        "mark_after_submit",
        "hub_timeout_resend",
        "write_before_commit",
        "resend_on_restart",
        "no_conn_fence",
        "reinstall_as_empty",
        "early_purge",
        "requeue_after_unknown",
        "retrying_is_proof",
        "ambiguous_is_proof",
    ] {
        let scope = Scope { mutant, ..WIDE };
        let found = search(&scope);
        let Some((why, trace)) = found.broken else {
            panic!("{mutant} was not noticed in {} states", found.states);
        };
        println!("{mutant}: {why} after {}", trace.join(", "));
    }
}
