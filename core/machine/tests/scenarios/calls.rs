//! Calls: placed one at a time, each incoming one reported once, and what the log says of both.

use crate::world::*;
use postrider_link::frame::{Address, Config, Kind, Send};
use postrider_machine::{
    CALL_MS_MAX, CallKind, CallLogRow, CallRefusal, CallState, Condition, DIALLED_MS_MAX, Log,
    LogPage, RadioFact, SCAN_MS,
};
use postrider_model::WireState;

const FRIEND: &str = "+15005550009";

fn call(n: i64) -> Send {
    Send {
        kind: Kind::Call,
        text: None,
        ..send(n)
    }
}

fn line(world: &mut World, state: CallState, number: Option<&str>) {
    line_of(world, 0, state, number);
}

fn line_of(world: &mut World, slot: u8, state: CallState, number: Option<&str>) {
    world.tell(RadioFact::CallState {
        sim: sim(slot),
        state,
        number: number.map(Address::new),
        incoming: None,
    });
}

/// Writes a row of a call that began so many seconds ago.
fn log(world: &mut World, kind: CallKind, number: Option<&str>, ago_s: u64, duration_s: i64) {
    let row = CallLogRow {
        row: i64::try_from(world.logs.calls.len()).unwrap() + 1,
        sim: sim(0),
        number: number.map(Address::new),
        kind,
        started_at: world
            .now
            .unix
            .plus_ms(-i64::try_from(ago_s * 1_000).unwrap()),
        duration_s,
    };
    world.logs.calls.push(row);
}

/// Reads the call log at this moment, whatever the line says.
fn read_log(world: &mut World) {
    let page = LogPage::Calls(world.logs.calls.clone());
    let complete = true;
    world.tell(RadioFact::LogRead { page, complete });
}

fn lengths(world: &World) -> Vec<(Option<i64>, Option<i64>)> {
    let calls = world.inbound.iter().filter(|fact| fact.kind == Kind::Call);
    calls.map(|fact| (fact.duration_s, fact.ring_s)).collect()
}

fn called(world: &World) -> Vec<i64> {
    let tokens = world.called.iter();
    tokens.map(|(token, _)| token.message.id.get()).collect()
}

/// Dials, talks for `spoken_s`, and hangs up; the log has it.
fn speak(world: &mut World, to: &str, spoken_s: u64) {
    line(world, CallState::OffHook, None);
    world.pass(8_000 + spoken_s * 1_000);
    let spoken = i64::try_from(spoken_s).unwrap();
    log(world, CallKind::Outgoing, Some(to), 8 + spoken_s, spoken);
    line(world, CallState::Idle, None);
}

#[test]
fn a_placed_call_is_sent_with_its_length_once_the_log_has_it() {
    let mut world = World::new();
    let message = world.send(call(1));
    assert_eq!(world.called[0].1.as_str(), "+15005550001");
    speak(&mut world, "(500) 555-0001", 60);
    assert_eq!(world.told(message), [WireState::Sent]);
    let fact = world.last_fact();
    assert_eq!((fact.duration_s, fact.ring_s), (Some(60), Some(8)));
    assert!(world.inbound.is_empty(), "it is no call from outside");
}

#[test]
fn a_call_that_nobody_answered_lasts_minus_one() {
    let mut world = World::new();
    world.send(call(1));
    speak(&mut world, "+15005550001", 0);
    let fact = world.last_fact();
    assert_eq!((fact.state, fact.duration_s), (WireState::Sent, Some(-1)));
    assert_eq!(fact.ring_s, Some(8));
}

#[test]
fn a_log_that_is_written_late_is_looked_into_again() {
    let mut world = World::new();
    let message = world.send(call(1));
    line(&mut world, CallState::OffHook, None);
    world.pass(20_000);
    line(&mut world, CallState::Idle, None);
    world.pass(5_000);
    log(&mut world, CallKind::Outgoing, Some("+15005550001"), 25, 3);
    assert_eq!(world.told(message), []);
    world.pass(5_000);
    assert_eq!(world.told(message), [WireState::Sent]);
    assert_eq!(world.last_fact().duration_s, Some(3));
}

#[test]
fn without_a_row_the_call_is_unknown_and_a_late_row_corrects_it() {
    let mut world = World::new();
    let message = world.send(call(1));
    line(&mut world, CallState::OffHook, None);
    line(&mut world, CallState::Idle, None);
    world.pass(MINUTE);
    assert_eq!(world.told(message), [WireState::Unknown]);
    log(&mut world, CallKind::Outgoing, Some("+15005550001"), 60, 3);
    world.pass(SCAN_MS);
    assert_eq!(world.told(message), [WireState::Unknown, WireState::Sent]);
}

#[test]
fn a_line_that_never_said_anything_is_looked_up_in_the_log() {
    let mut world = World::new();
    world.pass(0);
    let message = world.send(call(1));
    log(&mut world, CallKind::Outgoing, Some("+15005550001"), 0, 3);
    world.pass(DIALLED_MS_MAX - 1);
    assert_eq!(world.told(message), []);
    world.pass(1);
    assert_eq!(world.told(message), [WireState::Sent]);
}

#[test]
fn a_refused_call_provably_never_went_out_and_the_next_is_placed() {
    let mut world = World::new();
    for (n, why, word) in [
        (1, CallRefusal::NotPermitted, "call_not_permitted"),
        (2, CallRefusal::NoAccount, "call_no_account"),
        (3, CallRefusal::Other, "call_refused"),
    ] {
        world.send(call(n));
        let token = world.called.last().unwrap().0;
        world.tell(RadioFact::CallRefused { token, why });
        let fact = world.last_fact();
        assert_eq!((fact.state, fact.unsent), (WireState::Failed, true));
        assert_eq!(fact.code.as_deref(), Some(word));
        assert!(fact.detail.is_some());
    }
    assert_eq!(called(&world), [1, 2, 3]);
}

#[test]
fn one_call_at_a_time_on_the_whole_phone_by_priority_and_age() {
    let mut world = World::new();
    world.send(call(1));
    world.send(call(2));
    world.send(Send {
        sim: sim(1),
        priority: 1,
        ..call(3)
    });
    assert_eq!(called(&world), [1]);
    speak(&mut world, "+15005550001", 1);
    assert_eq!(called(&world), [1, 3]);
}

#[test]
fn no_call_is_placed_into_another_one() {
    let mut world = World::new();
    line_of(&mut world, 1, CallState::OffHook, None);
    let mortal = world.send(Send {
        ttl_ms: MINUTE,
        ..call(1)
    });
    world.send(call(2));
    world.pass(MINUTE);
    assert_eq!(world.told(mortal), [WireState::Expired]);
    assert!(world.called.is_empty());
    line_of(&mut world, 1, CallState::Idle, None);
    assert_eq!(called(&world), [2]);
}

#[test]
fn a_line_that_never_came_back_keeps_no_call_for_ever() {
    let mut world = World::new();
    line(&mut world, CallState::OffHook, None);
    world.send(call(1));
    world.pass(CALL_MS_MAX - 1);
    assert!(world.called.is_empty());
    world.pass(1);
    assert_eq!(called(&world), [1]);
}

#[test]
fn a_call_from_outside_whose_end_was_never_told_is_told_all_the_same() {
    let mut world = World::new();
    line(&mut world, CallState::Ringing, Some(FRIEND));
    world.pass(4_000);
    line(&mut world, CallState::OffHook, None);
    world.pass(CALL_MS_MAX - 4_000 - 1);
    assert!(world.inbound.is_empty());
    world.pass(1 + MINUTE);
    assert_eq!(lengths(&world).len(), 1);
    assert_eq!(world.inbound[0].from.as_str(), FRIEND);
}

#[test]
fn a_call_whose_life_is_over_is_not_placed() {
    let mut world = World::new();
    let message = world.send(Send {
        ttl_ms: 0,
        ..call(1)
    });
    world.send(call(2));
    assert_eq!(called(&world), [2]);
    assert_eq!(world.told(message), [WireState::Expired]);
}

#[test]
fn pause_quiet_hours_revoke_and_cancel_hold_a_call() {
    let mut world = World::new();
    let now = world.now.unix.0;
    world.configure(Config {
        quiet: vec![(now, now + 60_000)],
        ..Config::default()
    });
    let [first, second, third] = [1, 2, 3].map(|n| world.send(call(n)));
    world.revoke(first);
    world.cancel(second);
    world.pass(MINUTE - 1);
    assert!(world.called.is_empty());
    world.pass(1);
    assert_eq!(called(&world), [3]);
    world.cancel(third);
    assert_eq!(world.told(first), [WireState::Revoked]);
    assert_eq!(world.told(second), [WireState::Cancelled]);
    assert_eq!(world.told(third), [WireState::Submitting]);
}

#[test]
fn what_is_no_number_is_not_called() {
    let mut world = World::new();
    for (n, to) in [(1, "*21#"), (2, "Bank"), (3, "")] {
        world.send(Send {
            to: Address::new(to),
            ..call(n)
        });
        let fact = world.last_fact();
        assert_eq!((fact.state, fact.unsent), (WireState::Failed, true));
        assert_eq!(fact.code.as_deref(), Some("invalid_recipient"));
    }
    assert!(world.called.is_empty());
}

#[test]
fn after_a_restart_the_log_says_what_became_of_a_call() {
    for reboots in [false, true] {
        let mut world = World::new();
        let message = world.send(call(1));
        line(&mut world, CallState::OffHook, None);
        log(&mut world, CallKind::Outgoing, Some("+15005550001"), 0, 42);
        if reboots {
            world.reboot(MINUTE);
        } else {
            world.restart();
        }
        world.pass(MINUTE);
        assert_eq!(world.told(message), [WireState::Sent]);
        let fact = world.last_fact();
        assert_eq!((fact.duration_s, fact.ring_s), (Some(42), Some(-1)));
        assert_eq!(called(&world), [1]);
    }
}

#[test]
fn after_a_restart_without_a_row_it_is_unknown_and_never_placed_again() {
    let mut world = World::new();
    let message = world.send(call(1));
    world.restart();
    world.pass(2 * MINUTE);
    assert_eq!(world.told(message), [WireState::Unknown]);
    assert_eq!(called(&world), [1]);
}

#[test]
fn a_call_that_still_runs_after_a_restart_is_waited_for() {
    let mut world = World::new();
    let message = world.send(call(1));
    line(&mut world, CallState::OffHook, None);
    world.restart();
    line(&mut world, CallState::OffHook, None);
    world.pass(10 * MINUTE);
    assert_eq!(world.told(message), []);
    log(
        &mut world,
        CallKind::Outgoing,
        Some("+15005550001"),
        600,
        595,
    );
    line(&mut world, CallState::Idle, None);
    assert_eq!(world.told(message), [WireState::Sent]);
    assert_eq!(world.last_fact().ring_s, Some(-1), "nobody heard it whole");
}

#[test]
fn one_row_is_claimed_by_one_call_even_over_a_restart() {
    let mut world = World::new();
    let first = world.send(call(1));
    speak(&mut world, "+15005550001", 1);
    assert_eq!(world.told(first), [WireState::Sent]);
    let second = world.send(call(2));
    world.restart();
    world.pass(3 * MINUTE);
    assert_eq!(world.told(second), [WireState::Unknown]);
}

#[test]
fn the_owners_own_calls_are_nobodys_business() {
    let mut world = World::new();
    line(&mut world, CallState::OffHook, None);
    log(&mut world, CallKind::Outgoing, Some(FRIEND), 0, 3);
    line(&mut world, CallState::Idle, None);
    world.pass(HOUR);
    assert!(world.inbound.is_empty());
}

#[test]
fn an_answered_call_is_told_with_its_length_and_the_time_it_rang() {
    let mut world = World::new();
    line(&mut world, CallState::Ringing, None);
    line(&mut world, CallState::Ringing, Some(FRIEND));
    world.pass(9_000);
    line(&mut world, CallState::OffHook, None);
    world.pass(30_000);
    log(&mut world, CallKind::Incoming, Some(FRIEND), 39, 30);
    line(&mut world, CallState::Idle, None);
    line(&mut world, CallState::Idle, Some(FRIEND));
    assert_eq!(lengths(&world), [(Some(30), Some(9))]);
    let fact = &world.inbound[0];
    assert_eq!(fact.from.as_str(), FRIEND);
    assert_eq!(fact.wall, START.unix.0, "told as of when it began");
    world.pass(HOUR);
    world.restart();
    world.pass(HOUR);
    assert_eq!(world.inbound.len(), 1);
}

#[test]
fn what_nobody_answered_lasts_minus_one() {
    for kind in [
        CallKind::Missed,
        CallKind::Rejected,
        CallKind::Blocked,
        CallKind::Voicemail,
    ] {
        let mut world = World::new();
        line(&mut world, CallState::Ringing, Some(FRIEND));
        world.pass(20_000);
        log(&mut world, kind, Some(FRIEND), 20, 0);
        line(&mut world, CallState::Idle, None);
        assert_eq!(lengths(&world), [(Some(-1), Some(20))]);
    }
}

#[test]
fn a_call_of_which_the_line_told_nothing_comes_from_the_log() {
    let mut world = World::new();
    world.pass(1_000);
    log(&mut world, CallKind::Missed, Some(FRIEND), 0, 0);
    world.tell(RadioFact::LogChanged(Log::Calls));
    world.pass(MINUTE);
    assert_eq!(lengths(&world), [(Some(-1), Some(-1))]);
}

#[test]
fn a_withheld_number_is_an_empty_sender() {
    let mut world = World::new();
    line(&mut world, CallState::Ringing, None);
    world.pass(5_000);
    log(&mut world, CallKind::Missed, None, 5, 0);
    line(&mut world, CallState::Idle, None);
    assert_eq!(world.inbound[0].from.as_str(), "");
    assert_eq!(lengths(&world), [(Some(-1), Some(5))]);
}

#[test]
fn a_log_that_may_not_be_read_leaves_what_the_line_told() {
    let mut world = World::new();
    line(&mut world, CallState::Ringing, None);
    world.pass(4_000);
    line(&mut world, CallState::OffHook, None);
    world.pass(11_000);
    line(&mut world, CallState::Idle, None);
    world.pass(MINUTE - 1);
    assert!(world.inbound.is_empty());
    world.pass(1);
    assert_eq!(lengths(&world), [(Some(11), Some(4))]);
    log(&mut world, CallKind::Incoming, Some(FRIEND), 75, 11);
    world.pass(2 * SCAN_MS);
    assert_eq!(world.inbound.len(), 1, "its late row is the same call");
}

#[test]
fn a_row_that_is_read_before_the_line_is_told_to_be_free_says_that_it_rings_no_more() {
    for (kind, spoken_s, rang_s) in [
        (CallKind::Missed, 0, 20),
        (CallKind::Rejected, 0, 20),
        (CallKind::Incoming, 12, 8),
    ] {
        let mut world = World::new();
        world.pass(1_000);
        line(&mut world, CallState::Ringing, Some(FRIEND));
        world.pass(20_000);
        log(&mut world, kind, Some(FRIEND), 20, spoken_s);
        read_log(&mut world);
        let duration_s = if spoken_s > 0 { spoken_s } else { -1 };
        assert_eq!(lengths(&world), [(Some(duration_s), Some(rang_s))]);
        line(&mut world, CallState::Idle, None);
        world.pass(2 * MINUTE);
        assert_eq!(world.inbound.len(), 1);
    }
}

#[test]
fn a_row_is_of_the_nearest_ring() {
    let mut world = World::new();
    line(&mut world, CallState::Ringing, Some(FRIEND));
    world.pass(4_000);
    line(&mut world, CallState::Idle, None);
    world.pass(16_000);
    line(&mut world, CallState::Ringing, Some(FRIEND));
    world.pass(9_000);
    log(&mut world, CallKind::Missed, Some(FRIEND), 9, 0);
    read_log(&mut world);
    world.pass(2 * MINUTE);
    assert_eq!(lengths(&world), [(Some(-1), Some(9)), (Some(-1), Some(4))]);
}

#[test]
fn a_row_is_of_no_ring_that_began_after_its_call() {
    let mut world = World::new();
    world.pass(40_000);
    line(&mut world, CallState::Ringing, Some(FRIEND));
    world.pass(5_000);
    log(&mut world, CallKind::Incoming, Some(FRIEND), 40, 30);
    read_log(&mut world);
    assert_eq!(lengths(&world), [(Some(30), Some(-1))]);
    log(&mut world, CallKind::Missed, Some(FRIEND), 5, 0);
    line(&mut world, CallState::Idle, None);
    assert_eq!(lengths(&world)[1], (Some(-1), Some(5)));
}

#[test]
fn a_second_call_beside_the_first_keeps_both_apart() {
    let mut world = World::new();
    line(&mut world, CallState::Ringing, Some(FRIEND));
    world.pass(5_000);
    line(&mut world, CallState::OffHook, None);
    world.pass(60_000);
    line(&mut world, CallState::Ringing, Some("+15005550008"));
    world.pass(7_000);
    line(&mut world, CallState::OffHook, None);
    log(&mut world, CallKind::Missed, Some("+15005550008"), 7, 0);
    world.pass(3_000);
    log(&mut world, CallKind::Incoming, Some(FRIEND), 75, 70);
    line(&mut world, CallState::Idle, None);
    assert_eq!(lengths(&world), [(Some(70), Some(5)), (Some(-1), Some(7))]);
}

#[test]
fn a_call_that_comes_in_beside_a_placed_one_does_not_confuse_it() {
    let mut world = World::new();
    let message = world.send(call(1));
    line(&mut world, CallState::OffHook, None);
    world.pass(30_000);
    line(&mut world, CallState::Ringing, Some(FRIEND));
    world.pass(6_000);
    log(&mut world, CallKind::Rejected, Some(FRIEND), 6, 0);
    line(&mut world, CallState::OffHook, None);
    world.pass(4_000);
    log(&mut world, CallKind::Outgoing, Some("+15005550001"), 40, 35);
    line(&mut world, CallState::Idle, None);
    assert_eq!(world.told(message), [WireState::Sent]);
    let fact = world.last_fact();
    assert_eq!((fact.duration_s, fact.ring_s), (Some(35), Some(5)));
    assert_eq!(lengths(&world), [(Some(-1), Some(6))]);
}

#[test]
fn an_owner_who_does_not_forward_keeps_calls_too() {
    let mut world = World::new();
    world.tell(RadioFact::ConditionChanged(Condition {
        forwarding: Some(false),
        ..Condition::default()
    }));
    line(&mut world, CallState::Ringing, Some(FRIEND));
    world.pass(1_000);
    log(&mut world, CallKind::Missed, Some(FRIEND), 1, 0);
    line(&mut world, CallState::Idle, None);
    world.tell(RadioFact::ConditionChanged(Condition::default()));
    world.pass(HOUR);
    assert!(
        world.inbound.is_empty(),
        "what was kept then is not told now"
    );
}

#[test]
fn calls_on_two_sims_at_once_keep_their_own_times() {
    let other = "+15005550008";
    let mut world = World::new();
    let began = world.now.unix;
    line_of(&mut world, 0, CallState::Ringing, Some(FRIEND));
    world.pass(3_000);
    line_of(&mut world, 1, CallState::Ringing, Some(other));
    world.pass(2_000);
    line_of(&mut world, 0, CallState::OffHook, None);
    world.pass(4_000);
    line_of(&mut world, 1, CallState::Idle, None);
    world.pass(11_000);
    log(&mut world, CallKind::Incoming, Some(FRIEND), 20, 15);
    world.logs.calls.push(CallLogRow {
        row: 2,
        sim: sim(1),
        number: Some(Address::new(other)),
        kind: CallKind::Missed,
        started_at: began.plus_ms(3_000),
        duration_s: 0,
    });
    line_of(&mut world, 0, CallState::Idle, None);
    assert_eq!(lengths(&world), [(Some(15), Some(5)), (Some(-1), Some(6))]);
}

#[test]
fn only_a_row_of_its_sim_and_its_number_is_of_a_placed_call() {
    let mut world = World::new();
    let message = world.send(call(1));
    line(&mut world, CallState::OffHook, None);
    world.pass(10_000);
    log(&mut world, CallKind::Outgoing, Some("+15005550001"), 10, 1);
    world.logs.calls[0].sim = sim(1);
    log(&mut world, CallKind::Outgoing, Some(FRIEND), 10, 2);
    log(&mut world, CallKind::Missed, Some("+15005550001"), 10, 0);
    line(&mut world, CallState::Idle, None);
    assert_eq!(world.told(message), []);
    log(&mut world, CallKind::Outgoing, Some("+15005550001"), 9, 3);
    world.pass(2_000);
    assert_eq!(world.told(message), [WireState::Sent]);
    assert_eq!(world.last_fact().duration_s, Some(3));
}

#[test]
fn a_call_to_the_recipient_of_a_text_says_nothing_of_the_text() {
    let mut world = World::new();
    let text = world.send(send(1));
    line(&mut world, CallState::OffHook, None);
    log(&mut world, CallKind::Outgoing, Some("+15005550001"), 0, 3);
    line(&mut world, CallState::Idle, None);
    world.pass(MINUTE);
    assert_eq!(world.told(text), []);
}
