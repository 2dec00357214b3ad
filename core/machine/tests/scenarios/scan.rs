//! The platform's logs: what no broadcast reported is found, once, and nothing from before the
//! start.

use crate::world::*;
use postrider_link::frame::{Address, Kind};
use postrider_machine::{
    Log, RadioFact, ReceivedMms, ReceivedSms, SCAN_MS, SCAN_MS_MIN, SEEN_MAX, ScanMark,
};
use postrider_model::{MessageText, UnixMs};

const DAY: i64 = 86_400_000;

/// A row that the platform wrote at this moment.
fn row_of(world: &World, row: i64, text: &str) -> ReceivedSms {
    let at = world.now.unix;
    ReceivedSms {
        received_at: Some(at),
        sent_at: Some(at),
        ..sms(text, 0, Some(row))
    }
}

fn write(world: &mut World, row: i64, text: &str) {
    let row = row_of(world, row, text);
    world.logs.sms.push(row);
}

fn mms(world: &World, row: i64, subject: Option<&str>, text: Option<&str>) -> ReceivedMms {
    ReceivedMms {
        receipt: 77,
        sim: sim(0),
        from: Address::new("+15005550009"),
        to: None,
        subject: subject.map(MessageText::new),
        text: text.map(MessageText::new),
        sent_at: Some(UnixMs(i64::MAX)),
        received_at: world.now.unix,
        row,
    }
}

fn texts(world: &World) -> Vec<&str> {
    let texts = world.inbound.iter();
    texts
        .map(|fact| fact.text.as_ref().unwrap().as_str())
        .collect()
}

#[test]
fn what_no_broadcast_told_is_found_within_a_quarter_of_an_hour() {
    let mut world = World::new();
    world.pass(1_000);
    write(&mut world, 1, "missed");
    let written = world.now.unix.0;
    world.pass(SCAN_MS);
    assert_eq!(texts(&world), ["missed"]);
    assert_eq!(world.inbound[0].wall, written, "told as of when it came");
    world.pass(4 * HOUR);
    assert_eq!(world.inbound.len(), 1);
}

#[test]
fn a_change_of_the_log_is_read_at_once_and_many_together() {
    let mut world = World::new();
    world.pass(SCAN_MS_MIN);
    let before = world.scans.len();
    write(&mut world, 1, "first");
    world.tell(RadioFact::LogChanged(Log::Sms));
    world.pass(0);
    assert_eq!(texts(&world), ["first"]);
    for row in 2..=20 {
        write(&mut world, row, "more");
        world.tell(RadioFact::LogChanged(Log::Sms));
    }
    world.pass(SCAN_MS_MIN);
    assert_eq!((world.inbound.len(), world.scans.len() - before), (20, 2));
}

#[test]
fn what_was_there_before_the_first_start_is_never_told() {
    let mut world = World::new();
    let before = world.now.plus_ms(0).unix.plus_ms(-1);
    world.logs.sms.push(ReceivedSms {
        received_at: Some(before),
        ..sms("old", 0, Some(1))
    });
    world.pass(1);
    write(&mut world, 2, "new");
    for _ in 0..3 {
        world.pass(HOUR);
        world.restart();
    }
    assert_eq!(texts(&world), ["new"]);
}

#[test]
fn what_came_while_the_app_was_stopped_is_found_at_its_start_in_order() {
    let mut world = World::new();
    world.tell(RadioFact::SmsReceived(sms("heard", 7, None)));
    world.logs.page_max = 3;
    for row in 1..=10 {
        world.now = world.now.plus_ms(7 * HOUR);
        write(&mut world, row, &format!("{row}"));
    }
    world.restart();
    world.pass(0);
    let expected: Vec<String> = (1..=10).map(|row| row.to_string()).collect();
    assert_eq!(texts(&world)[1..], expected);
    world.restart();
    world.pass(HOUR);
    assert_eq!(world.inbound.len(), 11);
}

#[test]
fn a_reading_that_is_cut_goes_on_where_it_was() {
    let mut world = World::new();
    world.logs.page_max = 2;
    for row in 1..=6 {
        world.now = world.now.plus_ms(30 * HOUR);
        write(&mut world, row, &format!("{row}"));
    }
    world.dies = Some(Death::AfterCommit);
    world.restart();
    world.pass(MINUTE);
    assert_eq!(texts(&world), ["1", "2", "3", "4", "5", "6"]);
}

#[test]
fn a_reading_goes_back_a_day_and_the_mark_is_on_disk() {
    let mut world = World::new();
    world.pass(48 * HOUR);
    world.restart();
    world.scans.clear();
    world.pass(0);
    let last_scan = world.now.unix.0;
    let from = world
        .scans
        .iter()
        .find(|(log, _)| *log == Log::Sms)
        .unwrap()
        .1;
    assert!((last_scan - DAY - 900_000..=last_scan - DAY).contains(&from.date.0));
}

#[test]
fn a_number_that_is_given_again_is_another_message() {
    let mut world = World::new();
    world.pass(1_000);
    write(&mut world, 5, "first");
    world.pass(SCAN_MS);
    world.logs.sms.clear();
    write(&mut world, 5, "second");
    world.pass(SCAN_MS);
    assert_eq!(texts(&world), ["first", "second"]);
}

#[test]
fn a_broadcast_and_its_row_are_one_message_and_a_second_row_is_another() {
    let mut world = World::new();
    world.pass(1_000);
    let heard = ReceivedSms {
        row: None,
        received_at: None,
        ..row_of(&world, 0, "yes")
    };
    world.tell(RadioFact::SmsReceived(heard.clone()));
    write(&mut world, 41, "yes");
    write(&mut world, 42, "yes");
    world.pass(SCAN_MS);
    world.restart();
    world.tell(RadioFact::SmsReceived(heard));
    world.pass(SCAN_MS);
    assert_eq!(texts(&world), ["yes", "yes"]);
}

#[test]
fn a_form_feed_that_became_a_line_feed_is_no_other_message() {
    let mut world = World::new();
    world.pass(1_000);
    let row = row_of(&world, 1, "one\ntwo");
    world.tell(RadioFact::SmsReceived(ReceivedSms {
        row: None,
        text: MessageText::new("one\u{c}two"),
        ..row.clone()
    }));
    world.logs.sms.push(row);
    world.pass(SCAN_MS);
    assert_eq!(world.inbound.len(), 1);
}

#[test]
fn a_clock_that_is_set_tells_nothing_twice_and_misses_nothing() {
    for by_ms in [365 * DAY, -365 * DAY] {
        let mut world = World::new();
        world.pass(1_000);
        write(&mut world, 1, "before");
        world.pass(HOUR);
        world.now.unix = world.now.unix.plus_ms(by_ms);
        world.pass(1_000);
        world.pass(1_000);
        write(&mut world, 2, "while");
        world.pass(2 * HOUR);
        world.now.unix = world.now.unix.plus_ms(-by_ms);
        world.pass(HOUR);
        write(&mut world, 3, "after");
        world.restart();
        world.pass(100 * HOUR);
        assert_eq!(texts(&world), ["before", "while", "after"], "{by_ms}");
    }
}

#[test]
fn more_than_can_be_remembered_is_still_told_once() {
    let mut world = World::new();
    let many = i64::try_from(SEEN_MAX).unwrap() + 700;
    for row in 1..=many {
        world.now = world.now.plus_ms(1_000);
        write(&mut world, row, "many");
    }
    world.logs.page_max = 500;
    world.pass(SCAN_MS);
    world.pass(4 * HOUR);
    world.restart();
    world.pass(HOUR);
    assert_eq!(i64::try_from(world.inbound.len()).unwrap(), many);
    assert!(world.disk.snapshot().seen.len() <= SEEN_MAX + 1);
}

#[test]
fn a_platform_that_does_not_answer_is_asked_again() {
    let mut world = World::new();
    world.pass(1_000);
    world.logs.is_deaf = true;
    write(&mut world, 1, "late");
    world.pass(SCAN_MS);
    assert!(world.inbound.is_empty());
    world.logs.is_deaf = false;
    world.pass(SCAN_MS);
    assert_eq!(texts(&world), ["late"]);
}

#[test]
fn a_page_that_leads_nowhere_is_not_asked_for_for_ever() {
    let mut world = World::new();
    world.logs.is_deaf = true;
    world.pass(1_000);
    write(&mut world, 1, "again and again");
    let page = || RadioFact::LogRead {
        page: postrider_machine::LogPage::Sms(world.logs.sms.clone()),
        complete: false,
    };
    let (first, second) = (page(), page());
    world.pass(SCAN_MS);
    let asked = world.scans.len();
    world.tell(first);
    world.tell(second);
    let from = ScanMark {
        date: world.logs.sms[0].received_at.unwrap(),
        row: 1,
    };
    assert_eq!(world.scans[asked..], [(Log::Sms, from)]);
    assert_eq!(world.inbound.len(), 1);
}

#[test]
fn a_multimedia_message_is_told_with_its_text_whichever_way_it_is_heard() {
    let mut world = World::new();
    world.pass(1_000);
    let first = mms(&world, 1, Some("Hello"), Some("come at noon"));
    world.tell(RadioFact::MmsReceived(first.clone()));
    world.logs.mms.extend([first, mms(&world, 2, None, None)]);
    world.pass(SCAN_MS);
    assert_eq!(texts(&world), ["Hello\ncome at noon", ""]);
    assert!(world.inbound.iter().all(|fact| fact.kind == Kind::Mms));
    assert_eq!(world.inbound[0].sent_at, None, "no calendar has that year");
    assert_eq!(
        world.confirmed,
        [77],
        "a row of a log is confirmed to nobody"
    );
}

#[test]
fn a_text_that_would_not_fit_a_frame_is_cut() {
    let mut world = World::new();
    world.tell(RadioFact::SmsReceived(sms(
        &"\u{1}".repeat(60_000),
        7,
        None,
    )));
    let frame = postrider_link::frame::PhoneFrame::Inbound(world.inbound[0].clone());
    assert!(postrider_link::codec::encode(&frame).is_ok());
    assert_eq!(world.confirmed, [7]);
}

#[test]
fn a_platform_that_is_slow_with_each_page_is_not_asked_anew_in_between() {
    let mut world = World::new();
    world.pass(1_000);
    world.logs.is_deaf = true;
    write(&mut world, 1, "slow");
    let page = |world: &World| postrider_machine::LogPage::Sms(world.logs.sms.clone());
    world.pass(SCAN_MS);
    let changed = |world: &mut World| {
        world.tell(RadioFact::LogChanged(Log::Sms));
        world.pass(0);
        let asked = world.scans.iter().filter(|(log, _)| *log == Log::Sms);
        asked.count()
    };
    world.pass(48_000);
    let asked = changed(&mut world);
    let first = page(&world);
    world.tell(RadioFact::LogRead {
        page: first,
        complete: false,
    });
    let mark = ScanMark {
        date: world.logs.sms[0].received_at.unwrap(),
        row: 1,
    };
    let rows = world.disk.snapshot().scans;
    assert!(
        rows.iter()
            .any(|row| row.log == Log::Sms && row.mark == mark)
    );
    world.pass(59_999);
    assert_eq!(changed(&mut world), asked + 1, "the second page is out");
    world.pass(1);
    assert_eq!(changed(&mut world), asked + 2, "it will not come");
}
