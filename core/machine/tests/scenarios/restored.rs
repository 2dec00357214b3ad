//! What a start and a hub that went back learn of the exposures that are here.

use crate::world::*;
use postrider_link::frame::{Config, HeldRow, Send};
use postrider_machine::RadioFact;
use postrider_model::WireState;

fn shown(rows: &[HeldRow]) -> Vec<(i64, WireState)> {
    let mut shown: Vec<_> = rows.iter().map(|row| (row.id.get(), row.state)).collect();
    shown.sort();
    shown
}

/// A phone with an exposure of each kind: over, sent and reported, waiting at place 4 and at place
/// 5.
fn phone() -> World {
    let mut world = World::new();
    world.send(Send {
        report: false,
        ..send(1)
    });
    world.answer(OK);
    world.send(send(2));
    world.answer(OK);
    world.configure(Config {
        pause: true,
        ..Config::default()
    });
    world.send_all(3..=4);
    world
}

#[test]
fn a_start_remembers_which_facts_were_acked() {
    let mut world = World::new();
    world.send(send(1));
    world.answer(OK);
    world.acking = false;
    world.send(send(2));
    world.answer(OK);
    world.restart();
    let hello = world.hellos.last().unwrap();
    assert_eq!(shown(hello), [(2, WireState::Sent)]);
}

#[test]
fn a_hub_that_went_back_is_shown_only_what_it_may_have_forgotten() {
    let mut world = phone();
    let up = world.last_fact().s;
    world.restored = Some((4, up));
    world.disconnect();
    world.pass(MINUTE);
    assert_eq!(shown(&world.held), [(4, WireState::OnPhone)]);
    assert!(world.looked_up.is_empty(), "memory has all there is");
}

#[test]
fn what_is_of_an_older_generation_is_shown_to_a_hub_that_goes_back_again() {
    let mut world = phone();
    world.restored = Some((4, world.last_fact().s));
    world.disconnect();
    world.pass(MINUTE);
    world.send(send(5));
    for second in 1..=9 {
        world.tell(RadioFact::SmsReceived(sms("yes", second, None)));
    }
    world.held.clear();
    let up = world.disk.snapshot().link.up_highest;
    world.restored = Some((1, up));
    world.disconnect();
    world.pass(MINUTE);
    assert_eq!(
        shown(&world.held),
        [
            (1, WireState::Sent),
            (2, WireState::Sent),
            (3, WireState::OnPhone),
            (4, WireState::OnPhone),
        ]
    );
}
