//! Reports that stay out: so many messages wait for theirs, and not one more.

use crate::world::*;
use postrider_machine::{MessageRef, REPORTS_AWAITED_MAX};
use postrider_model::WireState;

fn most() -> i64 {
    i64::try_from(REPORTS_AWAITED_MAX).unwrap()
}

/// Sends messages that the network accepts and never reports on.
fn send_unreported(world: &mut World, numbers: std::ops::RangeInclusive<i64>) {
    for n in numbers {
        world.send(send(n));
        world.answer(OK);
    }
}

fn is_over(world: &World, message: MessageRef) -> bool {
    let row = world.disk.message(message).unwrap();
    row.progress.ended.is_some()
}

#[test]
fn of_the_messages_that_only_wait_for_reports_the_oldest_is_over_when_they_are_too_many() {
    let mut world = World::new();
    send_unreported(&mut world, 1..=1);
    world.pass(MINUTE);
    send_unreported(&mut world, 2..=most());
    assert!(!is_over(&world, message(1, 1)));
    send_unreported(&mut world, most() + 1..=most() + 1);
    assert!(is_over(&world, message(1, 1)));
    assert_eq!(world.told(message(1, 1)), [WireState::Sent]);
    assert!(!is_over(&world, message(2, 1)));
    world.restart();
    assert_eq!(world.disk.snapshot().messages.len(), REPORTS_AWAITED_MAX);
    send_unreported(&mut world, most() + 2..=most() + 2);
    assert!(is_over(&world, message(2, 1)) && !is_over(&world, message(3, 1)));
}

#[test]
fn whoever_was_reported_on_makes_room() {
    let mut world = World::new();
    send_unreported(&mut world, 1..=most());
    let last = world.last_token();
    world.report(last, 0, 0x00);
    assert!(is_over(&world, last.message));
    send_unreported(&mut world, most() + 1..=most() + 1);
    assert!(!is_over(&world, message(1, 1)));
    world.pass(72 * HOUR);
    assert!(is_over(&world, message(1, 1)));
    assert!(world.disk.snapshot().messages.is_empty());
}

#[test]
fn a_window_that_closes_before_the_hub_has_heard_ends_with_its_ack() {
    let mut world = World::new();
    world.acking = false;
    send_unreported(&mut world, 1..=1);
    let s = world.last_fact().s;
    world.pass(72 * HOUR);
    assert!(!is_over(&world, message(1, 1)));
    world.ack(s);
    world.drain();
    assert!(is_over(&world, message(1, 1)));
}
