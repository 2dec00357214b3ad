//! Health: reported to the hub when it changes and at most once a minute.

use crate::world::*;
use postrider_link::frame::{Address, Config, Kind, Send, SimInfo};
use postrider_machine::{Condition, HEALTH_MS_MIN, RadioFact};

fn condition(battery: u8) -> RadioFact {
    RadioFact::ConditionChanged(Condition {
        battery: Some(battery),
        charging: Some(true),
        network: Some("wifi".to_owned()),
        signal: Some(3),
        forwarding: Some(true),
        app_version: Some("1.2.3".to_owned()),
        android_sdk: Some(35),
        manufacturer: Some("Example".to_owned()),
        model: Some("One".to_owned()),
        ..Condition::default()
    })
}

fn code(n: i64) -> Send {
    Send {
        kind: Kind::Ussd,
        to: Address::new("*100#"),
        ..send(n)
    }
}

#[test]
fn all_of_it_is_told_once_and_changes_once_a_minute() {
    let mut world = World::new();
    world.tell(condition(80));
    world.tell(condition(79));
    assert_eq!(world.health.len(), 1, "at the start");
    world.pass(HEALTH_MS_MIN - 1);
    assert_eq!(world.health.len(), 1);
    world.pass(1);
    let health = world.health.last().unwrap();
    assert_eq!((health.battery, health.charging), (Some(79), Some(true)));
    assert_eq!(
        (health.network.as_deref(), health.signal),
        (Some("wifi"), Some(3))
    );
    assert_eq!(
        (health.forwarding, health.android_sdk),
        (Some(true), Some(35))
    );
    assert_eq!(health.app_version.as_deref(), Some("1.2.3"));
    assert_eq!(health.manufacturer.as_deref(), Some("Example"));
    assert_eq!(health.model.as_deref(), Some("One"));
    assert_eq!((health.queue, health.sims.len()), (Some(0), 2));
    world.pass(HOUR);
    assert_eq!(world.health.len(), 2);
}

#[test]
fn queues_of_their_own_are_told_with_what_they_wait_for() {
    let mut world = World::new();
    for n in 1..=3 {
        world.send(code(n));
    }
    world.send(Send {
        kind: Kind::Call,
        ..send(4)
    });
    world.send(Send {
        kind: Kind::Call,
        ..send(5)
    });
    world.pass(HEALTH_MS_MIN - 1_000);
    world.tell(condition(50));
    world.pass(1_000);
    let sim = &world.health.last().unwrap().sims[0];
    let kinds: Vec<_> = sim
        .kinds
        .iter()
        .map(|kind| (kind.kind.clone(), kind.queue, kind.waiting_for.as_deref()))
        .collect();
    assert_eq!(
        kinds,
        [
            (Kind::Ussd, 1, Some("ussd_answer")),
            (Kind::Call, 1, Some("line_busy")),
        ]
    );
    assert_eq!(sim.queue, Some(2));
    let other = &world.health.last().unwrap().sims[1];
    assert!(other.kinds.is_empty(), "nothing waits there");
}

#[test]
fn the_next_slot_is_the_earliest_of_all_sims() {
    let mut world = World::new();
    let now = world.now.unix.0;
    let quiet = |slot, minutes: i64| Config {
        sim: Some(sim(slot)),
        quiet: vec![(now, now + minutes * 60_000)],
        ..Config::default()
    };
    world.configure(quiet(0, 30));
    world.configure(quiet(1, 11));
    for (n, slot) in [(1, 0), (2, 1)] {
        world.send(Send {
            sim: sim(slot),
            ..send(n)
        });
    }
    world.pass(HEALTH_MS_MIN);
    let health = world.health.last().unwrap();
    assert_eq!(health.next_slot_in_ms, Some(10 * MINUTE));
    assert_eq!(health.waiting_for.as_deref(), Some("quiet_hours"));
    assert_eq!(health.sims[0].next_slot_in_ms, Some(29 * MINUTE));
}

#[test]
fn a_message_that_waits_for_its_own_retry_says_so() {
    let mut world = World::new();
    world.send(send(1));
    for wait in [20_000, MINUTE] {
        world.answer(13);
        world.pass(wait);
    }
    world.answer(13);
    world.send(Send {
        sim: sim(1),
        ..send(2)
    });
    world.answer(13);
    world.pass(20_000);
    world.answer(13);
    world.pass(HEALTH_MS_MIN - 1);
    let health = world.health.last().unwrap();
    let words = health.sims.iter().map(|sim| sim.waiting_for.as_deref());
    assert!(words.eq([Some("retry"); 2]));
    let [long, short] = [0, 1].map(|slot: usize| health.sims[slot].next_slot_in_ms.unwrap());
    assert!(short <= MINUTE, "{short}");
    assert!((2 * MINUTE..5 * MINUTE).contains(&long), "{long}");
    assert_eq!(health.next_slot_in_ms, Some(short));
}

#[test]
fn another_number_of_a_sim_is_told_by_itself() {
    let mut world = World::new();
    let sims = [Some("+15005550002"), None].map(|number| number.map(Address::new));
    let sims = (0..).zip(sims).map(|(slot, number)| SimInfo {
        slot: sim(slot),
        number,
        ..SimInfo::default()
    });
    world.tell(RadioFact::SimsChanged(sims.collect()));
    world.pass(HEALTH_MS_MIN);
    assert_eq!(world.health.len(), 2);
    let number = world.health[1].sims[0].number.clone();
    assert_eq!(number.as_ref().unwrap().as_str(), "+15005550002");
    world.disconnect();
    world.pass(MINUTE);
    let sims = &world.last_hello.unwrap().sims;
    assert_eq!((sims.len(), &sims[0].number), (2, &number));
}
