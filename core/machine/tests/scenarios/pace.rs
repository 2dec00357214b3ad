//! Pace: exactly the allowed parts in any window, whatever happens to the process.

use crate::world::*;
use postrider_link::frame::{Config, Send, SimInfo};
use postrider_machine::{Command, Guard, PaceLimits, RadioFact, WAITING_MAX};
use postrider_model::{MessageText, WireState};

fn hourly(parts: u32) -> PaceLimits {
    PaceLimits {
        sim_parts_per_hour: Some(parts),
        ..PaceLimits::UNLIMITED
    }
}

/// Lets time pass and answers every hand-over at once; `answered` is how many there were.
fn run(world: &mut World, answered: &mut usize, ms: u64) {
    let end = world.now.plus_ms(ms);
    loop {
        while let Some((_, task)) = world.handed_over.get(*answered).cloned() {
            *answered += 1;
            (0..task.parts).for_each(|part| world.result(task.token, part, task.parts, OK));
        }
        if world.now.boot >= end.boot {
            return;
        }
        let next = world
            .agent
            .poll_timeout()
            .map_or(end.boot, |due| due.at)
            .min(end.boot);
        world.pass(next.since_ms(world.now.boot).max(1));
    }
}

/// Returns the most parts that were sent in any `span` of the wall clock.
fn most_in_any(world: &World, span: u64) -> u32 {
    let parts = |from: i64| {
        let inside = world
            .handed_over
            .iter()
            .filter(|(at, _)| (from..from + span.cast_signed()).contains(&at.unix.0));
        inside.map(|(_, task)| u32::from(task.parts)).sum()
    };
    world
        .handed_over
        .iter()
        .map(|(at, _)| parts(at.unix.0))
        .max()
        .unwrap_or(0)
}

#[test]
fn every_hour_holds_exactly_the_limit_across_restarts_and_reboots() {
    let mut answered = 0;
    let mut world = World::with(hourly(20));
    for n in 1..=100 {
        let parts = if n % 7 == 0 { 3 } else { 1 };
        world.send(Send {
            text: Some(MessageText::new("a".repeat(parts * 150))),
            ..send(n)
        });
    }
    for step in 0..10 {
        run(&mut world, &mut answered, 17 * MINUTE);
        if step % 3 == 2 {
            world.reboot(3 * MINUTE);
        } else {
            world.restart();
        }
    }
    run(&mut world, &mut answered, HOUR);
    assert_eq!(most_in_any(&world, HOUR), 20);
}

#[test]
fn the_guard_holds_a_burst() {
    let mut answered = 0;
    let mut world = World::with(PaceLimits {
        guard: Some(Guard {
            parts_max: 5,
            span_ms: MINUTE,
        }),
        ..hourly(1_000)
    });
    world.send_all(1..=30);
    run(&mut world, &mut answered, 5 * MINUTE);
    assert_eq!(most_in_any(&world, MINUTE), 5);
    assert_eq!(world.handed_over.len(), 30);
}

#[test]
fn a_refused_hand_over_counts_for_nothing_but_the_guard() {
    let mut world = World::with(hourly(1));
    world.send(send(1));
    world.answer(3);
    world.send(send(2));
    assert_eq!(world.order(), [1, 2]);
    world.answer(1);
    world.send(send(3));
    assert_eq!(world.order(), [1, 2]);
    world.pass(HOUR);
    assert_eq!(world.order(), [1, 2, 3]);
}

#[test]
fn the_hub_may_lower_the_limit() {
    let mut answered = 0;
    let mut world = World::with(hourly(10));
    world.configure(Config {
        send_limit_max: Some(2),
        ..Config::default()
    });
    world.send_all(1..=5);
    run(&mut world, &mut answered, MINUTE);
    assert_eq!(world.order(), [1, 2]);
    world.restart();
    run(&mut world, &mut answered, MINUTE);
    assert_eq!(world.order(), [1, 2]);
    world.configure(Config {
        send_limit_max: Some(1_000),
        ..Config::default()
    });
    run(&mut world, &mut answered, MINUTE);
    assert_eq!(world.order(), [1, 2, 3, 4, 5]);
}

#[test]
fn of_the_limits_of_the_whole_phone_the_lowest_counts_over_all_sims() {
    let mut answered = 0;
    let mut world = World::with(PaceLimits {
        phone_parts_per_hour: Some(3),
        ..PaceLimits::UNLIMITED
    });
    let set = |world: &mut World, slot, limit| {
        world.configure(Config {
            sim: Some(sim(slot)),
            device_send_limit_max: limit,
            ..Config::default()
        });
    };
    set(&mut world, 0, Some(1_000));
    set(&mut world, 1, Some(2));
    for n in 1..=6 {
        world.send(Send {
            sim: sim(u8::try_from(n % 2).unwrap()),
            ..send(n)
        });
    }
    run(&mut world, &mut answered, MINUTE);
    assert_eq!(world.handed_over.len(), 2);
    world.restart();
    run(&mut world, &mut answered, MINUTE);
    assert_eq!(world.handed_over.len(), 2);
    set(&mut world, 1, None);
    run(&mut world, &mut answered, MINUTE);
    assert_eq!(world.handed_over.len(), 3, "the owner's counts on");
}

/// A message of two parts in UCS-2, of one with Turkish tables.
fn turkish(n: i64) -> Send {
    Send {
        text: Some(MessageText::new("ş".repeat(100))),
        ..send(n)
    }
}

#[test]
fn parts_are_counted_with_the_shift_tables_that_the_hub_or_the_owner_sets() {
    let mut world = World::new();
    let parts = |world: &mut World, n| {
        world.send(turkish(n));
        world.answer(OK);
        world.handed_over.last().unwrap().1.parts
    };
    assert_eq!(parts(&mut world, 1), 2);
    world.configure(Config {
        shift_tables: vec![1],
        ..Config::default()
    });
    world.restart();
    assert_eq!(parts(&mut world, 2), 1);
    for (n, (owners, counted)) in (3..).zip([
        (Some(vec![]), 2),
        (Some(vec![3]), 2),
        (Some(vec![3, 1]), 1),
        (None, 1),
    ]) {
        world.command(Command::SetShiftTables(owners)).unwrap();
        assert_eq!(parts(&mut world, n), counted, "{n}");
    }
}

#[test]
fn a_limit_that_comes_later_counts_what_has_left_before() {
    let mut answered = 0;
    let mut world = World::with(hourly(10));
    world.send_all(1..=2);
    run(&mut world, &mut answered, MINUTE);
    world.configure(Config {
        sim: Some(sim(1)),
        device_send_limit_max: Some(2),
        ..Config::default()
    });
    world.send(send(3));
    assert_eq!(world.order(), [1, 2]);
    world.pass(HOUR);
    assert_eq!(world.order(), [1, 2, 3]);
}

#[test]
fn a_delay_is_kept_between_two_hand_overs_of_a_sim() {
    let mut answered = 0;
    let mut world = World::new();
    world.configure(Config {
        send_delay_ms: 5_000,
        ..Config::default()
    });
    world.send_all(1..=3);
    world.send(Send {
        sim: sim(1),
        ..send(4)
    });
    let start = world.now.boot;
    run(&mut world, &mut answered, MINUTE);
    let at: Vec<_> = world
        .handed_over
        .iter()
        .map(|(at, _)| at.boot.since_ms(start))
        .collect();
    assert_eq!(at, [0, 0, 5_000, 10_000]);
}

#[test]
fn health_says_when_the_next_message_leaves_and_what_it_waits_for() {
    let mut world = World::with(hourly(1));
    world.send_all(1..=2);
    world.answer(OK);
    world.pass(MINUTE);
    let health = world.health.last().unwrap();
    assert_eq!(health.queue, Some(1));
    assert_eq!(health.waiting_for.as_deref(), Some("send_limit"));
    assert_eq!(health.next_slot_in_ms, Some(59 * MINUTE));
    assert_eq!(health.sims[0].queue, Some(1));
    assert_eq!(health.sims[1].queue, Some(0));
}

#[test]
fn a_limit_that_the_owner_lowers_counts_what_was_sent_before() {
    let mut answered = 0;
    let mut world = World::with(hourly(10));
    world.send_all(1..=4);
    run(&mut world, &mut answered, MINUTE);
    world.set_limits(hourly(3));
    world.restart();
    world.send(send(5));
    run(&mut world, &mut answered, 50 * MINUTE);
    assert_eq!(world.order().len(), 4);
}

#[test]
fn a_sim_with_a_full_queue_leaves_the_other_its_room() {
    let mut world = World::new();
    let other = |n| Send {
        sim: sim(1),
        ..send(n)
    };
    let full = i64::try_from(WAITING_MAX).unwrap() + 2;
    world.send_all(1..=full);
    assert_eq!(world.facts, []);
    let refused = world.send(send(full + 1));
    assert_eq!(world.told(refused), [WireState::Revoked]);
    let accepted = world.send(other(full + 2));
    assert!(!world.told(accepted).contains(&WireState::Revoked));
}

#[test]
fn a_limit_of_the_hub_is_kept_across_a_restart_of_a_phone_without_one_of_its_own() {
    let mut world = World::new();
    world.configure(Config {
        sim: Some(sim(0)),
        send_limit_max: Some(2),
        ..Config::default()
    });
    world.send_all(1..=3);
    for token in world
        .handed_over
        .iter()
        .map(|(_, task)| task.token)
        .collect::<Vec<_>>()
    {
        world.result(token, 0, 1, OK);
    }
    assert_eq!(world.order(), [1, 2]);
    world.restart();
    assert_eq!(world.order(), [1, 2]);
    world.reboot(MINUTE);
    assert_eq!(world.order(), [1, 2]);
    world.pass(HOUR);
    assert_eq!(world.order(), [1, 2, 3]);
}

#[test]
fn the_owner_sets_other_limits_while_it_runs_and_the_hub_is_told_them() {
    let mut world = World::with(hourly(1));
    let slots = [(0, None), (1, Some(7))].map(|(slot, send_limit)| SimInfo {
        slot: sim(slot),
        send_limit,
        ..SimInfo::default()
    });
    world.tell(RadioFact::SimsChanged(slots.to_vec()));
    world.send_all(1..=3);
    world.answer(OK);
    assert_eq!(world.order(), [1]);
    world.command(Command::SetLimits(hourly(2))).unwrap();
    assert_eq!(world.order(), [1, 2]);
    world.pass(MINUTE);
    let limits = |sims: &[SimInfo]| sims.iter().map(|sim| sim.send_limit).collect::<Vec<_>>();
    let told = &world.health.last().unwrap().sims;
    assert_eq!(limits(told), [Some(2), Some(7)]);
    world.disconnect();
    world.pass(MINUTE);
    let hello = world.last_hello.as_ref().unwrap();
    assert_eq!(limits(&hello.sims), [Some(2), Some(7)]);
}

#[test]
fn what_no_window_counts_any_more_is_forgotten_with_the_next_rows_and_not_by_itself() {
    let mut world = World::with(hourly(5));
    world.pass(31 * MINUTE);
    world.send_all(1..=2);
    world.pass(HOUR + 3 * MINUTE);
    let spent = |world: &World| world.disk.snapshot().spent.len();
    assert_eq!(spent(&world), 2);
    world.tell(RadioFact::SmsReceived(sms("yes", 7, None)));
    assert_eq!(spent(&world), 1, "the highest stays for its number");
}

/// The refused hand-over counts for the guard, but not for a send limit.
fn of_eight() -> [(PaceLimits, usize); 2] {
    let guard = Guard {
        parts_max: 8,
        span_ms: HOUR,
    };
    let guarded = PaceLimits {
        guard: Some(guard),
        ..PaceLimits::UNLIMITED
    };
    [(hourly(8), 1), (guarded, 0)]
}

#[test]
fn a_halved_pace_outlives_the_process_and_the_boot_and_ends_with_its_quarter_of_an_hour() {
    let ways: [fn(&mut World); 3] = [|_| {}, World::restart, |world| world.reboot(MINUTE)];
    for (way, (limits, refused)) in ways.iter().flat_map(|way| of_eight().map(|of| (way, of))) {
        let mut world = World::with(limits);
        world.send(send(1));
        world.answer(5);
        let halved = world.now.unix.0;
        world.send_all(2..=20);
        let mut answered = 1;
        run(&mut world, &mut answered, 5 * MINUTE);
        assert_eq!(world.handed_over.len() - refused, 4);
        way(&mut world);
        let left = 15 * MINUTE - u64::try_from(world.now.unix.0 - halved).unwrap();
        run(&mut world, &mut answered, left - 1);
        assert_eq!(world.handed_over.len() - refused, 4);
        run(&mut world, &mut answered, 1);
        assert_eq!(world.handed_over.len() - refused, 8);
        run(&mut world, &mut answered, 20 * MINUTE);
        assert_eq!(world.handed_over.len() - refused, 8);
    }
}

#[test]
fn a_quarter_of_an_hour_that_ends_while_the_phone_is_off_is_over_when_it_starts() {
    for (limits, refused) in of_eight() {
        let mut world = World::with(limits);
        world.send(send(1));
        world.answer(5);
        world.send_all(2..=20);
        world.reboot(15 * MINUTE);
        let mut answered = 1;
        run(&mut world, &mut answered, MINUTE);
        assert_eq!(world.handed_over.len() - refused, 8);
    }
}

/// A SIM whose first two messages got this refusal 20 s ago.
fn refused_twice(code: i32) -> World {
    let mut world = World::new();
    world.send_all(1..=3);
    for n in [0, 1] {
        world.result(world.handed_over[n].1.token, 0, 1, code);
    }
    world.pass(20_000);
    assert_eq!(world.order(), [1, 2]);
    world
}

#[test]
fn what_met_the_platforms_limit_is_not_tried_at_once_by_another_process() {
    let mut world = refused_twice(5);
    world.restart();
    world.pass(40_000 - 1);
    assert_eq!(world.order(), [1, 2]);
    world.pass(1);
    assert_eq!(world.order(), [1, 2, 1], "one tries");
    world.answer(5);
    world.restart();
    world.restart();
    assert_eq!(world.order(), [1, 2, 1]);
    world.pass(MINUTE);
    assert_eq!(world.order(), [1, 2, 1, 1]);
    world.answer(OK);
    assert_eq!(world.order(), [1, 2, 1, 1, 2, 3]);
    world.restart();
    assert_eq!(world.order().len(), 6);
}

#[test]
fn a_reboot_ends_what_the_platform_counted() {
    let mut world = refused_twice(5);
    world.reboot(MINUTE);
    assert_eq!(world.order(), [1, 2, 1, 2]);
}

#[test]
fn a_radio_that_could_not_send_is_tried_at_once_for_its_service_may_have_come_unheard() {
    let mut world = refused_twice(4);
    world.restart();
    assert_eq!(world.order(), [1, 2, 1, 2]);
}
