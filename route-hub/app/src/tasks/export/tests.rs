//! Exports from their making to their file.

use crate::actor::{Actor, Who};
use crate::contacts::{self, ContactPatch, GroupChanges, Lookup, NewContact};
use crate::data_tables;
use crate::data_tables::rows::{self, RowPatch};
use crate::files;
use crate::tasks::testing::{
    all, done, now_of, one_round, refused, stored, table, text_of, try_to_make,
};
use crate::tasks::{cancel, step};
use crate::testing::{Office, wait};
use futures_util::TryStreamExt as _;
use hub_domain::{
    Address, FileCategory, FileSource, FilterType as F, Permission as P, TaskStatus, TaskType as T,
    VarsChange,
};
use postrider_model::DataTableId;
use serde_json::{Value as Json, json};

fn contact(actor: &Actor, name: &str, vars: Json) {
    let new = NewContact {
        lookup: Lookup::Nothing,
        patch: ContactPatch {
            name: Some(Some(name.to_owned())),
            phone_number: Some(Address::new("+15005550101")),
            vars: VarsChange::parse(&vars).unwrap(),
            ..ContactPatch::default()
        },
    };
    wait(contacts::create(actor, new, GroupChanges::default())).unwrap();
}

fn row(actor: &Actor, table: DataTableId, vars: Json) {
    let patch = RowPatch {
        vars: VarsChange::parse(&vars).unwrap(),
        ..RowPatch::default()
    };
    wait(rows::create(actor, table, patch)).unwrap();
}

fn rows_of(office: &Office, count: usize) -> (Actor, DataTableId) {
    let actor = office.actor(Who::Operator);
    let table = table(&actor, "Answers");
    for number in 0..count {
        row(&actor, table, json!({"n": number, "text": "x".repeat(60)}));
    }
    (actor, table)
}

fn csv_of_n() -> Json {
    json!({"filename": "n.csv", "column_ids": ["vars.n"]})
}

fn numbers(count: usize) -> String {
    let lines = (0..count).map(|number| format!("{number}\r\n"));
    format!("vars.n\r\n{}", lines.collect::<String>())
}

fn blobs(office: &Office) -> usize {
    let blobs = office.hub.files.blobs().unwrap();
    wait(blobs.list().try_collect::<Vec<_>>()).unwrap().len()
}

#[test]
fn contacts_become_a_file_with_their_fields_and_variables_in_order() {
    let office = Office::new();
    let actor = office.actor(Who::Operator);
    contact(
        &actor,
        "=1+1",
        json!({"zip": "00123", "city": "Oslo, \"N\""}),
    );
    contact(&actor, "Bo", json!({"city": "+47"}));
    let given = json!({"filename": "people.csv"});
    let task = done(
        &actor,
        T::ExportContacts,
        given,
        all(F::QueryContacts, None),
    );
    assert_eq!((task.status, task.current_row), (TaskStatus::Complete, 2));
    let text = text_of(&actor, task.file_id);
    let lines: Vec<_> = text.split("\r\n").collect();
    assert!(lines[0].starts_with("id,name,phone_number,time_created,"));
    assert!(
        lines[0].ends_with(",group_ids,vars.city,vars.zip"),
        "{}",
        lines[0]
    );
    assert!(lines[1].contains(",'=1+1,+15005550101,"), "{}", lines[1]);
    assert!(
        lines[1].ends_with(r#","Oslo, ""N""",00123"#),
        "{}",
        lines[1]
    );
    assert!(lines[2].ends_with(",+47,"), "{}", lines[2]);
    let file = stored(&actor, task.file_id.unwrap());
    assert_eq!(
        (file.category, file.source),
        (FileCategory::TaskData, FileSource::Export)
    );
    assert_eq!(
        (&*file.media_type, file.size),
        ("text/csv", text.len() as u64)
    );
    assert_eq!(file.sha256, crate::digest::sha256_hex(text.as_bytes()));
}

#[test]
fn objects_are_those_of_the_api_or_the_columns_that_are_asked_for() {
    let office = Office::new();
    let (actor, table) = rows_of(&office, 45);
    for filename in ["a.json", "a.jsonl"] {
        let given = json!({"filename": filename, "column_ids": ["vars.n", "table_id"]});
        let rule = refused(&actor, T::ExportRows, given, all(F::QueryRows, Some(table)));
        assert_eq!(rule, "task_params[column_ids][1]");
        let given = json!({ "filename": filename });
        let task = done(&actor, T::ExportRows, given, all(F::QueryRows, Some(table)));
        let text = text_of(&actor, task.file_id);
        let rows: Vec<Json> = match filename {
            "a.json" => serde_json::from_str(&text).unwrap(),
            _ => text
                .lines()
                .map(|line| serde_json::from_str(line).unwrap())
                .collect(),
        };
        let found: Vec<_> = rows.iter().map(|row| row["vars"]["n"].clone()).collect();
        assert_eq!(found, (0..45).map(|it| json!(it)).collect::<Vec<_>>());
        assert_eq!(rows[0]["table_id"], json!(table));
    }
    let none = done(
        &actor,
        T::ExportContacts,
        json!({"filename": "none.json"}),
        all(F::QueryContacts, None),
    );
    let text = text_of(&actor, none.file_id);
    assert_eq!(serde_json::from_str::<Json>(&text).unwrap(), json!([]));
}

#[test]
fn each_row_stands_once_in_the_file_wherever_steps_are_taken_again() {
    let office = Office::new();
    let (actor, table) = rows_of(&office, 110);
    let before = blobs(&office);
    let rows = || all(F::QueryRows, Some(table));
    let task = try_to_make(&actor, T::ExportRows, csv_of_n(), rows()).unwrap();
    let (mut steps, mut seen) = (0, Vec::new());
    while now_of(&actor, task.id).status != TaskStatus::Complete {
        let thought = now_of(&actor, task.id);
        seen.push(thought.current_row);
        let again = thought.clone();
        wait(step::step(&actor.hub, thought, actor.hub.now())).unwrap();
        // Another hub, which has seen the task before that, writes the same part.
        wait(step::step(&actor.hub, again, actor.hub.now())).unwrap();
        if steps == 1 {
            row(&actor, table, json!({"n": 999}));
        }
        steps += 1;
    }
    assert!(steps >= 4 && seen.is_sorted(), "{seen:?}");
    let task = now_of(&actor, task.id);
    assert_eq!(
        text_of(&actor, task.file_id),
        numbers(110),
        "what came later is not in it"
    );
    // What the other hub wrote in vain goes with the parts or is swept.
    let later = actor.hub.now().unix.plus_ms(2 * 24 * 3_600_000);
    wait(files::sweep(&actor.hub, later)).unwrap();
    assert_eq!(blobs(&office), before + 1);
    assert_eq!(text_of(&actor, task.file_id), numbers(110));
}

#[test]
fn parts_stay_while_their_task_goes_on_and_go_when_it_is_cancelled() {
    let office = Office::new();
    let (actor, table) = rows_of(&office, 110);
    let before = blobs(&office);
    let rows = all(F::QueryRows, Some(table));
    let task = try_to_make(&actor, T::ExportRows, csv_of_n(), rows).unwrap();
    one_round(&actor);
    one_round(&actor);
    let days = |days: i64| actor.hub.now().unix.plus_ms(days * 24 * 3_600_000);
    wait(files::sweep(&actor.hub, days(3))).unwrap();
    assert_eq!(blobs(&office), before + 1);
    let thought = now_of(&actor, task.id);
    wait(cancel(&actor, task.id)).unwrap();
    wait(step::step(&actor.hub, thought, actor.hub.now())).unwrap();
    while one_round(&actor) > 0 {}
    let ended = now_of(&actor, task.id);
    assert_eq!((ended.status, ended.file_id), (TaskStatus::Cancelled, None));
    wait(files::sweep(&actor.hub, days(3))).unwrap();
    assert_eq!(blobs(&office), before);
}

#[test]
fn an_export_goes_after_a_week_and_its_table_may_go_before_it_ends() {
    let office = Office::new();
    let (actor, table) = rows_of(&office, 110);
    let rows = || all(F::QueryRows, Some(table));
    let task = done(&actor, T::ExportRows, csv_of_n(), rows());
    let days = |days: i64| actor.hub.now().unix.plus_ms(days * 24 * 3_600_000);
    wait(files::sweep(&actor.hub, days(6))).unwrap();
    stored(&actor, task.file_id.unwrap());
    wait(files::sweep(&actor.hub, days(8))).unwrap();
    assert!(wait(files::get(&actor, task.file_id.unwrap())).is_err());
    let task = try_to_make(&actor, T::ExportRows, csv_of_n(), rows()).unwrap();
    one_round(&actor);
    wait(data_tables::delete(&actor, table)).unwrap();
    while one_round(&actor) > 0 {}
    let task = now_of(&actor, task.id);
    assert_eq!(task.status, TaskStatus::Failed);
    assert_eq!(
        task.error_message().as_deref(),
        Some("its table was deleted")
    );
}

#[test]
fn an_export_needs_what_looking_needs_and_is_in_the_audit_log() {
    let office = Office::new();
    let (actor, table) = rows_of(&office, 1);
    let rows = || all(F::QueryRows, Some(table));
    let blind = office.actor(office.holder(&[P::ViewContacts, P::ViewMessages]));
    assert!(try_to_make(&blind, T::ExportRows, csv_of_n(), rows()).is_err());
    let seeing = office.actor(office.holder(&[P::ViewContacts, P::ViewData]));
    let task = done(&seeing, T::ExportRows, csv_of_n(), rows());
    assert_eq!(task.status, TaskStatus::Complete);
    let logged = office.log();
    assert_eq!(
        logged[0],
        (seeing.who.to_string(), "rows.export".to_owned())
    );
    let url = |actor: &Actor| {
        let file = wait(files::get(actor, task.file_id.unwrap())).unwrap();
        let mut url = Json::Null;
        hub_view::ObjectWriter::members(&file, |name, value| {
            if name == "url" {
                url = value;
            }
        });
        url
    };
    assert_eq!(
        url(&blind),
        Json::Null,
        "who may not see rows gets no address of them"
    );
    assert!(url(&actor).is_string());
}

#[test]
fn what_cannot_be_an_export_is_named() {
    let office = Office::new();
    let (actor, table) = rows_of(&office, 0);
    let contacts = || all(F::QueryContacts, None);
    for (given, param) in [
        (json!({}), "task_params[filename]"),
        (json!({"filename": "a.xlsx"}), "task_params[filename]"),
        (
            json!({"filename": "a.csv", "column_ids": ["shoe"]}),
            "task_params[column_ids][0]",
        ),
        (
            json!({"filename": "a.csv", "column_ids": ["vars.a b"]}),
            "task_params[column_ids][0]",
        ),
        (
            json!({"filename": "a.csv", "column_ids": ["id", "id"]}),
            "task_params[column_ids][1]",
        ),
        (
            json!({"filename": "a.csv", "variable": "x"}),
            "task_params[variable]",
        ),
    ] {
        assert_eq!(refused(&actor, T::ExportContacts, given, contacts()), param);
    }
    let given = || json!({"filename": "a.csv"});
    let rows = all(F::QueryRows, Some(table));
    assert_eq!(
        refused(&actor, T::ExportContacts, given(), rows),
        "filter_type"
    );
    assert_eq!(
        refused(&actor, T::ExportMessages, given(), contacts()),
        "filter_type"
    );
    let rows = all(F::QueryRows, None);
    assert_eq!(refused(&actor, T::ExportRows, given(), rows), "table_id");
}
