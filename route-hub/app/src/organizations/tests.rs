//! An organization is changed by who may, and by nobody else.

use crate::actor::Who;
use crate::organizations::{OrganizationPatch, get, update};
use crate::testing::{Office, wait};
use hub_domain::Permission;
use hub_view::RefusalCode;

#[test]
fn what_is_given_changes_and_the_rest_stays() {
    let office = Office::new();
    let holder = office.holder(&[Permission::EditOrganization]);
    let actor = office.organization_actor(holder);
    let patch = OrganizationPatch {
        name: None,
        timezone_id: Some("Africa/Nairobi".to_owned()),
    };
    wait(update(&actor, patch)).unwrap();
    let stored = wait(get(&actor)).unwrap();
    assert_eq!(
        (&*stored.name, &*stored.timezone_id),
        ("Clinic", "Africa/Nairobi")
    );
    let Who::Key(key) = &actor.who else { panic!() };
    let newest = (key.id.to_string(), "organization.update".to_owned());
    assert_eq!(office.log()[0], newest);
}

#[test]
fn who_lacks_the_permission_changes_nothing() {
    let office = Office::new();
    let actor = office.organization_actor(office.holder(&[Permission::ViewProjects]));
    let changed = wait(update(&actor, OrganizationPatch::default()));
    let refusal = changed.unwrap_err().into_refusal();
    assert_eq!(refusal.code(), RefusalCode::Unauthorized);
}
