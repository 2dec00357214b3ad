//! Imports from their file to their end, and exports that are imported again.

use crate::actor::{Actor, Who};
use crate::contacts::{self, GroupChanges, Lookup, NewContact};
use crate::data_tables::rows::{self, RowPatch};
use crate::fields::{self, FieldPatch};
use crate::files;
use crate::operator::{PlanPatch, set_plan};
use crate::projects::make;
use crate::tasks::testing::{
    all, done, now_of, one_round, refused, sheet, stored, table, text_of, try_to_make,
};
use crate::tasks::{Through, cancel, step};
use crate::testing::{Office, named, wait};
use hub_domain::{
    Contact, DataRow, FieldOwner, FieldType, FilterType as F, Task, TaskStatus, TaskType as T,
    UsageType, Vars, VarsChange,
};
use hub_store::list::ListQuery;
use hub_store::{StoreError, contacts as stored_contacts, data_rows};
use postrider_model::DataTableId;
use proptest::prelude::*;
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;
use std::sync::Arc;

const PEOPLE: &str = "phone_number;name;vars.city;id\n\
    +15005550101;Ann;Oslo;x\n\
    2.5E+11;Bob;;\n\
    \n\
    +1 500 555 0103;'=Eve;\"Köln;\nSüd\";\n";

fn operator(office: &Office) -> Actor {
    office.actor(Who::Operator)
}

fn contacts_of(actor: &Actor) -> Vec<Contact> {
    let project = actor.project.id;
    let query = ListQuery {
        page_size: 500,
        ..ListQuery::default()
    };
    let share = actor.hub.store.of(project);
    let read = share.read::<_, StoreError, _>(move |tx| stored_contacts::list(tx, project, &query));
    wait(read).unwrap().rows
}

fn rows_of(actor: &Actor, table: DataTableId) -> Vec<DataRow> {
    let project = actor.project.id;
    let query = ListQuery {
        page_size: 500,
        ..ListQuery::default()
    };
    let share = actor.hub.store.of(project);
    let read =
        share.read::<_, StoreError, _>(move |tx| data_rows::list(tx, project, table, &query));
    wait(read).unwrap().rows
}

fn imported(actor: &Actor, text: &[u8], params: Json) -> Task {
    let mut params = params;
    params["file_id"] = json!(sheet(actor, text));
    done(actor, T::ImportContacts, params, Through::File(None))
}

fn preview(task: &Task) -> Json {
    let progress: Json = serde_json::from_str(task.progress.as_deref().unwrap()).unwrap();
    progress["preview"].clone()
}

#[test]
fn contacts_of_a_file_are_found_or_made_and_bad_rows_come_back() {
    let office = Office::new();
    let actor = operator(&office);
    let task = imported(&actor, PEOPLE.as_bytes(), json!({}));
    assert_eq!(
        (task.status, task.total_rows, task.current_row),
        (TaskStatus::Complete, Some(3), 3)
    );
    let found = contacts_of(&actor);
    let names: Vec<_> = found.iter().map(|it| it.name.clone().unwrap()).collect();
    assert_eq!(names, ["Ann", "=Eve"]);
    assert_eq!(
        found[1].phone_number.as_ref().unwrap().as_str(),
        "+15005550103"
    );
    assert_eq!(found[1].vars.to_value(), json!({"city": "Köln;\nSüd"}));
    let shown = preview(&task);
    let error = &shown["errors"][0];
    assert_eq!(
        (&error["line"], &error["column"]),
        (&json!(3), &json!("phone_number"))
    );
    assert!(error["message"].as_str().unwrap().contains("lost digits"));
    assert_eq!(
        (&shown["created"], &shown["failed"]),
        (&json!(2), &json!(1))
    );
    assert_eq!(
        (&shown["delimiter"], &shown["encoding"]),
        (&json!(";"), &json!("UTF-8"))
    );
    assert_eq!(shown["rows"][0]["vars.city"], "Oslo");
    let message = task.error_message().unwrap();
    assert!(
        message.starts_with("1 row failed: line 3: phone_number: "),
        "{message}"
    );
    let bad = text_of(&actor, task.errors_file_id);
    let lines: Vec<_> = bad.split("\r\n").collect();
    assert_eq!(lines[0], "phone_number;name;vars.city;id;error");
    assert!(lines[1].starts_with("2.5E+11;Bob;;;"), "{bad}");
    assert_eq!(lines.len(), 3);
    let file = stored(&actor, task.errors_file_id.unwrap());
    assert_eq!(file.filename.as_deref(), Some("people (errors).csv"));
    let corrected = bad.replace("2.5E+11", "+15005550102");
    let again = imported(&actor, corrected.as_bytes(), json!({}));
    assert_eq!((again.status, again.failed_rows), (TaskStatus::Complete, 0));
    assert_eq!((again.errors_file_id, contacts_of(&actor).len()), (None, 3));
    let once_more = imported(&actor, PEOPLE.as_bytes(), json!({}));
    assert_eq!(preview(&once_more)["updated"], 2);
    assert_eq!(contacts_of(&actor).len(), 3);
}

#[test]
fn an_open_quote_takes_no_rows_with_it_unseen() {
    let office = Office::new();
    let actor = operator(&office);
    let text = "phone_number,vars.note\n+15005550101,\"a\"\n+15005550102,\"open\n+15005550103,c\n";
    let task = imported(&actor, text.as_bytes(), json!({}));
    assert_eq!((task.current_row, task.failed_rows), (2, 1));
    let message = task.error_message().unwrap();
    assert_eq!(message, "1 row failed: line 3: a quote is not closed");
    let bad = text_of(&actor, task.errors_file_id);
    assert!(bad.contains("+15005550103"), "{bad}");
    assert_eq!(contacts_of(&actor).len(), 1);
}

#[test]
fn a_dry_run_writes_nothing_and_tells_what_would_be() {
    let office = Office::new();
    let actor = operator(&office);
    let task = imported(&actor, PEOPLE.as_bytes(), json!({"dry_run": true}));
    let shown = preview(&task);
    assert_eq!(
        (&shown["created"], &shown["failed"]),
        (&json!(2), &json!(1))
    );
    assert!(contacts_of(&actor).is_empty() && task.errors_file_id.is_some());
    let table = table(&actor, "Answers");
    let file = sheet(&actor, b"vars.a\n1\n2\n");
    let given = json!({"file_id": file, "dry_run": true});
    let task = done(&actor, T::ImportRows, given, Through::File(Some(table)));
    assert_eq!(preview(&task)["created"], 2);
    assert!(rows_of(&actor, table).is_empty());
}

#[test]
fn columns_are_named_by_their_place_or_their_name() {
    let office = Office::new();
    let actor = operator(&office);
    let group = wait(crate::groups::find_or_create(&actor, "Group".to_owned())).unwrap();
    let given = json!({
        "columns": {"phone_number": 2, "name": "Who", "vars.code": 3},
        "lookup_key": "vars.code", "add_group_ids": [group.0.id],
    });
    let text = "Who,Number,Code\nAnn,+15005550101,A-1\nBo,+15005550102,A-1\n";
    let task = imported(&actor, text.as_bytes(), given);
    assert_eq!(task.error_message(), None);
    let found = contacts_of(&actor);
    assert_eq!(found.len(), 1, "both rows have one key");
    assert_eq!(found[0].name.as_deref(), Some("Bo"));
    let members = wait(crate::groups::get(&actor, group.0.id))
        .unwrap()
        .0
        .num_members;
    assert_eq!(members, 1);
    let (windows, _, _) = encoding_rs::WINDOWS_1252.encode("+15005550109\tÄnne\n");
    let given = json!({"columns": {"phone_number": 1, "name": 2}, "has_header": false});
    let task = imported(&actor, &windows, given);
    assert_eq!(preview(&task)["encoding"], "windows-1252");
    assert_eq!(contacts_of(&actor)[1].name.as_deref(), Some("Änne"));
}

#[test]
fn rows_are_taken_once_wherever_steps_are_taken_again() {
    let office = Office::new();
    let actor = operator(&office);
    let table = table(&actor, "Answers");
    let lines = (0..450).map(|number| format!("{number},\"a\nb\"\n"));
    let text = format!("vars.n,vars.text\n{}", lines.collect::<String>());
    let given = json!({"file_id": sheet(&actor, text.as_bytes())});
    let through = Through::File(Some(table));
    let task = try_to_make(&actor, T::ImportRows, given, through).unwrap();
    let mut steps = 0;
    while now_of(&actor, task.id).status != TaskStatus::Complete {
        let thought = now_of(&actor, task.id);
        for _ in 0..2 {
            wait(step::step(&actor.hub, thought.clone(), actor.hub.now())).unwrap();
        }
        steps += 1;
    }
    assert!(steps > 3);
    let rows = rows_of(&actor, table);
    let found: Vec<_> = rows
        .iter()
        .map(|row| row.vars.to_value()["n"].clone())
        .collect();
    let all: Vec<_> = (0..450).map(|number| json!(number.to_string())).collect();
    assert_eq!(found, all);
}

#[test]
fn a_cancelled_import_takes_nothing_more_and_its_file_may_go() {
    let office = Office::new();
    let actor = operator(&office);
    let table = table(&actor, "Answers");
    let text = format!("vars.n\n{}", "1\n".repeat(450));
    let file = sheet(&actor, text.as_bytes());
    let given = json!({ "file_id": file });
    let task = try_to_make(&actor, T::ImportRows, given, Through::File(Some(table))).unwrap();
    one_round(&actor);
    one_round(&actor);
    assert!(
        wait(files::delete(&actor, file)).is_err(),
        "the task names it"
    );
    let thought = now_of(&actor, task.id);
    assert_eq!(thought.current_row, 200);
    wait(cancel(&actor, task.id)).unwrap();
    wait(step::step(&actor.hub, thought, actor.hub.now())).unwrap();
    assert_eq!(rows_of(&actor, table).len(), 200);
    wait(files::delete(&actor, file)).unwrap();
}

#[test]
fn what_cannot_be_read_ends_the_task_with_its_reason() {
    let office = Office::new();
    let actor = operator(&office);
    for (text, given, reason) in [
        (
            &b"a,b\n1,2\n"[..],
            json!({}),
            "no column of the file is called id, name",
        ),
        (
            b"phone_number\n",
            json!({"lookup_key": "vars.x"}),
            "lookup_key names a field",
        ),
        (
            b"a\n1\n",
            json!({"columns": {"name": "b"}}),
            "the file has no column for name",
        ),
        (
            b"a\n1\n",
            json!({"columns": {"name": 2}}),
            "the file has no column for name",
        ),
        (b"\n\n", json!({}), "the file has no rows"),
        (b"name\nA\0\x01\x02bcd\n", json!({}), "the file is no text"),
    ] {
        let task = imported(&actor, text, given);
        assert_eq!(task.status, TaskStatus::Failed);
        let message = task.error_message().unwrap();
        assert!(message.starts_with(reason), "{message}");
    }
    let endless = format!("name\n\"{}", "x".repeat(1_100_000));
    let task = imported(&actor, endless.as_bytes(), json!({}));
    assert!(
        task.error_message()
            .unwrap()
            .contains("is a quote not closed?")
    );
    let long = format!("name\n{}", "a\n".repeat(100_001));
    let task = imported(&actor, long.as_bytes(), json!({}));
    assert!(task.error_message().unwrap().contains("100001 rows"));
    assert!(contacts_of(&actor).is_empty());
}

#[test]
fn what_cannot_be_an_import_is_named() {
    let office = Office::new();
    let actor = operator(&office);
    let file = sheet(&actor, b"name\nA\n");
    let with = |mut given: Json| {
        given["file_id"] = json!(file);
        given
    };
    let no_file = json!({"file_id": "FI0000000000000001"});
    for (given, param) in [
        (json!({}), "task_params[file_id]"),
        (no_file, "task_params[file_id]"),
        (
            with(json!({"lookup_key": "name"})),
            "task_params[lookup_key]",
        ),
        (
            with(json!({"columns": {"shoe": "a"}})),
            "task_params[columns][shoe]",
        ),
        (
            with(json!({"columns": {"id": "a"}})),
            "task_params[columns][id]",
        ),
        (
            with(json!({"columns": {"name": 0}})),
            "task_params[columns][name]",
        ),
        (with(json!({"has_header": false})), "task_params[columns]"),
        (
            with(json!({"has_header": false, "columns": {"name": "a"}})),
            "task_params[columns][name]",
        ),
        (
            with(json!({"lookup_key": "id", "columns": {"name": "a"}})),
            "task_params[lookup_key]",
        ),
        (
            with(json!({"add_group_ids": ["CG0000000000000001"]})),
            "task_params[add_group_ids][0]",
        ),
        (with(json!({"filename": "a.csv"})), "task_params[filename]"),
    ] {
        let param_of = refused(
            &actor,
            T::ImportContacts,
            given.clone(),
            Through::File(None),
        );
        assert_eq!(param_of, param, "{given}");
    }
    let given = with(json!({}));
    let filter = all(F::QueryContacts, None);
    assert_eq!(
        refused(&actor, T::ImportContacts, given.clone(), filter),
        "filter_type"
    );
    let none = Through::File(None);
    assert_eq!(
        refused(&actor, T::ImportRows, given.clone(), none),
        "table_id"
    );
    let none = Through::File(None);
    assert_eq!(
        refused(&actor, T::DeleteContacts, json!({}), none),
        "filter_type"
    );
    let blind = office.actor(office.holder(&[hub_domain::Permission::ViewContacts]));
    let task = try_to_make(&blind, T::ImportContacts, given, Through::File(None));
    assert!(task.is_err());
}

/// The kinds of values that a variable of a test may have, by its name.
fn vars() -> impl Strategy<Value = Json> {
    let text = "[-=+@'\t\r\n \",;a-zä€0-9]{1,12}";
    let number = prop_oneof![
        any::<i32>().prop_map(|it| json!(it)),
        (-9.5..9.5).prop_map(|it| json!(it))
    ];
    let all = (
        proptest::option::of(text.prop_map(Json::from)),
        proptest::option::of(number),
        proptest::option::of(any::<bool>().prop_map(Json::from)),
    );
    all.prop_map(|(text, number, flag)| json!({"text": text, "number": number, "flag": flag}))
}

fn declare(actor: &Actor, owner: FieldOwner) {
    for (name, field_type) in [("number", FieldType::Number), ("flag", FieldType::Boolean)] {
        let patch = FieldPatch {
            field_type: Some(field_type),
            ..FieldPatch::default()
        };
        wait(fields::change(actor, owner, name.to_owned(), patch)).unwrap();
    }
}

fn change(vars: &Json) -> VarsChange {
    VarsChange::parse(vars).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    #[test]
    fn rows_that_were_exported_come_back(all_vars in proptest::collection::vec(vars(), 0..30)) {
        let office = Office::new();
        let actor = operator(&office);
        let (from, to) = (table(&actor, "From"), table(&actor, "To"));
        declare(&actor, FieldOwner::Table(from));
        declare(&actor, FieldOwner::Table(to));
        for vars in &all_vars {
            let patch = RowPatch { vars: change(vars), ..RowPatch::default() };
            wait(rows::create(&actor, from, patch)).unwrap();
        }
        let given = json!({"filename": "a.csv"});
        let export = done(&actor, T::ExportRows, given, all(F::QueryRows, Some(from)));
        let text = text_of(&actor, export.file_id);
        let given = json!({"file_id": sheet(&actor, text.as_bytes())});
        let import = done(&actor, T::ImportRows, given, Through::File(Some(to)));
        prop_assert_eq!(import.error_message(), None);
        let vars = |table| -> Vec<Vars> {
            rows_of(&actor, table).into_iter().map(|row| row.vars).collect()
        };
        prop_assert_eq!(vars(to), vars(from));
    }

    #[test]
    fn contacts_that_were_exported_come_back(
        all in proptest::collection::vec(("[=+@'a-zä,\"]{1,9}", vars()), 0..30),
    ) {
        let office = Office::new();
        let from = operator(&office);
        let command = named(&office.organization, "Second");
        let project = office.operate(move |work| make(work, &command)).unwrap();
        let to = Actor { project: Arc::new(project), ..from.clone() };
        declare(&from, FieldOwner::Contact);
        declare(&to, FieldOwner::Contact);
        for (number, (name, vars)) in all.iter().enumerate() {
            let patch = contacts::ContactPatch {
                name: Some(Some(name.clone())),
                phone_number: Some(hub_domain::Address::new(&format!("+1500555{number:04}"))),
                send_blocked: Some(number % 3 == 0),
                vars: change(vars),
                ..contacts::ContactPatch::default()
            };
            let new = NewContact { lookup: Lookup::Number, patch };
            wait(contacts::create(&from, new, GroupChanges::default())).unwrap();
        }
        let given = json!({"filename": "a.csv"});
        let found = super::super::testing::all(F::QueryContacts, None);
        let export = done(&from, T::ExportContacts, given, found);
        let text = text_of(&from, export.file_id);
        let import = imported(&to, text.as_bytes(), json!({}));
        prop_assert_eq!(import.error_message(), None);
        let seen = |actor: &Actor| -> BTreeMap<String, (Option<String>, bool, Vars)> {
            let all = contacts_of(actor).into_iter();
            all.map(|it| {
                let number = it.phone_number.unwrap().as_str().to_owned();
                (number, (it.name, it.send_blocked, it.vars))
            })
            .collect()
        };
        prop_assert_eq!(seen(&to), seen(&from));
    }
}

fn limit(office: &Office, kind: UsageType, most: u64) {
    let id = office.organization.id;
    let plan = PlanPatch {
        limits: vec![(kind, Some(most))],
        ..PlanPatch::default()
    };
    let set = office.operate(move |work| set_plan(work, id, &plan));
    set.unwrap();
}

#[test]
fn rows_beyond_a_limit_come_back_and_the_others_are_taken() {
    let office = Office::new();
    limit(&office, UsageType::Contacts, 1);
    let actor = operator(&office);
    let task = imported(
        &actor,
        b"phone_number\n+15005550101\n+15005550102\n+15005550101\n",
        json!({}),
    );
    assert_eq!((task.status, task.failed_rows), (TaskStatus::Complete, 1));
    let message = task.error_message().unwrap();
    assert!(message.contains("contacts"), "{message}");
    assert_eq!(contacts_of(&actor).len(), 1);
    assert_eq!(preview(&task)["updated"], 1);
    let bad = text_of(&actor, task.errors_file_id);
    assert!(bad.contains("+15005550102"), "{bad}");
}

#[test]
fn rows_of_tables_beyond_a_limit_come_back_too() {
    let office = Office::new();
    limit(&office, UsageType::DataRows, 2);
    let actor = operator(&office);
    let table = table(&actor, "Answers");
    let file = sheet(&actor, b"vars.a\n1\n2\n3\n4\n");
    let given = json!({"file_id": file});
    let task = done(&actor, T::ImportRows, given, Through::File(Some(table)));
    assert_eq!((task.status, task.failed_rows), (TaskStatus::Complete, 2));
    assert_eq!(rows_of(&actor, table).len(), 2);
}

#[test]
fn a_dry_run_passes_over_the_rows_that_there_is_no_room_for() {
    let office = Office::new();
    limit(&office, UsageType::Contacts, 301);
    limit(&office, UsageType::DataRows, 300);
    let actor = operator(&office);
    imported(&actor, b"phone_number\n+15005550100\n", json!({}));
    let dry = |task: Task| {
        let shown = preview(&task);
        let (created, updated) = (shown["created"].clone(), shown["updated"].clone());
        (created, updated, task.failed_rows)
    };
    let numbers: Vec<_> = (100..410).map(|n| format!("+15005550{n}")).collect();
    let text = format!("phone_number\n{}\n", numbers.join("\n"));
    let task = imported(&actor, text.as_bytes(), json!({"dry_run": true}));
    assert!(task.error_message().unwrap().contains("contacts"));
    assert_eq!(dry(task), (json!(300), json!(1), 9));
    assert_eq!(contacts_of(&actor).len(), 1);
    let table = table(&actor, "Answers");
    let file = sheet(&actor, format!("vars.a\n{}", "1\n".repeat(305)).as_bytes());
    let given = json!({"file_id": file, "dry_run": true});
    let task = done(&actor, T::ImportRows, given, Through::File(Some(table)));
    assert_eq!(dry(task), (json!(300), json!(0), 5));
}

#[test]
fn an_export_that_there_is_no_room_for_fails_once() {
    let office = Office::new();
    limit(&office, UsageType::StoredFileMb, 0);
    let actor = operator(&office);
    let given = json!({"filename": "all.csv"});
    let task = done(
        &actor,
        T::ExportContacts,
        given,
        all(F::QueryContacts, None),
    );
    assert_eq!((task.status, task.file_id), (TaskStatus::Failed, None));
    let message = task.error_message().unwrap();
    assert!(message.contains("stored_file_mb"), "{message}");
}
