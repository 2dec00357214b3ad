//! The operator's words for devices, alerts and plans.

use crate::failure::NotDone;
use crate::operator::{
    NoSuchAlert, NoSuchOrganization, PlanPatch, RevokeRefused, clear_alert, frozen, revoke_device,
    set_plan, unfreeze,
};
use crate::testing::Office;
use crate::testing::fresh_id;
use hub_domain::{
    Alert, AlertKind, Device, DeviceState, Feature, HubAlert, HubAlertKind, Plan, UsageType,
};
use hub_store::{alerts, devices, hub_alerts, organizations};
use postrider_model::DeviceId;

fn device(office: &Office) -> DeviceId {
    let now = office.hub.now();
    let device = Device {
        id: fresh_id(&office.hub, now),
        organization_id: office.organization.id,
        project_id: office.project.id,
        name: "Desk".to_owned(),
        public_key: String::new(),
        key_algorithm: "ed25519".to_owned(),
        install: "i1".to_owned(),
        conn: 1,
        gen_seen: 1,
        gen_own: 0,
        down_sent: 0,
        down_acked: 0,
        up: 0,
        state: DeviceState::Active,
        frozen: true,
        time_paired: now.unix,
        time_last_seen: None,
        facts: None,
        offline_since: None,
        connected_to: None,
    };
    let id = device.id;
    office.rows(move |work| devices::insert(work.tx, &device));
    id
}

#[test]
fn a_device_is_revoked_once() {
    let office = Office::new();
    let id = device(&office);
    office.operate(move |work| revoke_device(work, id)).unwrap();
    let stored = office.rows(move |work| devices::get(work.tx, id));
    assert_eq!(stored.unwrap().state, DeviceState::Revoked);
    let again = office.operate(move |work| revoke_device(work, id));
    assert!(matches!(
        again,
        Err(NotDone::Refused(RevokeRefused::RevokedBefore))
    ));
    let nobody = "DV0000000000000001".parse().unwrap();
    let none = office.operate(move |work| revoke_device(work, nobody));
    assert!(matches!(
        none,
        Err(NotDone::Refused(RevokeRefused::NoSuchDevice))
    ));
}

#[test]
fn frozen_devices_are_given_up_and_nobody_waits_for_them_again() {
    let office = Office::new();
    let id = device(&office);
    let nobody = "PN0000000000000001".parse().unwrap();
    let none = office.rows(move |work| frozen(work.tx, Some(nobody)));
    assert!(none.is_none());
    let left = || office.rows(|work| frozen(work.tx, None)).unwrap();
    assert_eq!(left().iter().map(|it| it.id).collect::<Vec<_>>(), [id]);
    assert!(office.rows(move |work| unfreeze(work, id)));
    assert!(left().is_empty());
    assert!(!office.rows(move |work| unfreeze(work, id)));
    let newest = ("admin".to_owned(), "device.unfreeze".to_owned());
    assert_eq!(office.log()[0], newest);
}

#[test]
fn an_alert_is_cleared_once() {
    let office = Office::new();
    let now = office.hub.now();
    let alert = Alert {
        id: fresh_id(&office.hub, now),
        project_id: office.project.id,
        phone_id: None,
        device_id: None,
        kind: AlertKind::HubFrozen,
        detail: "Look".to_owned(),
        time_created: now.unix,
        time_cleared: None,
    };
    let id = alert.id;
    office.rows(move |work| alerts::raise(work.tx, &alert));
    office.operate(move |work| clear_alert(work, id)).unwrap();
    let again = office.operate(move |work| clear_alert(work, id));
    assert!(matches!(again, Err(NotDone::Refused(NoSuchAlert))));
}

#[test]
fn an_alert_of_the_hub_is_cleared_once() {
    let office = Office::new();
    let now = office.hub.now();
    let alert = HubAlert {
        id: fresh_id(&office.hub, now),
        process: 3,
        kind: HubAlertKind::ClockOff,
        detail: String::new(),
        time_created: now.unix,
        time_cleared: None,
    };
    let id = alert.id;
    office.rows(move |work| hub_alerts::raise(work.tx, &alert));
    office.operate(move |work| clear_alert(work, id)).unwrap();
    let again = office.operate(move |work| clear_alert(work, id));
    assert!(matches!(again, Err(NotDone::Refused(NoSuchAlert))));
}

#[test]
fn what_is_named_of_a_plan_changes_and_the_rest_stays() {
    let office = Office::new();
    let id = office.organization.id;
    let first = PlanPatch {
        name: Some(Some("Small".to_owned())),
        limits: vec![(UsageType::Contacts, Some(5)), (UsageType::Groups, Some(1))],
        ..PlanPatch::default()
    };
    office
        .operate(move |work| set_plan(work, id, &first))
        .unwrap();
    let second = PlanPatch {
        limits: vec![(UsageType::Groups, None)],
        features: vec![(Feature::SoftLimits, Some(true))],
        ..PlanPatch::default()
    };
    office
        .operate(move |work| set_plan(work, id, &second))
        .unwrap();
    let stored = office.rows(move |work| organizations::get(work.tx, id));
    let expected = Plan {
        name: Some("Small".to_owned()),
        limits: [(UsageType::Contacts, 5)].into(),
        features: [(Feature::SoftLimits, true)].into(),
        ..Plan::default()
    };
    assert_eq!(stored.unwrap().plan, expected);
    let newest = ("admin".to_owned(), "organization.set_plan".to_owned());
    assert_eq!(office.log()[0], newest);
    let nobody = "OR0000000000000001".parse().unwrap();
    let none = office.operate(move |work| set_plan(work, nobody, &PlanPatch::default()));
    assert!(matches!(none, Err(NotDone::Refused(NoSuchOrganization))));
}
