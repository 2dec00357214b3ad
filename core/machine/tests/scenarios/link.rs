//! What the link takes from the machines and gives to them.

use crate::world::*;
use postrider_link::{close::CloseCode, codec::DecodeError, frame::Send};
use postrider_machine::{Condition, Counters, Effect, Event, RadioFact, SendToken};
use postrider_model::WireState;

#[test]
fn hello_lists_what_may_still_be_handed_over_and_what_is_not_acked() {
    let mut world = World::new();
    let (sent, submitting) = (world.send(send(1)), world.send(send(2)));
    world.result(world.handed_over[0].1.token, 0, 1, OK);
    let waiting = world.send(Send {
        sim: sim(0),
        ..send(3)
    });
    world.acking = false;
    let failed = world.send(Send {
        sim: sim(1),
        ..send(4)
    });
    world.answer(3);
    world.disconnect();
    world.pass(1_000);
    let held: Vec<_> = world
        .hellos
        .last()
        .unwrap()
        .iter()
        .map(|row| (row.id, row.state))
        .collect();
    assert_eq!(
        held,
        [
            (submitting.id, WireState::Submitting),
            (waiting.id, WireState::Submitting),
            (failed.id, WireState::Failed)
        ]
    );
    assert!(world.told(sent).contains(&WireState::Sent));
}

#[test]
fn an_unknown_outcome_that_the_hub_has_heard_of_is_not_listed_again() {
    let mut world = World::new();
    let lost = world.send(send(1));
    world.pass(2 * HOUR);
    assert_eq!(world.told(lost), [WireState::Unknown]);
    world.disconnect();
    world.pass(1_000);
    assert_eq!(world.hellos.last().unwrap(), &[]);
}

#[test]
fn facts_of_an_offline_phone_reach_the_hub_later() {
    let mut world = World::new();
    let first = world.send(send(1));
    world.online = false;
    world.disconnect();
    world.answer(OK);
    world.report(world.last_token(), 0, 0x00);
    world.restart();
    assert_eq!(world.told(first), []);
    world.online = true;
    world.pass(MINUTE);
    assert_eq!(world.told(first), [WireState::Sent, WireState::Delivered]);
}

#[test]
fn a_frame_is_acked_and_acted_on_only_after_its_commit() {
    let mut world = World::new();
    let frame = postrider_link::frame::HubFrame::Send(Send { s: 1, ..send(1) });
    world.agent.handle_frame(frame, world.now);
    assert_eq!(world.agent.poll_effect(), None);
    let changes: Vec<_> = std::iter::from_fn(|| world.agent.poll_change()).collect();
    assert_eq!(world.agent.poll_effect(), None);
    world.disk.commit(changes);
    world.agent.handle_committed(world.now);
    let effects: Vec<_> = std::iter::from_fn(|| world.agent.poll_effect()).collect();
    assert!(matches!(effects[0], Effect::SendParts(_)));
    assert!(matches!(effects[1], Effect::WriteFrame(_)));
}

#[test]
fn a_bad_frame_closes_the_connection_and_it_is_dialled_again() {
    let mut world = World::new();
    world
        .agent
        .handle_bad_frame(DecodeError::NotJson, world.now);
    world.drain();
    assert!(world.events.contains(&Event::LinkDown));
    assert_eq!(world.closed, [CloseCode::ProtocolError]);
    world.pass(1_000);
    assert_eq!(world.hellos.len(), 2);
    assert_eq!(world.events.last(), Some(&Event::LinkUp));
}

#[test]
fn health_is_told_on_a_change_and_at_most_once_a_minute() {
    let mut world = World::new();
    assert_eq!(world.health.len(), 1);
    let battery = |world: &mut World, percent| {
        let condition = Condition {
            battery: Some(percent),
            ..Condition::default()
        };
        world.tell(RadioFact::ConditionChanged(condition));
    };
    (1..=50).for_each(|percent| battery(&mut world, percent));
    assert_eq!(world.health.len(), 1);
    world.pass(MINUTE);
    assert_eq!(world.health.len(), 2);
    assert_eq!(world.health[1].battery, Some(50));
    world.pass(10 * MINUTE);
    assert_eq!(world.health.len(), 2);
    battery(&mut world, 51);
    assert_eq!(world.health.len(), 3);
}

#[test]
fn health_is_not_kept_for_a_hub_that_is_away() {
    let mut world = World::new();
    world.online = false;
    world.disconnect();
    for percent in 1..=50 {
        let condition = Condition {
            battery: Some(percent),
            ..Condition::default()
        };
        world.tell(RadioFact::ConditionChanged(condition));
        world.pass(2 * MINUTE);
    }
    world.online = true;
    world.pass(MINUTE);
    assert_eq!(world.health.len(), 2);
}

#[test]
fn the_installation_is_named_once() {
    let mut world = World::new();
    let name = world.disk.snapshot().install.unwrap();
    world.restart();
    assert_eq!(world.disk.snapshot().install.unwrap(), name);
}

#[test]
fn a_hub_that_was_restored_is_shown_what_it_forgot_and_counts_from_1() {
    let mut world = World::new();
    let known = world.send(send(1));
    world.answer(OK);
    let up = world.last_fact().s;
    world.report(world.last_token(), 0, 0x00);
    let forgotten = world.send(send(2));
    world.tell(RadioFact::SmsReceived(sms("yes", 7, None)));
    world.online = false;
    world.disconnect();
    world.answer(OK);
    world.online = true;
    world.restored = Some((1, up));
    world.pass(MINUTE);
    let mut shown: Vec<_> = world.held.iter().map(|row| (row.id, row.state)).collect();
    shown.sort();
    assert_eq!(
        shown,
        [
            (known.id, WireState::Delivered),
            (forgotten.id, WireState::Sent)
        ]
    );
    assert_eq!(world.inbound.len(), 2);
    assert_eq!(world.inbound[0].n, world.inbound[1].n);
    let restarted: Vec<_> = world.facts.iter().map(|fact| fact.s).collect();
    assert!(restarted[restarted.len() - 1] < up + 3, "{restarted:?}");
    let link = world.disk.snapshot().link;
    assert_eq!((link.generation, link.down), (2, 0));
    assert_eq!(link.up_acked, link.up_highest);
    world.restart();
    world.report(world.last_token(), 0, 0x00);
    assert_eq!(world.last_fact().state, WireState::Delivered);
    assert!(
        world
            .disk
            .message(forgotten)
            .unwrap()
            .progress
            .ended
            .is_some()
    );
}

#[test]
fn a_death_while_the_hub_starts_over_loses_no_incoming_message() {
    for death in [Death::BeforeCommit, Death::AfterCommit] {
        for commits in 0..6 {
            let mut world = World::new();
            world.tell(RadioFact::SmsReceived(sms("yes", 7, None)));
            world.disconnect();
            world.inbound.clear();
            world.restored = Some((0, 0));
            (world.dies, world.commits_before_death) = (Some(death), commits);
            world.pass(2 * MINUTE);
            let told: Vec<_> = world.inbound.iter().map(|inbound| inbound.n).collect();
            assert!(told.contains(&1), "{death:?} at commit {commits}: {told:?}");
        }
    }
}

#[test]
fn another_network_is_dialled_over_at_once() {
    let mut world = World::new();
    let change = |world: &mut World| {
        world.agent.handle_network_change(world.now);
        world.drain();
    };
    change(&mut world);
    assert_eq!(world.hellos.len(), 2);
    world.online = false;
    world.disconnect();
    world.online = true;
    assert_eq!(world.hellos.len(), 2);
    change(&mut world);
    assert_eq!(world.hellos.len(), 3);
}

#[test]
fn the_beat_slows_down_on_battery_and_never_on_the_charger() {
    let pings_in_2_hours = |world: &mut World| {
        let before = world.pings;
        world.pass(2 * HOUR);
        world.pings - before
    };
    let charging = |world: &mut World, charging| {
        world.tell(RadioFact::ConditionChanged(Condition {
            charging: Some(charging),
            ..Condition::default()
        }));
    };
    let mut world = World::new();
    assert!(pings_in_2_hours(&mut world) < 70);
    let mut world = World::new();
    charging(&mut world, true);
    assert_eq!(pings_in_2_hours(&mut world), 160);
    charging(&mut world, false);
    assert!(pings_in_2_hours(&mut world) < 70);
}

#[test]
fn what_should_be_rare_is_counted() {
    let mut world = World::new();
    world.send_all(1..=2);
    world.pass(2 * MINUTE);
    world.answer(5);
    let token = SendToken {
        message: message(9, 9),
        attempt: 1,
    };
    for _ in 0..3 {
        world.result(token, 0, 1, OK);
    }
    let counted = Counters {
        stray_results: 3,
        mismatched_reports: 0,
        silences: 2,
        holds: 1,
        halvings: 1,
    };
    assert_eq!(world.agent.counters(), counted);
}

/// Ends the connection and opens another before anything of the first came out.
fn connect_anew(world: &mut World) {
    world.agent.handle_disconnected(None, world.now);
    world.agent.handle_redial(0, world.now);
    world.agent.handle_timeout(world.now);
    world.agent.handle_connected(world.now);
    world.drain();
}

#[test]
fn what_was_meant_for_an_older_connection_reaches_no_other() {
    let mut world = World::new();
    let heard = RadioFact::SmsReceived(sms("yes", 7, None));
    world.agent.handle_radio(heard, world.now);
    connect_anew(&mut world);
    world.pass(MINUTE);
    assert_eq!((world.hellos.len(), world.inbound.len()), (2, 1));
    let mut world = World::new();
    world
        .agent
        .handle_bad_frame(DecodeError::NotJson, world.now);
    connect_anew(&mut world);
    assert!(world.closed.is_empty(), "the new one is in order");
}
