//! Alerts with the real store.

use crate::actor::Who;
use crate::alerts::*;
use crate::testing::fresh_id;
use crate::webhooks::testing::{Fixture, Here};
use hub_domain::{Device, DeviceState, OutboxRow};
use hub_store::{devices, projects};
use postrider_link::frame::SimInfo;
use postrider_model::{SimSlot, UnixMs};

#[test]
fn one_alert_of_a_kind_stands_until_its_end() {
    let world = World::new();
    let health = |battery| Health {
        battery: Some(battery),
        ..Health::default()
    };
    for battery in [10, 9, 16] {
        world.health(&health(battery));
    }
    assert_eq!(world.standing(), ["battery_low"]);
    world.health(&health(25));
    assert!(world.standing().is_empty());
    world.health(&health(5));
    let told = world.told();
    let kinds: Vec<_> = told
        .iter()
        .map(|body| body.contains("time_cleared="))
        .collect();
    assert_eq!(kinds, [false, true, false], "raised, cleared, raised again");
}

#[test]
fn a_silent_radio_is_about_its_own_slot() {
    let world = World::new();
    let mut sim = SimInfo {
        slot: SimSlot::new(0).unwrap(),
        ..SimInfo::default()
    };
    sim.waiting_for = Some("silent_radio".into());
    world.health(&Health {
        sims: vec![sim.clone()],
        ..Health::default()
    });
    assert_eq!(world.standing(), ["look_at_phone"]);
    assert!(world.told()[0].contains(&format!("phone_id={}", world.fixture.phone.id)));
    sim.waiting_for = Some("send_limit".into());
    world.health(&Health {
        sims: vec![sim],
        ..Health::default()
    });
    assert!(world.standing().is_empty());
}

#[tokio::test]
async fn a_phone_that_stays_away_is_told_of_once() {
    let world = World::new();
    let (hub, started) = (&world.fixture.hub, UnixMs(0));
    let later = world
        .fixture
        .now
        .plus_ms(rules::OFFLINE_AFTER_MS.unsigned_abs());
    assert_eq!(
        offline::look(hub, started, world.fixture.now)
            .await
            .unwrap(),
        0
    );
    assert_eq!(offline::look(hub, started, later).await.unwrap(), 1);
    assert_eq!(offline::look(hub, started, later).await.unwrap(), 0);
    assert_eq!(world.standing(), ["phone_offline"]);
    assert!(world.told()[0].contains("kind=phone_offline"));
}

#[tokio::test]
async fn a_revoked_phone_is_not_missed() {
    let world = World::new();
    let id = world.device;
    let job = move |tx: &mut Tx<'_>| devices::set_state(tx, id, DeviceState::Revoked);
    world.fixture.hub.store.write_here(job);
    let later = world
        .fixture
        .now
        .plus_ms(10 * rules::OFFLINE_AFTER_MS.unsigned_abs());
    assert_eq!(
        offline::look(&world.fixture.hub, UnixMs(0), later)
            .await
            .unwrap(),
        0
    );
}

#[tokio::test]
async fn an_alert_that_somebody_cleared_is_told_of_and_stays_so_until_the_phone_was_here() {
    let world = World::new();
    let (hub, started) = (&world.fixture.hub, UnixMs(0));
    let at = |ms| world.fixture.now.plus_ms(ms);
    let grace_ms = rules::OFFLINE_AFTER_MS.unsigned_abs();
    assert_eq!(offline::look(hub, started, at(grace_ms)).await.unwrap(), 1);
    let (clearer, cleared_at) = (hub.clone(), at(grace_ms + 1));
    hub.store.write_here(move |tx| {
        let mut work = HubWork::new(&clearer, tx, Who::Operator, cleared_at);
        let alert = alerts::latest(work.tx, false, 1)?.remove(0);
        assert!(clear_by_id(&mut work, alert.id)?);
        assert!(!clear_by_id(&mut work, alert.id)?);
        Ok(())
    });
    let told = world.told();
    assert!(told.len() == 2 && told[1].contains("time_cleared="));
    let later = at(10 * grace_ms);
    assert_eq!(offline::look(hub, started, later).await.unwrap(), 0);
    let id = world.device;
    hub.store
        .write_here(move |tx| devices::left(tx, id, later.unix));
    let again = at(11 * grace_ms);
    assert_eq!(offline::look(hub, started, again).await.unwrap(), 1);
}

#[tokio::test]
async fn a_device_out_of_service_has_no_alerts() {
    let world = World::new();
    let hub = world.fixture.hub.clone();
    let later = world
        .fixture
        .now
        .plus_ms(rules::OFFLINE_AFTER_MS.unsigned_abs());
    assert_eq!(offline::look(&hub, UnixMs(0), later).await.unwrap(), 1);
    world.health(&Health {
        battery: Some(3),
        ..Health::default()
    });
    assert_eq!(world.standing().len(), 2);
    let device = world.device;
    let clear = move |work: &mut UnitOfWork<'_, '_>| clear_all_of_device(work, device);
    world.fixture.work(later, clear);
    assert!(world.standing().is_empty());
    let cleared = world
        .told()
        .iter()
        .filter(|body| body.contains("time_cleared="))
        .count();
    assert_eq!(cleared, 2);
}

/// A hub with a device of one phone, whose project wants to be told.
struct World {
    fixture: Fixture,
    device: DeviceId,
}

impl World {
    fn new() -> Self {
        let mut fixture = Fixture::new();
        fixture.project.alert_url = Some("https://ops.example/".into());
        let now = fixture.now.unix;
        let device = Device {
            id: fresh_id(&fixture.hub, fixture.now),
            organization_id: fixture.project.organization_id,
            project_id: fixture.project.id,
            name: "Desk".into(),
            public_key: String::new(),
            key_algorithm: "ed25519".into(),
            install: "i1".into(),
            conn: 1,
            gen_seen: 1,
            gen_own: 0,
            down_sent: 0,
            down_acked: 0,
            up: 0,
            state: DeviceState::Active,
            frozen: false,
            time_paired: now,
            time_last_seen: Some(now),
            facts: None,
            offline_since: Some(now),
            connected_to: None,
        };
        let id = device.id;
        fixture.phone.device_id = Some(id);
        fixture.phone.sim = SimSlot::new(0);
        let project = fixture.project.clone();
        fixture.hub.store.write_here(move |tx| {
            projects::insert(tx, &project)?;
            devices::insert(tx, &device)
        });
        Self {
            fixture,
            device: id,
        }
    }

    fn health(&self, health: &Health) {
        let (phone, health) = (self.fixture.phone.clone(), health.clone());
        let step = move |work: &mut UnitOfWork<'_, '_>| {
            of_health(work, std::slice::from_ref(&phone), &health)
        };
        self.fixture.work(self.fixture.now, step);
    }

    fn standing(&self) -> Vec<&'static str> {
        let standing = self
            .fixture
            .hub
            .store
            .read_here(|tx| alerts::latest(tx, false, 100));
        standing.iter().map(|alert| alert.kind.as_str()).collect()
    }

    fn told(&self) -> Vec<String> {
        let rows: Vec<OutboxRow> = self.fixture.outbox();
        rows.into_iter().map(|row| row.body).collect()
    }
}
