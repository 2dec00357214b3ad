//! The cap on waiting events, with a real store.

use crate::alerts::waiting;
use crate::hub::Caps;
use crate::testing::fresh_key;
use crate::webhooks::enqueue;
use crate::webhooks::testing::{Fixture, Here};
use hub_domain::{AlertKind, DeliveryStatus, OutboxRow, WebhookDelivery};
use hub_store::{Tx, alerts, outbox, projects};

#[test]
fn beyond_the_cap_the_oldest_are_ended_and_logged() {
    let fixture = Fixture::with_cap(10);
    let ids: Vec<i64> = (0..25).map(|_| fixture.write_one()).collect();
    let rows = fixture.outbox();
    assert_eq!(rows.len(), 10);
    let left: Vec<i64> = rows.iter().map(|row| row.id).collect();
    assert_eq!(left, ids[15..]);
    let kept = fixture.deliveries();
    let is_over = |delivery: &WebhookDelivery| delivery.status == DeliveryStatus::OverCap;
    assert!(kept.iter().all(is_over));
    let ended: Vec<i64> = kept.iter().map(|delivery| delivery.id.get()).collect();
    assert_eq!(ended, ids[..15]);
    assert!(fixture.alert_stands());
    assert_eq!(fixture.waiting(), 10);
}

#[test]
fn an_alert_stands_from_most_of_the_cap_until_much_of_it_is_free() {
    let fixture = Fixture::with_cap(10);
    for _ in 0..7 {
        fixture.write_one();
    }
    assert!(!fixture.alert_stands());
    fixture.write_one();
    assert!(fixture.alert_stands());
    fixture.take_away(2);
    assert_eq!(fixture.waiting(), 6);
    assert!(fixture.alert_stands(), "not at the first one that leaves");
    fixture.take_away(1);
    assert!(!fixture.alert_stands());
}

#[test]
fn a_cap_of_one_project_ends_nothing_of_another() {
    let fixture = Fixture::with_cap(10);
    let other = OutboxRow {
        project_id: crate::webhooks::testing::project(99),
        ..crate::webhooks::testing::row(1)
    };
    fixture
        .hub
        .store
        .write_here(move |tx| outbox::insert(tx, &other));
    for _ in 0..30 {
        fixture.write_one();
    }
    let job = |tx: &mut Tx<'_>| outbox::waiting(tx, crate::webhooks::testing::project(99));
    assert_eq!(fixture.hub.store.read_here(job), 1);
}

#[test]
fn a_cap_that_was_lowered_is_reached_in_steps() {
    let fixture = Fixture::with_cap(10);
    let project = fixture.project.id;
    let rows: Vec<_> = (0..300)
        .map(|_| OutboxRow {
            project_id: project,
            ..crate::webhooks::testing::row(fresh_key(&fixture.hub, fixture.now).get())
        })
        .collect();
    let job = move |tx: &mut Tx<'_>| rows.iter().try_for_each(|row| outbox::insert(tx, row));
    fixture.hub.store.write_here(job);
    fixture.write_one();
    assert!(fixture.waiting() > 200, "not all in one unit of work");
    for _ in 0..10 {
        fixture.write_one();
    }
    assert_eq!(fixture.waiting(), 10);
}

impl Fixture {
    fn with_cap(cap: u64) -> Self {
        let mut fixture = Self::new();
        fixture.hub.set_caps(Caps {
            webhooks_waiting: cap,
            ..Caps::default()
        });
        fixture.project.status_url = Some("https://a.example/hook".into());
        let project = fixture.project.clone();
        let job = move |tx: &mut Tx<'_>| projects::insert(tx, &project);
        fixture.hub.store.write_here(job);
        fixture
    }

    /// Writes one status, and returns the key of its row.
    fn write_one(&self) -> i64 {
        let message = self.message();
        let id = fresh_key(&self.hub, self.now).get();
        self.work(self.now, move |work| enqueue::send_status(work, &message));
        let newer = |row: &OutboxRow| row.id > id;
        let rows = self.outbox();
        rows.into_iter().find(newer).map_or(id, |row| row.id)
    }

    fn take_away(&self, count: usize) {
        let project = self.project.id;
        let ids: Vec<i64> = self.outbox().iter().take(count).map(|row| row.id).collect();
        self.work(self.now, move |work| {
            let gone = outbox::delete(work.tx, project, ids.clone())?;
            waiting::left(work, gone.len() as u64)
        });
    }

    fn waiting(&self) -> u64 {
        let project = self.project.id;
        self.hub
            .store
            .read_here(move |tx| outbox::waiting(tx, project))
    }

    fn alert_stands(&self) -> bool {
        let project = self.project.id;
        let job = move |tx: &mut Tx<'_>| {
            alerts::standing(tx, project, None, None, AlertKind::WebhooksWaiting)
        };
        self.hub.store.read_here(job).is_some()
    }
}
