//! Another SIM in a slot: nothing is sent from an unexpected number.

use crate::world::*;
use postrider_link::frame::Address;
use postrider_link::frame::{Config, Kind, Send, SimInfo};
use postrider_machine::{Command, Condition, Event, RadioFact};

/// How often it was reported that the first slot may be used again.
fn confirmed(world: &World) -> usize {
    let again = Event::SimConfirmed { sim: sim(0) };
    world.events.iter().filter(|event| **event == again).count()
}

fn slots(first: &str) -> Vec<SimInfo> {
    let slot = |slot, fingerprint: &str| SimInfo {
        slot: sim(slot),
        fingerprint: Some(fingerprint.to_owned()),
        ..SimInfo::default()
    };
    vec![slot(0, first), slot(1, "second")]
}

fn settled() -> World {
    let mut world = World::new();
    world.tell(RadioFact::SimsChanged(slots("known")));
    world.pass(2 * MINUTE);
    world
}

fn swap(world: &mut World, fingerprint: &str) {
    world.tell(RadioFact::SimsChanged(slots(fingerprint)));
}

fn unpause(world: &mut World) {
    world.configure(Config {
        sim: Some(sim(0)),
        ..Config::default()
    });
}

#[test]
fn the_first_sim_that_is_seen_is_the_known_one() {
    let mut world = settled();
    world.send(send(1));
    assert_eq!(world.order(), [1]);
}

#[test]
fn another_sim_holds_its_slot_and_no_other_whatever_the_kind() {
    let mut world = settled();
    swap(&mut world, "other");
    assert!(world.events.contains(&Event::SimChanged { sim: sim(0) }));
    world.send(send(1));
    world.send(Send {
        kind: Kind::Ussd,
        to: Address::new("*100#"),
        ..send(2)
    });
    world.send(Send {
        kind: Kind::Call,
        ..send(3)
    });
    world.send(Send {
        sim: sim(1),
        ..send(4)
    });
    world.pass(MINUTE);
    assert_eq!(world.order(), [4]);
    assert!(world.dialled.is_empty() && world.called.is_empty());
    let told = &world.health.last().unwrap().sims[0];
    assert_eq!(told.waiting_for.as_deref(), Some("sim_changed"));
}

#[test]
fn the_hold_outlives_a_restart_and_a_reboot() {
    let mut world = settled();
    swap(&mut world, "other");
    world.online = false;
    world.disconnect();
    world.send(send(1));
    world.set_sims(slots("other"));
    world.restart();
    world.reboot(MINUTE);
    world.pass(HOUR);
    assert!(world.handed_over.is_empty());
}

#[test]
fn a_swap_while_the_phone_was_off_is_found_at_its_start() {
    let mut world = settled();
    world.set_sims(slots("other"));
    world.reboot(MINUTE);
    world.send(send(1));
    assert!(world.handed_over.is_empty());
}

#[test]
fn the_known_sim_back_in_its_slot_sends_again() {
    let mut world = settled();
    swap(&mut world, "other");
    world.send(send(1));
    assert_eq!(confirmed(&world), 0);
    swap(&mut world, "known");
    assert_eq!(world.order(), [1]);
    assert_eq!(confirmed(&world), 1);
}

#[test]
fn the_known_sim_that_is_back_at_a_start_is_said() {
    let mut world = settled();
    swap(&mut world, "other");
    world.set_sims(slots("known"));
    world.restart();
    assert_eq!(confirmed(&world), 1);
}

#[test]
fn the_owner_confirms_for_good() {
    let mut world = settled();
    swap(&mut world, "other");
    world.send(send(1));
    let confirm = Command::ConfirmSim(sim(0));
    world.agent.handle_command(confirm, world.now).unwrap();
    world.drain();
    assert_eq!(confirmed(&world), 1);
    world.set_sims(slots("other"));
    world.reboot(MINUTE);
    assert_eq!(world.order(), [1]);
    swap(&mut world, "known");
    world.send(send(2));
    assert_eq!(world.order(), [1], "the old one is the unexpected one now");
}

#[test]
fn the_hub_confirms_once_it_has_stored_which_sim_is_there() {
    let mut world = settled();
    world.tell(RadioFact::ConditionChanged(Condition {
        battery: Some(50),
        ..Condition::default()
    }));
    swap(&mut world, "other");
    world.send(send(1));
    unpause(&mut world);
    assert!(
        world.handed_over.is_empty(),
        "written before the hub could know"
    );
    world.pass(MINUTE);
    assert!(world.handed_over.is_empty());
    assert_eq!(confirmed(&world), 0);
    unpause(&mut world);
    assert_eq!(world.order(), [1]);
    assert_eq!(confirmed(&world), 1);
}

#[test]
fn settings_that_pause_confirm_nothing_and_those_of_another_slot_neither() {
    let mut world = settled();
    swap(&mut world, "other");
    world.pass(2 * MINUTE);
    world.send(send(1));
    world.configure(Config {
        sim: Some(sim(0)),
        pause: true,
        ..Config::default()
    });
    world.configure(Config {
        sim: Some(sim(1)),
        ..Config::default()
    });
    assert!(world.handed_over.is_empty());
    world.configure(Config::default());
    assert_eq!(
        world.order(),
        [1],
        "settings for all slots mean this one too"
    );
}

#[test]
fn a_hello_tells_the_hub_too() {
    let mut world = settled();
    world.set_sims(slots("other"));
    world.acking = false;
    world.restart();
    world.send(send(1));
    assert!(world.handed_over.is_empty());
    unpause(&mut world);
    assert_eq!(world.order(), [1]);
}

#[test]
fn a_sim_of_which_nothing_is_known_is_no_other_one() {
    let mut world = settled();
    let mut sims = slots("known");
    sims[0].fingerprint = None;
    world.tell(RadioFact::SimsChanged(sims));
    world.send(send(1));
    assert_eq!(world.order(), [1]);
}

#[test]
fn what_waits_for_a_slot_goes_out_once_its_sim_is_back() {
    let mut world = settled();
    world.configure(Config {
        pause: true,
        ..Config::default()
    });
    let ussd = Send {
        kind: Kind::Ussd,
        to: Address::new("*100#"),
        ..send(2)
    };
    let call = Send {
        kind: Kind::Call,
        ..send(3)
    };
    for send in [send(1), ussd, call] {
        world.send(send);
    }
    let second = slots("known").remove(1);
    world.tell(RadioFact::SimsChanged(vec![second]));
    world.configure(Config::default());
    world.pass(HOUR);
    let gone = |world: &World| {
        let dialled = world.dialled.len() + world.called.len();
        world.handed_over.len() + dialled
    };
    assert_eq!(gone(&world), 0);
    swap(&mut world, "known");
    assert_eq!(gone(&world), 3);
}
