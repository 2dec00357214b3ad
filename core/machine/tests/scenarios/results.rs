//! What each result and report does, in any order.

use crate::world::*;
use postrider_link::frame::{Address, Send};
use postrider_machine::{Command, Event, RadioFact, ReportStatus, SendToken};
use postrider_model::{MessageText, WireState};

/// A text of three parts.
fn long(n: i64) -> Send {
    Send {
        text: Some(MessageText::new("a".repeat(400))),
        ..send(n)
    }
}

#[test]
fn a_final_code_fails_with_proof() {
    let mut world = World::new();
    let first = world.send(send(1));
    world.answer(3);
    let fact = world.last_fact();
    assert_eq!(
        (fact.state, fact.unsent, fact.partial),
        (WireState::Failed, true, false)
    );
    assert_eq!(fact.code.as_deref(), Some("3"));
    assert_eq!(world.told(first), [WireState::Failed]);
}

#[test]
fn an_ambiguous_code_fails_without_proof_and_is_never_tried_again() {
    let mut world = World::new();
    let first = world.send(send(1));
    world.answer(1);
    let fact = world.last_fact();
    assert_eq!((fact.state, fact.unsent), (WireState::Failed, false));
    world.pass(80 * HOUR);
    world.restart();
    assert_eq!(world.order(), [1]);
    assert_eq!(world.told(first), [WireState::Failed]);
}

#[test]
fn a_retryable_code_is_tried_five_times_more_and_then_fails_with_proof() {
    let mut world = World::new();
    let first = world.send(send(1));
    let start = world.now.boot;
    for wait in [20_000, MINUTE, 5 * MINUTE, 15 * MINUTE, HOUR] {
        world.answer(13);
        assert_eq!(world.last_fact().state, WireState::Retrying);
        let tries = world.handed_over.len();
        world.pass(wait - 1);
        assert_eq!(world.handed_over.len(), tries);
        world.pass(1);
        assert_eq!(world.handed_over.len(), tries + 1);
    }
    assert!(world.now.boot > start);
    world.answer(13);
    let fact = world.last_fact();
    assert_eq!((fact.state, fact.unsent), (WireState::Failed, true));
    assert_eq!(world.told(first).len(), 6);
}

#[test]
fn a_message_that_waits_for_its_retry_blocks_no_other() {
    let mut world = World::new();
    world.send(Send {
        priority: 9,
        ..send(1)
    });
    world.answer(13);
    world.send(send(2));
    assert_eq!(world.order(), [1, 2]);
    world.answer(OK);
    world.pass(20_000);
    assert_eq!(world.order(), [1, 2, 1]);
}

#[test]
fn a_retry_keeps_its_time_over_a_restart() {
    let mut world = World::new();
    world.send(send(1));
    world.answer(13);
    world.pass(5_000);
    world.restart();
    world.pass(14_999);
    assert_eq!(world.handed_over.len(), 1);
    world.pass(1);
    assert_eq!(world.handed_over.len(), 2);
    assert_eq!(world.last_token().attempt, 2);
}

#[test]
fn a_message_that_another_phone_could_send_is_handed_back_instead_of_waiting_long() {
    let mut world = World::new();
    let first = world.send(Send {
        movable: true,
        ..send(1)
    });
    world.answer(13);
    world.pass(20_000);
    world.answer(13);
    world.pass(MINUTE);
    world.answer(13);
    let fact = world.last_fact();
    assert_eq!((fact.state, fact.unsent), (WireState::Failed, true));
    assert_eq!(world.told(first).len(), 3);
    let held = world.send(Send {
        movable: true,
        ..send(2)
    });
    world.answer(4);
    world.pass(MINUTE - 1);
    assert_eq!(world.told(held), []);
    world.pass(MINUTE);
    world.answer(4);
    world.pass(1);
    assert_eq!(world.told(held), [WireState::Failed]);
    assert!(world.last_fact().unsent);
}

#[test]
fn a_held_sim_uses_up_no_tries_and_goes_on_when_its_service_comes_back() {
    let mut world = World::new();
    world.send_all(1..=3);
    for (_, task) in world.handed_over.clone() {
        world.result(task.token, 0, 1, 2);
    }
    assert_eq!(world.order(), [1, 2]);
    assert!(world.events.contains(&Event::SimHeld {
        sim: sim(0),
        code: 2
    }));
    for minute in 1..=10 {
        world.pass(MINUTE);
        assert_eq!(world.order().len(), 2 + minute);
        world.answer(2);
    }
    let in_service = true;
    world.tell(RadioFact::ServiceChanged {
        sim: sim(0),
        in_service,
    });
    assert_eq!(world.order()[12..], [1, 2]);
    assert_eq!(world.facts.len(), 0);
}

#[test]
fn a_held_sim_is_looked_at_every_minute_and_later_every_quarter() {
    let mut world = World::new();
    world.send(send(1));
    let mut looks = Vec::new();
    for _ in 0..18 {
        let before = world.now.boot;
        world.answer(4);
        let tries = world.handed_over.len();
        while world.handed_over.len() == tries {
            world.pass(MINUTE);
        }
        looks.push(world.now.boot.since_ms(before) / MINUTE);
    }
    assert_eq!(looks[..15], [1; 15]);
    assert_eq!(looks[15..], [15; 3]);
    world.answer(OK);
    assert!(world.events.contains(&Event::SimReleased { sim: sim(0) }));
}

#[test]
fn only_the_end_of_its_life_ends_a_message_of_a_held_sim() {
    let mut world = World::new();
    let first = world.send(Send {
        ttl_ms: HOUR,
        ..send(1)
    });
    world.answer(4);
    world.tell(RadioFact::ServiceChanged {
        sim: sim(0),
        in_service: false,
    });
    let mut answered = 1;
    while world.told(first).is_empty() {
        world.pass(MINUTE);
        if world.handed_over.len() > answered {
            answered += 1;
            world.answer(4);
        }
    }
    assert_eq!(world.told(first), [WireState::Expired]);
}

#[test]
fn the_limit_of_the_platform_holds_the_sim_and_halves_the_pace() {
    let mut world = World::with(postrider_machine::PaceLimits::per_minute(8));
    world.send(send(1));
    world.answer(5);
    assert!(world.events.contains(&Event::PaceHalved { halvings: 1 }));
    assert!(world.events.contains(&Event::SimHeld {
        sim: sim(0),
        code: 5
    }));
    world.pass(2 * MINUTE);
    world.answer(OK);
    let start = world.handed_over.len();
    world.send_all(2..=20);
    for _ in 0..19 {
        if world.handed_over.len() > start {
            world.answer(OK);
        }
    }
    let in_a_minute = world.handed_over.len() - start;
    assert_eq!(in_a_minute, 4);
    world.pass(20 * MINUTE);
    world.restart();
    assert!(
        world
            .disk
            .snapshot()
            .pace
            .is_some_and(|pace| pace.halvings == 0)
    );
}

#[test]
fn parts_answer_in_any_order_and_only_together() {
    let mut world = World::new();
    let first = world.send(long(1));
    let token = world.last_token();
    assert_eq!(world.handed_over[0].1.parts, 3);
    for part in [2, 0, 0, 2] {
        world.result(token, part, 3, OK);
        assert_eq!(world.told(first), []);
    }
    world.result(token, 1, 3, OK);
    assert_eq!(world.told(first), [WireState::Sent]);
}

#[test]
fn some_parts_on_the_air_make_a_partial_failure_that_is_never_tried_again() {
    let mut world = World::new();
    let first = world.send(long(1));
    let token = world.last_token();
    world.result(token, 0, 3, OK);
    world.result(token, 1, 3, 13);
    world.result(token, 2, 3, 13);
    let fact = world.last_fact();
    assert_eq!(
        (fact.state, fact.partial, fact.unsent),
        (WireState::Failed, true, false)
    );
    world.pass(3 * HOUR);
    assert_eq!(world.order(), [1]);
    assert_eq!(world.told(first), [WireState::Failed]);
}

#[test]
fn a_message_is_tried_again_only_when_every_part_proved_that_it_did_not_leave() {
    let mut world = World::new();
    world.send(long(1));
    let token = world.last_token();
    world.result(token, 0, 3, 13);
    world.result(token, 1, 3, 13);
    world.pass(MINUTE);
    assert_eq!(world.handed_over.len(), 1);
    world.result(token, 2, 3, 13);
    world.pass(MINUTE);
    assert_eq!(world.handed_over.len(), 2);
}

#[test]
fn the_platforms_own_count_of_parts_is_waited_for() {
    let mut world = World::new();
    let first = world.send(send(1));
    let token = world.last_token();
    world.result(token, 0, 2, OK);
    assert_eq!(world.told(first), []);
    world.result(token, 1, 2, OK);
    assert_eq!(world.told(first), [WireState::Sent]);
    assert_eq!(world.last_fact().of, Some(2));
}

#[test]
fn a_late_result_of_an_earlier_try_is_not_taken_for_the_present_one() {
    let mut world = World::new();
    let first = world.send(send(1));
    let earlier = world.last_token();
    world.answer(13);
    world.pass(20_000);
    assert_eq!(world.last_token().attempt, 2);
    world.result(earlier, 0, 1, 13);
    world.result(earlier, 0, 1, 3);
    assert_eq!(world.told(first), [WireState::Retrying]);
    world.answer(OK);
    assert_eq!(world.told(first), [WireState::Retrying, WireState::Sent]);
}

#[test]
fn a_try_that_went_out_in_spite_of_its_proof_is_not_repeated() {
    let mut world = World::new();
    let first = world.send(send(1));
    let token = world.last_token();
    world.answer(13);
    world.result(token, 0, 1, OK);
    assert_eq!(world.told(first), [WireState::Retrying, WireState::Sent]);
    world.pass(2 * HOUR);
    assert_eq!(world.handed_over.len(), 1);
    let second = world.send(send(2));
    let token = world.last_token();
    world.answer(13);
    world.report(token, 0, 0x00);
    assert_eq!(
        world.told(second),
        [WireState::Retrying, WireState::Delivered]
    );
}

#[test]
fn delivered_means_every_part_and_not_delivered_means_any() {
    let mut world = World::new();
    let delivered = world.send(long(1));
    let token = world.last_token();
    (0..3).for_each(|part| world.result(token, part, 3, OK));
    for part in [1, 0, 1] {
        world.report(token, part, 0x00);
        assert_eq!(world.told(delivered), [WireState::Sent]);
    }
    world.report(token, 2, 0x02);
    assert_eq!(
        world.told(delivered),
        [WireState::Sent, WireState::Delivered]
    );
    let gave_up = world.send(long(2));
    let token = world.last_token();
    (0..3).for_each(|part| world.result(token, part, 3, OK));
    world.report(token, 0, 0x30);
    world.report(token, 0, 0x46);
    assert_eq!(
        world.told(gave_up),
        [WireState::Sent, WireState::NotDelivered]
    );
    assert_eq!(world.last_fact().code.as_deref(), Some("validity_expired"));
}

#[test]
fn a_report_before_its_result_proves_that_the_part_was_sent() {
    let mut world = World::new();
    let first = world.send(send(1));
    let token = world.last_token();
    world.report(token, 0, 0x20);
    assert_eq!(world.told(first), [WireState::Sent]);
    world.answer(1);
    assert_eq!(world.told(first), [WireState::Sent]);
    world.report(token, 0, 0x00);
    assert_eq!(world.told(first), [WireState::Sent, WireState::Delivered]);
}

#[test]
fn a_delivery_raises_even_an_ambiguous_failure() {
    let mut world = World::new();
    let first = world.send(send(1));
    world.answer(1);
    world.report(world.last_token(), 0, 0x00);
    assert_eq!(world.told(first), [WireState::Failed, WireState::Delivered]);
}

#[test]
fn a_report_about_somebody_else_is_not_counted() {
    let mut world = World::new();
    let first = world.send(send(1));
    world.answer(OK);
    let report = |recipient: &str, token: SendToken| RadioFact::ReportArrived {
        token,
        part: 0,
        status: ReportStatus::Gsm(0),
        recipient: Some(Address::new(recipient)),
    };
    let token = world.last_token();
    world.tell(report("+15005550002", token));
    assert_eq!(world.told(first), [WireState::Sent]);
    assert_eq!(world.agent.counters().mismatched_reports, 1);
    world.tell(report("5005550001", token));
    assert_eq!(world.told(first), [WireState::Sent, WireState::Delivered]);
}

#[test]
fn a_report_for_somebody_counts_for_no_message_whose_recipient_is_erased() {
    let mut world = World::new();
    let message = world.send(send(1));
    let token = world.last_token();
    world.answer(OK);
    world.pass(72 * HOUR + 25 * HOUR);
    for recipient in [Some("+15005550099"), Some("+15005550001"), None] {
        world.tell(RadioFact::ReportArrived {
            token,
            part: 0,
            status: ReportStatus::Gsm(0),
            recipient: recipient.map(Address::new),
        });
        let delivered = [WireState::Sent, WireState::Delivered];
        let told = if recipient.is_some() {
            &delivered[..1]
        } else {
            &delivered[..]
        };
        assert_eq!(world.told(message), told);
    }
}

#[test]
fn reports_are_waited_for_72_hours() {
    let mut world = World::new();
    let first = world.send(send(1));
    world.answer(OK);
    let ended = |world: &World| world.disk.message(first).unwrap().progress.ended;
    world.pass(72 * HOUR - 1);
    world.restart();
    assert_eq!(ended(&world), None);
    world.pass(1);
    assert!(ended(&world).is_some());
    assert_eq!(world.told(first), [WireState::Sent]);
}

#[test]
fn a_report_before_the_first_result_does_not_hide_that_there_are_more_parts() {
    let mut world = World::new();
    let first = world.send(send(1));
    let token = world.last_token();
    world.report(token, 0, 0x30);
    world.result(token, 0, 2, OK);
    world.result(token, 1, 2, OK);
    world.report(token, 0, 0x00);
    assert_eq!(world.told(first), [WireState::Sent]);
    world.report(token, 1, 0x00);
    assert_eq!(world.told(first), [WireState::Sent, WireState::Delivered]);
}

#[test]
fn a_result_without_a_count_leaves_the_expected_one() {
    let mut world = World::new();
    let first = world.send(long(1));
    let token = world.last_token();
    (0..3).for_each(|part| world.result(token, part, 0, OK));
    assert_eq!(world.told(first), [WireState::Sent]);
    assert_eq!(world.last_fact().of, Some(3));
}

#[test]
fn a_count_that_comes_after_the_end_takes_no_part_away_and_adds_none_to_a_failure() {
    let mut world = World::new();
    let first = world.send(long(1));
    let token = world.last_token();
    (0..3).for_each(|part| world.result(token, part, 3, OK));
    world.result(token, 0, 1, OK);
    world.report(token, 0, 0x00);
    assert_eq!(world.told(first), [WireState::Sent]);
    let second = world.send(send(2));
    let token = world.last_token();
    world.answer(1);
    world.result(token, 1, 2, OK);
    world.report(token, 0, 0x00);
    assert_eq!(
        world.told(second),
        [WireState::Failed, WireState::Delivered]
    );
}

#[test]
fn a_sim_is_shown_as_released_only_where_something_kept_it() {
    let mut world = World::new();
    let released = |world: &World| {
        let shown = Event::SimReleased { sim: sim(0) };
        world.events.iter().filter(|event| **event == shown).count()
    };
    let service = |world: &mut World, in_service| {
        world.tell(RadioFact::ServiceChanged {
            sim: sim(0),
            in_service,
        });
    };
    service(&mut world, true);
    assert_eq!(released(&world), 0);
    service(&mut world, false);
    service(&mut world, false);
    service(&mut world, true);
    assert_eq!(released(&world), 1);
    let held = Event::SimHeld {
        sim: sim(0),
        code: 4,
    };
    let times = world.events.iter().filter(|event| **event == held).count();
    assert_eq!(times, 1, "told once");
    world.send(send(1));
    world.pass(2 * MINUTE);
    world.command(Command::ReleaseSim(sim(0))).unwrap();
    assert_eq!(released(&world), 2);
}

#[test]
fn a_failure_with_proof_is_over_at_once_and_one_without_after_the_report_window() {
    for (code, at_once) in [(3, true), (1, false)] {
        let mut world = World::new();
        let first = world.send(send(1));
        world.answer(code);
        let is_over = |world: &World| world.disk.message(first).unwrap().progress.ended.is_some();
        assert_eq!(is_over(&world), at_once);
        world.pass(72 * HOUR - 1);
        assert_eq!(is_over(&world), at_once);
        world.pass(1);
        assert!(is_over(&world));
    }
}

#[test]
fn a_message_that_is_with_the_radio_again_is_not_handed_back_meanwhile() {
    let mut world = World::new();
    let first = world.send(Send {
        movable: true,
        ..send(1)
    });
    world.answer(4);
    world.pass(MINUTE / 2);
    world.tell(RadioFact::ServiceChanged {
        sim: sim(0),
        in_service: true,
    });
    assert_eq!(world.handed_over.len(), 2);
    world.pass(MINUTE);
    assert_eq!(world.told(first), []);
    world.answer(OK);
    assert_eq!(world.told(first), [WireState::Sent]);
}

#[test]
fn a_try_that_never_was_refutes_nothing() {
    let mut world = World::new();
    let first = world.send(send(1));
    let token = world.last_token();
    world.answer(13);
    for attempt in [0, 2] {
        let token = SendToken { attempt, ..token };
        world.result(token, 0, 1, OK);
        world.report(token, 0, 0x00);
    }
    assert_eq!(world.told(first), [WireState::Retrying]);
    assert_eq!(world.agent.counters().stray_results, 4);
    world.pass(20_000);
    assert_eq!(world.last_token().attempt, 2);
}
