//! Incoming things are reported with everything that is known, field by field.

use crate::world::*;
use postrider_link::frame::{Address, Bytes, Data, Inbound, Kind, Send};
use postrider_machine::{
    CallKind, CallLogRow, LogPage, RadioFact, ReceivedData, ReceivedMms, ReceivedSms,
};
use postrider_model::{MessageText, Now, SimSlot, UnixMs};

const FROM: &str = "+15005550009";
const TO: &str = "+15005550003";

/// The report of something without content that came at a moment of this boot.
fn blank(kind: Kind, from: &str, sim: SimSlot, at: Now) -> Inbound {
    Inbound {
        s: 0,
        n: 1,
        install: None,
        kind,
        sim,
        from: Address::new(from),
        to: None,
        text: None,
        data: None,
        parts: None,
        sent_at: None,
        duration_s: None,
        ring_s: None,
        wall: at.unix.0,
        mono: at.boot.0,
        boot: None,
    }
}

/// The only thing that came in, without its place among the facts.
fn told(world: &World) -> Inbound {
    assert_eq!(world.inbound.len(), 1);
    Inbound {
        s: 0,
        ..world.inbound[0].clone()
    }
}

fn text_of(at: UnixMs) -> ReceivedSms {
    ReceivedSms {
        receipt: 5,
        sim: sim(1),
        from: Address::new(FROM),
        to: Some(Address::new(TO)),
        text: MessageText::new("come at noon"),
        parts: 3,
        sent_at: Some(UnixMs(7_000)),
        received_at: Some(at),
        row: Some(1),
    }
}

#[test]
fn a_text_message() {
    let mut world = World::new();
    let at = world.now;
    world.pass(10_000);
    world.tell(RadioFact::SmsReceived(text_of(at.unix)));
    let expected = Inbound {
        to: Some(Address::new(TO)),
        text: Some(MessageText::new("come at noon")),
        parts: Some(3),
        sent_at: Some(7_000),
        ..blank(Kind::Sms, FROM, sim(1), at)
    };
    assert_eq!(told(&world), expected);
}

#[test]
fn a_data_message() {
    let mut world = World::new();
    let data = Data {
        port: 16_001,
        base64: Bytes(vec![1, 2, 3]),
    };
    world.tell(RadioFact::DataReceived(ReceivedData {
        receipt: 5,
        sim: sim(1),
        from: Address::new(FROM),
        data: data.clone(),
        sent_at: Some(UnixMs(7_000)),
    }));
    let expected = Inbound {
        data: Some(data),
        parts: Some(1),
        sent_at: Some(7_000),
        ..blank(Kind::DataSms, FROM, sim(1), world.now)
    };
    assert_eq!(told(&world), expected);
}

#[test]
fn a_multimedia_message() {
    let mut world = World::new();
    let at = world.now;
    world.pass(10_000);
    world.tell(RadioFact::MmsReceived(ReceivedMms {
        receipt: 5,
        sim: sim(1),
        from: Address::new(FROM),
        to: Some(Address::new(TO)),
        subject: Some(MessageText::new("Lunch")),
        text: Some(MessageText::new("come at noon")),
        sent_at: Some(UnixMs(7_000)),
        received_at: at.unix,
        row: 1,
    }));
    let expected = Inbound {
        to: Some(Address::new(TO)),
        text: Some(MessageText::new("Lunch\ncome at noon")),
        sent_at: Some(7_000),
        ..blank(Kind::Mms, FROM, sim(1), at)
    };
    assert_eq!(told(&world), expected);
}

#[test]
fn an_answer_to_a_code() {
    let mut world = World::new();
    world.send(Send {
        kind: Kind::Ussd,
        to: Address::new("*100#"),
        sim: sim(1),
        ..send(1)
    });
    let token = world.dialled[0].0;
    let text = MessageText::new("5.00");
    world.tell(RadioFact::UssdAnswered {
        token,
        text: text.clone(),
    });
    let expected = Inbound {
        text: Some(text),
        ..blank(Kind::Ussd, "*100#", sim(1), world.now)
    };
    assert_eq!(told(&world), expected);
}

#[test]
fn a_call() {
    let mut world = World::new();
    let at = world.now;
    world.pass(60_000);
    let row = CallLogRow {
        row: 1,
        sim: sim(1),
        number: Some(Address::new(FROM)),
        kind: CallKind::Incoming,
        started_at: at.unix,
        duration_s: 42,
    };
    world.tell(RadioFact::LogRead {
        page: LogPage::Calls(vec![row]),
        complete: true,
    });
    let expected = Inbound {
        duration_s: Some(42),
        ring_s: Some(-1),
        ..blank(Kind::Call, FROM, sim(1), at)
    };
    assert_eq!(told(&world), expected);
}

#[test]
fn what_came_before_this_boot_says_so() {
    let mut world = World::new();
    world.pass(1_000);
    world.reboot(HOUR);
    let booted = world.now.unix.plus_ms(-world.now.boot.0.cast_signed());
    let before = booted.plus_ms(-1);
    world.tell(RadioFact::SmsReceived(text_of(before)));
    let fact = &world.inbound[0];
    assert_eq!((fact.wall, fact.mono), (before.0, 0));
    assert_eq!(fact.boot.as_deref(), Some("earlier"));
    world.tell(RadioFact::SmsReceived(ReceivedSms {
        row: Some(2),
        text: MessageText::new("another"),
        ..text_of(booted)
    }));
    let fact = &world.inbound[1];
    assert_eq!((fact.wall, fact.mono), (booted.0, 0));
    assert_eq!(fact.boot, None);
}

#[test]
fn a_date_ahead_or_of_no_calendar_counts_as_now() {
    for date in [START.unix.0 + 500_000, i64::MAX, -1] {
        let mut world = World::new();
        let at = world.now;
        world.tell(RadioFact::SmsReceived(text_of(UnixMs(date))));
        let fact = told(&world);
        assert_eq!((fact.wall, fact.mono), (at.unix.0, at.boot.0), "{date}");
    }
}

#[test]
fn what_is_told_after_a_reboot_names_the_boot_in_which_it_was() {
    let mut world = World::new();
    let message = world.send(send(1));
    world.online = false;
    world.disconnect();
    world.answer(OK);
    world.tell(RadioFact::SmsReceived(text_of(START.unix)));
    world.reboot(MINUTE);
    world.online = true;
    world.pass(MINUTE);
    assert_eq!(world.told(message).len(), 1);
    assert_eq!(world.last_fact().boot.as_deref(), Some("boot-0"));
    assert_eq!(world.inbound[0].boot.as_deref(), Some("boot-0"));
    assert_eq!(world.last_hello.unwrap().boot, "boot-1");
}

#[test]
fn a_row_of_any_log_is_told_unless_it_is_of_before_the_first_start() {
    let before = START.unix.plus_ms(-1);
    let call = |at| CallLogRow {
        row: 1,
        sim: sim(1),
        number: Some(Address::new(FROM)),
        kind: CallKind::Missed,
        started_at: at,
        duration_s: 0,
    };
    let mms = |at| ReceivedMms {
        receipt: 5,
        sim: sim(1),
        from: Address::new(FROM),
        to: None,
        subject: None,
        text: None,
        sent_at: Some(at),
        received_at: at,
        row: 1,
    };
    for (page, count) in [
        (LogPage::Sms(vec![text_of(before)]), 0),
        (LogPage::Sms(vec![text_of(START.unix)]), 1),
        (LogPage::Mms(vec![mms(before)]), 0),
        (LogPage::Mms(vec![mms(START.unix)]), 1),
        (LogPage::Calls(vec![call(before)]), 0),
        (LogPage::Calls(vec![call(START.unix)]), 1),
    ] {
        let mut world = World::new();
        world.tell(RadioFact::LogRead {
            page: page.clone(),
            complete: true,
        });
        assert_eq!(world.inbound.len(), count, "{page:?}");
    }
}
