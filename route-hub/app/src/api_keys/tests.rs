//! Keys are made, ended and written down.

use crate::api_keys::{KeyRefused, NewApiKey, Reach, create, revoke};
use crate::auth::GivenKey;
use crate::failure::NotDone;
use crate::testing::Office;
use hub_domain::{Permission, Permissions};
use hub_store::api_keys;
use postrider_model::UnixMs;

fn wished(reach: Reach) -> NewApiKey {
    NewApiKey {
        reach,
        name: "server".to_owned(),
        permissions: Permissions::from_iter([Permission::SendMessages]),
        rate_per_s: Some(5),
        rate_burst: None,
        time_expires: Some(UnixMs(i64::MAX)),
    }
}

#[test]
fn a_key_is_stored_as_its_hash_and_fits_what_was_shown() {
    let office = Office::new();
    let command = wished(Reach::Organization(office.organization.id));
    let (key, shown) = office.operate(move |work| create(work, &command)).unwrap();
    let stored = office.rows(move |work| api_keys::get(work.tx, key.id));
    let (stored, given) = (stored.unwrap(), GivenKey::read(&shown).unwrap());
    assert_eq!(given.id, stored.id);
    assert!(given.fits(&stored.secret_hash));
    assert!(!stored.secret_hash.contains(shown.as_str()));
    assert!(stored.permissions.allow(Permission::SendMessages));
    assert!(!stored.permissions.allow(Permission::ViewMessages));
    assert!(stored.time_expires.is_some() && stored.project_id.is_none());
    let newest = ("admin".to_owned(), "key.create".to_owned());
    assert_eq!(office.log()[0], newest);
}

#[test]
fn a_key_ends_once_and_lets_nobody_in_from_then_on() {
    let office = Office::new();
    let command = wished(Reach::Project(office.project.id));
    let (key, _) = office.operate(move |work| create(work, &command)).unwrap();
    let id = key.id;
    office.operate(move |work| revoke(work, id)).unwrap();
    let stored = office.rows(move |work| api_keys::get(work.tx, id)).unwrap();
    assert!(!stored.is_live(office.hub.now().unix));
    let again = office.operate(move |work| revoke(work, id));
    assert!(matches!(
        again,
        Err(NotDone::Refused(KeyRefused::RevokedBefore))
    ));
}

#[test]
fn a_key_is_for_something_that_is_there() {
    let office = Office::new();
    let (project, organization) = (
        Reach::Project("PJ0000000000000001".parse().unwrap()),
        Reach::Organization("OR0000000000000001".parse().unwrap()),
    );
    for (reach, reason) in [
        (project, KeyRefused::NoSuchProject),
        (organization, KeyRefused::NoSuchOrganization),
    ] {
        let command = wished(reach);
        let made = office.operate(move |work| create(work, &command));
        assert!(matches!(made, Err(NotDone::Refused(refused)) if refused == reason));
    }
}
