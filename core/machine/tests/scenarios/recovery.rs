//! Silence, restarts and reboots: what cannot be known is reported as unknown.

use crate::world::*;
use postrider_link::frame::{Config, Send};
use postrider_machine::{Command, Event, RadioFact};
use postrider_model::WireState;

#[test]
fn silence_stops_the_sim_and_asks_the_provider_and_then_gives_up() {
    let mut world = World::new();
    let first = world.send(send(1));
    world.send(send(2));
    world.answer(OK);
    world.send(send(3));
    world.answer(OK);
    world.pass(2 * MINUTE - 1);
    assert_eq!(world.asked, []);
    world.pass(1);
    assert_eq!(world.asked, [world.handed_over[0].1.token]);
    assert!(world.events.contains(&Event::LookAtPhone { sim: sim(0) }));
    world.send(send(4));
    world.provider(world.asked[0], false);
    world.pass(8 * MINUTE - 1);
    assert_eq!(world.order(), [1, 2, 3]);
    world.pass(1);
    assert_eq!(world.told(first), [WireState::Unknown]);
    assert_eq!(world.order(), [1, 2, 3, 4]);
}

#[test]
fn a_result_ends_the_silence_of_its_sim() {
    let mut world = World::new();
    world.send(send(1));
    world.send(send(2));
    world.send(send(3));
    world.pass(3 * MINUTE);
    assert_eq!(world.order(), [1, 2]);
    world.answer(OK);
    assert_eq!(world.order(), [1, 2, 3]);
}

#[test]
fn the_owner_lets_a_silent_sim_go_on() {
    let mut world = World::new();
    world.send(send(1));
    world.pass(3 * MINUTE);
    world.send(send(2));
    assert_eq!(world.order(), [1]);
    let command = Command::ReleaseSim(sim(0));
    world.agent.handle_command(command, world.now).unwrap();
    world.drain();
    assert_eq!(world.order(), [1, 2]);
    assert!(
        world
            .agent
            .handle_command(Command::ReleaseSim(sim(6)), world.now)
            .is_err()
    );
}

#[test]
fn the_owner_lets_a_sim_go_on_beside_two_that_are_silent() {
    let mut world = World::new();
    let [first, second] = [1, 2].map(|n| world.send(send(n)));
    world.pass(3 * MINUTE);
    world.send_all(3..=5);
    assert_eq!(world.order(), [1, 2]);
    world.command(Command::ReleaseSim(sim(0))).unwrap();
    assert_eq!(world.order(), [1, 2, 3, 4], "two more, and no third");
    world.answer(OK);
    assert_eq!(world.order(), [1, 2, 3, 4, 5]);
    world.answer(OK);
    world.result(world.handed_over[2].1.token, 0, 1, OK);
    world.result(world.handed_over[0].1.token, 0, 1, OK);
    assert_eq!(world.told(first), [WireState::Sent], "late, and as good");
    world.pass(7 * MINUTE);
    assert_eq!(
        world.told(second),
        [WireState::Unknown],
        "it was waited for"
    );
}

#[test]
fn what_falls_silent_after_the_owner_looked_stops_the_sim_anew() {
    let mut world = World::new();
    world.send_all(1..=2);
    world.pass(2 * MINUTE);
    world.command(Command::ReleaseSim(sim(0))).unwrap();
    world.send_all(3..=4);
    world.pass(2 * MINUTE);
    world.send(send(5));
    world.answer(OK);
    assert_eq!(world.order(), [1, 2, 3, 4, 5], "a result came");
    let looks = |world: &World| {
        let look = Event::LookAtPhone { sim: sim(0) };
        world.events.iter().filter(|event| **event == look).count()
    };
    assert_eq!(looks(&world), 4);
}

#[test]
fn service_that_comes_and_goes_does_not_end_a_silence() {
    let mut world = World::new();
    world.send(send(1));
    world.pass(2 * MINUTE);
    for in_service in [false, true] {
        world.tell(RadioFact::ServiceChanged {
            sim: sim(0),
            in_service,
        });
    }
    world.send(send(2));
    assert_eq!(world.order(), [1]);
}

#[test]
fn a_row_of_the_provider_is_proof_that_it_was_sent() {
    let mut world = World::new();
    let first = world.send(send(1));
    world.pass(2 * MINUTE);
    world.provider(world.asked[0], true);
    assert_eq!(world.told(first), [WireState::Sent]);
    world.report(world.asked[0], 0, 0x00);
    assert_eq!(world.told(first), [WireState::Sent, WireState::Delivered]);
}

#[test]
fn late_results_and_reports_correct_what_was_unknown() {
    let unknown = || {
        let mut world = World::new();
        let first = world.send(send(1));
        world.pass(10 * MINUTE);
        assert_eq!(world.told(first), [WireState::Unknown]);
        world
    };
    let after = |code| {
        let mut world = unknown();
        world.answer(code);
        let fact = world.last_fact();
        (fact.state, fact.unsent)
    };
    assert_eq!(after(OK), (WireState::Sent, false));
    assert_eq!(after(1), (WireState::Failed, false));
    assert_eq!(after(13), (WireState::Failed, true));
    assert_eq!(after(4), (WireState::Failed, true));
    let mut world = unknown();
    world.report(world.last_token(), 0, 0x00);
    assert_eq!(world.last_fact().state, WireState::Delivered);
    world.pass(2 * HOUR);
    assert_eq!(world.handed_over.len(), 1);
}

#[test]
fn a_restart_in_the_same_boot_waits_for_late_results_before_it_asks() {
    let mut world = World::new();
    let first = world.send(send(1));
    world.pass(MINUTE);
    world.restart();
    assert_eq!(world.asked, []);
    world.pass(MINUTE);
    assert_eq!(world.asked.len(), 1);
    world.restart();
    world.pass(0);
    assert_eq!(world.asked.len(), 2);
    world.answer(OK);
    assert_eq!(world.told(first), [WireState::Sent]);
    assert_eq!(world.handed_over.len(), 1);
}

#[test]
fn a_reboot_asks_the_provider_at_once_and_takes_its_word() {
    for found in [true, false] {
        let mut world = World::new();
        let first = world.send(send(1));
        world.reboot(5_000);
        assert_eq!(world.asked, [world.last_token()]);
        world.provider(world.asked[0], found);
        let expected = if found {
            WireState::Sent
        } else {
            WireState::Unknown
        };
        assert_eq!(world.told(first), [expected]);
        world.pass(HOUR);
        assert_eq!(world.handed_over.len(), 1);
    }
}

#[test]
fn a_provider_that_does_not_answer_after_a_reboot_leaves_the_outcome_unknown() {
    let mut world = World::new();
    let first = world.send(send(1));
    world.reboot(HOUR);
    world.pass(MINUTE);
    assert_eq!(world.told(first), [WireState::Unknown]);
}

#[test]
fn a_restart_in_each_state_goes_on_from_there() {
    let mut world = World::new();
    let paused = |pause| Config {
        pause,
        ..Config::default()
    };
    world.configure(paused(true));
    let waiting = world.send(send(1));
    world.restart();
    assert_eq!(world.told(waiting), []);
    world.configure(paused(false));
    assert_eq!(world.order(), [1]);
    world.restart();
    world.answer(OK);
    world.restart();
    world.report(world.last_token(), 0, 0x00);
    world.restart();
    assert_eq!(world.told(waiting), [WireState::Sent, WireState::Delivered]);
    world.pass(12 * 60 * MINUTE);
    assert_eq!(world.order(), [1]);
}

#[test]
fn the_sender_may_choose_to_send_what_is_unknown_again() {
    let mut world = World::new();
    let first = world.send(send(1));
    world.pass(10 * MINUTE);
    let second = world.send(Send { ep: 2, ..send(1) });
    assert_eq!(world.last_token().message, second);
    let token = world.handed_over[0].1.token;
    world.answer(13);
    world.result(token, 0, 1, OK);
    assert_eq!(world.told(first), [WireState::Unknown, WireState::Sent]);
    world.revoke(second);
    world.pass(HOUR);
    assert_eq!(world.handed_over.len(), 2);
}

#[test]
fn a_process_that_dies_before_the_commit_has_never_had_the_message() {
    let mut world = World::new();
    world.dies = Some(Death::BeforeCommit);
    let first = world.send(send(1));
    assert!(world.order().is_empty());
    assert!(world.disk.message(first).is_none());
    world.send(send(1));
    assert_eq!(world.order(), [1]);
}

#[test]
fn a_process_that_dies_between_the_commit_and_the_radio_call_never_makes_it() {
    let mut world = World::new();
    world.dies = Some(Death::AfterCommit);
    let first = world.send(send(1));
    world.pass(2 * MINUTE);
    world.provider(world.asked[0], false);
    world.pass(8 * MINUTE);
    assert_eq!(world.told(first), [WireState::Unknown]);
    assert!(world.order().is_empty());
}

#[test]
fn a_row_that_was_looked_for_before_the_next_try_says_nothing_of_it() {
    let mut world = World::new();
    let first = world.send(send(1));
    world.pass(2 * MINUTE);
    world.answer(13);
    world.pass(20_000);
    assert_eq!(world.last_token().attempt, 2);
    world.provider(world.asked[0], true);
    assert_eq!(world.told(first), [WireState::Retrying]);
    world.answer(OK);
    world.provider(world.last_token(), true);
    assert_eq!(world.told(first), [WireState::Retrying, WireState::Sent]);
}
