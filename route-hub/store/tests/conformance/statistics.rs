//! Counters of messages against a recount, whatever becomes of the messages.

use crate::Backend;
use crate::resources::{opened, write};
use crate::sample::{self, id};
use hub_domain::*;
use hub_store::messages::{self, Retention};
use hub_store::statistics::{self, Span};
use hub_store::*;
use postrider_model::*;
use std::collections::BTreeMap;

const PROJECT: i64 = 10;
const QUARTER_MS: i64 = 900_000;

type Sums = BTreeMap<CountedBy, Amounts>;

fn sent_at(value: i64, quarter: i64) -> Message {
    Message {
        time_created: UnixMs(quarter * QUARTER_MS + value),
        ..sample::message(value, PROJECT)
    }
}

/// Counts messages as a reader of all of them would.
fn recount<'m>(messages: impl IntoIterator<Item = &'m Message>) -> Sums {
    let mut sums = Sums::new();
    for message in messages {
        let counted = Counted::of(message);
        *sums.entry(counted.by).or_default() += counted.amounts;
    }
    sums
}

fn span(first: i64, until: i64) -> Span {
    let (first, until) = (Quarter(first), Quarter(until));
    Span { first, until }
}

/// Reads the counters of a span.
fn counters(tx: &mut Tx<'_>, within: Span) -> Result<Sums, StoreError> {
    let mut sums = Sums::new();
    statistics::of_quarters(tx, id(PROJECT), within, |by, amounts| {
        *sums.entry(by).or_default() += amounts;
    })?;
    sums.retain(|_, amounts| !amounts.is_nothing());
    Ok(sums)
}

/// Reads the sums of one day, under its first quarter.
fn day(tx: &mut Tx<'_>, day: Span) -> Result<Sums, StoreError> {
    let mut sums = Sums::new();
    let add = |by: CountedBy, amounts| *sums.entry(by).or_default() += amounts;
    statistics::of_days(tx, id(PROJECT), day, |found| found == day, add)?;
    sums.retain(|_, amounts| !amounts.is_nothing());
    Ok(sums)
}

/// Returns what counters of quarters come to as one day.
fn as_day(sums: &Sums, day: Span) -> Sums {
    let mut of_day = Sums::new();
    for (by, amounts) in sums {
        if (day.first..day.until).contains(&by.quarter) {
            let by = CountedBy {
                quarter: day.first,
                ..by.clone()
            };
            *of_day.entry(by).or_default() += *amounts;
        }
    }
    of_day
}

/// Changes a stored message as dispatch does.
fn become_of(
    tx: &mut Tx<'_>,
    message: &mut Message,
    change: impl FnOnce(&mut Message),
) -> Result<(), StoreError> {
    let before = Counted::of(message);
    change(message);
    messages::update_ownership(tx, message)?;
    messages::update_route(tx, message)?;
    messages::update_call(tx, message)?;
    statistics::recount(tx, &before, message)
}

pub(crate) fn a_message_is_counted_as_what_it_is_now<B: Backend>() {
    let (_backend, store) = opened::<B>();
    let mut message = sent_at(50, 7);
    let (first, second) = (message.clone(), sent_at(51, 8));
    let others = [first.clone(), second.clone()];
    write(&store, move |tx| messages::insert_all(tx, &others));
    let all = span(0, 100);
    let stored = write(&store, move |tx| counters(tx, all));
    assert_eq!(stored, recount([&first, &second]));
    message.status = MessageStatus::Delivered;
    message.phone_id = id(21);
    message.num_parts = Some(3);
    message.duration_sec = Some(-1);
    message.network_code = Some("23201".to_owned());
    let after = message.clone();
    write(&store, move |tx| {
        become_of(tx, &mut first.clone(), |stored| *stored = after.clone())
    });
    let stored = write(&store, move |tx| counters(tx, all));
    assert_eq!(stored, recount([&message, &second]));
}

pub(crate) fn what_a_failed_job_counted_is_not_counted<B: Backend>() {
    let (_backend, store) = opened::<B>();
    let failing = store.write_blocking(|tx| {
        messages::insert(tx, &sent_at(50, 7))?;
        Err::<(), _>(StoreError::Busy)
    });
    assert!(failing.is_err());
    let all = span(0, 100);
    assert_eq!(write(&store, move |tx| counters(tx, all)), Sums::new());
}

pub(crate) fn a_day_s_sums_follow_its_counters<B: Backend>() {
    let (_backend, store) = opened::<B>();
    let mut stored: Vec<Message> = (0..20).map(|n| sent_at(50 + n, n % 10)).collect();
    let (some, none) = (stored.clone(), span(0, 0));
    write(&store, move |tx| messages::insert_all(tx, &some));
    // Two zones: their days overlap.
    let days = [span(0, 8), span(3, 11)];
    let mut moved = 0;
    loop {
        let mut message = stored.remove(0);
        let after = write(&store, move |tx| {
            let mut message = message.clone();
            become_of(tx, &mut message, |message| {
                message.status = MessageStatus::Sent
            })?;
            Ok(message)
        });
        message = after;
        stored.push(message);
        moved += 1;
        let more = write(&store, move |tx| {
            let more = days.map(|day| statistics::add_up(tx, id(PROJECT), day, 3));
            let [one, other] = more;
            Ok(one? || other?)
        });
        if !more && moved > 10 {
            break;
        }
    }
    let late = sent_at(99, 4);
    stored.push(late.clone());
    write(&store, move |tx| messages::insert(tx, &late));
    let expected = recount(&stored);
    for of in days {
        let sums = write(&store, move |tx| day(tx, of));
        assert_eq!(sums, as_day(&expected, of));
    }
    let found = write(&store, |tx| {
        statistics::added_up(tx, id(PROJECT), span(0, 11))
    });
    assert_eq!(found, days);
    let within = write(&store, |tx| {
        statistics::added_up(tx, id(PROJECT), span(0, 10))
    });
    assert_eq!(within, days[..1]);
    assert_eq!(write(&store, move |tx| day(tx, none)), Sums::new());
}

pub(crate) fn old_messages_are_counted_once_while_they_change<B: Backend>() {
    let (backend, store) = opened::<B>();
    let mut stored: Vec<Message> = (0..9).map(|n| sent_at(50 + n, n)).collect();
    let old = stored.clone();
    write(&store, move |tx| messages::insert_all(tx, &old));
    // As a hub without counters left it.
    let uncounted = "INSERT INTO uncounted_messages (project_id, above, until) VALUES (10, 0, 58)";
    write(&store, move |tx| {
        tx.run("DELETE FROM message_counts", &[])?;
        tx.run(uncounted, &[])
    });
    drop(store);
    let store = backend.open();
    let young = sent_at(70, 3);
    stored.push(young.clone());
    write(&store, move |tx| messages::insert(tx, &young));
    let kept = Retention {
        now: UnixMs(9),
        before: UnixMs(i64::MAX >> 24),
        unknown_before: UnixMs(0),
        step: 100,
    };
    let gone = write(&store, move |tx| {
        messages::remove_old(tx, id(PROJECT), &kept, 0)
    });
    assert_eq!(gone.count, 0, "nothing goes before it is counted");
    let mut steps = 0;
    loop {
        // One that the steps came to, one that they did not, and the young one.
        for at in [0, 8, 9] {
            let mut message = stored[at].clone();
            message.status = match message.status {
                MessageStatus::Queued => MessageStatus::Sent,
                _ => MessageStatus::Delivered,
            };
            let (before, after) = (stored[at].clone(), message.clone());
            write(&store, move |tx| {
                become_of(tx, &mut before.clone(), |message| *message = after.clone())
            });
            stored[at] = message;
        }
        let more = write(&store, |tx| messages::count_some(tx, id(PROJECT), 4));
        steps += 1;
        if !more {
            break;
        }
    }
    assert_eq!(steps, 4, "nine in fours, and a look that finds none");
    let all = span(0, 100);
    let counted = write(&store, move |tx| counters(tx, all));
    assert_eq!(counted, recount(&stored));
    assert!(write(&store, statistics::uncounted).is_empty());
}

pub(crate) fn messages_that_are_gone_stay_counted<B: Backend>() {
    let (_backend, store) = opened::<B>();
    let mut received = sent_at(50, 7);
    received.direction = Direction::Incoming;
    received.ownership = None;
    let message = received.clone();
    write(&store, move |tx| {
        messages::insert(tx, &message)?;
        messages::hide(tx, id(PROJECT), id(50), UnixMs(1))?;
        messages::purge_hidden(tx, id(PROJECT), UnixMs(9))
    });
    let gone = write(&store, |tx| messages::by_key(tx, id(50)));
    assert_eq!(gone, None);
    let all = span(0, 100);
    let counted = write(&store, move |tx| counters(tx, all));
    assert_eq!(counted, recount([&received]));
}
