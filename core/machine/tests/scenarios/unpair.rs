//! The end of a pairing, and of the app: what waits goes back, messages in the radio finish.

use crate::world::*;
use postrider_link::close::CloseCode;
use postrider_link::frame::{Address, Kind, Send};
use postrider_machine::{Command, Event, PaceLimits};
use postrider_model::WireState;

fn unpair(world: &mut World) {
    world.agent.handle_unpair(world.now);
    world.drain();
}

#[test]
fn what_waits_goes_back_and_so_does_whatever_still_comes() {
    let mut world = World::new();
    world.send_all(1..=3);
    world.send(Send {
        sim: sim(1),
        ..send(4)
    });
    world.answer(13);
    unpair(&mut world);
    assert_eq!(world.told(message(3, 1)), [WireState::Revoked]);
    assert_eq!(
        world.told(message(4, 1)),
        [WireState::Retrying, WireState::Revoked]
    );
    let late = world.send(send(5));
    let code = world.send(Send {
        kind: Kind::Ussd,
        to: Address::new("*100#"),
        ..send(6)
    });
    assert_eq!(world.told(late), [WireState::Revoked]);
    assert_eq!(world.told(code), [WireState::Revoked]);
    world.pass(MINUTE);
    assert_eq!(world.order(), [1, 2, 4]);
    assert!(world.dialled.is_empty());
}

#[test]
fn what_the_radio_gives_back_meanwhile_goes_back_to_the_hub() {
    let mut world = World::new();
    let [first, second] = [1, 2].map(|n| {
        world.send(Send {
            movable: true,
            ..send(n)
        })
    });
    unpair(&mut world);
    world.answer(4);
    assert!(!world.agent.has_told_all(), "one is with the radio");
    world.result(world.handed_over[0].1.token, 0, 1, 13);
    assert_eq!(world.told(second), [WireState::Revoked]);
    let told = [WireState::Retrying, WireState::Revoked];
    assert_eq!(world.told(first), told);
    assert!(world.agent.has_told_all());
    world.pass(HOUR);
    assert_eq!(
        (world.order(), world.told(first)),
        (vec![1, 2], told.into())
    );
}

#[test]
fn a_process_that_goes_on_with_an_unpairing_hands_nothing_over() {
    let hourly = PaceLimits {
        sim_parts_per_hour: Some(1),
        ..PaceLimits::UNLIMITED
    };
    let mut world = World::with(hourly);
    world.send_all(1..=2);
    world.answer(OK);
    world.now = world.now.plus_ms(HOUR);
    world.restart_leaving();
    assert_eq!(world.order(), [1]);
    assert_eq!(world.told(message(2, 1)), [WireState::Revoked]);
}

#[test]
fn all_is_told_only_once_the_radio_has_answered_and_the_hub_has_acked() {
    let mut world = World::new();
    world.send(send(1));
    assert!(!world.agent.has_told_all());
    unpair(&mut world);
    assert!(!world.agent.has_told_all(), "the radio has it in hand");
    world.acking = false;
    world.answer(OK);
    assert!(!world.agent.has_told_all(), "the hub has not acked");
    let s = world.last_fact().s;
    world.ack(s);
    world.drain();
    assert!(world.agent.has_told_all(), "a report is not waited for");
}

#[test]
fn a_hub_that_is_away_is_waited_for_to_hear_of_the_end() {
    let mut world = World::new();
    unpair(&mut world);
    assert!(world.agent.has_told_all());
    world.agent.handle_disconnected(None, world.now);
    assert!(!world.agent.has_told_all(), "nobody hears it");
    world.drain();
    world.pass(MINUTE);
    assert!(world.agent.has_told_all());
}

#[test]
fn an_unpaired_phone_says_so_and_never_dials_again() {
    let mut world = World::new();
    world.agent.handle_unpaired(world.now);
    world.drain();
    assert_eq!(world.byes, [CloseCode::NotPaired.code()]);
    assert_eq!(world.closed, [CloseCode::NotPaired]);
    assert_eq!(world.events.last(), Some(&Event::LinkDown));
    never_dials(&mut world);
}

#[test]
fn an_app_that_stops_says_so_and_dials_no_more() {
    let mut world = World::new();
    world.agent.handle_stop(world.now);
    world.drain();
    assert_eq!(world.byes, [CloseCode::GoingAway.code()]);
    never_dials(&mut world);
}

fn never_dials(world: &mut World) {
    world.agent.handle_network_change(world.now);
    world.drain();
    world.pass(48 * HOUR);
    assert_eq!(world.hellos.len(), 1);
}

#[test]
fn what_the_hub_says_at_the_end_of_a_connection_is_shown_and_obeyed() {
    let ended = |close| {
        let mut world = World::new();
        world.agent.handle_disconnected(Some(close), world.now);
        world.drain();
        world.pass(23 * HOUR);
        let hellos = world.hellos.len();
        (world.events.last().cloned(), hellos, world)
    };
    for close in [CloseCode::NotPaired, CloseCode::JournalWentBack] {
        let (shown, hellos, _) = ended(close);
        assert_eq!((shown, hellos), (Some(Event::PairingNeeded { close }), 1));
    }
    let (shown, hellos, mut world) = ended(CloseCode::NeedsNewerApp);
    assert_eq!((shown, hellos), (Some(Event::UpdateNeeded), 1));
    world.pass(HOUR);
    assert_eq!(world.hellos.len(), 2, "once a day");
    let (shown, hellos, world) = ended(CloseCode::Replaced);
    assert_eq!((shown, hellos), (Some(Event::LinkUp), 2));
    assert!(world.events.contains(&Event::LinkReplaced));
    let (_, _, world) = ended(CloseCode::GoingAway);
    assert!(!world.events.contains(&Event::LinkReplaced));
}

#[test]
fn a_phone_that_is_not_known_goes_on_trying_and_hands_nothing_over_until_it_is() {
    let mut world = World::new();
    world.send_all(1..=3);
    world.online = false;
    world
        .agent
        .handle_disconnected(Some(CloseCode::NotKnown), world.now);
    world.drain();
    assert!(world.events.contains(&Event::NotKnownHere));
    let tokens: Vec<_> = world
        .handed_over
        .iter()
        .map(|(_, task)| task.token)
        .collect();
    for token in tokens {
        world.result(token, 0, 1, OK);
    }
    world.pass(MINUTE);
    assert_eq!(world.order(), [1, 2], "what the radio has runs to its end");
    world.restart();
    world.pass(MINUTE);
    assert_eq!(world.order(), [1, 2], "a restart changes nothing");
    let slots = world.agent.slots(world.now);
    let waits = slots[0].next.map(|next| next.waiting_for);
    assert_eq!(waits, Some("not_known"));
    world.online = true;
    world.pass(MINUTE);
    assert!(world.order().contains(&3), "it is welcome again");
}

#[test]
fn lives_go_on_while_the_phone_is_not_known() {
    let mut world = World::new();
    world
        .agent
        .handle_command(Command::SetPaused(true), world.now)
        .unwrap();
    world.drain();
    let message = world.send(Send {
        ttl_ms: 2 * HOUR,
        ..send(1)
    });
    world.online = false;
    world
        .agent
        .handle_disconnected(Some(CloseCode::NotKnown), world.now);
    world
        .agent
        .handle_command(Command::SetPaused(false), world.now)
        .unwrap();
    world.drain();
    world.pass(3 * HOUR);
    world.online = true;
    world.pass(MINUTE);
    assert_eq!(world.told(message), [WireState::Expired]);
    assert!(world.order().is_empty());
}

#[test]
fn a_hub_that_is_misunderstood_again_and_again_is_shown() {
    let mut world = World::new();
    for times in 1..=3 {
        let close = Some(CloseCode::ProtocolError);
        world.agent.handle_disconnected(close, world.now);
        world.drain();
        let shown = world.events.contains(&Event::LinkFailing);
        assert_eq!(shown, times == 3);
        world.pass(1_000);
    }
}
