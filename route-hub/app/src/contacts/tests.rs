use super::{
    ContactPatch, GroupChanges, Lookup, NewContact, NewContacts, create, delete, get, import,
    update,
};
use crate::actor::Actor;
use crate::failure::Failure;
use crate::groups::{self, GroupPatch, NewGroup};
use crate::testing::fresh_id;
use crate::testing::{Office, wait};
use hub_domain::{Address, Contact, GroupFilters, Permission, RouteId, VarsChange, numbers};
use hub_store::contacts;
use hub_store::list::ListQuery;
use hub_view::{Refusal, RefusalCode};
use postrider_model::{ContactId, GroupId, Id, IdKind, Key, UnixMs};
use serde_json::json;

const NUMBER: &str = "+15005550101";

fn editor(office: &Office) -> Actor {
    let permissions = [Permission::EditContacts, Permission::ViewContacts];
    office.actor(office.holder(&permissions))
}

fn named(name: &str) -> ContactPatch {
    ContactPatch {
        name: Some(Some(name.to_owned())),
        ..ContactPatch::default()
    }
}

fn numbered(number: &str) -> NewContact {
    NewContact {
        lookup: Lookup::Number,
        patch: ContactPatch {
            phone_number: Some(Address::new(number)),
            ..ContactPatch::default()
        },
    }
}

fn with_vars(patch: ContactPatch, vars: serde_json::Value) -> ContactPatch {
    let vars = VarsChange::parse(&vars).unwrap();
    ContactPatch { vars, ..patch }
}

fn new(lookup: Lookup, patch: ContactPatch) -> NewContact {
    NewContact { lookup, patch }
}

fn made(actor: &Actor, contact: NewContact) -> ContactId {
    let made = wait(create(actor, contact, GroupChanges::default()));
    made.unwrap().contact.id
}

fn of(contacts: Vec<NewContact>) -> NewContacts {
    NewContacts {
        contacts,
        default_route_id: None,
        groups: GroupChanges::default(),
    }
}

fn refused<T>(done: Result<T, Failure>) -> Refusal {
    done.map(drop).unwrap_err().into_refusal()
}

fn param<T>(done: Result<T, Failure>) -> Option<String> {
    refused(done).param().map(str::to_owned)
}

fn count(office: &Office) -> u64 {
    let project = office.project.id;
    office.rows(move |work| contacts::count(work.tx, project, &ListQuery::default()))
}

fn missing<K: IdKind>() -> Id<K> {
    Id::new(Key::new(9).unwrap())
}

fn groups(office: &Office) -> (GroupId, GroupId) {
    let actor = editor(office);
    let normal = wait(groups::find_or_create(&actor, "Friends".to_owned()));
    let filters = GroupFilters::parse(&json!({ "vars.city": "Oslo" })).unwrap();
    let command = NewGroup {
        name: "In Oslo".to_owned(),
        settings: GroupPatch {
            filters: Some(filters),
            ..GroupPatch::default()
        },
    };
    let dynamic = wait(groups::create(&actor, command));
    (normal.unwrap().0.id, dynamic.unwrap().0.id)
}

#[test]
fn a_contact_is_found_by_whatever_it_is_looked_up_by() {
    let office = Office::new();
    let actor = editor(&office);
    let ann = made(
        &actor,
        new(
            Lookup::Number,
            with_vars(
                ContactPatch {
                    phone_number: Some(Address::new(NUMBER)),
                    ..named("Ann")
                },
                json!({ "code": "A-7" }),
            ),
        ),
    );
    let code = VarsChange::parse(&json!({ "code": "a-7" })).unwrap();
    let by_code = Lookup::Variable("code".to_owned(), code.get("code").unwrap().clone());
    for contact in [
        numbered(NUMBER),
        new(Lookup::Name, named("ANN")),
        new(Lookup::Id(ann), named("Anna")),
        new(by_code, named("Anne")),
    ] {
        assert_eq!(made(&actor, contact.clone()), ann, "{contact:?}");
    }
    let another = NewContact {
        lookup: Lookup::Nothing,
        ..numbered(NUMBER)
    };
    assert_ne!(made(&actor, another), ann);
    assert_eq!(count(&office), 2);
}

#[test]
fn a_number_by_which_a_contact_was_found_stays_unless_it_says_more() {
    let office = Office::new();
    let id = fresh_id(&office.hub, office.hub.now());
    let contact = |number: &str| {
        let number = Address::new(number);
        let e164 = number.as_ref().and_then(numbers::in_e164);
        Contact::new(id, office.project.id, number, e164, UnixMs(0))
    };
    let (short, full) = ("5550101", NUMBER);
    for (stored, given, by_number, expected) in [
        (full, short, true, full),
        (full, short, false, short),
        (short, full, true, full),
        (full, "+15005550102", true, full),
    ] {
        let mut contact = contact(stored);
        let patch = numbered(given).patch;
        patch.apply(&mut contact, by_number).unwrap();
        assert_eq!(contact.phone_number, Address::new(expected));
    }
}

#[test]
fn a_contact_that_is_looked_up_by_nothing_needs_a_number_or_a_name() {
    let office = Office::new();
    let nobody = new(Lookup::Nothing, ContactPatch::default());
    let done = wait(create(&editor(&office), nobody, GroupChanges::default()));
    let expected = Refusal::invalid_param("phone_number", "is required, or name");
    assert_eq!(refused(done), expected);
}

#[test]
fn what_cannot_be_a_contact_is_refused_by_name_and_nothing_is_stored() {
    let office = Office::new();
    let actor = editor(&office);
    let (normal, dynamic) = groups(&office);
    let ann = || new(Lookup::Nothing, named("Ann"));
    let value = VarsChange::parse(&json!({ "x": 1 })).unwrap();
    let by_x = Lookup::Variable("x".to_owned(), value.get("x").unwrap().clone());
    let route = Some(Some(RouteId::Phone(missing())));
    let join = |join: &[GroupId]| GroupChanges {
        join: join.to_vec(),
        leave: Vec::new(),
    };
    let leave = |leave: &[GroupId]| GroupChanges {
        join: Vec::new(),
        leave: leave.to_vec(),
    };
    for (contact, groups, named) in [
        (
            new(by_x, ContactPatch::default()),
            join(&[]),
            "phone_number",
        ),
        (new(Lookup::Id(missing()), named("Ann")), join(&[]), "id"),
        (
            new(
                Lookup::Nothing,
                ContactPatch {
                    default_route_id: route,
                    ..named("Ann")
                },
            ),
            join(&[]),
            "default_route_id",
        ),
        (ann(), join(&[normal, missing()]), "add_group_ids[1]"),
        (ann(), join(&[dynamic]), "add_group_ids[0]"),
        (ann(), leave(&[dynamic]), "remove_group_ids[0]"),
    ] {
        let done = wait(create(&actor, contact.clone(), groups));
        assert_eq!(param(done).as_deref(), Some(named), "{contact:?}");
    }
    assert_eq!(count(&office), 0);
}

#[test]
fn an_import_names_the_contact_at_fault_and_stores_none_of_them() {
    let office = Office::new();
    let actor = editor(&office);
    let full: serde_json::Map<_, _> = (0..100).map(|n| (format!("v{n}"), json!(1))).collect();
    let ann = || new(Lookup::Nothing, named("Ann"));
    let routed = |id| ContactPatch {
        default_route_id: Some(id),
        ..named("Bea")
    };
    let missing_route = Some(RouteId::Phone(missing()));
    let full = NewContact {
        lookup: Lookup::Number,
        patch: with_vars(numbered(NUMBER).patch, json!(full)),
    };
    let one_more = NewContact {
        lookup: Lookup::Number,
        patch: with_vars(numbered(NUMBER).patch, json!({ "one_more": 1 })),
    };
    let nobody = new(Lookup::Nothing, ContactPatch::default());
    for (second, named) in [
        (vec![nobody], "contacts[1][phone_number]"),
        (
            vec![new(Lookup::Id(missing()), named("Bea"))],
            "contacts[1][id]",
        ),
        (
            vec![new(Lookup::Nothing, routed(missing_route))],
            "contacts[1][default_route_id]",
        ),
        (vec![full, one_more], "contacts[2][vars]"),
    ] {
        let all = std::iter::once(ann()).chain(second).collect();
        let done = wait(import(&actor, of(all)));
        assert_eq!(param(done).as_deref(), Some(named));
    }
    assert_eq!(count(&office), 0);
    let shared = NewContacts {
        default_route_id: Some(missing_route),
        ..of(vec![ann()])
    };
    let done = wait(import(&actor, shared));
    assert_eq!(param(done).as_deref(), Some("default_route_id"));
}

#[test]
fn an_import_finds_and_makes_contacts_and_what_is_set_for_all_goes_before() {
    let office = Office::new();
    let actor = editor(&office);
    let old = made(&actor, numbered(NUMBER));
    let (normal, _) = groups(&office);
    let own = new(
        Lookup::Nothing,
        ContactPatch {
            default_route_id: Some(Some(RouteId::Phone(missing()))),
            ..named("Ann")
        },
    );
    let command = NewContacts {
        contacts: vec![own, numbered(NUMBER), numbered(NUMBER)],
        default_route_id: Some(None),
        groups: GroupChanges {
            join: vec![normal],
            leave: Vec::new(),
        },
    };
    let ids = wait(import(&actor, command)).unwrap();
    assert_eq!((ids.len(), &ids[1..]), (3, &[old, old][..]));
    assert_eq!(
        wait(get(&actor, ids[0])).unwrap().contact.default_route_id,
        None
    );
    let group = wait(groups::get(&actor, normal)).unwrap();
    assert_eq!(group.0.num_members, 2);
}

#[test]
fn a_contact_is_changed_and_removed() {
    let office = Office::new();
    let actor = editor(&office);
    let id = made(&actor, numbered(NUMBER));
    let patch = ContactPatch {
        phone_number: Some(None),
        send_blocked: Some(true),
        ..named("Ann")
    };
    let changed = wait(update(&actor, id, patch, GroupChanges::default())).unwrap();
    let contact = &changed.contact;
    assert_eq!((&contact.phone_number, contact.send_blocked), (&None, true));
    assert!(contact.number_e164.is_none());
    wait(delete(&actor, id)).unwrap();
    let groups = GroupChanges::default;
    for done in [
        wait(get(&actor, id)).map(drop),
        wait(update(&actor, id, named("Ann"), groups())).map(drop),
        wait(delete(&actor, id)),
    ] {
        assert_eq!(refused(done).code(), RefusalCode::NotFound);
    }
}

#[test]
fn who_may_only_view_contacts_changes_none() {
    let office = Office::new();
    let id = made(&editor(&office), numbered(NUMBER));
    let viewer = office.actor(office.holder(&[Permission::ViewContacts]));
    let stranger = office.actor(office.holder(&[]));
    let groups = GroupChanges::default;
    for done in [
        wait(create(&viewer, numbered(NUMBER), groups())).map(drop),
        wait(import(&viewer, of(Vec::new()))).map(drop),
        wait(update(&viewer, id, named("Ann"), groups())).map(drop),
        wait(delete(&viewer, id)),
        wait(get(&stranger, id)).map(drop),
    ] {
        assert_eq!(refused(done).code(), RefusalCode::Unauthorized);
    }
    assert!(wait(get(&viewer, id)).is_ok());
}
