use super::{
    GroupPatch, GroupView, NewGroup, contacts_of, create, delete, find_or_create, get, join, leave,
    list, of_contact, update,
};
use crate::actor::Actor;
use crate::contacts::{self, ContactPatch, GroupChanges, Lookup, NewContact};
use crate::failure::Failure;
use crate::listing::{ListRequest, Listed};
use crate::stored_caps::Cap;
use crate::testing::{Office, wait};
use hub_domain::{GroupFilters, Permission, VarsChange};
use hub_store::list::ListQuery;
use hub_view::{Refusal, RefusalCode};
use postrider_model::{ContactId, GroupId, Id, Key};
use serde_json::{Value, json};

fn editor(office: &Office) -> Actor {
    let permissions = [Permission::EditContacts, Permission::ViewContacts];
    office.actor(office.holder(&permissions))
}

fn with_filters(filters: &Value) -> GroupPatch {
    GroupPatch {
        filters: GroupFilters::parse(filters).ok(),
        ..GroupPatch::default()
    }
}

fn new(name: &str, settings: GroupPatch) -> NewGroup {
    NewGroup {
        name: name.to_owned(),
        settings,
    }
}

fn made(actor: &Actor, name: &str, settings: GroupPatch) -> GroupId {
    wait(create(actor, new(name, settings))).unwrap().0.id
}

fn contact(actor: &Actor, city: &str) -> ContactId {
    let patch = ContactPatch {
        name: Some(Some("Ann".to_owned())),
        vars: VarsChange::parse(&json!({ "city": city })).unwrap(),
        ..ContactPatch::default()
    };
    let lookup = Lookup::Nothing;
    let made = contacts::create(actor, NewContact { lookup, patch }, GroupChanges::default());
    wait(made).unwrap().contact.id
}

fn refused<T>(done: Result<T, Failure>) -> Refusal {
    done.map(drop).unwrap_err().into_refusal()
}

fn all() -> ListRequest {
    ListRequest {
        query: ListQuery::default(),
        count_only: false,
    }
}

fn ids<V, T>(listed: Result<Listed<V>, Failure>, id: impl Fn(V) -> T) -> Vec<T> {
    match listed.unwrap() {
        Listed::Page { items, .. } => items.into_iter().map(id).collect(),
        Listed::Count(_) => panic!("the rows were asked for"),
    }
}

fn group_ids(listed: Result<Listed<GroupView>, Failure>) -> Vec<GroupId> {
    ids(listed, |view| view.0.id)
}

#[test]
fn a_group_is_made_once_by_its_name() {
    let office = Office::new();
    let actor = editor(&office);
    let named = |name: &str| wait(find_or_create(&actor, name.to_owned())).unwrap().0.id;
    let group = named("Guests");
    assert_eq!(named("gUESTS"), group);
    assert_eq!(group_ids(wait(list(&actor, all()))), [group]);
}

#[test]
fn contacts_join_a_group_and_leave_it_as_often_as_they_are_told() {
    let office = Office::new();
    let actor = editor(&office);
    let group = made(&actor, "Guests", GroupPatch::default());
    let ann = contact(&actor, "Oslo");
    let num_members = || wait(get(&actor, group)).unwrap().0.num_members;
    for _ in 0..2 {
        wait(join(&actor, group, ann)).unwrap();
        assert_eq!(num_members(), 1);
    }
    let shown = wait(contacts::get(&actor, ann)).unwrap();
    assert_eq!(shown.group_ids, [group]);
    for _ in 0..2 {
        wait(leave(&actor, group, ann)).unwrap();
        assert_eq!(num_members(), 0);
    }
    wait(delete(&actor, group)).unwrap();
    assert_eq!(
        refused(wait(get(&actor, group))).code(),
        RefusalCode::NotFound
    );
}

#[test]
fn the_moment_of_joining_is_noted_where_none_is() {
    let office = Office::new();
    let actor = editor(&office);
    let timed = GroupPatch {
        add_time_variable: Some(Some("joined".to_owned())),
        ..GroupPatch::default()
    };
    let group = made(&actor, "Guests", timed);
    let (ann, bea) = (contact(&actor, "Oslo"), contact(&actor, "Oslo"));
    let known = ContactPatch {
        vars: VarsChange::parse(&json!({ "joined": 5 })).unwrap(),
        ..ContactPatch::default()
    };
    wait(contacts::update(
        &actor,
        bea,
        known,
        GroupChanges::default(),
    ))
    .unwrap();
    let joined = |id| {
        let join = GroupChanges {
            join: vec![group],
            leave: Vec::new(),
        };
        let changed = contacts::update(&actor, id, ContactPatch::default(), join);
        wait(changed).unwrap().contact.vars.to_json()
    };
    let now = actor.now.unix.seconds();
    assert_eq!(joined(ann), format!(r#"{{"city":"Oslo","joined":{now}}}"#));
    assert_eq!(joined(bea), r#"{"city":"Oslo","joined":5}"#);
}

#[test]
fn a_dynamic_group_has_whom_its_filters_let_through() {
    let office = Office::new();
    let actor = editor(&office);
    let filters = with_filters(&json!({ "vars.city": "Oslo" }));
    let dynamic = made(&actor, "In Oslo", filters);
    let normal = made(&actor, "Guests", GroupPatch::default());
    let (ann, bea) = (contact(&actor, "Oslo"), contact(&actor, "Bergen"));
    wait(join(&actor, normal, ann)).unwrap();
    let members = || {
        ids(wait(contacts_of(&actor, dynamic, all())), |view| {
            view.contact.id
        })
    };
    assert_eq!(members(), [ann]);
    let of = |contact| group_ids(wait(of_contact(&actor, contact, all())));
    assert_eq!(of(ann), [dynamic, normal]);
    assert_eq!(of(bea), []);
    let bergen = with_filters(&json!({ "vars.city": "Bergen" }));
    wait(update(&actor, dynamic, bergen)).unwrap();
    assert_eq!(members(), [bea]);
}

#[test]
fn a_group_with_an_empty_condition_that_was_stored_once_still_has_its_contacts() {
    let office = Office::new();
    let actor = editor(&office);
    let stored = GroupPatch {
        filters: GroupFilters::from_json(r#"{"name":{"prefix":""}}"#),
        ..GroupPatch::default()
    };
    let group = made(&actor, "Everybody", stored);
    let ann = contact(&actor, "Oslo");
    let shown = wait(get(&actor, group)).unwrap().0.filters.unwrap();
    assert_eq!(shown.to_value(), json!({ "name": { "prefix": "" } }));
    let listed = wait(contacts_of(&actor, group, all()));
    assert_eq!(ids(listed, |view| view.contact.id), [ann]);
}

#[test]
fn what_cannot_be_a_group_is_refused_by_name() {
    let office = Office::new();
    let actor = editor(&office);
    let oslo = with_filters(&json!({ "vars.city": "Oslo" }));
    let dynamic = made(&actor, "In Oslo", oslo.clone());
    let normal = made(&actor, "Guests", GroupPatch::default());
    let ann = contact(&actor, "Oslo");
    let of_dynamic = with_filters(&json!({ "group": dynamic }));
    let renamed = GroupPatch {
        name: Some("in oslo".to_owned()),
        ..GroupPatch::default()
    };
    let vars = |vars: Value| GroupPatch {
        vars: VarsChange::parse(&vars).unwrap(),
        ..GroupPatch::default()
    };
    let hundred: serde_json::Map<_, _> = (0..100).map(|n| (format!("v{n}"), json!(1))).collect();
    let full = made(&actor, "Full", vars(json!(hundred)));
    office.rows(|work| Cap::DynamicGroups.put(work.tx, Some(1)));
    for (done, param) in [
        (
            wait(create(&actor, new("GUESTS", GroupPatch::default()))),
            "name",
        ),
        (wait(create(&actor, new("Of", of_dynamic))), "filters"),
        (wait(create(&actor, new("More", oslo.clone()))), "filters"),
        (wait(update(&actor, full, vars(json!({ "x": 1 })))), "vars"),
        (wait(update(&actor, normal, oslo)), "filters"),
        (wait(update(&actor, normal, renamed)), "name"),
    ] {
        assert_eq!(refused(done).param(), Some(param));
    }
    for done in [
        wait(join(&actor, dynamic, ann)),
        wait(leave(&actor, dynamic, ann)),
    ] {
        assert_eq!(refused(done).param(), Some("group_id"));
    }
    assert_eq!(group_ids(wait(list(&actor, all()))).len(), 3);
}

#[test]
fn what_another_project_may_have_is_not_found() {
    let office = Office::new();
    let actor = editor(&office);
    let group = made(&actor, "Guests", GroupPatch::default());
    let ann = contact(&actor, "Oslo");
    let (no_group, nobody) = (Id::new(Key::new(9).unwrap()), Id::new(Key::new(9).unwrap()));
    for done in [
        wait(get(&actor, no_group)).map(drop),
        wait(update(&actor, no_group, GroupPatch::default())).map(drop),
        wait(delete(&actor, no_group)),
        wait(contacts_of(&actor, no_group, all())).map(drop),
        wait(join(&actor, no_group, ann)),
        wait(join(&actor, group, nobody)),
        wait(of_contact(&actor, nobody, all())).map(drop),
    ] {
        assert_eq!(refused(done).code(), RefusalCode::NotFound);
    }
}

#[test]
fn who_may_only_view_contacts_changes_no_group() {
    let office = Office::new();
    let group = made(&editor(&office), "Guests", GroupPatch::default());
    let viewer = office.actor(office.holder(&[Permission::ViewContacts]));
    let ann = contact(&editor(&office), "Oslo");
    for done in [
        wait(find_or_create(&viewer, "Guests".to_owned())).map(drop),
        wait(create(&viewer, new("More", GroupPatch::default()))).map(drop),
        wait(update(&viewer, group, GroupPatch::default())).map(drop),
        wait(delete(&viewer, group)),
        wait(join(&viewer, group, ann)),
        wait(leave(&viewer, group, ann)),
    ] {
        assert_eq!(refused(done).code(), RefusalCode::Unauthorized);
    }
    assert_eq!(group_ids(wait(list(&viewer, all()))), [group]);
    let stranger = office.actor(office.holder(&[]));
    let seen = wait(list(&stranger, all()));
    assert_eq!(refused(seen).code(), RefusalCode::Unauthorized);
}
