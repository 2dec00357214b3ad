//! Rows that come and go: events, kept answers, alerts, what the hub knows of itself.

use crate::Backend;
use crate::resources::{opened, write};
use crate::sample::{self, NOW, id};
use hub_domain::*;
use hub_store::idempotency::{self, KeptAnswer};
use hub_store::*;
use postrider_model::*;

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
            (5, None, 99),
        ] {
            outbox::insert(tx, &sample::event(key, message, due))?;
        }
        let keys = |rows: Vec<OutboxRow>| rows.iter().map(|row| row.id).collect::<Vec<_>>();
        assert_eq!(keys(outbox::due(tx, UnixMs(50), None, 10)?), [4, 3, 1]);
        assert_eq!(keys(outbox::due(tx, UnixMs(50), None, 1)?), [4]);
        assert_eq!(
            keys(outbox::due(tx, UnixMs(50), Some((UnixMs(5), 4)), 10)?),
            [3, 1]
        );
        assert_eq!(keys(outbox::due(tx, UnixMs(25), None, 10)?), [4, 3]);
        assert_eq!(outbox::next_due(tx)?, Some(UnixMs(5)));
        outbox::delete(tx, 1)?;
        outbox::mark_attempt(tx, 4, 1, UnixMs(60))?;
        assert_eq!(keys(outbox::due(tx, UnixMs(50), None, 10)?), [2, 3]);
        assert_eq!(outbox::get(tx, 4)?.map(|row| row.attempts), Some(1));
        assert_eq!(outbox::count(tx)?, 4);
        assert_eq!(outbox::delete_of_message(tx, id(50))?, 1);
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
    assert_eq!(
        write(&store, move |tx| idempotency::purge(tx, last_day, 10)),
        0
    );
    assert_eq!(
        write(&store, move |tx| idempotency::purge(
            tx,
            last_day.plus_ms(1),
            10
        )),
        1
    );
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
