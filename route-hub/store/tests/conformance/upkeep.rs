//! Rows that come and go: events, kept answers, alerts, what the hub knows of itself.

use crate::Backend;
use crate::resources::{opened, write};
use crate::sample::{self, NOW, id};
use hub_domain::*;
use hub_store::idempotency::{self, KeptAnswer};
use hub_store::*;
use postrider_model::*;
use std::collections::BTreeSet;

fn alert(value: i64) -> Alert {
    Alert {
        id: id(value),
        project_id: id(10),
        phone_id: Some(id(20)),
        device_id: None,
        kind: AlertKind::BatteryLow,
        detail: "15 %".to_owned(),
        time_created: NOW,
        time_cleared: None,
    }
}

pub(crate) fn events_of_one_message_come_one_after_the_other<B: Backend>() {
    let (_backend, store) = opened::<B>();
    write(&store, |tx| {
        for (key, message, due) in [
            (1, Some(50), 30),
            (2, Some(50), 10),
            (3, None, 20),
            (4, Some(51), 5),
        ] {
            outbox::insert(tx, &sample::event(key, message, due))?;
        }
        let [first, second, alone] = [1, 2, 3].map(|key| outbox::get(tx, key));
        let (first, second) = (first?.unwrap(), second?.unwrap());
        assert_eq!(outbox::before(tx, &second)?, Some((1, UnixMs(30))));
        assert_eq!(outbox::before(tx, &first)?, None);
        assert_eq!(outbox::before(tx, &alone?.unwrap())?, None);
        outbox::put_off_followers(tx, &first, UnixMs(90))?;
        let due_at = |tx: &mut Tx<'_>, key| Ok(outbox::get(tx, key)?.map(|row| row.due_at.0));
        let due = [1, 2, 3, 4].map(|key| due_at(tx, key));
        let due: Result<Vec<_>, StoreError> = due.into_iter().collect();
        assert_eq!(due?, [Some(30), Some(90), Some(20), Some(5)]);
        outbox::mark_attempt(tx, 4, 1, UnixMs(60))?;
        let there = (1..=200).chain([4]);
        assert_eq!(
            outbox::there(tx, id(10), there)?,
            BTreeSet::from([1, 2, 3, 4])
        );
        assert_eq!(outbox::there(tx, id(11), [4])?, BTreeSet::new());
        assert_eq!(outbox::get(tx, 4)?.map(|row| row.attempts), Some(1));
        assert_eq!((outbox::waiting(tx, id(10))?, outbox::count(tx)?), (4, 4));
        let oldest = outbox::oldest(tx, id(10), 2)?;
        assert_eq!([oldest[0].id, oldest[1].id], [1, 2]);
        assert_eq!(outbox::delete_of_message(tx, id(11), id(50))?, 0);
        assert_eq!(outbox::delete_of_message(tx, id(10), id(50))?, 2);
        assert_eq!(outbox::delete(tx, id(11), [4])?, BTreeSet::new());
        assert_eq!(outbox::delete(tx, id(10), [4, 4, 99])?, BTreeSet::from([4]));
        assert_eq!((outbox::waiting(tx, id(10))?, outbox::count(tx)?), (1, 1));
        assert_eq!(outbox::waiting(tx, id(11))?, 0);
        Ok(())
    });
}

fn noted(
    row: &OutboxRow,
    status: DeliveryStatus,
    http_status: u16,
) -> webhook_deliveries::Noted<'_> {
    let attempt = DeliveryAttempt {
        time: NOW,
        outcome: "refused".to_owned(),
        http_status: Some(http_status),
    };
    webhook_deliveries::Noted {
        row,
        status,
        attempt: Some(attempt),
    }
}

fn deliveries(tx: &mut Tx<'_>, project: i64) -> Result<Vec<WebhookDelivery>, StoreError> {
    let all = list::ListQuery::default();
    let rows = webhook_deliveries::list(tx, id(project), &all)?.rows;
    assert_eq!(
        webhook_deliveries::count(tx, id(project), &all)?,
        rows.len() as u64
    );
    Ok(rows)
}

pub(crate) fn a_delivery_keeps_its_attempts_and_a_project_its_newest<B: Backend>() {
    let (_backend, store) = opened::<B>();
    write(&store, |tx| {
        let events = [1, 2, 3, 4, 5].map(|key| sample::event(key, Some(50), 0));
        let waiting = DeliveryStatus::Waiting;
        let first = [noted(&events[0], waiting, 500)];
        webhook_deliveries::note(tx, id(10), first, 3)?;
        let again = [noted(&events[0], DeliveryStatus::Delivered, 200)];
        webhook_deliveries::note(tx, id(10), again, 3)?;
        let kept = deliveries(tx, 10)?;
        let statuses: Vec<_> = kept[0].attempts.iter().map(|one| one.http_status).collect();
        assert_eq!((kept.len(), statuses), (1, vec![Some(500), Some(200)]));
        assert_eq!(kept[0].status, DeliveryStatus::Delivered);
        assert_eq!(kept[0].body, "a=1");
        assert_eq!(webhook_deliveries::get(tx, id(11), kept[0].id)?, None);
        let others = events[1..].iter().map(|row| noted(row, waiting, 500));
        webhook_deliveries::note(tx, id(10), others, 3)?;
        let left: Vec<_> = deliveries(tx, 10)?.iter().map(|one| one.id.get()).collect();
        assert_eq!(left, [3, 4, 5]);
        let many = (0..60).map(|_| noted(&events[4], waiting, 503));
        webhook_deliveries::note(tx, id(10), many, 3)?;
        assert_eq!(deliveries(tx, 10)?[2].attempts.len(), 50);
        Ok(())
    });
}

pub(crate) fn a_delivery_goes_with_its_message<B: Backend>() {
    let (_backend, store) = opened::<B>();
    write(&store, |tx| {
        let events = [(1, Some(50)), (2, Some(51)), (3, None), (4, None)]
            .map(|(key, message)| sample::event(key, message, 0));
        let waiting = |row| noted(row, DeliveryStatus::Waiting, 500);
        let all = events[..3].iter().map(waiting);
        webhook_deliveries::note(tx, id(10), all, 2)?;
        webhook_deliveries::forget(tx, id(51))?;
        webhook_deliveries::forget(tx, id(51))?;
        let left: Vec<_> = deliveries(tx, 10)?.iter().map(|one| one.id.get()).collect();
        assert_eq!(left, [3]);
        // What was taken away makes room again.
        webhook_deliveries::note(tx, id(10), [waiting(&events[3])], 2)?;
        assert_eq!(deliveries(tx, 10)?.len(), 2);
        Ok(())
    });
}

pub(crate) fn events_are_found_endpoint_by_endpoint<B: Backend>() {
    let (_backend, store) = opened::<B>();
    write(&store, |tx| {
        for (key, project, origin, due) in [
            (1, 10, "http://a", 30),
            (2, 10, "http://a", 10),
            (3, 10, "http://b", 20),
            (4, 11, "http://a", 5),
            (5, 10, "http://a", 99),
        ] {
            let event = OutboxRow {
                project_id: id(project),
                origin: origin.to_owned(),
                ..sample::event(key, None, due)
            };
            outbox::insert(tx, &event)?;
        }
        let (mut met, mut last) = (Vec::new(), None);
        while let Some(project) = outbox::next_project(tx, last)? {
            let mut after = String::new();
            while let Some((origin, due)) = outbox::next_endpoint(tx, project, &after)? {
                met.push((project, origin.clone(), due));
                after = origin;
            }
            last = Some(project);
        }
        let expected = [
            (10, "http://a", 10),
            (10, "http://b", 20),
            (11, "http://a", 5),
        ];
        assert_eq!(
            met,
            expected.map(|(p, o, d)| (id(p), o.to_owned(), UnixMs(d)))
        );
        assert_eq!(
            outbox::due_keys(tx, id(10), "http://a", UnixMs(50), 10)?,
            [2, 1]
        );
        assert_eq!(
            outbox::due_keys(tx, id(10), "http://a", UnixMs(50), 1)?,
            [2]
        );
        assert_eq!(
            outbox::due_keys(tx, id(11), "http://b", UnixMs(50), 10)?,
            [0; 0]
        );
        Ok(())
    });
}

pub(crate) fn an_answer_is_kept_once_and_thirty_days<B: Backend>() {
    let (_backend, store) = opened::<B>();
    let kept = KeptAnswer {
        body_hash: "h".to_owned(),
        answer: "a".to_owned(),
    };
    let again = kept.clone();
    write(&store, move |tx| {
        idempotency::put(tx, id(10), "key", &again, NOW)?;
        assert_eq!(idempotency::get(tx, id(10), "key")?.as_ref(), Some(&again));
        Ok(())
    });
    let twice = store.write_blocking(move |tx| idempotency::put(tx, id(10), "key", &kept, NOW));
    assert!(matches!(twice, Err(StoreError::Conflict(_))));
    let last_day = NOW.plus_ms(idempotency::KEPT_MS);
    let purged = |now| write(&store, move |tx| idempotency::purge(tx, now)).rows;
    assert_eq!(purged(last_day), 0);
    assert_eq!(purged(last_day.plus_ms(1)), 1);
}

/// Whatever waits to be removed, one step removes no more than it may, and says that more is left.
pub(crate) fn a_step_of_a_purge_is_bounded<B: Backend>() {
    let (_backend, store) = opened::<B>();
    let kept = KeptAnswer {
        body_hash: "body".to_owned(),
        answer: "answer".to_owned(),
    };
    for hundred in 0..12 {
        let kept = kept.clone();
        write(&store, move |tx| {
            (0..100).try_for_each(|number| {
                let key = format!("{hundred}-{number}");
                idempotency::put(tx, id(10), &key, &kept, NOW)
            })
        });
    }
    let late = NOW.plus_ms(idempotency::KEPT_MS + 1);
    let mut rows = Vec::new();
    loop {
        let purged = write(&store, move |tx| idempotency::purge(tx, late));
        rows.push(purged.rows);
        if !purged.more {
            break;
        }
    }
    assert_eq!(rows.iter().sum::<u32>(), 1_200);
    assert!(rows.len() >= 3, "{rows:?}");
    assert!(rows.iter().all(|rows| *rows <= purge::ROWS_MAX), "{rows:?}");
}

pub(crate) fn an_alert_stands_once_until_it_is_cleared<B: Backend>() {
    let (_backend, store) = opened::<B>();
    write(&store, |tx| {
        assert!(alerts::raise(tx, &alert(1))?);
        assert!(!alerts::raise(tx, &alert(2))?);
        assert!(alerts::raise(
            tx,
            &Alert {
                phone_id: None,
                ..alert(3)
            }
        )?);
        assert!(alerts::clear_kind(
            tx,
            id(10),
            Some(id(20)),
            None,
            AlertKind::BatteryLow,
            NOW
        )?);
        assert!(!alerts::clear(tx, id(1), NOW)?);
        assert!(alerts::raise(tx, &alert(4))?);
        let keys = |alerts: Vec<Alert>| alerts.iter().map(|a| a.id.get()).collect::<Vec<_>>();
        assert_eq!(keys(alerts::latest(tx, false, 10)?), [4, 3]);
        assert_eq!(keys(alerts::latest(tx, true, 10)?), [4, 3, 1]);
        Ok(())
    });
}

pub(crate) fn a_generation_only_rises<B: Backend>() {
    let (_backend, store) = opened::<B>();
    assert_eq!(store.read_blocking(meta::generation).unwrap(), 1);
    assert_eq!(write(&store, meta::raise_generation), 2);
    assert_eq!(write(&store, meta::raise_generation), 3);
    assert_eq!(store.read_blocking(meta::generation).unwrap(), 3);
}

pub(crate) fn keys_go_on_above_the_highest<B: Backend>() {
    let (_backend, store) = opened::<B>();
    assert_eq!(store.read_blocking(meta::highest_key).unwrap(), None);
    sample::two_projects(&store);
    assert_eq!(
        store.read_blocking(meta::highest_key).unwrap(),
        Key::new(51)
    );
    write(&store, |tx| {
        outbox::insert(tx, &sample::event(500, None, 1))
    });
    assert_eq!(
        store.read_blocking(meta::highest_key).unwrap(),
        Key::new(500)
    );
}

/// Two processes, one with a clock far behind the other's: outbox, freeze and walks go by keys.
pub(crate) fn keys_rise_whoever_makes_them<B: Backend>() {
    let backend = B::fresh();
    let (ahead, behind) = (backend.open(), backend.open());
    let mut last = Key::default();
    for _ in 0..3 {
        for (store, clock) in [(&ahead, UnixMs(9_000_000)), (&behind, UnixMs(1_000))] {
            let project: ProjectId = id(10);
            let made = store.of(project).write_blocking(move |tx| {
                let key = tx.key(clock);
                outbox::insert(tx, &sample::event(key.get(), None, 1))?;
                Ok::<_, StoreError>(key)
            });
            let key = made.unwrap();
            assert!(key > last, "{key:?} after {last:?}");
            last = key;
        }
    }
}

pub(crate) fn what_others_changed_is_told_once_and_in_order<B: Backend>() {
    let (_backend, store) = opened::<B>();
    let (ours, theirs) = (
        changes::Scope::Project(id(10)),
        changes::Scope::Device(id(11)),
    );
    let raise = |scopes: [changes::Scope; 2]| {
        for scope in scopes {
            write(&store, move |tx| changes::raise(tx, scope));
        }
    };
    let since = |mark: &changes::Mark| {
        let mark = mark.clone();
        let since = store.read_blocking(move |tx| changes::since(tx, &mark));
        since.unwrap()
    };
    let newest = || store.read_blocking(changes::newest).unwrap();
    let first = newest();
    assert_eq!(since(&first), []);
    raise([ours, theirs]);
    assert_eq!(since(&first), [ours, theirs]);
    let second = newest();
    assert_eq!(since(&second), []);
    raise([ours, changes::Scope::Hub]);
    assert_eq!(since(&second), [ours, changes::Scope::Hub]);
    assert_eq!(since(&first), [theirs, ours, changes::Scope::Hub]);
}
