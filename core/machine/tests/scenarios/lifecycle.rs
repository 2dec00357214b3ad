//! From the hub's send to the last report: order, revoke, cancel, expiry.

use crate::world::*;
use postrider_link::frame::{Address, Config, Kind, Send};
use postrider_model::{MessageText, WireState};

#[test]
fn a_message_is_sent_and_delivered() {
    let mut world = World::new();
    let first = world.send(send(1));
    let task = &world.handed_over[0].1;
    assert_eq!(task.body.text().unwrap().as_str(), "message 1");
    assert_eq!((task.parts, task.report), (1, true));
    world.answer(OK);
    world.report(world.last_token(), 0, 0x00);
    assert_eq!(world.told(first), [WireState::Sent, WireState::Delivered]);
    assert!(world.disk.message(first).unwrap().progress.ended.is_some());
}

#[test]
fn without_a_report_sent_is_the_last_word() {
    let mut world = World::new();
    let first = world.send(Send {
        report: false,
        ..send(1)
    });
    world.answer(OK);
    assert!(world.disk.message(first).unwrap().progress.ended.is_some());
}

#[test]
fn higher_priority_goes_first_and_then_the_older() {
    let mut world = World::new();
    world.configure(Config {
        pause: true,
        ..Config::default()
    });
    for (n, priority) in [(1, 0), (2, 5), (3, 0), (4, 5)] {
        world.send(Send {
            priority,
            ..send(n)
        });
    }
    world.configure(Config::default());
    for _ in 0..4 {
        world.answer(OK);
        for (_, task) in world.handed_over.clone() {
            world.result(task.token, 0, 1, OK);
        }
    }
    assert_eq!(world.order(), [2, 4, 1, 3]);
}

#[test]
fn two_messages_of_a_sim_wait_for_their_results_at_once() {
    let mut world = World::new();
    world.send_all(1..=4);
    world.send(Send {
        sim: sim(1),
        ..send(5)
    });
    assert_eq!(world.order(), [1, 2, 5]);
    let token = world.handed_over[0].1.token;
    world.result(token, 0, 1, OK);
    assert_eq!(world.order(), [1, 2, 5, 3]);
}

#[test]
fn what_the_phone_cannot_do_fails_with_proof_and_blocks_nothing() {
    let mut world = World::new();
    let refused = [
        Send {
            kind: Kind::Mms,
            ..send(1)
        },
        Send {
            kind: Kind::Other("fax".to_owned()),
            ..send(2)
        },
        Send {
            sim: sim(5),
            ..send(3)
        },
        Send {
            text: None,
            ..send(4)
        },
        Send {
            to: Address::new("*100#"),
            ..send(5)
        },
        Send {
            text: Some(MessageText::new("a".repeat(161))),
            parts_max: Some(1),
            ..send(6)
        },
    ];
    let codes = [
        "unsupported",
        "unsupported",
        "unsupported",
        "unsupported",
        "invalid_recipient",
        "too_many_parts",
    ];
    for (send, code) in refused.into_iter().zip(codes) {
        world.send(send);
        let fact = world.last_fact();
        assert_eq!(
            (fact.state, fact.unsent),
            (WireState::Failed, true),
            "{code}"
        );
        assert_eq!((fact.code.as_deref(), fact.of), (Some(code), None));
    }
    world.send(send(7));
    assert_eq!(world.order(), [7]);
}

#[test]
fn a_waiting_message_is_given_back_and_never_sent() {
    let mut world = World::new();
    world.configure(Config {
        pause: true,
        ..Config::default()
    });
    let (first, second) = (world.send(send(1)), world.send(send(2)));
    world.revoke(first);
    world.cancel(second);
    world.configure(Config::default());
    world.pass(HOUR);
    assert!(world.order().is_empty());
    assert_eq!(world.told(first), [WireState::Revoked]);
    assert_eq!(world.told(second), [WireState::Cancelled]);
}

#[test]
fn a_revoke_after_the_hand_over_is_answered_with_the_truth() {
    let mut world = World::new();
    let first = world.send(send(1));
    world.revoke(first);
    assert_eq!(world.told(first), [WireState::Submitting]);
    world.answer(OK);
    world.cancel(first);
    assert_eq!(world.told(first)[1..], [WireState::Sent, WireState::Sent]);
    world.report(world.last_token(), 0, 0x00);
    world.revoke(first);
    assert_eq!(world.last_fact().state, WireState::Delivered);
}

#[test]
fn a_revoke_that_comes_first_keeps_its_exposure_out() {
    let mut world = World::new();
    world.revoke(message(1, 1));
    world.send(send(1));
    world.restart();
    world.send(send(1));
    assert!(world.order().is_empty());
    assert_eq!(world.told(message(1, 1)), [WireState::Revoked; 3]);
    world.send(Send { ep: 2, ..send(1) });
    assert_eq!(world.order(), [1]);
}

#[test]
fn a_newer_exposure_is_taken_only_once_the_older_one_has_ended() {
    let mut world = World::new();
    world.send(send(1));
    let newer = world.send(Send { ep: 2, ..send(1) });
    assert_eq!(world.last_fact().code.as_deref(), Some("attempt_open"));
    world.answer(OK);
    let newest = world.send(Send { ep: 3, ..send(1) });
    assert_eq!(world.last_fact().code.as_deref(), Some("already_sent"));
    assert_eq!(world.order(), [1]);
    assert_eq!(world.told(newer), [WireState::Failed]);
    assert_eq!(world.told(newest), [WireState::Failed]);
}

#[test]
fn a_newer_exposure_takes_the_place_of_one_that_waits() {
    let mut world = World::new();
    world.configure(Config {
        pause: true,
        ..Config::default()
    });
    let older = world.send(send(1));
    let newer = world.send(Send { ep: 2, ..send(1) });
    world.configure(Config::default());
    assert_eq!(world.told(older), [WireState::Revoked]);
    assert_eq!(world.last_token().message, newer);
    assert_eq!(world.handed_over.len(), 1);
}

#[test]
fn a_life_ends_on_the_boot_clock_and_across_a_reboot_by_the_wall() {
    let mut world = World::new();
    world
        .agent
        .handle_command(postrider_machine::Command::SetPaused(true), world.now)
        .unwrap();
    let send = |n| Send {
        ttl_ms: HOUR,
        ..send(n)
    };
    let first = world.send(send(1));
    world.now.unix = postrider_model::UnixMs(0);
    world.pass(HOUR - 1);
    assert_eq!(world.told(first), []);
    world.pass(1);
    assert_eq!(world.told(first), [WireState::Expired]);
    let second = world.send(send(2));
    world.reboot(HOUR - MINUTE);
    assert_eq!(world.told(second), []);
    world.pass(MINUTE);
    assert_eq!(world.told(second), [WireState::Expired]);
    let third = world.send(send(3));
    world.reboot(2 * HOUR);
    world.pass(0);
    assert_eq!(world.told(third), [WireState::Expired]);
    assert!(world.order().is_empty());
}

#[test]
fn a_message_whose_life_ended_while_the_phone_was_off_is_not_sent_first() {
    let mut world = World::new();
    world.configure(Config {
        quiet: vec![(0, world.now.plus_ms(HOUR).unix.0)],
        ..Config::default()
    });
    let first = world.send(Send {
        ttl_ms: HOUR,
        ..send(1)
    });
    world.reboot(2 * HOUR);
    assert_eq!(world.told(first), [WireState::Expired]);
    assert!(world.order().is_empty());
}

#[test]
fn a_message_whose_life_was_over_on_the_way_is_never_sent() {
    let mut world = World::new();
    let first = world.send(Send {
        ttl_ms: 0,
        ..send(1)
    });
    assert_eq!(world.told(first), [WireState::Expired]);
    assert!(world.order().is_empty());
}

#[test]
fn the_owners_pause_and_the_hubs_hold_what_waits() {
    let mut world = World::new();
    let pause = |pause| Config {
        pause,
        ..Config::default()
    };
    let own = |world: &mut World, paused| {
        let command = postrider_machine::Command::SetPaused(paused);
        world.agent.handle_command(command, world.now).unwrap();
        world.drain();
    };
    own(&mut world, true);
    world.configure(pause(true));
    world.send(send(1));
    world.restart();
    world.configure(pause(false));
    assert!(world.order().is_empty());
    own(&mut world, false);
    assert_eq!(world.order(), [1]);
}

#[test]
fn quiet_hours_hold_until_their_end() {
    let mut world = World::new();
    let from = world.now.unix.0;
    let to = world.now.plus_ms(HOUR).unix.0;
    world.configure(Config {
        quiet: vec![(from, to)],
        ..Config::default()
    });
    world.send(send(1));
    world.pass(HOUR - 1);
    assert!(world.order().is_empty());
    world.pass(1);
    assert_eq!(world.order(), [1]);
}

#[test]
fn more_messages_than_may_wait_are_given_back() {
    let mut world = World::new();
    world.configure(Config {
        pause: true,
        ..Config::default()
    });
    let most = i64::try_from(postrider_machine::WAITING_MAX).unwrap();
    world.send_all(1..=most);
    assert_eq!(world.facts.len(), 0);
    let further = world.send(send(most + 1));
    assert_eq!(world.told(further), [WireState::Revoked]);
    assert_eq!(world.agent.waiting(), postrider_machine::WAITING_MAX);
}

#[test]
fn texts_are_erased_a_day_after_the_end_and_rows_after_a_month() {
    let mut world = World::new();
    let first = world.send(Send {
        report: false,
        ..send(1)
    });
    world.answer(OK);
    world.pass(25 * HOUR);
    assert_eq!(world.disk.message(first).unwrap().text, None);
    world.send(send(1));
    assert_eq!(world.order(), [1]);
    world.pass(30 * 24 * HOUR);
    assert!(world.disk.message(first).is_none());
}

#[test]
fn an_end_that_is_not_acked_erases_nothing() {
    let mut world = World::new();
    world.acking = false;
    let first = world.send(Send {
        report: false,
        ..send(1)
    });
    world.answer(OK);
    world.pass(31 * 24 * HOUR);
    assert!(world.disk.message(first).unwrap().text.is_some());
}
