//! The owner's test messages: counted like any, and not reported to the hub.

use crate::world::*;
use postrider_link::frame::{Address, Config, Send, SimInfo};
use postrider_machine::{
    Command, Event, Guard, PaceLimits, PaceRule, RadioFact, Refused, SentRow, Spell,
};
use postrider_model::{MessageText, WireState};

const TO: &str = "+15005550001";
const TEXT: &str = "a test";

fn test(to: &str, text: &str) -> Command {
    Command::SendTest {
        sim: sim(0),
        to: Address::new(to),
        text: MessageText::new(text),
    }
}

fn try_it(world: &mut World) -> Result<(), Refused> {
    world.command(test(TO, TEXT))
}

/// The hub's message to the number of the test, with its text.
fn alike(n: i64) -> Send {
    Send {
        text: Some(MessageText::new(TEXT)),
        ..send(n)
    }
}

fn hourly(parts: u32) -> PaceLimits {
    PaceLimits {
        sim_parts_per_hour: Some(parts),
        ..PaceLimits::UNLIMITED
    }
}

/// The events about tests.
fn shown(world: &World) -> Vec<(WireState, Option<i32>)> {
    let of_test = |event: &Event| match event {
        Event::TestMoved { state, code, .. } => Some((*state, *code)),
        _ => None,
    };
    world.events.iter().filter_map(of_test).collect()
}

#[test]
fn a_test_goes_at_once_and_what_becomes_of_it_is_shown_and_told_to_no_hub() {
    let mut world = World::new();
    try_it(&mut world).unwrap();
    let task = &world.handed_over[0].1;
    assert_eq!((task.to.as_str(), task.parts, task.report), (TO, 1, true));
    assert_eq!(task.body.text().map(MessageText::as_str), Some(TEXT));
    world.answer(OK);
    world.report(world.last_token(), 0, 0);
    let states = [WireState::Submitting, WireState::Sent, WireState::Delivered];
    assert_eq!(shown(&world), states.map(|state| (state, None)));
    world.pass(HOUR);
    world.disconnect();
    world.pass(MINUTE);
    assert_eq!(world.facts, []);
    assert!(world.hellos.iter().all(Vec::is_empty));
}

#[test]
fn every_part_has_to_be_sent_and_a_report_may_say_that_it_never_arrived() {
    let mut world = World::new();
    let long = "a".repeat(200);
    world.command(test(TO, &long)).unwrap();
    let token = world.last_token();
    world.result(token, 0, 2, OK);
    assert_eq!(shown(&world).len(), 1);
    world.result(token, 1, 2, OK);
    world.report(token, 1, 0x41);
    let last = [(WireState::Sent, None), (WireState::NotDelivered, None)];
    assert_eq!(shown(&world)[1..], last);
}

#[test]
fn a_failure_is_shown_with_its_code() {
    let mut world = World::new();
    try_it(&mut world).unwrap();
    world.answer(3);
    assert_eq!(shown(&world)[1..], [(WireState::Failed, Some(3))]);
    world.pass(72 * HOUR);
    assert_eq!(world.handed_over.len(), 1, "nothing is tried again");
}

#[test]
fn silence_is_unknown_and_a_late_result_corrects_it() {
    let mut world = World::new();
    try_it(&mut world).unwrap();
    world.pass(10 * MINUTE - 1);
    assert_eq!(shown(&world).len(), 1);
    world.pass(1);
    assert_eq!(shown(&world)[1..], [(WireState::Unknown, None)]);
    world.answer(OK);
    assert_eq!(shown(&world)[2..], [(WireState::Sent, None)]);
}

#[test]
fn a_test_counts_on_disk_before_the_radio_has_it() {
    let mut world = World::with(hourly(2));
    world.dies = Some(Death::AfterCommit);
    try_it(&mut world).unwrap();
    assert!(world.handed_over.is_empty());
    assert_eq!(world.disk.snapshot().spent.len(), 1);
    world.send_all(1..=2);
    assert_eq!(world.order(), [1]);
    world.answer(OK);
    world.pass(HOUR - 1);
    assert_eq!(world.order(), [1]);
    world.pass(1);
    assert_eq!(world.order(), [1, 2]);
}

#[test]
fn what_provably_never_left_is_given_back_and_what_the_platform_made_more_of_is_counted() {
    let mut world = World::with(hourly(1));
    try_it(&mut world).unwrap();
    world.answer(3);
    try_it(&mut world).unwrap();
    assert_eq!(world.handed_over.len(), 2);
    let mut world = World::with(hourly(3));
    try_it(&mut world).unwrap();
    let token = world.last_token();
    (0..3).for_each(|part| world.result(token, part, 3, OK));
    assert_eq!(shown(&world)[1..], [(WireState::Sent, None)]);
    assert!(matches!(try_it(&mut world), Err(Refused::NoSlot { .. })));
}

#[test]
fn a_limit_without_a_place_refuses_a_test_and_says_until_when() {
    let guard = Guard {
        parts_max: 1,
        span_ms: MINUTE,
    };
    let guarded = PaceLimits {
        guard: Some(guard),
        ..PaceLimits::UNLIMITED
    };
    for (limits, in_ms, rule) in [
        (hourly(1), HOUR, PaceRule::SendLimit),
        (guarded, MINUTE, PaceRule::PlatformGuard),
    ] {
        let mut world = World::with(limits);
        world.send(send(1));
        world.answer(OK);
        assert_eq!(try_it(&mut world), Err(Refused::NoSlot { in_ms, rule }));
        world.pass(in_ms);
        try_it(&mut world).unwrap();
    }
    let mut world = World::new();
    world.configure(Config {
        send_delay_ms: 5_000,
        ..Config::default()
    });
    world.send(send(1));
    let rule = PaceRule::SendDelay;
    let in_ms = 5_000;
    assert_eq!(try_it(&mut world), Err(Refused::NoSlot { in_ms, rule }));
}

#[test]
fn a_test_is_counted_by_the_clocks_as_they_are() {
    for by_ms in [HOUR.cast_signed(), -HOUR.cast_signed()] {
        let mut world = World::with(hourly(1));
        world.now.unix = world.now.unix.plus_ms(by_ms);
        try_it(&mut world).unwrap();
        let spent = world.disk.snapshot().spent;
        assert_eq!(spent[0].at.unix, world.now.unix);
    }
}

#[test]
fn pause_and_quiet_hours_hold_no_test() {
    let mut world = World::new();
    let quiet = Spell {
        from: world.now.unix,
        until: world.now.unix.plus_ms(60_000),
    };
    world.command(Command::SetPaused(true)).unwrap();
    world.command(Command::SetQuietHours(vec![quiet])).unwrap();
    world.send(send(1));
    try_it(&mut world).unwrap();
    assert_eq!(world.order(), [0]);
}

#[test]
fn one_test_at_a_time_and_each_has_a_name_of_its_own() {
    let mut world = World::new();
    try_it(&mut world).unwrap();
    assert_eq!(try_it(&mut world), Err(Refused::TestUnderway));
    world.answer(OK);
    try_it(&mut world).unwrap();
    world.answer(OK);
    world.set_wall(-5_000);
    try_it(&mut world).unwrap();
    let [first, second, third] = [0, 1, 2].map(|n| world.handed_over[n].1.token);
    assert!(first < second && second < third);
    let before = shown(&world).len();
    world.report(first, 0, 0);
    assert!(world.events.contains(&Event::StrayResult { token: first }));
    assert_eq!(shown(&world).len(), before);
}

#[test]
fn what_is_nothing_to_send_or_nobody_to_send_to_is_refused() {
    let mut world = World::new();
    for (to, text, why) in [
        ("", TEXT, Refused::InvalidRecipient),
        ("+1 500 555 0001", TEXT, Refused::InvalidRecipient),
        ("Bank", TEXT, Refused::InvalidRecipient),
        ("*21#", TEXT, Refused::InvalidRecipient),
        (TO, "", Refused::NoText),
        (
            "+15005550001",
            &"a".repeat(25 * 153 + 1),
            Refused::TooManyParts,
        ),
    ] {
        assert_eq!(world.command(test(to, text)), Err(why));
    }
    let elsewhere = Command::SendTest {
        sim: sim(5),
        to: Address::new("12345"),
        text: MessageText::new(TEXT),
    };
    assert_eq!(world.command(elsewhere), Err(Refused::NoSuchSim(sim(5))));
    world.command(test("12345", TEXT)).unwrap();
}

#[test]
fn by_a_sim_that_nobody_confirmed_no_test_goes() {
    let mut world = World::new();
    for card in ["known", "other"] {
        world.tell(RadioFact::SimsChanged(vec![SimInfo {
            slot: sim(0),
            fingerprint: Some(card.to_owned()),
            ..SimInfo::default()
        }]));
    }
    assert_eq!(try_it(&mut world), Err(Refused::SimChanged(sim(0))));
    world.command(Command::ConfirmSim(sim(0))).unwrap();
    try_it(&mut world).unwrap();
}

#[test]
fn what_comes_of_a_test_after_a_restart_is_stray() {
    let mut world = World::new();
    try_it(&mut world).unwrap();
    let token = world.last_token();
    world.restart();
    world.pass(1_000);
    try_it(&mut world).unwrap();
    let before = shown(&world).len();
    world.result(token, 0, 1, OK);
    world.report(token, 0, 0);
    assert_eq!(world.agent.counters().stray_results, 2);
    assert_eq!(shown(&world).len(), before);
    world.answer(OK);
    assert_eq!(shown(&world)[before..], [(WireState::Sent, None)]);
    assert_eq!(world.facts, []);
}

#[test]
fn a_report_about_somebody_else_says_nothing_of_a_test() {
    let mut world = World::new();
    try_it(&mut world).unwrap();
    world.answer(OK);
    let token = world.last_token();
    world.tell(RadioFact::ReportArrived {
        token,
        part: 0,
        status: postrider_machine::ReportStatus::Gsm(0),
        recipient: Some(Address::new("+15005550099")),
    });
    assert!(world.events.contains(&Event::ReportMismatched { token }));
    assert_eq!(shown(&world).len(), 2);
}

#[test]
fn a_tests_result_tells_of_its_sim_what_any_messages_does() {
    let mut world = World::new();
    try_it(&mut world).unwrap();
    world.answer(4);
    assert!(world.events.contains(&Event::SimHeld {
        sim: sim(0),
        code: 4
    }));
    world.send(send(1));
    assert_eq!(world.order(), [0]);
    try_it(&mut world).unwrap();
    world.answer(OK);
    assert!(world.events.contains(&Event::SimReleased { sim: sim(0) }));
    assert_eq!(world.order(), [0, 0, 1]);
    try_it(&mut world).unwrap();
    world.answer(5);
    assert!(world.events.contains(&Event::PaceHalved { halvings: 1 }));
}

#[test]
fn the_radio_that_answers_a_test_is_silent_no_more() {
    let mut world = World::new();
    world.send_all(1..=3);
    world.pass(2 * MINUTE);
    try_it(&mut world).unwrap();
    world.answer(OK);
    let first = world.handed_over[0].1.token;
    world.result(first, 0, 1, OK);
    assert_eq!(world.order(), [1, 2, 0, 3]);
}

/// When the test is handed over, beside the hub's equal message, and whether the process goes on.
fn beside(before: bool, ends: fn(&mut World)) -> (World, WireState) {
    let mut world = World::new();
    if before {
        try_it(&mut world).unwrap();
        world.pass(1_000);
        ends(&mut world);
    }
    let message = world.send(alike(1));
    if !before {
        world.pass(1_000);
        try_it(&mut world).unwrap();
        ends(&mut world);
    }
    let row = SentRow {
        row: 7,
        at: world.now.unix.plus_ms(5_000),
    };
    world.pass(2 * MINUTE);
    let asked = world.asked[0];
    assert_eq!(asked.message, message);
    world.provider_rows(asked, vec![row]);
    world.pass(8 * MINUTE);
    let state = *world.told(message).last().unwrap();
    (world, state)
}

#[test]
fn the_row_of_a_test_is_no_proof_for_a_message_alike() {
    let ways: [fn(&mut World); 2] = [|_| {}, World::restart];
    for (before, ends) in [true, false]
        .into_iter()
        .flat_map(|it| ways.map(|way| (it, way)))
    {
        let (_, state) = beside(before, ends);
        assert_eq!(state, WireState::Unknown);
    }
}

#[test]
fn a_row_that_is_too_late_for_the_test_or_has_another_text_is_proof_again() {
    let (mut world, _) = beside(true, |_| {});
    let message = world.send(alike(2));
    world.pass(2 * MINUTE);
    let at = world.now.unix;
    world.provider_rows(*world.asked.last().unwrap(), vec![SentRow { row: 8, at }]);
    assert_eq!(world.told(message), [WireState::Sent]);
    try_it(&mut world).unwrap();
    let other = world.send(send(3));
    world.pass(2 * MINUTE);
    let at = world.now.unix;
    world.provider_rows(*world.asked.last().unwrap(), vec![SentRow { row: 9, at }]);
    assert_eq!(world.told(other), [WireState::Sent]);
}

#[test]
fn an_unpairing_waits_for_the_test_that_the_radio_has() {
    let mut world = World::new();
    try_it(&mut world).unwrap();
    world.agent.handle_unpair(world.now);
    world.drain();
    assert!(world.agent.has_in_hand() && !world.agent.has_told_all());
    world.answer(OK);
    assert!(!world.agent.has_in_hand() && world.agent.has_told_all());
}
