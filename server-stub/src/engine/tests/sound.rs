//! A phone that keeps the rules, whatever the hub does.

use super::*;
use crate::scenario::Action;
use postrider_link::frame::{Bye, Held, HeldRow, HubFrame, PhoneFrame};
use postrider_model::WireState as W;

fn deliver_all(phone: &mut HandPhone) {
    for send in phone.take_sends() {
        for state in [W::OnPhone, W::Submitting, W::Sent, W::Delivered] {
            phone.tell(&send, state);
        }
    }
}

#[test]
fn a_message_that_is_delivered_ends_the_run_and_every_rule_holds() {
    let mut phone = connected(ONE);
    deliver_all(&mut phone);
    assert_eq!(phone.engine.ended(), Some(Ended::Reached));
    let verdict = phone.verdict();
    assert!(verdict.held, "{verdict}");
    assert_eq!(verdict.messages[0].view.status, "delivered");
    assert_eq!(verdict.messages[0].view.states.last(), Some(&"delivered"));
}

#[test]
fn a_pairing_is_answered_as_the_scenario_says() {
    for (answer, status, word) in [
        ("wait", 200, "pending"),
        ("wrong_digits", 200, "pending"),
        ("refuse", 403, "pairing_refused"),
        ("expire", 410, "pairing_expired"),
    ] {
        let text = format!("[pairing]\nanswer = \"{answer}\"\n");
        let mut phone = HandPhone::new(engine(&text));
        let (got, body) = phone.pair_with("abcd12345678");
        assert_eq!(got, status, "{answer}");
        assert!(body.to_string().contains(word), "{answer}: {body}");
        assert!(phone.engine.state().device.is_none());
    }
    let mut phone = HandPhone::new(engine(""));
    assert_eq!(phone.pair_with("ABCD-1234-5679").0, 403);
}

#[test]
fn what_was_lost_on_its_way_goes_out_again_with_its_number() {
    let text = format!("{ONE}[[fault]]\ndo = \"cut\"\nframe = \"send\"\n");
    let mut phone = connected(&text);
    assert_eq!(phone.closed, Some(0));
    assert!(
        !phone
            .frames
            .iter()
            .any(|it| matches!(it, HubFrame::Send(_)))
    );
    phone.connect();
    deliver_all(&mut phone);
    let verdict = phone.verdict();
    assert!(verdict.held, "{verdict}");
    assert_eq!((verdict.dials, verdict.messages[0].exposures), (2, 1));
}

#[test]
fn a_fact_that_the_hub_lost_is_told_again_with_its_number() {
    let text = format!(
        "{ONE}[[fault]]\ndo = \"cut\"\ndirection = \"up\"\nframe = \"event\"\nstate = \"sent\"\n"
    );
    let mut phone = connected(&text);
    let send = phone.take_sends().remove(0);
    phone.tell(&send, W::Sent);
    assert_eq!(phone.closed, Some(0));
    phone.up -= 1;
    let again = phone.event(&send, W::Sent);
    phone.connect();
    phone.say(&PhoneFrame::Event(again));
    phone.tell(&send, W::Delivered);
    let verdict = phone.verdict();
    assert!(verdict.held, "{verdict}");
}

#[test]
fn a_new_generation_asks_for_pages_and_starts_the_numbers_over() {
    let text = format!("{ONE}[[step]]\nwait.state.is = \"on_phone\"\ngeneration = 2\n");
    let mut phone = connected(&text);
    let send = phone.take_sends().remove(0);
    phone.tell(&send, W::OnPhone);
    assert_eq!(phone.closed, Some(1001));
    phone.conn += 1;
    phone.dial();
    let hello = phone.hello();
    phone.frames.clear();
    phone.say(&PhoneFrame::Hello(hello));
    let asked = phone.frames.iter().any(|frame| {
        matches!(frame, HubFrame::Challenge(it) if it.generation == 2 && it.down_sent == Some(1))
    });
    assert!(asked, "{:?}", phone.frames);
    phone.frames.clear();
    let rows = vec![HeldRow {
        id: send.id,
        ep: 1,
        state: W::OnPhone,
        proof: None,
    }];
    phone.say(&PhoneFrame::Held(Held { rows, last: true }));
    assert!(matches!(phone.frames[0], HubFrame::Welcome(it) if it.generation == 2));
    (phone.up, phone.down) = (0, 0);
    phone.tell(&send, W::Sent);
    phone.tell(&send, W::Delivered);
    let verdict = phone.verdict();
    assert!(verdict.held, "{verdict}");
    assert_eq!(verdict.ended, Some("reached"));
}

#[test]
fn a_hub_that_goes_back_raises_its_generation_by_itself() {
    let mut phone = connected("");
    phone.engine.act(Action::Remember, phone.now).unwrap();
    let step = Step::from_json(br#"{"send": {}}"#).unwrap();
    phone.engine.act(step.action, phone.now).unwrap();
    phone.read();
    let send = phone.take_sends().remove(0);
    phone.tell(&send, W::OnPhone);
    phone.engine.act(Action::GoBack, phone.now).unwrap();
    phone.read();
    assert_eq!(phone.closed, Some(1001));
    assert_eq!(phone.engine.state().messages[0].status, "forgotten");
    phone.connect();
    let raised = |frame: &HubFrame| matches!(frame, HubFrame::Challenge(it) if it.generation == 2);
    assert!(phone.frames.iter().any(raised), "{:?}", phone.frames);
    assert!(phone.verdict().held, "{}", phone.verdict());
}

#[test]
fn a_message_that_was_taken_back_is_not_exposed_again() {
    let mut phone = connected(ONE);
    let send = phone.take_sends().remove(0);
    phone
        .engine
        .act(Action::Revoke("m".to_owned()), phone.now)
        .unwrap();
    phone.read();
    let asked = |frame: &HubFrame| matches!(frame, HubFrame::Revoke(it) if it.id == send.id);
    assert!(phone.frames.iter().any(asked));
    assert!(phone.take_sends().is_empty());
    phone.tell(&send, W::Revoked);
    assert!(phone.take_sends().is_empty());
    let verdict = phone.verdict();
    assert_eq!(verdict.messages[0].view.status, "revoked");
    assert!(verdict.held, "{verdict}");
}

#[test]
fn a_phone_that_gives_back_is_given_nothing_more_before_its_next_connection() {
    let mut phone = connected(ONE);
    let send = phone.take_sends().remove(0);
    phone.tell(&send, W::Revoked);
    assert!(phone.take_sends().is_empty());
    phone.hang_up(Some(1001));
    phone.connect();
    deliver_all(&mut phone);
    let verdict = phone.verdict();
    assert!(verdict.held, "{verdict}");
    assert_eq!(verdict.messages[0].exposures, 2);
}

#[test]
fn a_phone_that_its_owner_unpaired_is_not_missed_and_not_known_any_more() {
    let mut phone = connected("[end]\nwhen = \"told\"\ntimeout_s = 600\n");
    let (code, retry_ms) = (4403, 0);
    phone.say(&PhoneFrame::Bye(Bye { code, retry_ms }));
    phone.hang_up(Some(4403));
    phone.pass_ms(300_000);
    assert!(phone.verdict().held, "{}", phone.verdict());
    phone.connect();
    assert_eq!(phone.closed, Some(4403));
}

#[test]
fn a_message_that_is_never_given_to_a_phone_ends_with_its_life() {
    let mut phone = HandPhone::new(engine("[[step]]\nsend = { ttl_ms = 1000 }\n"));
    phone.pass_ms(999);
    assert_eq!(phone.engine.ended(), None);
    phone.pass_ms(1);
    assert_eq!(phone.engine.ended(), Some(Ended::Reached));
    assert_eq!(phone.verdict().messages[0].view.status, "failed (expired)");
}

#[test]
fn an_exposed_message_becomes_unknown_a_minute_after_its_life_and_a_late_truth_counts() {
    let text = "[rules]\noff = [\"heartbeat\"]\n[end]\nwhen = \"told\"\ntimeout_s = 600\n\
                [[step]]\nwait.connected = 1\nsend = { ttl_ms = 1000 }\n";
    let mut phone = connected(text);
    let send = phone.take_sends().remove(0);
    phone.pass_ms(61_000);
    assert_eq!(
        phone.verdict().messages[0].view.status,
        "failed (unknown_outcome)"
    );
    phone.tell(&send, W::Sent);
    let verdict = phone.verdict();
    assert_eq!(verdict.messages[0].view.status, "sent");
    assert!(verdict.held, "{verdict}");
}

#[test]
fn a_paced_send_comes_one_after_the_other() {
    let mut phone = connected("[[step]]\nsend = { count = 3, every_ms = 100 }\n");
    assert_eq!(phone.take_sends().len(), 1);
    phone.pass_ms(99);
    assert_eq!(phone.take_sends().len(), 0);
    phone.pass_ms(1);
    assert_eq!(phone.take_sends().len(), 1);
    phone.pass_ms(100);
    assert_eq!(phone.take_sends().len(), 1);
}

#[test]
fn lies_of_the_hub_do_not_break_a_phone_that_ends_the_connection() {
    for (fault, code) in [
        ("do = \"lie\"\nframe = \"ack\"\nack_by = 5", 4400),
        ("do = \"lie\"\nframe = \"welcome\"\nup_by = 9", 4400),
        (
            "do = \"malformed\"\nframe = \"send\"\nhow = \"duplicate_key\"",
            4400,
        ),
    ] {
        let text = format!("[end]\nwhen = \"told\"\n{ONE}[[fault]]\n{fault}\n");
        let mut phone = connected(&text);
        if fault.contains("\"ack\"") {
            phone.up += 1;
            phone.health(1);
        }
        phone.hang_up(Some(code));
        let verdict = phone.verdict();
        assert!(verdict.held, "{fault}: {verdict}");
    }
}
