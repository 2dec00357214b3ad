//! How often a sleeping phone is woken, beside the platform's own check each quarter of an hour.

use crate::world::*;
use postrider_machine::{Condition, Log, RadioFact};

/// How often the platform checks that the agent runs.
const LOOK_MS: u64 = 15 * MINUTE;

/// Sleeps through `ms` and counts the wake-ups that the agent asked for, without the platform's
/// own.
fn wakes(world: &mut World, ms: u64) -> usize {
    let (end, mut look, mut count) = (world.now.plus_ms(ms), world.now.plus_ms(LOOK_MS), 0);
    while look.boot <= end.boot {
        let asked = world.agent.poll_wake();
        let at = asked.map_or(look.boot, |due| due.at.min(look.boot));
        count += usize::from(at < look.boot);
        assert!(count < 10_000, "it wakes again and again: {asked:?}");
        world.now = world.now.plus_ms(at.since_ms(world.now.boot));
        if at == look.boot {
            look = look.plus_ms(LOOK_MS);
        }
        world.agent.handle_timeout(world.now);
        world.drain();
    }
    count
}

fn battery(charging: bool) -> RadioFact {
    RadioFact::ConditionChanged(Condition {
        charging: Some(charging),
        ..Condition::default()
    })
}

#[test]
fn a_phone_without_a_network_sleeps_through_the_day() {
    for charging in [true, false] {
        let mut world = World::new();
        world.tell(battery(charging));
        let before = world.scans.len();
        world.online = false;
        world.agent.handle_network_lost(world.now);
        world.drain();
        assert_eq!(wakes(&mut world, 24 * HOUR), 0);
        let read = world.scans.len() - before;
        assert!(read >= 3 * 90, "the logs were read at each look: {read}");
        world.online = true;
        world.agent.handle_network_change(world.now);
        world.drain();
        assert_eq!(world.hellos.len(), 2, "it dials with the next network");
    }
}

#[test]
fn what_it_has_to_do_without_a_network_wakes_it_all_the_same() {
    let mut world = World::new();
    world.online = false;
    world.agent.handle_network_lost(world.now);
    world.drain();
    world.tell(RadioFact::LogChanged(Log::Mms));
    world.pass(0);
    world.tell(RadioFact::LogChanged(Log::Mms));
    let due = world.agent.poll_wake().unwrap();
    assert!(due.at.since_ms(world.now.boot) <= MINUTE, "{due:?}");
}
