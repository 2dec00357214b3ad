//! Why something failed: a word for programs and a text for people.

use crate::world::*;
use postrider_link::frame::{Address, Bytes, Data, Kind, Send};
use postrider_machine::{CallRefusal, RadioFact, ReportStatus};
use postrider_model::MessageText;
use postrider_text::{result_code, rp_cause, tp_status};

/// The last word and text that the hub got.
fn reason(world: &World) -> (&str, &str) {
    let fact = world.last_fact();
    let [code, detail] = [&fact.code, &fact.detail].map(|word| word.as_deref().unwrap_or(""));
    (code, detail)
}

fn data(n: i64, bytes: usize) -> Send {
    Send {
        kind: Kind::DataSms,
        text: None,
        data: Some(Data {
            port: 1,
            base64: Bytes(vec![0; bytes]),
        }),
        ..send(n)
    }
}

fn code(n: i64, code: &str) -> Send {
    Send {
        kind: Kind::Ussd,
        to: Address::new(code),
        ..send(n)
    }
}

#[test]
fn each_refusal_has_a_word_and_a_text() {
    let mut world = World::new();
    let cases = [
        (
            Send {
                kind: Kind::Mms,
                ..send(1)
            },
            ("unsupported", "the phone cannot do this"),
        ),
        (
            Send {
                to: Address::new("*100#"),
                ..send(2)
            },
            ("invalid_recipient", "the recipient is not a number"),
        ),
        (
            Send {
                text: Some(MessageText::new("a".repeat(161))),
                parts_max: Some(1),
                ..send(3)
            },
            ("too_many_parts", "the text makes too many parts"),
        ),
        (
            data(4, 134),
            ("too_long", "the data does not fit one message"),
        ),
        (data(5, 0), ("no_data", "the message has no data")),
        (code(6, "100"), ("invalid_ussd", "this is not a USSD code")),
        (
            code(7, "*#06#"),
            (
                "ussd_refused",
                "the phone's owner does not allow codes that change settings",
            ),
        ),
    ];
    for (send, expected) in cases {
        world.send(send);
        assert_eq!(reason(&world), expected);
    }
}

#[test]
fn an_exposure_that_another_one_forbids_says_which_way() {
    let mut world = World::new();
    world.send(send(1));
    world.send(Send { ep: 2, ..send(1) });
    let open = ("attempt_open", "an earlier try is in the radio's hands");
    assert_eq!(reason(&world), open);
    world.answer(OK);
    world.send(Send { ep: 3, ..send(1) });
    let sent = ("already_sent", "an earlier try was sent");
    assert_eq!(reason(&world), sent);
    world.send(Send { ep: 2, ..send(4) });
    world.send(send(4));
    let superseded = ("superseded", "a newer try is on the phone");
    assert_eq!(reason(&world), superseded);
}

#[test]
fn what_codes_and_calls_fail_of_is_told() {
    let mut world = World::new();
    let ussd = [
        (
            -2,
            "ussd_unavailable",
            "the telephone service was not there",
        ),
        (
            -1,
            "ussd_failed",
            "the request failed, or the network asked for a further answer",
        ),
    ];
    for (n, (code_of_platform, word, text)) in (1..).zip(ussd) {
        world.send(code(n, "*100#"));
        let token = world.dialled.last().unwrap().0;
        world.tell(RadioFact::UssdFailed {
            token,
            code: code_of_platform,
        });
        assert_eq!(reason(&world), (word, text));
    }
    let calls = [
        (
            CallRefusal::NotPermitted,
            "call_not_permitted",
            "the app may not place calls",
        ),
        (
            CallRefusal::NoAccount,
            "call_no_account",
            "the SIM cannot call",
        ),
        (
            CallRefusal::Other,
            "call_refused",
            "the phone refused the call",
        ),
    ];
    for (n, (why, word, text)) in (11..).zip(calls) {
        world.send(Send {
            kind: Kind::Call,
            ..send(n)
        });
        let token = world.called.last().unwrap().0;
        world.tell(RadioFact::CallRefused { token, why });
        assert_eq!(reason(&world), (word, text));
    }
}

#[test]
fn a_result_is_told_in_the_networks_words_where_it_gave_a_cause() {
    let mut world = World::new();
    let fail = |world: &mut World, n, cause| {
        world.send(send(n));
        let token = world.last_token();
        world.tell(RadioFact::PartSent {
            token,
            part: 0,
            of: 1,
            code: 1,
            cause,
        });
    };
    fail(&mut world, 1, None);
    assert_eq!(reason(&world), ("1", result_code::look_up(1).detail));
    fail(&mut world, 2, Some(28));
    assert_eq!(reason(&world), ("1", rp_cause::explain(28).detail));
}

#[test]
fn a_cause_of_one_try_does_not_explain_the_next() {
    let mut world = World::new();
    world.send(send(1));
    let token = world.last_token();
    world.tell(RadioFact::PartSent {
        token,
        part: 0,
        of: 1,
        code: 13,
        cause: Some(38),
    });
    assert_eq!(reason(&world), ("13", rp_cause::explain(38).detail));
    world.pass(MINUTE);
    world.answer(3);
    assert_eq!(reason(&world), ("3", result_code::look_up(3).detail));
}

#[test]
fn a_report_says_why_in_the_words_of_its_standard() {
    let mut world = World::new();
    let report = |world: &mut World, n, status| {
        world.send(send(n));
        world.answer(OK);
        assert_eq!(reason(world), ("", ""));
        let token = world.last_token();
        world.tell(RadioFact::ReportArrived {
            token,
            part: 0,
            status,
            recipient: None,
        });
    };
    report(&mut world, 1, ReportStatus::Gsm(0x46));
    let gsm = tp_status::decode_3gpp(0x46);
    assert_eq!(reason(&world), (gsm.code, gsm.detail));
    assert_eq!(gsm.code, "validity_expired");
    report(&mut world, 2, ReportStatus::Gsm(0x00));
    let gsm = tp_status::decode_3gpp(0x00);
    assert_eq!(reason(&world), (gsm.code, gsm.detail));
    report(&mut world, 3, ReportStatus::Cdma(0x03_0000));
    let cdma = tp_status::decode_3gpp2(0x03_0000);
    assert_eq!(reason(&world), (cdma.code, cdma.detail));
}
