//! Messages that differ only by their ids: the platform's sent messages have no id.

use crate::world::*;
use postrider_link::frame::Send;
use postrider_machine::SentRow;
use postrider_model::{MessageText, WireState};

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

/// A phone that knows of the first twin's sending, and whose clock was set back since.
fn after_a_twin(set_back: fn(&mut World)) -> (World, SentRow) {
    let mut world = World::new();
    world.send(twin(1));
    world.pass(5_000);
    let row = SentRow {
        row: 7,
        at: world.now.unix,
    };
    world.result(world.last_token(), 0, 1, OK);
    world.pass(10 * MINUTE);
    set_back(&mut world);
    (world, row)
}

#[test]
fn a_row_of_a_twin_is_no_proof_when_the_clock_passes_its_date_again() {
    let ways: [fn(&mut World); 4] = [
        |world| {
            world.restart();
            world.set_wall(-10 * MINUTE.cast_signed() - 20_000);
        },
        |world| world.set_wall(-10 * MINUTE.cast_signed() - 20_000),
        |world| {
            world.now.unix = world.now.unix.plus_ms(-10 * MINUTE.cast_signed() - 20_000);
            world.restart();
        },
        |world| {
            world.set_wall(-10 * MINUTE.cast_signed() - 20_000);
            world.restart();
        },
    ];
    for set_back in ways {
        let (mut world, row) = after_a_twin(set_back);
        let second = world.send(twin(2));
        assert!(world.now.unix < row.at);
        world.pass(2 * MINUTE);
        world.provider_rows(world.asked[0], vec![row]);
        assert_eq!(world.told(second), []);
        world.pass(8 * MINUTE);
        assert_eq!(world.told(second), [WireState::Unknown]);
    }
}

#[test]
fn a_row_later_than_all_of_them_is_proof_again() {
    let (mut world, row) = after_a_twin(|world| world.set_wall(-MINUTE.cast_signed()));
    let second = world.send(twin(2));
    world.pass(2 * MINUTE);
    let own = SentRow {
        row: 8,
        at: world.now.unix,
    };
    world.provider_rows(world.asked[0], vec![row, own]);
    assert_eq!(world.told(second), [WireState::Sent]);
}
