//! The owner's own quiet hours, in addition to the hub's.

use crate::world::*;
use postrider_link::frame::Config;
use postrider_machine::{Command, QUIET_SPELLS_MAX, Refused, Spell};

/// A time that begins and ends so many minutes from now.
fn spell(world: &World, from: i64, until: i64) -> Spell {
    let at = |minutes: i64| world.now.unix.plus_ms(minutes * MINUTE.cast_signed());
    Spell {
        from: at(from),
        until: at(until),
    }
}

fn set(world: &mut World, spells: Vec<Spell>) {
    let set = world.command(Command::SetQuietHours(spells));
    assert_eq!(set, Ok(()));
}

/// What the next message of the first SIM waits for, and how long.
fn waits(world: &World) -> Option<(Option<u64>, &'static str)> {
    let slots = world.agent.slots(world.now);
    slots[0].next.map(|next| (next.in_ms, next.waiting_for))
}

#[test]
fn what_is_not_with_the_radio_waits_for_the_end_of_the_owners_quiet_hours() {
    let mut world = World::new();
    let spells = vec![spell(&world, 0, 10), spell(&world, 20, 30)];
    set(&mut world, spells);
    world.send(send(1));
    assert_eq!(waits(&world), Some((Some(10 * MINUTE), "quiet_hours")));
    let health = world.health.last().unwrap();
    assert_eq!(
        health.waiting_for.as_deref(),
        None,
        "told at most once a minute"
    );
    world.pass(MINUTE);
    let health = world.health.last().unwrap();
    assert_eq!(health.waiting_for.as_deref(), Some("quiet_hours"));
    assert_eq!(health.next_slot_in_ms, Some(9 * MINUTE));
    world.pass(9 * MINUTE - 1);
    assert!(world.order().is_empty());
    world.pass(1);
    assert_eq!(world.order(), [1]);
    world.answer(OK);
    world.pass(10 * MINUTE);
    world.send(send(2));
    assert_eq!(world.order(), [1]);
    world.pass(10 * MINUTE);
    assert_eq!(world.order(), [1, 2]);
}

#[test]
fn quiet_are_the_hubs_hours_and_the_owners_together() {
    let mut world = World::new();
    let now = world.now.unix.0;
    world.configure(Config {
        quiet: vec![(now, now + 600_000)],
        ..Config::default()
    });
    let spells = vec![spell(&world, 5, 20)];
    set(&mut world, spells);
    world.send(send(1));
    world.pass(10 * MINUTE);
    assert_eq!(waits(&world), Some((Some(10 * MINUTE), "quiet_hours")));
    set(&mut world, Vec::new());
    assert_eq!(world.order(), [1]);
}

#[test]
fn quiet_hours_hold_from_the_first_moment_of_a_start_on() {
    let mut world = World::new();
    let spells = vec![spell(&world, 0, 10)];
    set(&mut world, spells.clone());
    world.send(send(1));
    world.set_quiet_hours(spells);
    world.restart();
    world.pass(10 * MINUTE - 1);
    assert!(world.order().is_empty());
    world.pass(1);
    assert_eq!(world.order(), [1]);
}

#[test]
fn quiet_hours_beyond_the_bound_or_without_length_are_refused_and_the_former_stay() {
    let mut world = World::new();
    let spells = vec![spell(&world, 0, 10)];
    set(&mut world, spells);
    let many = vec![spell(&world, 20, 30); QUIET_SPELLS_MAX + 1];
    let refused = world.command(Command::SetQuietHours(many));
    assert_eq!(refused, Err(Refused::TooManySpells));
    let empty = vec![spell(&world, 30, 30)];
    let refused = world.command(Command::SetQuietHours(empty));
    assert_eq!(refused, Err(Refused::EmptySpell));
    world.send(send(1));
    assert!(world.order().is_empty());
    let most = vec![spell(&world, 20, 30); QUIET_SPELLS_MAX];
    set(&mut world, most);
    assert_eq!(world.order(), [1]);
}
