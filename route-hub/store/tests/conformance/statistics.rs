//! Counters of messages against a recount, whatever becomes of the messages.

use crate::Backend;
use crate::resources::{opened, write};
use crate::sample::{self, id};
use hub_domain::*;
use hub_store::messages::{self, Retention};
use hub_store::statistics::{self, Span};
use hub_store::*;
use postrider_model::*;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use std::collections::{BTreeMap, BTreeSet};

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

/// A message with links that count to these destinations, made in a quarter hour.
fn linked(value: i64, quarter: i64, to: &[u32]) -> (Message, Vec<ShortLink>) {
    let message = Message {
        track_clicks: true,
        ..sent_at(value, quarter)
    };
    let link = |(place, to): (u32, &u32)| ShortLink {
        project_id: id(PROJECT),
        message_id: message.id,
        place,
        code: LinkCode::of_number(u128::from(place) + 1_000 * u128::from(value.unsigned_abs())),
        prefix: "https://go.example/s/".to_owned(),
        domain: None,
        target: LinkTarget::Address(format!("https://a.example/{to}")),
        is_counted: true,
        expiration_time: None,
        life_ms: None,
        time_clicked: None,
        broadcast_id: None,
        clicked_group_id: None,
    };
    let links = (0..).zip(to).map(link).collect();
    (message, links)
}

fn store_linked(
    tx: &mut Tx<'_>,
    (message, links): &(Message, Vec<ShortLink>),
) -> Result<(), StoreError> {
    let messages = std::slice::from_ref(message);
    messages::insert_all(tx, messages)?;
    short_links::insert_all(tx, links)?;
    statistics::count_links(tx, messages, links)
}

/// What is counted under a destination, under `other`, or under `any`.
type LinkSums = BTreeMap<(String, CountedBy), Amounts>;

fn link_counters(tx: &mut Tx<'_>, within: Span) -> Result<LinkSums, StoreError> {
    let mut sums = LinkSums::new();
    statistics::of_links(tx, id(PROJECT), within, |link, to, by, amounts| {
        let name = match (link, to) {
            (CountedLink::Destination(_), Some(to)) => to,
            (CountedLink::Other, None) => "other",
            (CountedLink::Any, None) => "any",
            (_, _) => panic!("a destination has an address, and nothing else has"),
        };
        *sums.entry((name.to_owned(), by)).or_default() += amounts;
    })?;
    sums.retain(|_, amounts| !amounts.is_nothing());
    Ok(sums)
}

/// Counts links as a reader of all messages, in the order in which these were made, would.
fn recount_links<'m>(made: impl IntoIterator<Item = &'m (Message, Vec<ShortLink>)>) -> LinkSums {
    let mut of_days: BTreeMap<i64, BTreeSet<&str>> = BTreeMap::new();
    let mut sums = LinkSums::new();
    for (message, links) in made {
        let Counted { by, amounts } = Counted::of(message);
        let known = of_days.entry(by.quarter.0.div_euclid(96)).or_default();
        let own: BTreeSet<_> = links
            .iter()
            .filter_map(|link| link.target.address())
            .collect();
        let mut names = BTreeSet::new();
        for to in own {
            let is_named = known.contains(to) || known.len() < 1_000 && known.insert(to);
            names.insert(if is_named { to } else { "other" });
        }
        if !names.is_empty() {
            names.insert("any");
        }
        for name in names {
            *sums.entry((name.to_owned(), by.clone())).or_default() += amounts;
        }
    }
    sums
}

/// What happens to messages with links.
#[derive(Debug, Clone)]
enum Act {
    /// Some are made in a quarter hour, with links to these destinations.
    Make(i64, Vec<Vec<u32>>),
    /// One gets another status, other parts and another phone.
    Change(usize, bool),
    /// One is deleted.
    Delete(usize),
}

fn act() -> impl Strategy<Value = Act> {
    let to = prop::collection::vec(0..9_u32, 0..7);
    prop_oneof![
        (0..200_i64, prop::collection::vec(to, 1..4))
            .prop_map(|(quarter, to)| Act::Make(quarter, to)),
        (0..64_usize, any::<bool>()).prop_map(|(which, sent)| Act::Change(which, sent)),
        (0..64_usize).prop_map(Act::Delete),
    ]
}

pub(crate) fn links_are_counted_as_a_recount_counts_them<B: Backend>() {
    let config = Config {
        cases: 12,
        failure_persistence: None,
        ..Config::default()
    };
    let histories = prop::collection::vec(act(), 1..25);
    let (_backend, store) = opened::<B>();
    let result = TestRunner::new(config).run(&histories, |acts| {
        write(&store, |tx| {
            tx.run("DELETE FROM messages", &[])?;
            tx.run("DELETE FROM short_links", &[])?;
            tx.run("DELETE FROM counted_links", &[])?;
            tx.run("DELETE FROM link_counts", &[])?;
            tx.run("DELETE FROM link_destinations", &[])
        });
        let mut made: Vec<(Message, Vec<ShortLink>)> = Vec::new();
        for act in acts {
            match act {
                Act::Make(quarter, to) => {
                    for to in to {
                        let next = 50 + i64::try_from(made.len()).unwrap();
                        let new = linked(next, quarter, &to);
                        made.push(new.clone());
                        write(&store, move |tx| store_linked(tx, &new));
                    }
                }
                Act::Change(which, sent) if !made.is_empty() => {
                    let which = which % made.len();
                    let before = made[which].0.clone();
                    let message = &mut made[which].0;
                    (message.status, message.phone_id, message.num_parts) = if sent {
                        (MessageStatus::Sent, id(21), Some(2))
                    } else {
                        (MessageStatus::Queued, id(20), None)
                    };
                    let after = message.clone();
                    write(&store, move |tx| {
                        become_of(tx, &mut before.clone(), |stored| *stored = after.clone())
                    });
                }
                Act::Delete(which) if !made.is_empty() => {
                    let message_id = made[which % made.len()].0.id;
                    write(&store, move |tx| {
                        messages::hide(tx, id(PROJECT), message_id, UnixMs(1))
                    });
                }
                Act::Change(..) | Act::Delete(_) => {}
            }
        }
        let expected = recount_links(&made);
        let all = span(0, 1_000);
        prop_assert_eq!(write(&store, move |tx| link_counters(tx, all)), expected);
        Ok(())
    });
    result.unwrap();
}

pub(crate) fn a_thousand_destinations_of_a_day_have_names<B: Backend>() {
    let (_backend, store) = opened::<B>();
    let many: Vec<u32> = (0..1_003).collect();
    let mut made: Vec<_> = (0..)
        .zip(many.chunks(100))
        .map(|(n, to)| linked(50 + n, 95, to))
        .collect();
    // One that has a name, one that has none; and the next day has names of its own.
    made.push(linked(80, 3, &[0]));
    made.push(linked(81, 3, &[2_000, 2_001]));
    made.push(linked(82, 96, &[2_000]));
    let all = made.clone();
    write(&store, move |tx| {
        all.iter().try_for_each(|one| store_linked(tx, one))
    });
    let expected = recount_links(&made);
    let counted = write(&store, move |tx| link_counters(tx, span(0, 1_000)));
    assert_eq!(counted, expected);
    let other = |((name, _), amounts): (&(String, CountedBy), &Amounts)| {
        (name == "other").then_some(amounts.count)
    };
    assert_eq!(counted.iter().filter_map(other).sum::<i64>(), 2);
}

pub(crate) fn links_that_do_not_count_and_messages_from_before_are_as_without_links<B: Backend>() {
    let (_backend, store) = opened::<B>();
    let (untracked, mut links) = linked(50, 7, &[1]);
    let untracked = Message {
        track_clicks: false,
        ..untracked
    };
    links[0].is_counted = false;
    let (from_before, of_before) = linked(51, 7, &[2]);
    let changed = from_before.clone();
    write(&store, move |tx| {
        store_linked(tx, &(untracked.clone(), links.clone()))?;
        messages::insert(tx, &from_before)?;
        short_links::insert_all(tx, &of_before)
    });
    write(&store, move |tx| {
        become_of(tx, &mut changed.clone(), |message| {
            message.status = MessageStatus::Sent
        })
    });
    let counted = write(&store, move |tx| link_counters(tx, span(0, 100)));
    assert_eq!(counted, LinkSums::new());
}

pub(crate) fn what_a_message_was_counted_under_goes_with_it<B: Backend>() {
    let (_backend, store) = opened::<B>();
    let mut gone = linked(50, 7, &[1, 2]);
    gone.0.direction = Direction::Incoming;
    gone.0.ownership = None;
    let stored = gone.clone();
    let left = write(&store, move |tx| {
        store_linked(tx, &stored)?;
        messages::hide(tx, id(PROJECT), id(50), UnixMs(1))?;
        messages::purge_hidden(tx, id(PROJECT), UnixMs(9))?;
        tx.query_one("SELECT count(*) FROM counted_links", &[], |row| row.int(0))
    });
    assert_eq!(left, Some(0));
    let counted = write(&store, move |tx| link_counters(tx, span(0, 100)));
    let expected = recount_links([&gone]);
    assert_eq!(counted, expected);
}
