//! USSD codes: one at a time on each SIM, answered within a minute or unknown.

use crate::world::*;
use postrider_link::frame::{Address, Config, Kind, Send};
use postrider_machine::{Command, Condition, MessageRef, RadioFact, SendToken, Timer, USSD_MS_MAX};
use postrider_model::{MessageText, WireState};

fn code(n: i64, code: &str) -> Send {
    Send {
        kind: Kind::Ussd,
        to: Address::new(code),
        text: None,
        ..send(n)
    }
}

fn answer(world: &mut World, token: SendToken, text: &str) {
    let text = MessageText::new(text);
    world.tell(RadioFact::UssdAnswered { token, text });
}

fn answer_last(world: &mut World, text: &str) {
    let token = last(world);
    answer(world, token, text);
}

fn last(world: &World) -> SendToken {
    world.dialled.last().unwrap().0
}

fn dialled(world: &World) -> Vec<i64> {
    let tokens = world.dialled.iter();
    tokens.map(|(token, _)| token.message.id.get()).collect()
}

fn last_code(world: &World) -> Option<&str> {
    world.last_fact().code.as_deref()
}

#[test]
fn an_answer_is_the_end_of_a_code_and_comes_in_as_a_message() {
    let mut world = World::new();
    let message = world.send(code(1, "*123*1*2#"));
    assert_eq!(world.dialled[0].1.as_str(), "*123*1*2#");
    answer_last(&mut world, "Your balance is 5.00");
    assert_eq!(world.told(message), [WireState::Sent]);
    let fact = &world.inbound[0];
    assert_eq!((&fact.kind, fact.from.as_str()), (&Kind::Ussd, "*123*1*2#"));
    assert_eq!(fact.text.as_ref().unwrap().as_str(), "Your balance is 5.00");
    assert!(
        world
            .disk
            .message(message)
            .unwrap()
            .progress
            .ended
            .is_some()
    );
}

#[test]
fn an_answer_that_is_told_again_counts_once() {
    let mut world = World::new();
    world.acking = false;
    let message = world.send(code(1, "*100#"));
    answer_last(&mut world, "5.00");
    answer_last(&mut world, "5.00");
    assert_eq!(world.told(message), [WireState::Sent]);
    assert_eq!(world.inbound.len(), 1);
}

#[test]
fn each_sim_dials_one_code_at_a_time_by_priority_and_age() {
    let mut world = World::new();
    world.send(code(1, "*100#"));
    world.send(code(2, "*100#"));
    world.send(Send {
        priority: 1,
        ..code(3, "*100#")
    });
    world.send(Send {
        sim: sim(1),
        ..code(4, "*100#")
    });
    assert_eq!(dialled(&world), [1, 4]);
    let first = world.dialled[0].0;
    answer(&mut world, first, "5.00");
    assert_eq!(dialled(&world), [1, 4, 3]);
    answer_last(&mut world, "5.00");
    assert_eq!(dialled(&world), [1, 4, 3, 2]);
}

#[test]
fn a_code_uses_none_of_the_send_limit_and_waits_for_none() {
    let mut world = World::with(postrider_machine::PaceLimits::per_minute(1));
    world.send(send(1));
    world.send(code(2, "*100#"));
    assert_eq!((world.order(), dialled(&world)), (vec![1], vec![2]));
    answer_last(&mut world, "5.00");
    world.answer(OK);
    world.pass(MINUTE);
    world.send(send(3));
    assert_eq!(world.order(), [1, 3]);
}

#[test]
fn silence_is_unknown_after_a_minute_and_the_next_code_is_dialled() {
    let mut world = World::new();
    let first = world.send(code(1, "*100#"));
    world.send(code(2, "*101#"));
    world.pass(USSD_MS_MAX - 1);
    assert_eq!((world.told(first), dialled(&world)), (vec![], vec![1]));
    world.pass(1);
    assert_eq!(world.told(first), [WireState::Unknown]);
    assert_eq!(dialled(&world), [1, 2]);
}

#[test]
fn a_late_answer_corrects_unknown() {
    let mut world = World::new();
    let message = world.send(code(1, "*100#"));
    world.pass(2 * USSD_MS_MAX);
    answer_last(&mut world, "topped up");
    assert_eq!(world.told(message), [WireState::Unknown, WireState::Sent]);
    assert_eq!(world.inbound.len(), 1);
}

#[test]
fn a_code_that_was_dialled_before_a_restart_is_unknown_and_never_dialled_again() {
    for reboots in [false, true] {
        let mut world = World::new();
        let message = world.send(code(1, "*100#"));
        if reboots {
            world.reboot(MINUTE);
        } else {
            world.restart();
        }
        world.pass(HOUR);
        assert_eq!(world.told(message), [WireState::Unknown]);
        assert_eq!(dialled(&world), [1]);
        assert!(
            world.asked.is_empty(),
            "the platform keeps no row of a code"
        );
    }
}

#[test]
fn a_code_that_waits_survives_a_restart() {
    let mut world = World::new();
    world.send(code(1, "*100#"));
    world.send(code(2, "*101*7#"));
    world.restart();
    assert_eq!(dialled(&world), [1, 2]);
    assert_eq!(world.dialled[1].1.as_str(), "*101*7#");
}

#[test]
fn a_failure_is_ambiguous_and_a_missing_service_is_proof() {
    for (code_of_platform, word, unsent) in
        [(-1, "ussd_failed", false), (-2, "ussd_unavailable", true)]
    {
        let mut world = World::new();
        let message = world.send(code(1, "*100#"));
        let token = last(&world);
        world.tell(RadioFact::UssdFailed {
            token,
            code: code_of_platform,
        });
        assert_eq!(world.told(message), [WireState::Failed]);
        assert_eq!(
            (last_code(&world), world.last_fact().unsent),
            (Some(word), unsent)
        );
        assert!(world.last_fact().detail.is_some());
    }
}

#[test]
fn what_is_no_code_is_refused_and_never_dialled() {
    let mut world = World::new();
    for (n, text) in ["+15005550001", "*100", "*1a#", "**", ""]
        .into_iter()
        .enumerate()
    {
        world.send(code(i64::try_from(n).unwrap() + 1, text));
        assert_eq!(last_code(&world), Some("invalid_ussd"), "{text}");
        assert!(world.last_fact().unsent);
    }
    assert!(world.dialled.is_empty());
}

#[test]
fn codes_that_change_settings_need_the_owners_word_which_outlives_a_restart() {
    let mut world = World::new();
    for (n, text) in [
        (1, "*#06#"),
        (2, "**21*15005550001#"),
        (3, "**04*0000*1111*1111#"),
    ] {
        world.send(code(n, text));
        assert_eq!(last_code(&world), Some("ussd_refused"), "{text}");
        assert!(world.last_fact().unsent);
    }
    world
        .agent
        .handle_command(Command::AllowUssdCodes(true), world.now)
        .unwrap();
    world.drain();
    let allowed = world.send(code(4, "*#06#"));
    assert_eq!(dialled(&world), [4]);
    answer_last(&mut world, "490154203237518");
    assert_eq!(world.told(allowed), [WireState::Sent]);
    world.restart();
    world.send(code(5, "*#06#"));
    assert_eq!(dialled(&world), [4, 5]);
}

#[test]
fn the_end_of_quiet_hours_wakes_a_code_by_itself() {
    let mut world = World::new();
    let now = world.now.unix.0;
    world.configure(Config {
        quiet: vec![(now, now + 600_000)],
        ..Config::default()
    });
    world.send(code(1, "*100#"));
    let end = world.now.boot.plus_ms(10 * MINUTE);
    let mut woken = Vec::new();
    while let Some(due) = world.agent.poll_timeout()
        && due.at <= end
    {
        woken.push((due.at, due.reason));
        world.pass(due.at.since_ms(world.now.boot));
    }
    assert!(woken.contains(&(end, Timer::NextUssd)), "{woken:?}");
    assert_eq!(dialled(&world), [1]);
}

#[test]
fn pause_quiet_hours_and_the_end_of_its_life_hold_a_code() {
    let mut world = World::new();
    world.configure(Config {
        pause: true,
        ..Config::default()
    });
    let mortal = world.send(Send {
        ttl_ms: MINUTE,
        ..code(1, "*100#")
    });
    world.send(code(2, "*100#"));
    world.pass(MINUTE);
    assert_eq!(world.told(mortal), [WireState::Expired]);
    let now = world.now.unix.0;
    world.configure(Config {
        quiet: vec![(now, now + 600_000)],
        ..Config::default()
    });
    world.pass(10 * MINUTE - 1);
    assert!(world.dialled.is_empty());
    world.pass(1);
    assert_eq!(dialled(&world), [2]);
}

#[test]
fn a_code_is_taken_back_until_it_is_dialled() {
    let mut world = World::new();
    let first = world.send(code(1, "*100#"));
    let [second, third] = [2, 3].map(|n| world.send(code(n, "*100#")));
    world.revoke(second);
    world.cancel(third);
    world.cancel(first);
    assert_eq!(world.told(second), [WireState::Revoked]);
    assert_eq!(world.told(third), [WireState::Cancelled]);
    assert_eq!(world.told(first), [WireState::Submitting]);
    answer_last(&mut world, "5.00");
    assert_eq!(dialled(&world), [1]);
}

#[test]
fn a_code_waits_while_the_radio_is_off() {
    let mut world = World::new();
    let service = |in_service| RadioFact::ServiceChanged {
        sim: sim(0),
        in_service,
    };
    world.tell(service(false));
    world.send(code(1, "*100#"));
    assert!(world.dialled.is_empty());
    world.tell(service(true));
    assert_eq!(dialled(&world), [1]);
}

#[test]
fn one_code_at_a_time_tries_whether_a_held_sim_dials_again() {
    let mut world = World::new();
    world.tell(RadioFact::ServiceChanged {
        sim: sim(0),
        in_service: false,
    });
    world.send(code(1, "*100#"));
    world.send(code(2, "*100#"));
    world.pass(MINUTE);
    assert_eq!(dialled(&world), [1]);
    let token = last(&world);
    world.tell(RadioFact::UssdFailed { token, code: -2 });
    assert_eq!(dialled(&world), [1], "the next look is a minute away");
    world.pass(MINUTE);
    assert_eq!(dialled(&world), [1, 2]);
}

#[test]
fn an_answer_reaches_the_hub_even_where_messages_are_not_forwarded() {
    let mut world = World::new();
    world.tell(RadioFact::ConditionChanged(Condition {
        forwarding: Some(false),
        ..Condition::default()
    }));
    world.send(code(1, "*100#"));
    answer_last(&mut world, "5.00");
    assert_eq!(world.inbound.len(), 1);
}

#[test]
fn an_answer_of_a_hundred_thousand_control_characters_still_fits_a_frame() {
    let mut world = World::new();
    world.send(code(1, "*100#"));
    answer_last(&mut world, &"\u{1}".repeat(100_000));
    let frame = postrider_link::frame::PhoneFrame::Inbound(world.inbound[0].clone());
    assert!(postrider_link::codec::encode(&frame).is_ok());
}

#[test]
fn an_answer_to_nothing_changes_nothing() {
    let mut world = World::new();
    world.send(send(1));
    let stray = world.last_token();
    answer(&mut world, stray, "5.00");
    let unknown = SendToken {
        message: MessageRef {
            ep: 9,
            ..stray.message
        },
        attempt: 1,
    };
    answer(&mut world, unknown, "5.00");
    assert!(world.inbound.is_empty() && world.facts.is_empty());
}

#[test]
fn its_code_is_erased_a_day_after_the_end() {
    let mut world = World::new();
    let message = world.send(code(1, "*140*15005550001*5#"));
    answer_last(&mut world, "done");
    world.pass(26 * HOUR);
    assert_eq!(world.disk.message(message).unwrap().to.as_str(), "");
}

#[test]
fn an_answer_lets_a_held_sim_go_on() {
    let mut world = World::new();
    world.tell(RadioFact::ServiceChanged {
        sim: sim(0),
        in_service: false,
    });
    world.send(code(1, "*100#"));
    world.send(code(2, "*100#"));
    world.send(send(3));
    world.send(send(4));
    world.pass(MINUTE);
    assert_eq!((dialled(&world), world.order()), (vec![1], vec![3]));
    answer_last(&mut world, "5.00");
    assert_eq!((dialled(&world), world.order()), (vec![1, 2], vec![3, 4]));
}
