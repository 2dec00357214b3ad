//! Whom a key lets in, and where.

use crate::api_keys::{NewApiKey, Reach, create, revoke};
use crate::auth::{Holder, enter, find};
use crate::projects;
use crate::testing::{Office, named, wait};
use hub_domain::{ApiKey, Permission, Permissions};
use hub_view::RefusalCode;
use postrider_model::Secret;
use std::sync::Arc;

fn made(office: &Office, reach: Reach) -> (ApiKey, Secret) {
    let command = NewApiKey {
        reach,
        name: "server".to_owned(),
        permissions: Permissions::from_iter([Permission::ViewProjects]),
        rate_per_s: None,
        rate_burst: None,
        time_expires: None,
    };
    office.operate(move |work| create(work, &command)).unwrap()
}

#[test]
fn a_key_is_found_by_its_text_until_it_ends() {
    let office = Office::new();
    let (key, text) = made(&office, Reach::Organization(office.organization.id));
    let known = |text: &Secret| wait(find(&office.hub, text)).unwrap();
    assert_eq!(known(&text).map(|found| found.key.id), Some(key.id));
    let other = Secret::new(format!("{}0", text.as_str()));
    assert!(known(&other).is_none());
    office.operate(move |work| revoke(work, key.id)).unwrap();
    office.hub.cache.forget_organization(key.organization_id);
    assert!(known(&text).is_none());
}

#[test]
fn a_key_enters_its_own_project_and_finds_no_other() {
    let office = Office::new();
    let command = named(&office.organization, "Other");
    let other = office.operate(move |work| projects::make(work, &command));
    let other = other.unwrap().id;
    let own = office.project.id;
    let holder = |reach| Holder {
        key: Arc::new(made(&office, reach).0),
        basis: office.hub.store.basis(),
    };
    let key = holder(Reach::Project(own));
    let entered = |project, permission| {
        let entered = wait(enter(&office.hub, &key, project, permission));
        let refused = entered.map_err(|failure| failure.into_refusal().code());
        refused.map(|actor| actor.project.id)
    };
    let seeing = Permission::ViewProjects;
    assert_eq!(entered(own, seeing), Ok(own));
    assert_eq!(entered(other, seeing), Err(RefusalCode::NotFound));
    let changing = Permission::EditProject;
    assert_eq!(entered(own, changing), Err(RefusalCode::Unauthorized));
    let whole = holder(Reach::Organization(office.organization.id));
    assert!(wait(enter(&office.hub, &whole, other, seeing)).is_ok());
}
