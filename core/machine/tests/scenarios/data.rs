//! Data messages: bytes for a port, in one part, without a row of the platform.

use crate::world::*;
use postrider_link::frame::{Address, Bytes, Data, Kind, Send};
use postrider_machine::{Body, RadioFact, ReceivedData};
use postrider_model::{UnixMs, WireState};

fn data(n: i64, bytes: usize) -> Send {
    Send {
        kind: Kind::DataSms,
        text: None,
        data: Some(payload(bytes)),
        ..send(n)
    }
}

fn payload(bytes: usize) -> Data {
    Data {
        port: 16_001,
        base64: Bytes(vec![0xa5; bytes]),
    }
}

fn received(second: i64, bytes: usize) -> RadioFact {
    RadioFact::DataReceived(ReceivedData {
        receipt: 40,
        sim: sim(1),
        from: Address::new("+15005550009"),
        data: payload(bytes),
        sent_at: Some(UnixMs(second * 1_000)),
    })
}

#[test]
fn bytes_go_to_their_port_and_are_reported_as_a_text_is() {
    let mut world = World::new();
    let message = world.send(data(1, 133));
    let task = &world.handed_over[0].1;
    assert_eq!((&task.body, task.parts), (&Body::Data(payload(133)), 1));
    world.answer(OK);
    world.report(world.last_token(), 0, 0x00);
    assert_eq!(world.told(message), [WireState::Sent, WireState::Delivered]);
}

#[test]
fn what_does_not_fit_one_part_or_is_empty_fails_with_proof() {
    let mut world = World::new();
    for (n, bytes, code) in [(1, 134, "too_long"), (2, 0, "no_data")] {
        world.send(data(n, bytes));
        let fact = world.last_fact();
        assert_eq!((fact.state, fact.unsent), (WireState::Failed, true));
        assert_eq!(fact.code.as_deref(), Some(code));
    }
    assert!(world.handed_over.is_empty());
}

#[test]
fn data_that_waits_survives_a_restart() {
    let mut world = World::new();
    world.tell(RadioFact::ServiceChanged {
        sim: sim(0),
        in_service: false,
    });
    world.send(data(1, 20));
    world.restart();
    assert_eq!(world.handed_over[0].1.body, Body::Data(payload(20)));
}

#[test]
fn no_row_is_asked_for_and_a_reboot_leaves_the_outcome_unknown() {
    let mut world = World::new();
    let message = world.send(data(1, 20));
    world.reboot(MINUTE);
    assert_eq!(world.told(message), [WireState::Unknown]);
    world.pass(HOUR);
    assert!(world.asked.is_empty());
    assert_eq!(world.order(), [1]);
}

#[test]
fn within_a_boot_a_late_result_is_waited_for_and_corrects_unknown() {
    let mut world = World::new();
    let message = world.send(data(1, 20));
    world.restart();
    world.pass(9 * MINUTE);
    assert_eq!(world.told(message), []);
    world.pass(MINUTE);
    assert_eq!(world.told(message), [WireState::Unknown]);
    world.answer(OK);
    assert_eq!(world.told(message), [WireState::Unknown, WireState::Sent]);
    assert!(world.asked.is_empty());
}

#[test]
fn what_comes_in_on_a_port_reaches_the_hub_once() {
    let mut world = World::new();
    for _ in 0..2 {
        world.tell(received(7, 20));
        world.restart();
    }
    world.tell(received(8, 20));
    world.tell(received(8, 21));
    assert_eq!(world.inbound.len(), 3);
    let fact = &world.inbound[0];
    assert_eq!(
        (&fact.kind, &fact.data),
        (&Kind::DataSms, &Some(payload(20)))
    );
    assert_eq!((fact.sim, fact.sent_at), (sim(1), Some(7_000)));
    assert_eq!(world.confirmed, [40; 4]);
}

#[test]
fn its_bytes_are_erased_a_day_after_the_end() {
    let mut world = World::new();
    let message = world.send(Send {
        report: false,
        ..data(1, 20)
    });
    world.answer(OK);
    world.pass(26 * HOUR);
    let row = world.disk.message(message).unwrap();
    assert_eq!((&row.data, row.to.as_str()), (&None, ""));
}
