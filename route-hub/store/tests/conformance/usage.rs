//! What organizations have and use: counted with each change, and limits that no job goes beyond.

use crate::Backend;
use crate::resources::{opened, write};
use crate::sample::{self, id};
use hub_domain::*;
use hub_store::usage::{self, Amounts, Limits};
use hub_store::*;
use postrider_model::*;
use std::sync::Arc;

const PROJECT: i64 = 10;
const QUARTER_MS: i64 = 900_000;

/// Returns a key that is made in a quarter hour.
fn made_in<K>(quarter: i64, number: i64) -> Id<K> {
    let first = Key::first_of_ms(quarter * QUARTER_MS).get();
    Id::from_i64(first + number).unwrap()
}

fn contact_in(quarter: i64, number: i64) -> Contact {
    let key = made_in::<kind::Contact>(quarter, number);
    sample::contact(key.get(), PROJECT, &format!("+1500555{number:04}"))
}

fn changes(tx: &mut Tx<'_>, kind: UsageType) -> Result<Vec<(i64, i64)>, StoreError> {
    let mut found = Vec::new();
    usage::each_change(tx, id(1), Quarter(5), |quarter, amounts: Amounts| {
        found.push((quarter.0, amounts.of(kind)));
    })?;
    found.sort_unstable();
    Ok(found)
}

pub(crate) fn what_there_is_is_counted_by_quarter_hours_of_each_change<B: Backend>() {
    let (_backend, store) = opened::<B>();
    sample::two_projects(&store);
    let kind = UsageType::Contacts;
    let before = write(&store, |tx| usage::present(tx, id(1))).of(kind);
    write(&store, |tx| {
        contacts::insert(tx, &contact_in(5, 1))?;
        contacts::insert(tx, &contact_in(6, 2))?;
        contacts::insert(tx, &contact_in(6, 3))
    });
    let gone = contact_in(6, 2).id;
    let at = UnixMs(7 * QUARTER_MS);
    assert!(write(&store, move |tx| contacts::delete(
        tx,
        id(PROJECT),
        gone,
        at
    )));
    assert!(!write(&store, move |tx| contacts::delete(
        tx,
        id(PROJECT),
        gone,
        at
    )));
    write(&store, move |tx| {
        assert_eq!(changes(tx, kind)?, [(5, 1), (6, 2), (7, -1)]);
        assert_eq!(usage::present(tx, id(1))?.of(kind), before + 2);
        assert_eq!(usage::since(tx, id(1), Quarter(6))?.of(kind), 1);
        assert_eq!(
            usage::present(tx, id(2))?,
            Amounts::default(),
            "another organization has nothing"
        );
        contacts::insert(tx, &contact_in(6, 4))?;
        assert_eq!(
            usage::present(tx, id(1))?.of(kind),
            before + 3,
            "before it is written"
        );
        Ok(())
    });
}

pub(crate) fn messages_that_leave_stay_counted_and_those_that_are_kept_do_not<B: Backend>() {
    let (_backend, store) = opened::<B>();
    sample::two_projects(&store);
    let (kept, left) = (UsageType::StoredMessages, UsageType::ExternalMessagesDay);
    let before = write(&store, |tx| usage::present(tx, id(1)));
    let gone = made_in::<kind::Message>(6, 1);
    write(&store, move |tx| {
        let sent = Message {
            id: gone,
            ..sample::message(1, PROJECT)
        };
        let test = Message {
            id: made_in(6, 2),
            simulated: true,
            ..sent.clone()
        };
        messages::insert_all(tx, &[sent, test])
    });
    assert!(write(&store, move |tx| messages::hide(
        tx,
        id(PROJECT),
        gone,
        UnixMs(9 * QUARTER_MS)
    )));
    let after = write(&store, |tx| usage::present(tx, id(1)));
    assert_eq!(after.of(kept) - before.of(kept), 1);
    assert_eq!(after.of(left) - before.of(left), 1);
}

pub(crate) fn a_job_that_is_held_to_limits_does_not_go_beyond_them<B: Backend>() {
    let (_backend, store) = opened::<B>();
    sample::two_projects(&store);
    let used = write(&store, |tx| usage::present(tx, id(1))).of(UsageType::Contacts);
    let most = used.unsigned_abs() + 2;
    let limits = Arc::new(Limits {
        organization_id: id(1),
        most: [(UsageType::Contacts, most)].into(),
        day: Quarter(0),
        period: Quarter(0),
    });
    let add = |numbers: std::ops::Range<i64>| {
        let limits = Arc::clone(&limits);
        store.write_blocking(move |tx| {
            usage::limit(tx, &limits);
            let mut numbers = numbers.clone();
            numbers.try_for_each(|number| contacts::insert(tx, &contact_in(6, number)))
        })
    };
    let exceeded = Exceeded {
        limit: UsageType::Contacts,
        most,
        used: most,
    };
    let refused = add(0..3).unwrap_err();
    assert!(
        matches!(refused, StoreError::Beyond(told) if told == exceeded),
        "{refused:?}"
    );
    let count =
        |tx: &mut Tx<'_>| Ok::<_, StoreError>(usage::present(tx, id(1))?.of(UsageType::Contacts));
    assert_eq!(write(&store, count), used, "all or none");
    add(0..1).unwrap();
    let add = &add;
    let adding = std::thread::scope(|scope| {
        let running: Vec<_> = (1..9).map(|n| scope.spawn(move || add(n..n + 1))).collect();
        let done = running.into_iter().map(|one| one.join().unwrap().is_ok());
        done.collect::<Vec<_>>()
    });
    assert_eq!(adding.iter().filter(|added| **added).count(), 1);
    assert_eq!(write(&store, count), used + 2);
}

pub(crate) fn a_day_gives_no_more_requests_than_it_has<B: Backend>() {
    let (_backend, store) = opened::<B>();
    let day: Day = "2026-03-08".parse().unwrap();
    let take = |most: u64| write(&store, move |tx| usage::take_request(tx, id(1), day, most));
    assert!(!take(0));
    assert!(take(2) && take(2) && !take(2));
    assert!(take(3));
    assert_eq!(
        write(&store, move |tx| usage::requests_of(tx, id(1), day)),
        3
    );
}
