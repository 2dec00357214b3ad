//! Phones that break a rule: the verdict names it.

use super::*;
use crate::scenario::Action;
use postrider_link::frame::PhoneFrame;
use postrider_model::WireState as W;

#[test]
fn an_ack_of_what_was_never_sent() {
    let mut phone = connected("");
    phone.ack(3);
    assert_eq!(broken(&phone.verdict()), ["holds"]);
    assert_eq!(phone.closed, Some(4400));
}

#[test]
fn an_ack_of_what_it_does_not_hold_after_a_restart() {
    let mut phone = connected(ONE);
    phone.take_sends();
    phone.hang_up(None);
    phone.down = 0;
    phone.connect();
    assert_eq!(broken(&phone.verdict()), ["holds"]);
    assert_eq!(phone.closed, Some(4410));
}

#[test]
fn a_fact_number_that_is_left_out() {
    let mut phone = connected("");
    phone.health(1);
    phone.health(3);
    assert_eq!(broken(&phone.verdict()), ["sequence"]);
}

#[test]
fn a_fact_before_welcome() {
    let mut phone = HandPhone::new(engine(""));
    phone.join();
    phone.dial();
    phone.health(1);
    assert_eq!(broken(&phone.verdict()), ["sequence"]);
}

#[test]
fn a_fact_that_says_something_else_the_second_time() {
    let text = format!("{ONE}[[fault]]\ndo = \"drop\"\nframe = \"ack\"\ntimes = 0\n");
    let mut phone = connected(&text);
    let send = phone.take_sends().remove(0);
    phone.tell(&send, W::OnPhone);
    phone.hang_up(None);
    let mut engine = phone.engine;
    engine.memory.link.as_mut().unwrap().up = 0;
    phone.engine = engine;
    phone.connect();
    phone.up = 0;
    phone.tell(&send, W::Sent);
    assert_eq!(broken(&phone.verdict()), ["replay"]);
}

#[test]
fn facts_that_were_not_acked_and_are_gone() {
    let text = format!("{ONE}[[fault]]\ndo = \"drop\"\nframe = \"ack\"\ntimes = 0\n");
    let mut phone = connected(&text);
    let send = phone.take_sends().remove(0);
    phone.tell(&send, W::OnPhone);
    phone.hang_up(None);
    phone.up = 0;
    phone.connect();
    assert_eq!(broken(&phone.verdict()), ["kept"]);
}

#[test]
fn more_facts_than_the_credit_allows() {
    let text = "[[fault]]\ndo = \"lie\"\nframe = \"welcome\"\nlimit_by = -255\n\
                [[fault]]\ndo = \"lie\"\nframe = \"ack\"\ntimes = 0\nlimit_by = -256\n";
    let mut phone = connected(text);
    phone.health(1);
    assert!(phone.verdict().holds("credit"));
    phone.health(2);
    assert_eq!(broken(&phone.verdict()), ["credit"]);
}

#[test]
fn a_result_that_is_taken_back() {
    let mut phone = connected(ONE);
    let send = phone.take_sends().remove(0);
    phone.tell(&send, W::Delivered);
    phone.tell(&send, W::Failed);
    assert_eq!(broken(&phone.verdict()), ["exposure"]);
}

#[test]
fn an_event_about_an_exposure_that_was_never_made() {
    let mut phone = connected(ONE);
    let mut send = phone.take_sends().remove(0);
    send.ep = 9;
    phone.tell(&send, W::Sent);
    assert_eq!(broken(&phone.verdict()), ["exposure"]);
}

#[test]
fn an_exposure_that_the_radio_had_twice() {
    let mut phone = connected(ONE);
    let send = phone.take_sends().remove(0);
    phone.tell(&send, W::Sent);
    phone.tell(&send, W::Delivered);
    assert!(phone.verdict_with(&[&send]).held);
    assert_eq!(broken(&phone.verdict_with(&[&send, &send])), ["radio"]);
    assert_eq!(broken(&phone.verdict_with(&[])), ["radio"]);
}

#[test]
fn a_proof_that_nothing_was_sent_when_the_radio_had_it() {
    let mut phone = connected(ONE);
    let send = phone.take_sends().remove(0);
    let mut event = phone.event(&send, W::Failed);
    event.unsent = true;
    phone.say(&PhoneFrame::Event(event));
    assert!(phone.verdict_with(&[]).held);
    assert_eq!(broken(&phone.verdict_with(&[&send])), ["radio"]);
}

#[test]
fn a_cancel_that_is_acked_and_not_answered() {
    let text = format!(
        "[rules]\noff = [\"heartbeat\"]\n{ONE}[[step]]\nwait.state.is = \"on_phone\"\ncancel = \"m\"\n"
    );
    let mut phone = connected(&text);
    let send = phone.take_sends().remove(0);
    phone.tell(&send, W::OnPhone);
    assert!(phone.take_sends().is_empty());
    phone.pass_ms(14_000);
    assert!(phone.verdict().held);
    phone.pass_ms(1_000);
    assert_eq!(broken(&phone.verdict()), ["asked"]);
    phone.tell(&send, W::Cancelled);
    let verdict = phone.verdict();
    assert!(verdict.held, "{verdict}");
    assert_eq!(verdict.messages[0].view.status, "cancelled");
}

#[test]
fn a_hello_that_nobody_signed() {
    let mut phone = HandPhone::new(engine(""));
    phone.join();
    phone.conn = 1;
    phone.dial();
    let mut hello = phone.hello();
    hello.sig.0[0] ^= 1;
    phone.say(&PhoneFrame::Hello(hello));
    assert_eq!(broken(&phone.verdict()), ["hello"]);
    assert_eq!(phone.closed, Some(4401));
}

#[test]
fn a_connection_number_that_was_used_before() {
    let mut phone = connected("");
    phone.hang_up(None);
    phone.conn = 0;
    phone.connect();
    assert_eq!(broken(&phone.verdict()), ["hello"]);
    assert_eq!(phone.closed, Some(4410));
}

#[test]
fn a_ping_that_does_not_come_when_it_was_announced() {
    let text = "[end]\nwhen = \"told\"\ntimeout_s = 600\n";
    let mut phone = connected(text);
    phone.pass_ms(45_000);
    phone.ping(1, 45);
    phone.pass_ms(59_000);
    assert!(phone.verdict().held);
    phone.pass_ms(1_000);
    assert_eq!(broken(&phone.verdict()), ["heartbeat"]);
}

#[test]
fn a_phone_that_does_not_come_back() {
    let mut phone = connected("[end]\nwhen = \"told\"\ntimeout_s = 600\n");
    phone.hang_up(None);
    phone.pass_ms(15_900);
    assert!(phone.verdict().held);
    phone.pass_ms(200);
    assert_eq!(broken(&phone.verdict()), ["reconnect"]);
}

#[test]
fn a_phone_that_comes_back_after_it_was_told_to_stop() {
    let mut phone = connected("");
    phone.engine.act(Action::Unpair, phone.now).unwrap();
    phone.read();
    assert_eq!(phone.closed, Some(4403));
    assert!(phone.verdict().held);
    phone.connect();
    assert_eq!(broken(&phone.verdict()), ["reconnect"]);
}

#[test]
fn a_connection_that_is_kept_though_it_broke_the_protocol() {
    let text = format!(
        "[end]\nwhen = \"told\"\ntimeout_s = 600\n{ONE}[[fault]]\ndo = \"malformed\"\n\
         frame = \"send\"\nhow = \"not_json\"\n"
    );
    let mut phone = connected(&text);
    phone.pass_ms(14_000);
    assert!(phone.verdict().held);
    phone.pass_ms(1_000);
    assert_eq!(broken(&phone.verdict()), ["refuse"]);
}

#[test]
fn an_ack_behind_a_gap_and_a_close_with_another_code() {
    let text = "[end]\nwhen = \"told\"\n[[step]]\nwait.connected = 1\nsend = { count = 2 }\n\
                [[fault]]\ndo = \"drop\"\nframe = \"send\"\n";
    let mut phone = connected(text);
    phone.take_sends();
    let verdict = phone.verdict();
    assert_eq!(broken(&verdict), ["holds", "refuse"]);
    let mut phone = connected(text);
    phone.hang_up(Some(1000));
    assert_eq!(broken(&phone.verdict()), ["refuse"]);
}

#[test]
fn a_frame_that_cannot_be_read() {
    let mut phone = connected("");
    phone.say_raw(b"{\"t\":\"ack\"}");
    assert_eq!(broken(&phone.verdict()), ["form"]);
    assert_eq!(phone.closed, Some(4400));
}

#[test]
fn a_message_without_a_result_and_a_fault_that_never_acted() {
    let text =
        format!("{ONE}[[fault]]\ndo = \"drop\"\nframe = \"bye\"\n[rules]\noff = [\"heartbeat\"]\n");
    let mut phone = connected(&text);
    phone.take_sends();
    phone.pass_ms(60_000);
    assert_eq!(phone.engine.ended(), Some(Ended::TimeOver));
    assert_eq!(broken(&phone.verdict()), ["settled", "faults"]);
}

#[test]
fn a_rule_that_is_off_is_not_judged() {
    let mut phone = connected("[rules]\noff = [\"holds\"]\n");
    phone.ack(3);
    assert!(phone.verdict().held);
}
