//! Custom routes are made and changed with what their project has.

use crate::actor::{Actor, Who};
use crate::failure::Failure;
use crate::phones::add_test_phone;
use crate::routes::{NewRoute, RoutePatch, create, delete, get, list_all, update};
use crate::testing::fresh_id;
use crate::testing::{Office, wait};
use hub_domain::routing::{Actions, Route};
use hub_domain::{Group, Permission, VarsChange};
use hub_store::groups;
use hub_view::RefusalCode;
use postrider_model::PhoneId;
use serde_json::{Value, json};

fn phone(office: &Office) -> PhoneId {
    let project = office.project.id;
    let added = office.operate(move |work| add_test_phone(work, project, "Test", None));
    added.unwrap().id
}

fn by(phone: PhoneId) -> Value {
    json!({ "type": "use_phone", "phone_id": phone })
}

fn for_group(group: &str, phone: PhoneId) -> Value {
    let test = json!({ "type": "contact_is_in_group", "value": group });
    json!({ "type": "condition", "conditions": [test], "actions": [by(phone)] })
}

fn actions(actions: Value) -> Actions {
    Actions::parse(&actions).unwrap()
}

fn new_route(rules: Value) -> NewRoute {
    NewRoute {
        name: "Main".to_owned(),
        actions: actions(rules),
        vars: VarsChange::default(),
    }
}

fn made(actor: &Actor, rules: Value) -> Route {
    wait(create(actor, new_route(rules))).unwrap().0
}

fn refused<T>(result: Result<T, Failure>) -> (RefusalCode, String) {
    let refusal = result.err().unwrap().into_refusal();
    let words = refusal.param().unwrap_or(refusal.message());
    (refusal.code(), words.to_owned())
}

#[test]
fn a_route_names_phones_and_groups_of_its_project_alone() {
    let office = Office::new();
    let actor = office.actor(Who::Operator);
    let phone = phone(&office);
    let stored = made(&actor, json!([by(phone)]));
    let nobodys = fresh_id(&office.hub, actor.now);
    let inside = json!({
        "type": "condition",
        "conditions": [{ "type": "is", "variable": "country", "value": "KE" }],
        "actions": [for_group("No such group", phone)],
    });
    for wrong in [
        by(nobodys),
        for_group("No such group", phone),
        for_group("CG0000000000000001", phone),
        inside,
    ] {
        let expected = (RefusalCode::InvalidParam, "actions".to_owned());
        let new = new_route(json!([by(phone), wrong]));
        assert_eq!(refused(wait(create(&actor, new))), expected, "{wrong}");
        let patch = RoutePatch {
            name: Some("Other".to_owned()),
            actions: Some(actions(json!([wrong]))),
            ..RoutePatch::default()
        };
        let changed = wait(update(&actor, stored.id, patch));
        assert_eq!(refused(changed), expected, "{wrong}");
    }
    assert_eq!(wait(get(&actor, stored.id)).unwrap().0, stored);
}

#[test]
fn a_group_is_kept_by_its_id_however_it_is_named() {
    let office = Office::new();
    let actor = office.actor(Who::Operator);
    let phone = phone(&office);
    let (id, now) = (fresh_id(&office.hub, actor.now), actor.now.unix);
    let group = Group::new(id, office.project.id, "Guests", now);
    office.rows(move |work| groups::insert(work.tx, &group));
    let kept = actions(json!([for_group(&id.to_string(), phone)]));
    for name in ["gUESTS", &id.to_string()] {
        let route = made(&actor, json!([for_group(name, phone)]));
        assert_eq!(route.actions, kept, "{name}");
    }
}

#[test]
fn what_is_done_to_a_route_is_written_down() {
    let office = Office::new();
    let holder = office.holder(&[Permission::EditRoutes, Permission::ViewRoutes]);
    let actor = office.actor(holder);
    let phone = phone(&office);
    let id = made(&actor, json!([by(phone)])).id;
    let used = || {
        let (cache, store) = (&office.hub.cache, &office.hub.store);
        let route = wait(cache.route(store, office.project.id, id)).unwrap();
        route.map(|route| Route::clone(&route))
    };
    assert_eq!(used().unwrap().name, "Main");
    let patch = RoutePatch {
        name: Some("Night".to_owned()),
        ..RoutePatch::default()
    };
    let changed = wait(update(&actor, id, patch)).unwrap().0;
    assert_eq!(changed.name, "Night");
    assert_eq!(changed.actions, actions(json!([by(phone)])));
    assert_eq!(used().as_ref(), Some(&changed), "messages go by it at once");
    let (phones, routes) = wait(list_all(&actor)).unwrap();
    assert_eq!((phones[0].phone.id, &routes[0].0), (phone, &changed));
    wait(delete(&actor, id)).unwrap();
    assert_eq!(used(), None);
    for gone in [
        refused(wait(get(&actor, id))),
        refused(wait(delete(&actor, id))),
        refused(wait(update(&actor, id, RoutePatch::default()))),
    ] {
        assert_eq!(gone, (RefusalCode::NotFound, "route not found".to_owned()));
    }
    let log = office.log();
    let actions: Vec<_> = log.iter().map(|(_, action)| action.as_str()).collect();
    assert_eq!(
        actions[..3],
        ["route.delete", "route.update", "route.create"]
    );
}

#[test]
fn who_may_look_changes_nothing() {
    let office = Office::new();
    let phone = phone(&office);
    let id = made(&office.actor(Who::Operator), json!([by(phone)])).id;
    let viewer = office.actor(office.holder(&[Permission::ViewRoutes]));
    wait(get(&viewer, id)).unwrap();
    for unauthorized in [
        refused(wait(create(&viewer, new_route(json!([by(phone)]))))),
        refused(wait(update(&viewer, id, RoutePatch::default()))),
        refused(wait(delete(&viewer, id))),
    ] {
        assert_eq!(unauthorized.0, RefusalCode::Unauthorized);
    }
    let editor = office.actor(office.holder(&[Permission::EditRoutes]));
    for unauthorized in [
        refused(wait(get(&editor, id))),
        refused(wait(list_all(&editor))),
    ] {
        assert_eq!(unauthorized.0, RefusalCode::Unauthorized);
    }
}
