//! More messages are over than fit in memory: the journal is asked, and none is sent again.

use crate::world::{HOUR, OK, World, message, send};
use postrider_machine::{ENDED_MAX, EndedAsked};
use postrider_model::WireState;
use std::collections::BTreeSet;

/// A phone with more ended messages than fit in memory, started from its journal: message 1 is the
/// oldest, and every one was sent.
fn with_too_many() -> World {
    let mut world = World::new();
    let many = i64::try_from(ENDED_MAX).unwrap() + 2;
    for n in 1..=many {
        let mut message = send(n);
        message.report = false;
        world.send(message);
        world.answer(OK);
    }
    world.restart();
    assert_eq!(world.handed_over.len(), ENDED_MAX + 2);
    world.looked_up.clear();
    world
}

#[test]
fn a_message_that_is_over_and_on_disk_alone_is_never_sent_again() {
    let mut world = with_too_many();
    for ep in [1, 2] {
        let mut again = send(1);
        again.ep = ep;
        world.send(again);
        world.pass(HOUR);
    }
    assert_eq!(world.handed_over.len(), ENDED_MAX + 2);
    let asked = [message(1, 1).id].into();
    assert_eq!(world.looked_up, [EndedAsked::Of(asked)]);
    assert_eq!(world.told(message(1, 1)).last(), Some(&WireState::Sent));
    assert_eq!(world.told(message(1, 2)).last(), Some(&WireState::Failed));
}

#[test]
fn what_comes_behind_a_question_is_taken_in_its_order() {
    let mut world = with_too_many();
    let new = i64::try_from(ENDED_MAX).unwrap() + 9;
    world.send(send(new));
    world.revoke(message(new, 1));
    world.send(send(new + 1));
    assert_eq!(world.last_token().message, message(new + 1, 1));
    assert_eq!(world.looked_up.len(), 2);
}

#[test]
fn a_phone_that_has_all_in_memory_asks_nothing() {
    let mut world = World::new();
    world.send(send(1));
    world.answer(OK);
    world.restart();
    world.send(send(1));
    assert!(world.looked_up.is_empty());
}

#[test]
fn a_hub_that_went_back_hears_of_those_on_disk_too() {
    let mut world = with_too_many();
    world.restored = Some((0, 0));
    world.disconnect();
    world.pass(HOUR);
    let shown: BTreeSet<_> = world.held.iter().map(|row| (row.id, row.ep)).collect();
    assert_eq!(
        (shown.len(), world.held.len()),
        (ENDED_MAX + 2, ENDED_MAX + 2)
    );
    assert!(
        world
            .looked_up
            .contains(&EndedAsked::Above { down: 0, up: 0 })
    );
}

#[test]
fn whatever_names_a_message_on_disk_alone_asks_for_it() {
    let mut world = with_too_many();
    let [first, second] = [message(1, 1), message(2, 1)];
    world.revoke(first);
    world.cancel(second);
    let asked = [first, second].map(|message| EndedAsked::Of([message.id].into()));
    assert_eq!(world.looked_up, asked);
    for message in [first, second] {
        assert_eq!(world.told(message), [WireState::Sent, WireState::Sent]);
    }
}
