//! Data tables, their rows and views, whoever asks.

use crate::actor::{Actor, Who};
use crate::clearing;
use crate::contacts::{self, ContactPatch, GroupChanges, NewContact};
use crate::data_tables::rows::{self, Lookup, NewRow, RowPatch};
use crate::data_tables::{
    TablePatch, count_rows_by_value, delete, get, get_or_create, list, update, views,
};
use crate::failure::Failure;
use crate::fields::{self, FieldChange, FieldPatch};
use crate::listing::{ListRequest, Listed};
use crate::projects::make;
use crate::testing::{Office, fresh_id, named, wait};
use hub_domain::{
    Address, DataRow, DataTable, FieldOwner, Permission, VarValue, VarsChange, ViewFilters,
};
use hub_store::list::ListQuery;
use hub_view::RefusalCode;
use postrider_model::{ContactId, DataRowId, DataTableId, DataViewId};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;

fn table(actor: &Actor, name: &str) -> DataTable {
    wait(get_or_create(actor, name.to_owned())).unwrap().0
}

fn vars(json: Value) -> VarsChange {
    VarsChange::parse(&json).unwrap()
}

fn holding(json: Value) -> RowPatch {
    RowPatch {
        vars: vars(json),
        ..RowPatch::default()
    }
}

fn row(actor: &Actor, table: DataTableId, json: Value) -> DataRow {
    wait(rows::create(actor, table, holding(json))).unwrap().0
}

fn contact(actor: &Actor, name: &str) -> ContactId {
    let command = NewContact {
        lookup: contacts::Lookup::Nothing,
        patch: ContactPatch {
            name: Some(Some(name.to_owned())),
            ..ContactPatch::default()
        },
    };
    let made = wait(contacts::create(actor, command, GroupChanges::default()));
    made.unwrap().contact.id
}

fn refused<T>(result: Result<T, Failure>) -> (RefusalCode, String) {
    let refusal = result.err().unwrap().into_refusal();
    let words = refusal.param().unwrap_or(refusal.message());
    (refusal.code(), words.to_owned())
}

fn none(what: &str) -> (RefusalCode, String) {
    (RefusalCode::NotFound, format!("{what} not found"))
}

fn wrong(param: &str) -> (RefusalCode, String) {
    (RefusalCode::InvalidParam, param.to_owned())
}

fn all() -> ListRequest {
    ListRequest {
        query: ListQuery::default(),
        count_only: false,
    }
}

fn items<V>(listed: Result<Listed<V>, Failure>) -> Vec<V> {
    match listed.unwrap() {
        Listed::Page { items, .. } => items,
        Listed::Count(_) => panic!("a page was asked for"),
    }
}

fn listed(actor: &Actor, table: DataTableId, view: Option<DataViewId>) -> Vec<DataRow> {
    let rows = items(wait(rows::list(actor, table, view, all())));
    rows.into_iter().map(|row| row.0).collect()
}

fn num_rows(actor: &Actor, table: DataTableId) -> i64 {
    wait(get(actor, table)).unwrap().0.num_rows
}

fn another_project(office: &Office) -> Actor {
    let organization = office.organization.clone();
    let made = office.operate(move |work| make(work, &named(&organization, "Other")));
    let mut actor = office.actor(Who::Operator);
    actor.project = Arc::new(made.unwrap());
    actor
}

#[test]
fn a_name_is_one_tables_whatever_its_case() {
    let office = Office::new();
    let actor = office.actor(Who::Operator);
    let first = table(&actor, "Answers");
    assert_eq!(table(&actor, "ANSWERS"), first);
    let second = table(&actor, "Visits");
    let taken = TablePatch {
        name: Some("answers".to_owned()),
        ..TablePatch::default()
    };
    let renamed = update(&actor, second.id, taken.clone());
    assert_eq!(refused(wait(renamed)), wrong("name"));
    let patch = TablePatch {
        show_stats: Some(false),
        vars: vars(json!({ "a": 1 })),
        ..taken
    };
    let changed = wait(update(&actor, first.id, patch)).unwrap().0;
    assert_eq!((&*changed.name, changed.show_stats), ("answers", false));
    assert_eq!((changed.show_add_row, changed.vars.len()), (true, 1));
    let names: Vec<_> = items(wait(list(&actor, all())));
    let names: Vec<_> = names.iter().map(|table| &*table.0.name).collect();
    assert_eq!(names, ["answers", "Visits"]);

    let elsewhere = another_project(&office);
    assert_ne!(table(&elsewhere, "Answers").id, first.id);
    assert_eq!(refused(wait(get(&elsewhere, first.id))), none("table"));
    let patch = TablePatch::default();
    let changed = update(&elsewhere, first.id, patch);
    assert_eq!(refused(wait(changed)), none("table"));
    assert_eq!(refused(wait(delete(&elsewhere, first.id))), none("table"));
}

#[test]
fn a_row_is_made_changed_and_removed_and_the_table_counts_its_rows() {
    let office = Office::new();
    let actor = office.actor(Who::Operator);
    let answers = table(&actor, "Answers").id;
    let ann = contact(&actor, "Ann");
    let patch = RowPatch {
        contact_id: Some(Some(ann)),
        from_number: Some(Address::new("+15005550101")),
        vars: vars(json!({ "q1": "Yes", "q2": 2 })),
    };
    let made = wait(rows::create(&actor, answers, patch)).unwrap().0;
    row(&actor, answers, json!({ "q1": "no" }));
    assert_eq!(num_rows(&actor, answers), 2);
    let patch = RowPatch {
        contact_id: Some(None),
        from_number: None,
        vars: vars(json!({ "q2": null, "q3": true })),
    };
    let changed = wait(rows::update(&actor, answers, made.id, patch))
        .unwrap()
        .0;
    assert_eq!(changed.vars.to_value(), json!({ "q1": "Yes", "q3": true }));
    assert_eq!(changed.contact_id, None);
    assert_eq!(changed.from_number, made.from_number);
    let found = wait(rows::get(&actor, answers, made.id)).unwrap().0;
    assert_eq!(found, changed);
    wait(rows::delete(&actor, answers, made.id)).unwrap();
    assert_eq!(num_rows(&actor, answers), 1);
    for gone in [
        refused(wait(rows::get(&actor, answers, made.id))),
        refused(wait(rows::update(
            &actor,
            answers,
            made.id,
            RowPatch::default(),
        ))),
        refused(wait(rows::delete(&actor, answers, made.id))),
    ] {
        assert_eq!(gone, none("row"));
    }
    assert_eq!(num_rows(&actor, answers), 1);
}

#[test]
fn a_row_is_refused_that_names_a_stranger_or_holds_too_much() {
    let office = Office::new();
    let actor = office.actor(Who::Operator);
    let elsewhere = another_project(&office);
    let answers = table(&actor, "Answers").id;
    let stranger = RowPatch {
        contact_id: Some(Some(contact(&elsewhere, "Ann"))),
        ..RowPatch::default()
    };
    let made = rows::create(&actor, answers, stranger);
    assert_eq!(refused(wait(made)), wrong("contact_id"));
    let first = row(&actor, answers, json!({ "a": 1 }));
    let many: BTreeMap<String, u32> = (0..100).map(|n| (format!("v{n}"), n)).collect();
    let changed = rows::update(&actor, answers, first.id, holding(json!(many)));
    assert_eq!(refused(wait(changed)), wrong("vars"));
    let nowhere = fresh_id(&office.hub, actor.now);
    let made = rows::create(&actor, nowhere, RowPatch::default());
    assert_eq!(refused(wait(made)), none("table"));
    let other = table(&elsewhere, "Answers").id;
    for found in [
        wait(rows::get(&actor, other, first.id)),
        wait(rows::get(&elsewhere, answers, first.id)),
    ] {
        assert_eq!(refused(found), none("table"));
    }
    let beside = table(&actor, "Beside").id;
    assert_eq!(
        refused(wait(rows::get(&actor, beside, first.id))),
        none("row")
    );
}

fn imported(
    actor: &Actor,
    table: DataTableId,
    rows: Vec<(Lookup, RowPatch)>,
) -> Result<Vec<DataRowId>, Failure> {
    let rows = rows.into_iter();
    let rows = rows.map(|(lookup, patch)| NewRow { lookup, patch });
    wait(rows::import(actor, table, rows.collect()))
}

#[test]
fn an_import_changes_the_oldest_of_each_key_and_makes_what_is_new() {
    let office = Office::new();
    let actor = office.actor(Who::Operator);
    let answers = table(&actor, "Answers").id;
    let ann = contact(&actor, "Ann");
    let about_ann = RowPatch {
        contact_id: Some(Some(ann)),
        ..holding(json!({ "code": "A-1" }))
    };
    let oldest = wait(rows::create(&actor, answers, about_ann.clone()))
        .unwrap()
        .0
        .id;
    let younger = wait(rows::create(&actor, answers, about_ann)).unwrap().0.id;
    let by_code = |code: &str| Lookup::Variable("code".to_owned(), VarValue::Text(code.to_owned()));
    let ids = imported(
        &actor,
        answers,
        vec![
            (by_code("a-1"), holding(json!({ "code": "a-1", "n": 1 }))),
            (by_code("B-2"), holding(json!({ "code": "B-2", "n": 2 }))),
            (by_code("b-2"), holding(json!({ "code": "b-2", "n": 3 }))),
            (Lookup::Contact(ann), holding(json!({ "n": 4 }))),
            (Lookup::Id(younger), holding(json!({ "n": 5 }))),
            (Lookup::Nothing, holding(json!({ "n": 6 }))),
        ],
    );
    let ids = ids.unwrap();
    assert_eq!([ids[0], ids[3], ids[4]], [oldest, oldest, younger]);
    assert_eq!(ids[1], ids[2], "the second finds what the first has made");
    let all = listed(&actor, answers, None);
    let held = |row: &DataRow| row.vars.get("n").cloned();
    let held: Vec<_> = all.iter().map(|row| (row.id, held(row).unwrap())).collect();
    let number = |n: u32| VarValue::Number(n.into());
    let expected = [(oldest, 4), (younger, 5), (ids[1], 3), (ids[5], 6)];
    assert_eq!(held, expected.map(|(id, n)| (id, number(n))));
    assert_eq!(num_rows(&actor, answers), 4);
}

#[test]
fn an_import_is_done_as_a_whole_or_not_and_names_the_first_wrong_row() {
    let office = Office::new();
    let actor = office.actor(Who::Operator);
    let answers = table(&actor, "Answers").id;
    let beside = row(&actor, table(&actor, "Beside").id, json!({})).id;
    let good = || (Lookup::Nothing, holding(json!({ "n": 1 })));
    let rows = vec![good(), (Lookup::Id(beside), RowPatch::default())];
    assert_eq!(
        refused(imported(&actor, answers, rows)),
        wrong("rows[1][id]")
    );
    let stranger = RowPatch {
        contact_id: Some(Some(fresh_id(&office.hub, actor.now))),
        ..RowPatch::default()
    };
    let rows = vec![good(), good(), (Lookup::Nothing, stranger)];
    let contact = wrong("rows[2][contact_id]");
    assert_eq!(refused(imported(&actor, answers, rows)), contact);
    let full: BTreeMap<String, u32> = (0..100).map(|n| (format!("v{n}"), n)).collect();
    let first = row(&actor, answers, json!({ "a": 1 })).id;
    let rows = vec![good(), (Lookup::Id(first), holding(json!(full)))];
    assert_eq!(
        refused(imported(&actor, answers, rows)),
        wrong("rows[1][vars]")
    );
    assert_eq!(listed(&actor, answers, None).len(), 1);
    assert_eq!(num_rows(&actor, answers), 1);
}

fn variables(actor: &Actor, table: DataTableId) -> Vec<Value> {
    let all = wait(fields::list(actor, FieldOwner::Table(table))).unwrap();
    all.iter()
        .map(|field| serde_json::to_value(field).unwrap())
        .collect()
}

#[test]
fn a_table_has_fields_of_its_own_and_a_deleted_one_goes_with_its_values() {
    let office = Office::new();
    let actor = office.actor(Who::Operator);
    let [answers, visits] = ["Answers", "Visits"].map(|name| table(&actor, name).id);
    let owner = FieldOwner::Table(answers);
    let first = row(&actor, answers, json!({ "q1": "yes", "q2": "no" }));
    row(&actor, visits, json!({ "q1": "other" }));
    let lookup = FieldPatch {
        lookup_key: Some(true),
        ..FieldPatch::default()
    };
    let changed = fields::change(&actor, owner, "q2".to_owned(), lookup);
    let expected = json!({
        "name": "q2", "variable": "q2", "type": "text", "order": 1, "readonly": false,
        "lookup_key": true,
    });
    assert_eq!(
        serde_json::to_value(wait(changed).unwrap()).unwrap(),
        expected
    );
    let removed = FieldChange {
        variable: "q1".to_owned(),
        patch: None,
    };
    wait(fields::change_many(&actor, owner, vec![removed])).unwrap();
    assert_eq!(variables(&actor, answers), [expected]);
    assert_eq!(variables(&actor, visits).len(), 1);
    let left = wait(rows::get(&actor, answers, first.id)).unwrap().0;
    assert_eq!(left.vars.to_value(), json!({ "q2": "no" }));
    let beside = listed(&actor, visits, None);
    assert_eq!(beside[0].vars.to_value(), json!({ "q1": "other" }));
    let elsewhere = another_project(&office);
    assert_eq!(
        refused(wait(fields::list(&elsewhere, owner))),
        none("table")
    );
    let changed = fields::change(&elsewhere, owner, "q".to_owned(), FieldPatch::default());
    assert_eq!(refused(wait(changed)), none("table"));
    let many = fields::change_many(&elsewhere, owner, Vec::new());
    assert_eq!(refused(wait(many)), none("table"));
}

#[test]
fn rows_are_counted_by_value_up_to_ten_thousand_different_ones() {
    let office = Office::new();
    let actor = office.actor(Who::Operator);
    let answers = table(&actor, "Answers").id;
    for value in ["Yes", "yes", "Yes"] {
        row(&actor, answers, json!({ "q1": value }));
    }
    let counted = |variable: &str| wait(count_rows_by_value(&actor, answers, variable.to_owned()));
    let by_answer: BTreeMap<_, _> = counted("q1").unwrap().into_iter().collect();
    let expected = [("Yes".to_owned(), 2), ("yes".to_owned(), 1)];
    assert_eq!(by_answer, BTreeMap::from(expected));
    assert_eq!(counted("q9").unwrap(), []);
    assert_eq!(refused(counted("a b")), wrong("variable"));
    let unique = |n: u32| (Lookup::Nothing, holding(json!({ "code": n })));
    for from in (0..10_000).step_by(200) {
        let rows = (from..from + 200).map(unique);
        imported(&actor, answers, rows.collect()).unwrap();
    }
    assert_eq!(counted("code").unwrap().len(), 10_000);
    imported(&actor, answers, vec![unique(10_000)]).unwrap();
    assert_eq!(refused(counted("code")), wrong("variable"));
}

fn conditions(json: Value) -> ViewFilters {
    ViewFilters::parse(&json).unwrap()
}

#[test]
fn a_view_has_the_rows_of_now_and_a_name_of_its_own() {
    let office = Office::new();
    let actor = office.actor(Who::Operator);
    let [answers, visits] = ["Answers", "Visits"].map(|name| table(&actor, name).id);
    let first = row(&actor, answers, json!({ "q1": "yes" })).id;
    let yes = || conditions(json!({ "vars.q1": "yes" }));
    let made = views::create(&actor, answers, "Agreed".to_owned(), yes());
    let made = wait(made).unwrap();
    assert_eq!(made.num_rows, Some(1));
    let view = made.view.id;
    let taken = views::create(&actor, answers, "agreed".to_owned(), yes());
    assert_eq!(refused(wait(taken)), wrong("name"));
    let beside = wait(views::create(&actor, visits, "Agreed".to_owned(), yes()));
    assert_eq!(beside.unwrap().num_rows, Some(0));

    let second = row(&actor, answers, json!({ "q1": "YES" })).id;
    let ids = |view| {
        let rows = listed(&actor, answers, view).into_iter();
        rows.map(|row| row.id).collect::<Vec<_>>()
    };
    assert_eq!(ids(Some(view)), [first, second]);
    wait(rows::update(
        &actor,
        answers,
        first,
        holding(json!({ "q1": "no" })),
    ))
    .unwrap();
    assert_eq!(ids(Some(view)), [second]);
    let renamed = views::update(&actor, answers, view, Some("Said yes".to_owned()));
    let renamed = wait(renamed).unwrap();
    assert_eq!(
        (&*renamed.view.name, renamed.num_rows),
        ("Said yes", Some(1))
    );
    let other = wait(views::create(&actor, answers, "All".to_owned(), yes()));
    let taken = views::update(
        &actor,
        answers,
        other.unwrap().view.id,
        Some("SAID YES".to_owned()),
    );
    assert_eq!(refused(wait(taken)), wrong("name"));
    let all = items(wait(views::list(&actor, answers, all())));
    let all: Vec<_> = all
        .iter()
        .map(|one| (&*one.view.name, one.num_rows))
        .collect();
    assert_eq!(all, [("Said yes", Some(1)), ("All", Some(1))]);

    assert_eq!(
        refused(wait(views::get(&actor, visits, view))),
        none("view")
    );
    let deleted = views::delete(&actor, visits, view);
    assert_eq!(refused(wait(deleted)), none("view"));
    wait(views::delete(&actor, answers, view)).unwrap();
    assert_eq!(
        refused(wait(views::get(&actor, answers, view))),
        none("view")
    );
    let rows = rows::list(&actor, answers, Some(view), self::all());
    assert_eq!(refused(wait(rows)), none("view"));
    assert_eq!(ids(None), [first, second]);
}

#[test]
fn a_deleted_table_is_gone_at_once_with_all_that_it_had() {
    let office = Office::new();
    let actor = office.actor(Who::Operator);
    let [answers, visits] = ["Answers", "Visits"].map(|name| table(&actor, name).id);
    let ann = contact(&actor, "Ann");
    let about_ann = || RowPatch {
        contact_id: Some(Some(ann)),
        ..holding(json!({ "q1": 1 }))
    };
    let gone = wait(rows::create(&actor, answers, about_ann()))
        .unwrap()
        .0
        .id;
    let stays = wait(rows::create(&actor, visits, about_ann()))
        .unwrap()
        .0
        .id;
    let view = views::create(
        &actor,
        answers,
        "All".to_owned(),
        conditions(json!({ "vars.q1": 1 })),
    );
    let view = wait(view).unwrap().view.id;
    wait(delete(&actor, answers)).unwrap();
    let missing = [
        refused(wait(get(&actor, answers))),
        refused(wait(rows::get(&actor, answers, gone))),
        refused(wait(rows::create(&actor, answers, about_ann()))),
        refused(wait(views::get(&actor, answers, view))),
        refused(wait(fields::list(&actor, FieldOwner::Table(answers)))),
        refused(wait(delete(&actor, answers))),
    ];
    assert!(
        missing.iter().all(|one| *one == none("table")),
        "{missing:?}"
    );
    let of_ann = items(wait(rows::of_contact(&actor, ann, all())));
    assert_eq!(
        of_ann.iter().map(|row| row.0.id).collect::<Vec<_>>(),
        [stays]
    );
    let anew = table(&actor, "Answers");
    assert_ne!(anew.id, answers);
    assert!(variables(&actor, anew.id).is_empty());
    wait(clearing::finish(&office.hub)).unwrap();
    let left = office.rows(|work| hub_store::data_tables::to_clear(work.tx));
    assert_eq!(left, None);
    let none_of_them = refused(wait(rows::of_contact(
        &another_project(&office),
        ann,
        all(),
    )));
    assert_eq!(none_of_them, none("contact"));
}

#[test]
fn whoever_may_look_may_not_change_and_the_other_way_round() {
    let office = Office::new();
    let operator = office.actor(Who::Operator);
    let answers = table(&operator, "Answers").id;
    let first = row(&operator, answers, json!({ "q1": 1 })).id;
    let filters = || conditions(json!({ "vars.q1": 1 }));
    let made = wait(views::create(
        &operator,
        answers,
        "All".to_owned(),
        filters(),
    ));
    let view = made.unwrap().view.id;
    let ann = contact(&operator, "Ann");
    let actor = office.actor(office.holder(&[Permission::ViewData]));
    let owner = FieldOwner::Table(answers);
    let changes = [
        wait(get_or_create(&actor, "New".to_owned())).map(drop),
        wait(update(&actor, answers, TablePatch::default())).map(drop),
        wait(delete(&actor, answers)),
        wait(rows::create(&actor, answers, RowPatch::default())).map(drop),
        wait(rows::update(&actor, answers, first, RowPatch::default())).map(drop),
        wait(rows::delete(&actor, answers, first)),
        wait(rows::import(&actor, answers, Vec::new())).map(drop),
        wait(views::create(&actor, answers, "New".to_owned(), filters())).map(drop),
        wait(views::update(&actor, answers, view, None)).map(drop),
        wait(views::delete(&actor, answers, view)),
        wait(fields::change(
            &actor,
            owner,
            "q".to_owned(),
            FieldPatch::default(),
        ))
        .map(drop),
        wait(fields::change_many(&actor, owner, Vec::new())).map(drop),
    ];
    for (at, change) in changes.into_iter().enumerate() {
        assert_eq!(refused(change).0, RefusalCode::Unauthorized, "change {at}");
    }
    let looks = |actor: &Actor| {
        [
            wait(get(actor, answers)).map(drop),
            wait(list(actor, all())).map(drop),
            wait(count_rows_by_value(actor, answers, "q1".to_owned())).map(drop),
            wait(rows::get(actor, answers, first)).map(drop),
            wait(rows::list(actor, answers, Some(view), all())).map(drop),
            wait(rows::of_contact(actor, ann, all())).map(drop),
            wait(views::get(actor, answers, view)).map(drop),
            wait(views::list(actor, answers, all())).map(drop),
            wait(fields::list(actor, owner)).map(drop),
        ]
    };
    for (at, look) in looks(&actor).into_iter().enumerate() {
        assert!(look.is_ok(), "look {at}: {look:?}");
    }
    let editor = office.actor(office.holder(&[Permission::EditData]));
    for (at, look) in looks(&editor).into_iter().enumerate() {
        assert_eq!(refused(look).0, RefusalCode::Unauthorized, "look {at}");
    }
}
