//! Missing reports: only so many messages wait for theirs, and not one more. Later reports
//! count anyway.

use crate::world::*;
use postrider_link::frame::{Config, Send};
use postrider_machine::{
    Command, ENDED_MAX, Event, LATE_MAX, MessageRef, REPORTS_AWAITED_MAX, RadioFact, Refused,
    ReportChoice, ReportStatus, SendToken, WaitChoice,
};
use postrider_model::{MessageText, WireState};

fn most() -> i64 {
    i64::try_from(REPORTS_AWAITED_MAX).unwrap()
}

/// Sends messages that the network accepts but never reports on.
fn send_unreported(world: &mut World, numbers: std::ops::RangeInclusive<i64>) {
    for n in numbers {
        world.send(send(n));
        world.answer(OK);
    }
}

fn is_over(world: &World, message: MessageRef) -> bool {
    let row = world.disk.message(message).unwrap();
    row.progress.ended.is_some()
}

fn choose(wanted: bool) -> Command {
    Command::SetReports(vec![ReportChoice {
        sim: sim(0),
        wanted,
    }])
}

#[test]
fn without_reports_sent_is_the_last_word_and_the_owner_has_it_before_the_hub() {
    let mut world = World::new();
    let plain = Send {
        report: false,
        ..send(1)
    };
    let asked_by_hub = [(send(1), true), (plain, false)];
    for (n, (own, (frame, hubs))) in (1..).zip([
        (None, asked_by_hub[0].clone()),
        (None, asked_by_hub[1].clone()),
        (Some(false), asked_by_hub[0].clone()),
        (Some(true), asked_by_hub[1].clone()),
    ]) {
        let choices = own.map_or(Command::SetReports(Vec::new()), choose);
        world.command(choices).unwrap();
        let message = world.send(Send {
            id: message(n, 1).id,
            text: send(n).text,
            ..frame
        });
        let wanted = own.unwrap_or(hubs);
        assert_eq!(world.handed_over.last().unwrap().1.report, wanted, "{n}");
        world.answer(OK);
        assert_eq!(world.told(message), [WireState::Sent]);
        assert_eq!(is_over(&world, message), !wanted, "{n}");
    }
}

#[test]
fn the_owner_may_do_without_reports_of_what_waits_already() {
    let mut world = World::new();
    world.command(Command::SetPaused(true)).unwrap();
    world.send(send(1));
    world.command(choose(false)).unwrap();
    world.command(Command::SetPaused(false)).unwrap();
    assert!(!world.handed_over.last().unwrap().1.report);
}

#[test]
fn the_owner_may_set_how_long_is_waited_within_reason() {
    let mut world = World::new();
    let waits = WaitChoice {
        silence_ms: Some(30_000),
        unknown_ms: Some(MINUTE),
        report_window_ms: Some(HOUR),
    };
    world.command(Command::SetWaits(waits)).unwrap();
    let message = world.send(send(1));
    world.pass(MINUTE);
    assert_eq!(world.told(message), [WireState::Unknown]);
    for wrong in [
        WaitChoice {
            silence_ms: Some(29_999),
            ..waits
        },
        WaitChoice {
            unknown_ms: Some(29_999),
            ..WaitChoice::default()
        },
        WaitChoice {
            silence_ms: Some(MINUTE + 1),
            ..waits
        },
        WaitChoice {
            report_window_ms: Some(HOUR - 1),
            ..waits
        },
    ] {
        let refused = world.command(Command::SetWaits(wrong));
        assert_eq!(refused, Err(Refused::InvalidWaits));
    }
}

fn waits_for(world: &World) -> Option<&'static str> {
    let first = world.agent.slots(world.now).remove(0);
    first.next.map(|next| next.waiting_for)
}

fn hubs_waits() -> Config {
    Config {
        silent_after_ms: Some(30_000),
        unknown_after_ms: Some(MINUTE),
        report_window_ms: Some(HOUR),
        ..Config::default()
    }
}

#[test]
fn the_hub_may_set_how_long_is_waited_also_across_a_restart() {
    let mut world = World::new();
    world.configure(hubs_waits());
    world.restart();
    let message = world.send(send(1));
    world.pass(30_000);
    world.send(send(3));
    assert_eq!(waits_for(&world), Some("silent_radio"));
    world.command(Command::SetPaused(true)).unwrap();
    world.pass(30_000);
    assert_eq!(world.told(message), [WireState::Unknown]);
    world.command(Command::SetPaused(false)).unwrap();
    world.answer(OK);
    world.pass(HOUR - 1);
    assert!(!is_over(&world, super::world::message(3, 1)));
    world.pass(1);
    assert!(is_over(&world, super::world::message(3, 1)));
}

#[test]
fn each_of_the_owners_waits_goes_before_the_hubs() {
    let mut world = World::new();
    world.configure(hubs_waits());
    let owners = WaitChoice {
        unknown_ms: Some(3 * MINUTE),
        ..WaitChoice::default()
    };
    world.command(Command::SetWaits(owners)).unwrap();
    let message = world.send(send(1));
    world.pass(3 * MINUTE - 1);
    assert_eq!(world.told(message), []);
    world.pass(1);
    assert_eq!(world.told(message), [WireState::Unknown]);
    world
        .command(Command::SetWaits(WaitChoice::default()))
        .unwrap();
    let message = world.send(send(2));
    world.pass(MINUTE);
    assert_eq!(world.told(message), [WireState::Unknown]);
}

#[test]
fn what_a_hub_sets_beyond_reason_is_kept_within_it() {
    let mut world = World::new();
    world.configure(Config {
        silent_after_ms: Some(u64::MAX),
        unknown_after_ms: Some(0),
        ..Config::default()
    });
    let message = world.send(send(1));
    world.pass(29_999);
    assert_eq!(world.told(message), []);
    world.pass(1);
    assert_eq!(world.told(message), [WireState::Unknown]);
}

#[test]
fn of_the_messages_that_only_wait_for_reports_the_oldest_is_over_when_they_are_too_many() {
    let mut world = World::new();
    send_unreported(&mut world, 1..=1);
    world.pass(MINUTE);
    send_unreported(&mut world, 2..=most());
    assert!(!is_over(&world, message(1, 1)));
    send_unreported(&mut world, most() + 1..=most() + 1);
    assert!(is_over(&world, message(1, 1)));
    assert_eq!(world.told(message(1, 1)), [WireState::Sent]);
    assert!(!is_over(&world, message(2, 1)));
    world.restart();
    assert_eq!(world.disk.snapshot().messages.len(), REPORTS_AWAITED_MAX);
    send_unreported(&mut world, most() + 2..=most() + 2);
    assert!(is_over(&world, message(2, 1)) && !is_over(&world, message(3, 1)));
}

#[test]
fn whoever_was_reported_on_makes_room() {
    let mut world = World::new();
    send_unreported(&mut world, 1..=most());
    let last = world.last_token();
    world.report(last, 0, 0x00);
    assert!(is_over(&world, last.message));
    send_unreported(&mut world, most() + 1..=most() + 1);
    assert!(!is_over(&world, message(1, 1)));
    world.pass(72 * HOUR);
    assert!(is_over(&world, message(1, 1)));
    assert!(world.disk.snapshot().messages.is_empty());
}

#[test]
fn a_window_that_closes_before_the_hub_has_heard_ends_with_its_ack() {
    let mut world = World::new();
    world.acking = false;
    send_unreported(&mut world, 1..=1);
    let s = world.last_fact().s;
    world.pass(72 * HOUR);
    assert!(!is_over(&world, message(1, 1)));
    world.ack(s);
    world.drain();
    assert!(is_over(&world, message(1, 1)));
}

/// A message of so many parts that the network accepted, and whose report window is over.
fn over(parts: u8) -> (World, SendToken) {
    let mut world = World::new();
    world.send(Send {
        text: Some(MessageText::new("a".repeat(150 * usize::from(parts)))),
        ..send(1)
    });
    let token = world.last_token();
    (0..parts).for_each(|part| world.result(token, part, parts, OK));
    world.pass(73 * HOUR);
    assert!(is_over(&world, token.message));
    (world, token)
}

#[test]
fn a_report_that_comes_when_its_message_is_over_corrects_it() {
    let ways: [fn(&mut World); 3] = [|_| {}, World::restart, |world| world.reboot(MINUTE)];
    for way in ways {
        let (mut world, token) = over(1);
        way(&mut world);
        world.report(token, 0, 0x30);
        assert_eq!(world.told(token.message), [WireState::Sent], "still trying");
        world.report(token, 0, 0x00);
        let told = [WireState::Sent, WireState::Delivered];
        assert_eq!(world.told(token.message), told);
        assert!(is_over(&world, token.message));
        world.report(token, 0, 0x00);
        assert_eq!(world.told(token.message), told, "once");
        assert_eq!(world.events.last(), Some(&Event::StrayResult { token }));
        assert_eq!(world.order(), [1], "and nothing is sent for it");
    }
}

#[test]
fn late_news_that_say_nothing_new_are_written_nowhere() {
    let (mut world, token) = over(1);
    let ended = world.disk.message(token.message).cloned();
    world.pass(HOUR);
    for status in [0x30, 0x02, 0x40] {
        world.report(
            SendToken {
                attempt: 7,
                ..token
            },
            0,
            status,
        );
    }
    assert_eq!(world.disk.message(token.message).cloned(), ended);
    world.report(token, 0, 0x40);
    let told = [WireState::Sent, WireState::NotDelivered];
    assert_eq!(world.told(token.message), told);
    world.pass(HOUR);
    let ended = world.disk.message(token.message).cloned();
    world.report(token, 0, 0x40);
    assert_eq!(world.disk.message(token.message).cloned(), ended);
}

#[test]
fn a_late_report_of_one_part_is_remembered_for_that_of_the_other() {
    let (mut world, token) = over(2);
    world.report(token, 1, 0x00);
    assert_eq!(world.told(token.message), [WireState::Sent]);
    assert!(is_over(&world, token.message));
    world.restart();
    world.report(token, 0, 0x00);
    let told = [WireState::Sent, WireState::Delivered];
    assert_eq!(world.told(token.message), told);
}

#[test]
fn a_result_that_comes_after_the_window_says_what_was_unknown() {
    let mut world = World::new();
    let first = world.send(send(1));
    world.pass(73 * HOUR);
    assert!(is_over(&world, first));
    world.answer(OK);
    assert_eq!(world.told(first), [WireState::Unknown, WireState::Sent]);
    world.answer(OK);
    assert_eq!(world.told(first), [WireState::Unknown, WireState::Sent]);
}

#[test]
fn late_news_of_what_is_on_disk_alone_is_looked_up_and_nothing_is_told_twice() {
    let (mut world, token) = over(1);
    let many = i64::try_from(ENDED_MAX).unwrap();
    for n in 2..=many + 1 {
        let message = world.send(Send {
            ttl_ms: 0,
            ..send(n)
        });
        assert!(is_over(&world, message));
    }
    world.report(token, 0, 0x00);
    let told = [WireState::Sent, WireState::Delivered];
    assert_eq!(world.told(token.message), told);
    let again = world.send(send(1));
    assert_eq!(world.told(again).last(), Some(&WireState::Delivered));
    assert_eq!(world.order(), [1]);
    let unknown = SendToken {
        message: message(many + 9, 1),
        ..token
    };
    world.report(unknown, 0, 0x00);
    assert!(
        world
            .events
            .contains(&Event::StrayResult { token: unknown })
    );
}

#[test]
fn more_late_news_than_the_bound_counts_as_stray() {
    let (mut world, token) = over(1);
    let report = RadioFact::ReportArrived {
        token,
        part: 0,
        status: ReportStatus::Gsm(0x30),
        recipient: None,
    };
    for _ in 0..=LATE_MAX {
        world.agent.handle_radio(report.clone(), world.now);
    }
    world.drain();
    let stray = Event::StrayResult { token };
    let strays = world.events.iter().filter(|event| **event == stray);
    assert_eq!(strays.count(), 1);
    world.report(token, 0, 0x00);
    assert_eq!(
        world.told(token.message).last(),
        Some(&WireState::Delivered)
    );
}

#[test]
fn a_hub_that_went_back_hears_of_a_corrected_message_once() {
    let (mut world, token) = over(1);
    world.acking = false;
    world.report(token, 0, 0x00);
    world.restored = Some((0, 0));
    world.disconnect();
    world.pass(MINUTE);
    let held = world.held.iter();
    let of = held.filter(|row| (row.id, row.ep) == (token.message.id, token.message.ep));
    let states: Vec<_> = of.map(|row| row.state).collect();
    assert_eq!(states, [WireState::Delivered]);
}
