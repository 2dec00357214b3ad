//! Messages that only their ids tell apart: the platform's sent ones name no id.

use crate::world::*;
use postrider_link::frame::Send;
use postrider_model::MessageText;

fn twin(n: i64) -> Send {
    Send {
        text: Some(MessageText::new("the same")),
        ..send(n)
    }
}

#[test]
fn two_messages_alike_are_never_with_the_radio_at_once() {
    let mut world = World::new();
    world.send(twin(1));
    world.send(twin(2));
    world.send(send(3));
    assert_eq!(world.order(), [1, 3]);
    let first = world.handed_over[0].1.token;
    world.result(first, 0, 1, OK);
    assert_eq!(world.order(), [1, 3, 2]);
}

#[test]
fn a_waiting_twin_says_what_it_waits_for() {
    let mut world = World::new();
    world.send(twin(1));
    world.send(twin(2));
    world.pass(MINUTE);
    let health = world.health.last().unwrap();
    assert_eq!(health.waiting_for.as_deref(), Some("sent_results"));
    assert_eq!(health.next_slot_in_ms, Some(9 * MINUTE));
}
