//! Incoming messages: once, in order, on disk before the platform is told that they are safe.

use crate::world::*;
use postrider_machine::{Condition, RadioFact};

#[test]
fn a_message_reaches_the_hub_and_the_platform_hears_that_it_is_safe() {
    let mut world = World::new();
    world.tell(RadioFact::SmsReceived(sms("yes", 7, None)));
    let fact = &world.inbound[0];
    assert_eq!(fact.text.as_ref().unwrap().as_str(), "yes");
    assert_eq!((fact.n, fact.sent_at), (1, Some(7_000)));
    assert_eq!(world.confirmed, [7]);
}

#[test]
fn the_platform_hears_nothing_before_the_commit() {
    let mut world = World::new();
    world
        .agent
        .handle_radio(RadioFact::SmsReceived(sms("yes", 7, None)), world.now);
    assert_eq!(world.agent.poll_effect(), None);
    world.drain();
    assert_eq!(world.confirmed, [7]);
}

#[test]
fn repeats_count_once_and_two_true_copies_stay_two() {
    let mut world = World::new();
    for (second, row) in [
        (7, None),
        (7, None),
        (7, Some(41)),
        (7, Some(42)),
        (8, None),
    ] {
        world.tell(RadioFact::SmsReceived(sms("yes", second, row)));
        world.restart();
    }
    assert_eq!(world.inbound.len(), 3);
    assert_eq!(world.confirmed.len(), 5);
    let numbers: Vec<_> = world.inbound.iter().map(|fact| fact.n).collect();
    assert_eq!(numbers, [1, 2, 3]);
}

#[test]
fn what_comes_in_while_the_link_is_down_keeps_its_order() {
    let mut world = World::new();
    world.online = false;
    world.disconnect();
    for second in 1..=300 {
        world.tell(RadioFact::SmsReceived(sms("yes", second, None)));
    }
    world.restart();
    assert!(world.inbound.is_empty());
    world.online = true;
    world.pass(MINUTE);
    let order: Vec<_> = world
        .inbound
        .iter()
        .map(|fact| fact.sent_at.unwrap())
        .collect();
    assert_eq!(
        order,
        Vec::from_iter((1..=300).map(|second| second * 1_000))
    );
}

#[test]
fn numbers_never_start_over_even_when_everything_was_forgotten() {
    let mut world = World::new();
    world.tell(RadioFact::SmsReceived(sms("yes", 7, None)));
    world.pass(100 * HOUR);
    world.restart();
    world.tell(RadioFact::SmsReceived(sms("yes", 400_000, None)));
    assert_eq!(world.inbound[1].n, 2);
}

#[test]
fn an_owner_who_does_not_forward_keeps_what_comes_in() {
    let mut world = World::new();
    let condition = Condition {
        forwarding: Some(false),
        ..Condition::default()
    };
    world.tell(RadioFact::ConditionChanged(condition));
    world.tell(RadioFact::SmsReceived(sms("yes", 7, None)));
    assert!(world.inbound.is_empty());
    assert_eq!(world.confirmed, [7]);
}
