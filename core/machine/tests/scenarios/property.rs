//! Whatever happens in any order: no hand-over without its row, none twice, and another try
//! only after proof for every part. The world checks the first two at each hand-over.

use crate::world::*;
use postrider_link::frame::{Config, Send};
use postrider_machine::{PaceLimits, RadioFact, SendParts, SendToken};
use postrider_model::{MessageText, WireState};
use postrider_text::result_code;
use proptest::prelude::*;
use std::collections::BTreeMap;

#[derive(Debug, Clone)]
enum Step {
    Send {
        n: i64,
        ep: u32,
        long: bool,
        slot: u8,
        movable: bool,
    },
    Revoke {
        n: i64,
        ep: u32,
    },
    Cancel {
        n: i64,
        ep: u32,
    },
    Result {
        pick: usize,
        part: u8,
        code: i32,
    },
    Report {
        pick: usize,
        part: u8,
        status: u8,
    },
    Provider {
        pick: usize,
        found: bool,
    },
    Service {
        slot: u8,
        in_service: bool,
    },
    Pause(bool),
    Pass(u64),
    Restart,
    Die(Death),
    Reboot(u64),
    Offline(bool),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let code = prop_oneof![
        4 => Just(OK),
        4 => prop::sample::select(vec![2, 4, 5, 13, 22, 106]),
        2 => prop::sample::select(vec![1, 3, 10, 33, 124, 500]),
    ];
    let wait = prop::sample::select(vec![1, 20_000, MINUTE, 2 * MINUTE, 10 * MINUTE, 2 * HOUR]);
    let step = prop_oneof![
        6 => (1..6_i64, 1..4_u32, any::<bool>(), 0..3_u8, any::<bool>())
            .prop_map(|(n, ep, long, slot, movable)| Step::Send { n, ep, long, slot, movable }),
        2 => (1..6_i64, 1..4_u32).prop_map(|(n, ep)| Step::Revoke { n, ep }),
        1 => (1..6_i64, 1..4_u32).prop_map(|(n, ep)| Step::Cancel { n, ep }),
        8 => (0..6_usize, 0..3_u8, code)
            .prop_map(|(pick, part, code)| Step::Result { pick, part, code }),
        2 => (0..6_usize, 0..3_u8, prop::sample::select(vec![0, 0x20, 0x46, 0x90]))
            .prop_map(|(pick, part, status)| Step::Report { pick, part, status }),
        2 => (0..6_usize, any::<bool>()).prop_map(|(pick, found)| Step::Provider { pick, found }),
        1 => (0..2_u8, any::<bool>())
            .prop_map(|(slot, in_service)| Step::Service { slot, in_service }),
        1 => any::<bool>().prop_map(Step::Pause),
        6 => wait.prop_map(Step::Pass),
        2 => Just(Step::Restart),
        2 => prop::sample::select(vec![Death::BeforeCommit, Death::AfterCommit]).prop_map(Step::Die),
        1 => (0..HOUR).prop_map(Step::Reboot),
        1 => any::<bool>().prop_map(Step::Offline),
    ];
    prop::collection::vec(step, 1..80)
}

/// The radio's results for each part of each hand-over: the last code, and whether there was ever
/// success.
type Said = BTreeMap<SendToken, BTreeMap<u8, Vec<i32>>>;

fn take(world: &mut World, step: Step, said: &mut Said) {
    let picked = |world: &World, pick: usize| {
        let mut tokens = world
            .handed_over
            .iter()
            .rev()
            .map(|(_, task)| (task.token, task.parts));
        tokens.nth(pick)
    };
    match step {
        Step::Send {
            n,
            ep,
            long,
            slot,
            movable,
        } => {
            if world.online {
                let text = if long {
                    "a".repeat(400)
                } else {
                    "a".to_owned()
                };
                world.send(Send {
                    ep,
                    text: Some(MessageText::new(text)),
                    sim: sim(slot),
                    movable,
                    ttl_ms: 5 * HOUR,
                    ..send(n)
                });
            }
        }
        Step::Revoke { n, ep } if world.online => world.revoke(message(n, ep)),
        Step::Cancel { n, ep } if world.online => world.cancel(message(n, ep)),
        Step::Revoke { .. } | Step::Cancel { .. } => {}
        Step::Result { pick, part, code } => {
            if let Some((token, parts)) = picked(world, pick) {
                let part = part % parts;
                let dies = world.dies;
                world.result(token, part, parts, code);
                let is_lost = matches!(dies, Some(Death::BeforeCommit)) && world.dies.is_none();
                if !is_lost {
                    let said = said.entry(token).or_default();
                    said.entry(part).or_default().push(code);
                }
            }
        }
        Step::Report { pick, part, status } => {
            if let Some((token, parts)) = picked(world, pick) {
                world.report(token, part % parts, status);
            }
        }
        Step::Provider { pick, found } => {
            if let Some((token, _)) = picked(world, pick) {
                world.provider(token, found);
            }
        }
        Step::Service { slot, in_service } => {
            world.tell(RadioFact::ServiceChanged {
                sim: sim(slot),
                in_service,
            });
        }
        Step::Pause(pause) if world.online => {
            world.configure(Config {
                pause,
                ..Config::default()
            });
        }
        Step::Pause(_) => {}
        Step::Pass(ms) => world.pass(ms),
        Step::Restart => world.restart(),
        Step::Die(death) => world.dies = Some(death),
        Step::Reboot(away_ms) => world.reboot(away_ms),
        Step::Offline(offline) => {
            world.online = !offline;
            world.disconnect();
            world.pass(MINUTE);
        }
    }
}

/// Every try but the last of an exposure ended with proof for each of its parts.
fn only_tried_again_with_proof(world: &World, said: &Said) {
    for (_, task) in &world.handed_over {
        let token = task.token;
        let is_last = !world.handed_over.iter().any(|(_, other)| {
            other.token.message == token.message && other.token.attempt > token.attempt
        });
        for part in (0..task.parts).filter(|_| !is_last) {
            let codes = said.get(&token).and_then(|parts| parts.get(&part));
            let first = codes.and_then(|codes| codes.first());
            assert!(
                first.is_some_and(|code| result_code::look_up(*code).is_proof()),
                "{token} was tried again, part {part} said {codes:?}"
            );
        }
    }
}

/// If the hub was told that nothing was sent, that is true.
fn unsent_is_true(world: &World, said: &Said) {
    for fact in world.facts.iter().filter(|fact| fact.unsent) {
        let of_it =
            |task: &SendParts| (task.token.message.id, task.token.message.ep) == (fact.id, fact.ep);
        let tasks = world.handed_over.iter().map(|(_, task)| task);
        for task in tasks.filter(|task| of_it(task)) {
            for part in 0..task.parts {
                let codes = said.get(&task.token).and_then(|parts| parts.get(&part));
                let proves = |code: &i32| result_code::look_up(*code).is_proof();
                assert!(
                    codes.and_then(|codes| codes.first()).is_some_and(proves),
                    "{}",
                    task.token
                );
            }
        }
    }
}

/// Within one exposure a state only rises, except for the waits between two tries.
fn ranks_only_rise(world: &World) {
    let mut last: BTreeMap<_, WireState> = BTreeMap::new();
    for fact in &world.facts {
        let before = last.insert((fact.id, fact.ep), fact.state);
        if let (Some(before), now) = (before, fact.state)
            && let (Some(was), Some(is)) = (before.rank(), now.rank())
        {
            let waits = matches!(
                (before, now),
                (
                    WireState::Submitting,
                    WireState::OnPhone | WireState::Retrying
                ) | (WireState::Retrying, WireState::OnPhone)
            );
            assert!(is >= was || waits, "{before} and then {now}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn nothing_is_handed_over_twice_without_proof(steps in steps()) {
        let mut world = World::with(PaceLimits::per_minute(6));
        let mut said = Said::new();
        for step in steps {
            take(&mut world, step, &mut said);
        }
        only_tried_again_with_proof(&world, &said);
        unsent_is_true(&world, &said);
        ranks_only_rise(&world);
    }
}
