//! Lists: filters, order, paging.

use crate::Backend;
use crate::sample::{self, id};
use hub_domain::{Phone, fold};
use hub_store::list::{Column, Filter, ListQuery, Marker, Op, Operand, Sort};
use hub_store::{Store, messages, phones};
use postrider_model::{Key, UnixMs};
use std::cmp::Ordering;

const NAMES: [&str; 7] = ["ann", "ANN", "Änne", "bob", "Bo", "straße", "\u{10ffff}"];

/// Stores phones of a few names and times, some of which have none.
fn stored_phones(store: &Store) -> Vec<Phone> {
    let phones: Vec<Phone> = (0..60)
        .map(|index| {
            let mut phone = sample::phone(100 + index, 10);
            phone.name = NAMES[(index as usize * 5) % NAMES.len()].to_owned();
            phone.last_active_time = (index % 3 != 0).then_some(UnixMs(index % 7 * 700));
            phone
        })
        .collect();
    let stored = phones.clone();
    store
        .write_blocking(move |tx| {
            stored
                .iter()
                .try_for_each(|phone| phones::insert(tx, phone))
        })
        .unwrap();
    phones
}

/// What a filter means, said once more without SQL.
fn lets_through(phone: &Phone, column: Column, op: Op, operand: &Operand) -> bool {
    let second = |ms: i64| ms.div_euclid(1_000);
    let order = match operand {
        Operand::Text(text) => Some(fold(&phone.name).cmp(&fold(text))),
        Operand::Int(ms) => phone
            .last_active_time
            .map(|time| second(time.0).cmp(&second(*ms))),
        Operand::Flag(_) | Operand::Real(_) => None,
    };
    let is_there = column == phones::by::NAME || phone.last_active_time.is_some();
    match op {
        Op::Eq => order == Some(Ordering::Equal),
        Op::Ne => order != Some(Ordering::Equal),
        Op::Gte | Op::Min => order.is_some_and(Ordering::is_ge),
        Op::Gt => order.is_some_and(Ordering::is_gt),
        Op::Lt | Op::Max => order.is_some_and(Ordering::is_lt),
        Op::Lte => order.is_some_and(Ordering::is_le),
        Op::Exists => is_there == (*operand == Operand::Flag(true)),
        Op::Null => is_there != (*operand == Operand::Flag(true)),
        Op::Prefix | Op::NotPrefix => {
            let Operand::Text(prefix) = operand else {
                return true;
            };
            fold(&phone.name).starts_with(&fold(prefix)) == (op == Op::Prefix)
        }
    }
}

pub(crate) fn filters_agree_with_a_plain_scan<B: Backend>() {
    let backend = B::fresh();
    let store = backend.open();
    let phones = stored_phones(&store);
    let ordered = [
        Op::Eq,
        Op::Ne,
        Op::Gte,
        Op::Gt,
        Op::Lt,
        Op::Lte,
        Op::Min,
        Op::Max,
    ];
    let mut cases = Vec::new();
    for text in NAMES.into_iter().chain(["", "b", "ä", "S", "zz"]) {
        for op in ordered.into_iter().chain([Op::Prefix, Op::NotPrefix]) {
            cases.push((phones::by::NAME, op, Operand::Text(text.to_owned())));
        }
    }
    for second in -1..6 {
        for op in ordered {
            cases.push((
                phones::by::LAST_ACTIVE_TIME,
                op,
                Operand::Int(second * 1_000),
            ));
        }
    }
    for op in [Op::Exists, Op::Null] {
        for flag in [true, false] {
            cases.push((phones::by::LAST_ACTIVE_TIME, op, Operand::Flag(flag)));
            cases.push((phones::by::NAME, op, Operand::Flag(flag)));
        }
    }
    for (column, op, operand) in cases {
        let expected: Vec<i64> = phones
            .iter()
            .filter(|phone| lets_through(phone, column, op, &operand))
            .map(|phone| phone.id.get())
            .collect();
        let query = ListQuery {
            filters: vec![Filter::new(column, op, operand.clone())],
            page_size: 500,
            ..ListQuery::default()
        };
        let (listed, counted) = listed(&store, query);
        assert_eq!(listed, expected, "{column:?} {op:?} {operand:?}");
        assert_eq!(counted, expected.len() as u64);
    }
}

fn listed(store: &Store, query: ListQuery) -> (Vec<i64>, u64) {
    let read: Result<_, hub_store::StoreError> = store.read_blocking(move |tx| {
        let page = phones::list(tx, id(10), &query)?;
        let keys = page.rows.iter().map(|phone| phone.id.get()).collect();
        Ok((keys, phones::count(tx, id(10), &query)?))
    });
    read.unwrap()
}

pub(crate) fn pages_hold_every_row_once_while_others_come<B: Backend>() {
    for sort in [
        Sort::BY_ID,
        Sort::by(phones::by::NAME),
        Sort::by(phones::by::LAST_ACTIVE_TIME),
    ] {
        for descending in [false, true] {
            let backend = B::fresh();
            let store = backend.open();
            let mut expected = stored_phones(&store);
            expected.sort_by(|a, b| order(a, b, sort));
            if descending {
                expected.reverse();
            }
            let met = walk(&store, sort, descending);
            let old: Vec<i64> = met
                .into_iter()
                .filter(|key| (100..160).contains(key))
                .collect();
            let expected: Vec<i64> = expected.iter().map(|phone| phone.id.get()).collect();
            assert_eq!(old, expected, "{sort:?} descending: {descending}");
        }
    }
}

fn order(a: &Phone, b: &Phone, sort: Sort) -> Ordering {
    let first = if sort == Sort::by(phones::by::NAME) {
        fold(&a.name).cmp(&fold(&b.name))
    } else if sort == Sort::by(phones::by::LAST_ACTIVE_TIME) {
        a.last_active_time.cmp(&b.last_active_time)
    } else {
        Ordering::Equal
    };
    first.then(a.id.cmp(&b.id))
}

/// Walks all pages, with rows coming and going before and behind each page's end.
fn walk(store: &Store, sort: Sort, descending: bool) -> Vec<i64> {
    let mut met = Vec::new();
    let mut marker = None;
    for page_number in 0.. {
        let query = ListQuery {
            sort,
            descending,
            page_size: 7,
            marker: marker.take(),
            ..ListQuery::default()
        };
        let page = store
            .read_blocking(move |tx| phones::list(tx, id(10), &query))
            .unwrap();
        met.extend(page.rows.iter().map(|phone| phone.id.get()));
        if !page.truncated {
            break;
        }
        marker = Some(Marker::read(&page.next_marker.unwrap(), sort, descending).unwrap());
        store
            .write_blocking(move |tx| {
                for (place, name) in ["", "bob", "zzz"].into_iter().enumerate() {
                    let low = 1 + page_number * 3 + place as i64;
                    for key in [low, 1_000 + low] {
                        let mut phone = sample::phone(key, 10);
                        phone.name = name.to_owned();
                        phone.last_active_time = Some(UnixMs(place as i64 * 2_000));
                        phones::insert(tx, &phone)?;
                    }
                }
                Ok::<_, hub_store::StoreError>(())
            })
            .unwrap();
    }
    let mut sorted = met.clone();
    sorted.sort_unstable();
    sorted.dedup();
    assert_eq!(sorted.len(), met.len(), "a row was met twice");
    met
}

pub(crate) fn a_page_says_what_follows<B: Backend>() {
    let backend = B::fresh();
    let store = backend.open();
    stored_phones(&store);
    let page = |page_size, offset| {
        let query = ListQuery {
            page_size,
            offset,
            ..ListQuery::default()
        };
        store
            .read_blocking(move |tx| phones::list(tx, id(10), &query))
            .unwrap()
    };
    let whole = page(61, 0);
    assert_eq!((whole.rows.len(), whole.truncated), (60, false));
    assert!(whole.next_marker.is_some());
    let full = page(60, 0);
    assert_eq!((full.rows.len(), full.truncated), (60, true));
    let part = page(59, 0);
    assert_eq!((part.rows.len(), part.truncated), (59, true));
    let end = page(50, 58);
    assert_eq!(end.rows.first().map(|phone| phone.id.get()), Some(158));
    assert_eq!((end.rows.len(), end.truncated), (2, false));
    let beyond = page(50, 60);
    assert_eq!((beyond.rows.len(), beyond.next_marker), (0, None));
}

pub(crate) fn messages_are_found_by_the_second_in_which_they_were_made<B: Backend>() {
    let backend = B::fresh();
    let store = backend.open();
    store
        .write_blocking(|tx| {
            for ms in [998, 1_000, 1_999, 2_000, 3_500] {
                let mut message = sample::message(Key::first_of_ms(ms).get() + 5, 10);
                message.time_created = UnixMs(ms);
                messages::insert(tx, &message)?;
            }
            // One that came late: its key is of a later moment than its time.
            let mut late = sample::message(Key::first_of_ms(9_000).get(), 10);
            late.time_created = UnixMs(1_500);
            messages::insert(tx, &late)
        })
        .unwrap();
    let found = |op, second: i64| {
        let query = ListQuery {
            filters: vec![Filter::new(
                messages::by::TIME_CREATED,
                op,
                Operand::Int(second * 1_000),
            )],
            ..ListQuery::default()
        };
        let page = store
            .read_blocking(move |tx| messages::list(tx, id(10), &query))
            .unwrap();
        page.rows
            .iter()
            .map(|message| message.time_created.0)
            .collect::<Vec<_>>()
    };
    assert_eq!(found(Op::Eq, 1), [1_000, 1_999, 1_500]);
    assert_eq!(found(Op::Min, 1), [1_000, 1_999, 2_000, 3_500, 1_500]);
    assert_eq!(found(Op::Max, 2), [998, 1_000, 1_999, 1_500]);
    assert_eq!(found(Op::Gt, 1), [2_000, 3_500]);
    assert_eq!(found(Op::Lte, 1), [998, 1_000, 1_999, 1_500]);
    assert_eq!(found(Op::Min, 4), [0; 0]);
}

pub(crate) fn a_list_of_nothing_is_empty<B: Backend>() {
    let backend = B::fresh();
    let store = backend.open();
    stored_phones(&store);
    let query = ListQuery {
        filters: vec![Filter::Nothing],
        ..ListQuery::default()
    };
    assert_eq!(listed(&store, query), (Vec::new(), 0));
}
