//! Messages that the phone's owner does not allow wait; they do not fail.

use crate::world::*;
use postrider_link::frame::{Address, Kind, Send};
use postrider_machine::{Condition, RadioFact};
use postrider_model::WireState;
use postrider_text::result_code::NOT_PERMITTED;

fn permitted(may_send: bool, may_call: bool) -> RadioFact {
    RadioFact::ConditionChanged(Condition {
        may_send: Some(may_send),
        may_call: Some(may_call),
        ..Condition::default()
    })
}

fn waits_for(world: &mut World) -> Vec<Option<&'static str>> {
    let slots = world.agent.slots(world.now);
    let of_kinds = slots[0].kinds.iter().map(|kind| kind.next);
    let all = std::iter::once(slots[0].next).chain(of_kinds);
    all.map(|next| next.map(|next| next.waiting_for)).collect()
}

#[test]
fn without_leave_to_send_messages_wait_and_leave_with_it() {
    let mut world = World::new();
    world.tell(permitted(false, true));
    let message = world.send(send(1));
    world.pass(24 * HOUR);
    assert_eq!(world.handed_over.len(), 0);
    assert_eq!(waits_for(&mut world), [Some("not_permitted")]);
    assert_eq!(world.told(message), []);
    world.tell(permitted(true, true));
    assert_eq!(world.handed_over.len(), 1);
}

#[test]
fn without_leave_to_call_codes_and_calls_wait_and_messages_do_not() {
    let mut world = World::new();
    world.tell(permitted(true, false));
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
    assert_eq!(world.handed_over.len(), 1);
    let waits = waits_for(&mut world);
    assert_eq!(waits[1..], [Some("not_permitted"); 2]);
    world.tell(permitted(true, true));
    assert_eq!((world.dialled.len(), world.called.len()), (1, 1));
}

#[test]
fn a_hand_over_that_finds_the_permission_gone_holds_the_sim_and_fails_nothing() {
    let mut world = World::new();
    let message = world.send(send(1));
    world.answer(NOT_PERMITTED);
    world.tell(permitted(false, true));
    world.pass(24 * HOUR);
    assert_eq!(world.handed_over.len(), 1);
    assert!(!world.told(message).contains(&WireState::Failed));
    world.tell(permitted(true, true));
    assert_eq!(world.handed_over.len(), 2, "at once");
}
