//! What waits for each SIM and until when is known at any time, with or without a link.

use crate::world::*;
use postrider_link::frame::{Address, Config, Kind, Send, SimInfo};
use postrider_machine::{
    Command, Guard, HubSettings, NextSlot, PaceLimits, RadioFact, SimStatus, WaitChoice,
};

fn status(world: &World, slot: usize) -> SimStatus {
    world.agent.slots(world.now).remove(slot)
}

/// What the first SIM waits for, and for how long.
fn next(world: &World) -> (Option<u64>, &'static str) {
    let NextSlot { in_ms, waiting_for } = status(world, 0).next.unwrap();
    (in_ms, waiting_for)
}

fn go_offline(world: &mut World) {
    world.online = false;
    world.disconnect();
    world.health.clear();
}

fn code(n: i64) -> Send {
    Send {
        kind: Kind::Ussd,
        to: Address::new("*100#"),
        ..send(n)
    }
}

fn call(n: i64) -> Send {
    Send {
        kind: Kind::Call,
        ..send(n)
    }
}

#[test]
fn a_limit_says_when_it_has_room_again() {
    let guard = Guard {
        parts_max: 1,
        span_ms: MINUTE,
    };
    let unlimited = PaceLimits::UNLIMITED;
    let limits = [
        (
            PaceLimits {
                sim_parts_per_hour: Some(1),
                ..unlimited
            },
            (HOUR, "send_limit"),
        ),
        (
            PaceLimits {
                guard: Some(guard),
                ..unlimited
            },
            (MINUTE, "platform_guard"),
        ),
    ];
    for (limits, (span, word)) in limits {
        let mut world = World::with(limits);
        world.send_all(1..=3);
        world.answer(OK);
        go_offline(&mut world);
        world.pass(20_000);
        assert_eq!(next(&world), (Some(span - 20_000), word));
        assert_eq!(status(&world, 0).waiting, 2);
        let other = status(&world, 1);
        assert_eq!((other.waiting, other.next), (0, None));
        world.pass(span - 20_000);
        assert_eq!(world.order(), [1, 2], "and so it is");
        assert!(world.health.is_empty(), "nobody is told");
    }
}

#[test]
fn what_the_hub_and_the_owner_set_says_when_it_ends_where_that_is_known() {
    let mut world = World::new();
    world.configure(Config {
        send_delay_ms: 5_000,
        ..Config::default()
    });
    world.send_all(1..=2);
    world.answer(OK);
    let from = world.now.unix.0 + 60_000;
    world.configure(Config {
        quiet: vec![(from, from + 600_000)],
        send_delay_ms: 120_000,
        ..Config::default()
    });
    go_offline(&mut world);
    assert_eq!(next(&world), (Some(120_000), "send_delay"));
    world.pass(MINUTE);
    assert_eq!(next(&world), (Some(10 * MINUTE), "quiet_hours"));
    world.command(Command::SetPaused(true)).unwrap();
    assert_eq!(next(&world), (None, "paused"));
}

#[test]
fn a_radio_that_keeps_others_back_says_until_when_at_the_latest() {
    let mut world = World::new();
    world.send_all(1..=3);
    go_offline(&mut world);
    world.pass(MINUTE);
    assert_eq!(next(&world), (Some(9 * MINUTE), "sent_results"));
    world.pass(MINUTE);
    assert_eq!(next(&world), (Some(8 * MINUTE), "silent_radio"));
    let mut world = World::new();
    world.send_all(1..=1);
    world.answer(4);
    go_offline(&mut world);
    world.pass(15_000);
    assert_eq!(next(&world), (Some(45_000), "sim_held"));
    let mut world = World::new();
    world.send_all(1..=1);
    world.answer(13);
    go_offline(&mut world);
    assert_eq!(next(&world), (Some(20_000), "retry"));
}

#[test]
fn a_twin_of_what_the_owner_went_on_beside_waits_for_its_end() {
    let mut world = World::new();
    let first = send(1);
    world.send(first.clone());
    world.pass(2 * MINUTE);
    world.command(Command::ReleaseSim(sim(0))).unwrap();
    world.send(Send {
        id: message(2, 1).id,
        ..first
    });
    assert_eq!(next(&world), (Some(8 * MINUTE), "sent_results"));
}

#[test]
fn codes_and_calls_say_what_they_wait_for_and_a_code_until_when() {
    let mut world = World::new();
    for message in [code(1), code(2), call(3), call(4)] {
        world.send(message);
    }
    go_offline(&mut world);
    world.pass(20_000);
    let status = status(&world, 0);
    let next = |in_ms, waiting_for| Some(NextSlot { in_ms, waiting_for });
    let answer = next(Some(40_000), "ussd_answer");
    assert_eq!((status.waiting, status.next), (2, answer));
    let kinds = status.kinds.iter();
    let kinds: Vec<_> = kinds
        .map(|kind| (&kind.kind, kind.waiting, kind.next))
        .collect();
    let line = next(None, "line_busy");
    assert_eq!(kinds, [(&Kind::Ussd, 1, answer), (&Kind::Call, 1, line)]);
    world.pass(40_000);
    assert_eq!(world.dialled.len(), 2, "and so it is");
}

#[test]
fn a_slot_that_lost_its_sim_is_shown_as_long_as_something_waits_for_it() {
    let mut world = World::new();
    world.command(Command::SetPaused(true)).unwrap();
    let message = world.send(Send {
        sim: sim(1),
        ..send(1)
    });
    let only_the_first = vec![SimInfo {
        slot: sim(0),
        ..SimInfo::default()
    }];
    world.tell(RadioFact::SimsChanged(only_the_first));
    let gone = NextSlot {
        in_ms: None,
        waiting_for: "no_sim",
    };
    assert_eq!(status(&world, 1).next, Some(gone));
    world.revoke(message);
    assert_eq!(world.agent.slots(world.now).len(), 1);
}

#[test]
fn what_the_hub_has_set_is_shown_of_each_sim() {
    let mut world = World::new();
    world.configure(Config {
        sim: Some(sim(1)),
        send_limit_max: Some(30),
        device_send_limit_max: Some(50),
        silent_after_ms: Some(60_000),
        shift_tables: vec![1],
        ..Config::default()
    });
    let of_phone = HubSettings {
        phone_parts_per_hour: Some(50),
        ..HubSettings::default()
    };
    assert_eq!(status(&world, 0).hub, of_phone);
    let of_sim = HubSettings {
        parts_per_hour: Some(30),
        waits: WaitChoice {
            silence_ms: Some(60_000),
            ..WaitChoice::default()
        },
        shift_tables: vec![1],
        ..of_phone
    };
    assert_eq!(status(&world, 1).hub, of_sim);
}
