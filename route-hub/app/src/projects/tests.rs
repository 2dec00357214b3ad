//! Projects are made and changed by requests and by the operator, under the same rules.

use crate::actor::Who;
use crate::failure::{Failure, NotDone};
use crate::listing::{ListRequest, Listed};
use crate::projects::{ProjectPatch, ProjectRefused, change, create, list, make, update};
use crate::testing::{Office, named, wait};
use hub_domain::{ApiKey, Permission, RouteId};
use hub_store::changes::{self, Scope};
use hub_store::list::ListQuery;
use hub_view::RefusalCode;
use std::sync::Arc;

fn refused(failure: Failure) -> (RefusalCode, Option<String>) {
    let refusal = failure.into_refusal();
    (refusal.code(), refusal.param().map(str::to_owned))
}

#[test]
fn a_name_and_a_slug_are_their_organizations_only_ones() {
    let office = Office::new();
    let make_named = |name: &str| {
        let command = named(&office.organization, name);
        office.operate(move |work| make(work, &command))
    };
    let other = make_named("Other").unwrap();
    assert_eq!(other.url_slug.as_deref(), Some("other"));
    let again = make_named("REMINDERS");
    assert!(matches!(
        again,
        Err(NotDone::Refused(ProjectRefused::NameTaken))
    ));

    let slug = ProjectPatch {
        url_slug: Some(Some("other".to_owned())),
        ..ProjectPatch::default()
    };
    let id = office.project.id;
    let taken = office.operate(move |work| change(work, id, &slug));
    assert!(matches!(
        taken,
        Err(NotDone::Refused(ProjectRefused::SlugTaken))
    ));
    let own = ProjectPatch {
        name: Some("Reminders!".to_owned()),
        url_slug: Some(office.project.url_slug.clone()),
        ..ProjectPatch::default()
    };
    let changed = office.operate(move |work| change(work, id, &own)).unwrap();
    assert_eq!(changed.name, "Reminders!");
}

#[test]
fn a_project_of_no_organization_is_not_made() {
    let office = Office::new();
    let mut command = named(&office.organization, "Clinic");
    command.organization_id = "OR0000000000000001".parse().unwrap();
    let made = office.operate(move |work| make(work, &command));
    assert!(matches!(
        made,
        Err(NotDone::Refused(ProjectRefused::NoSuchOrganization))
    ));
}

#[test]
fn a_request_changes_a_project_as_the_operator_does_and_is_told_by_parameter() {
    let office = Office::new();
    let actor = office.actor(office.holder(&[Permission::EditProject]));
    let nobodys = ProjectPatch {
        default_route_id: Some(Some(RouteId::Phone("PN0000000000000001".parse().unwrap()))),
        ..ProjectPatch::default()
    };
    let route = wait(update(&actor, nobodys)).unwrap_err();
    let expected = (
        RefusalCode::InvalidParam,
        Some("default_route_id".to_owned()),
    );
    assert_eq!(refused(route), expected);
    let patch = ProjectPatch {
        queue_cap: Some(7),
        ..ProjectPatch::default()
    };
    assert_eq!(wait(update(&actor, patch)).unwrap().queue_cap, 7);
    let kept = wait(actor.hub.cache.project(&actor.hub.store, office.project.id));
    assert_eq!(kept.unwrap().unwrap().queue_cap, 7);
    let Who::Key(key) = &actor.who else { panic!() };
    let newest = (key.id.to_string(), "project.update".to_owned());
    assert_eq!(office.log()[0], newest);
}

#[test]
fn who_lacks_the_permission_changes_and_makes_nothing() {
    let office = Office::new();
    let viewer = || office.holder(&[Permission::ViewProjects]);
    let actor = office.actor(viewer());
    let changed = wait(update(&actor, ProjectPatch::default()));
    assert_eq!(refused(changed.unwrap_err()).0, RefusalCode::Unauthorized);
    let command = named(&office.organization, "Other");
    let actor = office.organization_actor(viewer());
    let made = wait(create(&actor, command));
    assert_eq!(refused(made.unwrap_err()).0, RefusalCode::Unauthorized);
}

#[test]
fn links_look_again_when_a_project_stops_and_not_for_its_name() {
    let office = Office::new();
    let id = office.project.id;
    let scopes = |patch: ProjectPatch| {
        office
            .operate(move |work| {
                let seen = changes::newest(work.tx)?;
                change(work, id, &patch)?;
                std::mem::take(&mut work.effects).note(work.tx)?;
                Ok::<_, NotDone<ProjectRefused>>(changes::since(work.tx, &seen)?)
            })
            .unwrap()
    };
    let renamed = ProjectPatch {
        name: Some("Other".to_owned()),
        ..ProjectPatch::default()
    };
    assert_eq!(scopes(renamed), [Scope::Rows(id)]);
    let stopped = ProjectPatch {
        stopped: Some(true),
        ..ProjectPatch::default()
    };
    assert_eq!(scopes(stopped), [Scope::Rows(id), Scope::Project(id)]);
}

#[test]
fn a_key_of_one_project_lists_that_one_and_the_operator_all() {
    let office = Office::new();
    let command = named(&office.organization, "Other");
    let other = office.operate(move |work| make(work, &command)).unwrap();
    let counted = |who: Who| {
        let request = ListRequest {
            query: ListQuery::default(),
            count_only: true,
        };
        wait(list(&office.organization_actor(who), request)).unwrap()
    };
    assert!(matches!(counted(Who::Operator), Listed::Count(2)));
    let Who::Key(key) = office.holder(&[Permission::ViewProjects]) else {
        panic!()
    };
    let bound = ApiKey {
        project_id: Some(other.id),
        ..ApiKey::clone(&key)
    };
    assert!(matches!(counted(Who::Key(key)), Listed::Count(2)));
    assert!(matches!(
        counted(Who::Key(Arc::new(bound))),
        Listed::Count(1)
    ));
}
