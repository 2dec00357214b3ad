//! Data tables: their rows and views read back, agree with a plain model, and go in steps.

use crate::Backend;
use crate::resources::{opened, write};
use crate::sample::{self, id};
use hub_domain::{
    Address, Compare, Comparison, DataRow, DataTable, DataView, FieldOwner, RowSubject, Term,
    VarValue, Vars, VarsChange, ViewFilters, fold,
};
use hub_store::fields::{self, Fields};
use hub_store::list::{ListQuery, Marker};
use hub_store::{Store, StoreError, Tx, contacts, data_rows, data_tables, data_views};
use postrider_model::{DataTableId, Id, Key, UnixMs};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value as Json, json};
use std::cmp::Ordering;
use std::collections::BTreeMap;

const PROJECT: i64 = 10;
const TABLE: i64 = 1_000;
const OTHER_TABLE: i64 = 1_001;
const NAMES: [&str; 3] = ["Ann", "Änne", "bob"];

fn vars(json: &Json) -> Vars {
    Vars::from_change(VarsChange::parse(json).unwrap())
}

fn row(key: i64, table: i64) -> DataRow {
    DataRow::new(id(key), id(PROJECT), id(table), UnixMs(key))
}

fn owner(table: i64) -> FieldOwner {
    FieldOwner::Table(id(table))
}

fn create(tx: &mut Tx<'_>, row: &DataRow) -> Result<(), StoreError> {
    let owner = FieldOwner::Table(row.table_id);
    let mut fields = Fields::new(row.project_id, owner, UnixMs(0));
    data_rows::create(tx, &mut fields, row)
}

fn view(key: i64, table: i64, filters: &Json) -> DataView {
    DataView {
        id: id(key),
        project_id: id(PROJECT),
        table_id: id(table),
        name: format!("View {key}"),
        filters: ViewFilters::from_json(&filters.to_string()).unwrap(),
    }
}

pub(crate) fn a_table_its_rows_and_its_views_read_back<B: Backend>() {
    let (_backend, store) = opened::<B>();
    write(&store, |tx| {
        let mut table = DataTable::new(id(TABLE), id(PROJECT), "Größe");
        data_tables::insert(tx, &table)?;
        data_tables::insert(tx, &DataTable::new(id(OTHER_TABLE), id(PROJECT), "Other"))?;
        table.show_add_row = false;
        table.vars = sample::some_vars();
        data_tables::update(tx, &table)?;
        data_tables::add_rows(tx, id(PROJECT), id(TABLE), 3, UnixMs(9))?;
        data_tables::add_rows(tx, id(PROJECT), id(TABLE), -1, UnixMs(9))?;
        table.num_rows = 2;
        let stored = data_tables::get(tx, id(PROJECT), id(TABLE))?;
        assert_eq!(stored.as_ref(), Some(&table));
        assert_eq!(data_tables::by_name(tx, id(PROJECT), "GRÖSSE")?, stored);
        assert_eq!(data_tables::by_name(tx, id(11), "Größe")?, None);
        assert_eq!(data_tables::get(tx, id(11), id(TABLE))?, None);

        let plain = row(5, TABLE);
        create(tx, &plain)?;
        let mut full = DataRow {
            contact_id: Some(id(30)),
            from_number: Some(sample::address("+15005550001")),
            vars: sample::some_vars(),
            ..row(6, TABLE)
        };
        create(tx, &full)?;
        let before = full.clone();
        full.vars = vars(&json!({ "a": 2 }));
        full.time_updated = UnixMs(9);
        let mut fields = Fields::new(id(PROJECT), owner(TABLE), UnixMs(0));
        data_rows::change(tx, &mut fields, &before, &full)?;
        for (stored, at) in [(&plain, 5), (&full, 6)] {
            let found = data_rows::get(tx, id(PROJECT), id(TABLE), id(at))?;
            assert_eq!(found.as_ref(), Some(stored));
            let elsewhere = data_rows::get(tx, id(PROJECT), id(OTHER_TABLE), id(at))?;
            assert_eq!(elsewhere, None);
            let in_another = data_rows::get(tx, id(11), id(TABLE), id(at))?;
            assert_eq!(in_another, None);
        }
        let own = fields::all(tx, id(PROJECT), owner(TABLE))?;
        let own: Vec<_> = own.iter().map(|field| &*field.variable).collect();
        assert_eq!(own, ["a", "b", "c", "d"]);
        assert_eq!(fields::all(tx, id(PROJECT), owner(OTHER_TABLE))?, []);
        assert_eq!(fields::all(tx, id(PROJECT), FieldOwner::Contact)?, []);

        let mut one = view(7, TABLE, &json!({ "vars.a": "x" }));
        data_views::insert(tx, &one)?;
        one.name = "Answers".to_owned();
        data_views::update(tx, &one)?;
        let found = data_views::get(tx, id(PROJECT), id(TABLE), id(7))?;
        assert_eq!(found.as_ref(), Some(&one));
        let named = data_views::by_name(tx, id(PROJECT), id(TABLE), "ANSWERS")?;
        assert_eq!(named, Some(one));
        let elsewhere = data_views::by_name(tx, id(PROJECT), id(OTHER_TABLE), "Answers")?;
        assert_eq!(elsewhere, None);
        assert!(!data_views::delete(
            tx,
            id(PROJECT),
            id(OTHER_TABLE),
            id(7)
        )?);
        assert!(data_views::delete(tx, id(PROJECT), id(TABLE), id(7))?);
        assert!(!data_rows::delete(tx, id(11), id(TABLE), id(6))?);
        assert!(data_rows::delete(tx, id(PROJECT), id(TABLE), id(6))?);
        assert_eq!(data_rows::get(tx, id(PROJECT), id(TABLE), id(6))?, None);
        Ok(())
    });
}

/// What a row's subject is, for a condition with such a term.
enum Own {
    Text(String),
    Number(f64),
    Whole(i64),
}

fn own(row: &DataRow, subject: &RowSubject, term: &Term) -> Option<Own> {
    let second = |time: UnixMs| Own::Whole(time.0.div_euclid(1_000) * 1_000);
    match subject {
        RowSubject::Variable(name) => {
            let value = row.vars.get(name)?;
            let as_number = matches!(term, Term::Number(_));
            Some(match value {
                VarValue::Text(text) if as_number => text
                    .trim()
                    .parse()
                    .map_or_else(|_| Own::Text(String::new()), Own::Number),
                VarValue::Text(text) => Own::Text(fold(text)),
                VarValue::Flag(flag) if as_number => Own::Number(f64::from(u8::from(*flag))),
                VarValue::Flag(flag) => Own::Text(flag.to_string()),
                VarValue::Number(number) if as_number => Own::Number(number.as_f64()?),
                VarValue::Number(number) => Own::Text(number.as_f64()?.to_string()),
            })
        }
        RowSubject::Id => Some(Own::Whole(row.id.get())),
        RowSubject::TimeCreated => Some(second(row.time_created)),
        RowSubject::TimeUpdated => Some(second(row.time_updated)),
        RowSubject::ContactId => row.contact_id.map(|id| Own::Whole(id.get())),
        RowSubject::ContactName => row
            .contact_id
            .and_then(|id| NAMES.get(usize::try_from(id.get()).ok()? - 1))
            .map(|name| Own::Text(fold(name))),
        RowSubject::FromNumber => {
            let number = row.from_number.as_ref();
            number.map(|number| Own::Text(fold(number.as_str())))
        }
    }
}

/// What a condition means, said once more without SQL.
fn meets(row: &DataRow, condition: &Comparison<RowSubject>) -> bool {
    let Comparison {
        subject,
        compare,
        term,
    } = condition;
    let own = own(row, subject, term);
    let text = match term {
        Term::Text(text) => fold(text),
        _ => String::new(),
    };
    let order = match (&own, term) {
        (Some(Own::Text(own)), Term::Text(_)) => Some(own.cmp(&text)),
        (Some(Own::Number(own)), Term::Number(number)) => own.partial_cmp(number),
        (Some(Own::Whole(own)), Term::Whole(number)) => Some(own.cmp(number)),
        (Some(Own::Whole(own)), Term::Time(time)) => Some(own.cmp(&time.0)),
        _ => None,
    };
    // A truth value is found by both of its names.
    let other_name = match (subject, &own, &*text) {
        (RowSubject::Variable(_), Some(Own::Text(own)), "1") => own == "true",
        (RowSubject::Variable(_), Some(Own::Text(own)), "0") => own == "false",
        _ => false,
    };
    let equal = order == Some(Ordering::Equal) || other_name;
    match compare {
        Compare::Eq => equal,
        Compare::Ne => !equal,
        Compare::Prefix => matches!(&own, Some(Own::Text(own)) if own.starts_with(&text)),
        Compare::Gte => order.is_some_and(Ordering::is_ge),
        Compare::Gt => order.is_some_and(Ordering::is_gt),
        Compare::Lt => order.is_some_and(Ordering::is_lt),
        Compare::Lte => order.is_some_and(Ordering::is_le),
        Compare::Exists => own.is_some() == (*term == Term::Flag(true)),
        Compare::NotExists => own.is_none() == (*term == Term::Flag(true)),
    }
}

fn a_value() -> impl Strategy<Value = Json> {
    prop_oneof![
        prop::sample::select(vec!["Oslo", "oslo ", "Bergen", "7", "1", " 3 ", "true", ""])
            .prop_map(Json::from),
        (0..9_i64).prop_map(Json::from),
        prop::sample::select(vec![1.5, 3.0, -2.25]).prop_map(Json::from),
        any::<bool>().prop_map(Json::from),
    ]
}

/// The row that is made as so many others were there before; its key is of the moment.
fn made(count: i64) -> DataRow {
    let at = UnixMs(count * 300);
    let key = Key::first_of_ms(at.0);
    DataRow::new(Id::new(key), id(PROJECT), id(TABLE), at)
}

/// One of the numbers that rows come from, or of the names.
fn sender(which: u8) -> Address {
    sample::address(&match which {
        4 => "GOOGLE".to_owned(),
        5 => "Google".to_owned(),
        end => format!("+1500555010{end}"),
    })
}

/// What somebody does to a table's rows.
#[derive(Debug, Clone)]
enum Act {
    Make {
        vars: BTreeMap<&'static str, Json>,
        contact: Option<i64>,
        number: Option<u8>,
    },
    /// Changes variables of one of those that are there.
    Change {
        which: usize,
        vars: BTreeMap<&'static str, Option<Json>>,
        contact: Option<i64>,
    },
    Remove(usize),
}

fn names() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["city", "age", "is_in"])
}

fn act() -> impl Strategy<Value = Act> {
    let contact = || prop::option::of(1..4_i64);
    prop_oneof![
        5 => (
            prop::collection::btree_map(names(), a_value(), 0..3),
            contact(),
            prop::option::of(0..6_u8),
        )
            .prop_map(|(vars, contact, number)| Act::Make { vars, contact, number }),
        2 => (
            any::<usize>(),
            prop::collection::btree_map(names(), prop::option::of(a_value()), 0..3),
            contact(),
        )
            .prop_map(|(which, vars, contact)| Act::Change { which, vars, contact }),
        1 => any::<usize>().prop_map(Act::Remove),
    ]
}

fn comparisons(values: impl Strategy<Value = Json> + 'static, prefix: bool) -> BoxedStrategy<Json> {
    let mut ops = vec!["eq", "ne", "gte", "gt", "lt", "lte"];
    if prefix {
        ops.push("prefix");
    }
    let ops = prop::sample::select(ops);
    let presence = prop::sample::select(vec!["exists", "not_exists"]);
    prop_oneof![
        5 => (ops, values).prop_map(|(op, value)| json!({ op: value })),
        1 => (presence, any::<bool>()).prop_map(|(op, wanted)| json!({ op: wanted })),
    ]
    .boxed()
}

fn condition() -> impl Strategy<Value = (String, Json)> {
    let contact_ids = (1..5_i64).prop_map(|key| json!(format!("CT{key:016x}")));
    let row_ids = (0..40_i64).prop_map(|key| json!(made(key).id));
    let numbers = prop::sample::select(vec![
        "+15005550101",
        "+1500",
        "+15005550103",
        "google",
        "Goo",
    ]);
    let texts = prop::sample::select(vec!["ann", "Ä", "BOB", "c"]);
    let seconds = || (0..5_i64).prop_map(Json::from);
    prop_oneof![
        6 => (names(), comparisons(a_value(), true))
            .prop_map(|(name, json)| (format!("vars.{name}"), json)),
        1 => comparisons(row_ids, false).prop_map(|json| ("id".to_owned(), json)),
        1 => comparisons(seconds(), false).prop_map(|json| ("time_created".to_owned(), json)),
        1 => comparisons(seconds(), false).prop_map(|json| ("time_updated".to_owned(), json)),
        1 => comparisons(contact_ids, false).prop_map(|json| ("contact_id".to_owned(), json)),
        1 => comparisons(texts.prop_map(Json::from), true)
            .prop_map(|json| ("contact_name".to_owned(), json)),
        1 => comparisons(numbers.prop_map(Json::from), true)
            .prop_map(|json| ("from_number".to_owned(), json)),
    ]
}

fn conditions() -> impl Strategy<Value = Json> {
    prop::collection::vec(condition(), 1..4).prop_map(|all| Json::Object(all.into_iter().collect()))
}

/// The rows that there should be.
#[derive(Default)]
struct Model {
    rows: Vec<DataRow>,
    made: i64,
}

impl Model {
    /// Does something to the model, and to the stored rows.
    fn act(&mut self, store: &Store, act: &Act) {
        match act {
            Act::Make {
                vars: given,
                contact,
                number,
            } => {
                let mut row = made(self.made);
                self.made += 1;
                row.vars = vars(&json!(given));
                row.contact_id = contact.map(id);
                row.from_number = number.map(sender);
                self.rows.push(row.clone());
                write(store, move |tx| create(tx, &row));
            }
            Act::Change {
                which,
                vars: given,
                contact,
            } => {
                let count = self.rows.len().max(1);
                let Some(row) = self.rows.get_mut(which % count) else {
                    return;
                };
                let before = row.clone();
                let change = VarsChange::parse(&json!(given)).unwrap();
                row.vars.apply(change).unwrap();
                row.contact_id = contact.map(id);
                row.time_updated = UnixMs(row.time_updated.0 + 700);
                let row = row.clone();
                write(store, move |tx| {
                    let mut fields = Fields::new(id(PROJECT), owner(TABLE), UnixMs(0));
                    data_rows::change(tx, &mut fields, &before, &row)
                });
            }
            Act::Remove(which) => {
                if self.rows.is_empty() {
                    return;
                }
                let gone = self.rows.remove(which % self.rows.len()).id;
                let job =
                    move |tx: &mut Tx<'_>| data_rows::delete(tx, id(PROJECT), id(TABLE), gone);
                assert!(write(store, job));
            }
        }
    }
}

/// Removes the rows of the case before.
fn empty(tx: &mut Tx<'_>) -> Result<(), StoreError> {
    let all = data_rows::list(tx, id(PROJECT), id(TABLE), &ListQuery::default())?;
    for row in all.rows {
        data_rows::delete(tx, id(PROJECT), id(TABLE), row.id)?;
    }
    Ok(())
}

fn all_pages(store: &Store, view: &DataView) -> Vec<i64> {
    let mut query = ListQuery {
        filters: data_rows::filters(&view.filters).collect(),
        page_size: 7,
        ..ListQuery::default()
    };
    let mut all = Vec::new();
    loop {
        let asked = query.clone();
        let page =
            store.read_blocking(move |tx| data_rows::list(tx, id(PROJECT), id(TABLE), &asked));
        let page = page.unwrap();
        all.extend(page.rows.iter().map(|row| row.id.get()));
        match page.next_marker.filter(|_| page.truncated) {
            Some(marker) => {
                query.marker = Marker::read(&marker, query.sort, query.descending).ok();
            }
            None => return all,
        }
    }
}

/// Whatever people did, each view has the rows that a plain look at all of them finds.
pub(crate) fn lists_of_rows_and_views_agree_with_a_plain_model<B: Backend>() {
    let histories = (
        prop::collection::vec(act(), 1..40),
        prop::collection::vec(conditions(), 4),
    );
    let mut config = Config::with_cases(40);
    config.failure_persistence = None;
    let (_backend, store) = opened::<B>();
    write(&store, |tx| {
        for (key, name) in (1..).zip(NAMES) {
            let mut contact = sample::contact(key, PROJECT, &format!("+1500555000{key}"));
            contact.name = Some(name.to_owned());
            contacts::insert(tx, &contact)?;
        }
        let elsewhere = DataRow {
            vars: vars(&json!({ "city": "Oslo", "age": 3 })),
            ..row(5, OTHER_TABLE)
        };
        create(tx, &elsewhere)
    });
    let result = TestRunner::new(config).run(&histories, |(acts, conditions)| {
        write(&store, empty);
        let mut model = Model::default();
        acts.iter().for_each(|act| model.act(&store, act));
        for conditions in conditions {
            let view = view(7, TABLE, &conditions);
            let is_in = |row: &&DataRow| {
                let mut conditions = view.filters.conditions().iter();
                conditions.all(|condition| meets(row, condition))
            };
            let expected: Vec<i64> = model
                .rows
                .iter()
                .filter(is_in)
                .map(|row| row.id.get())
                .collect();
            prop_assert_eq!(&all_pages(&store, &view), &expected, "{}", conditions);
            let count = store.read_blocking(move |tx| data_views::count_rows(tx, &view));
            prop_assert_eq!(count.unwrap(), expected.len() as u64);
        }
        Ok(())
    });
    result.unwrap();
}

pub(crate) fn of_rows_with_one_key_the_oldest_is_found<B: Backend>() {
    let (_backend, store) = opened::<B>();
    write(&store, |tx| {
        for (key, table) in [(4, OTHER_TABLE), (6, TABLE), (5, TABLE), (7, TABLE)] {
            let row = DataRow {
                contact_id: Some(id(30)),
                vars: vars(&json!({ "code": "A-1" })),
                ..row(key, table)
            };
            create(tx, &row)?;
        }
        let by_contact = data_rows::find_by_contact(tx, id(PROJECT), id(TABLE), id(30))?;
        assert_eq!(by_contact.map(|row| row.id), Some(id(5)));
        let find = |tx: &mut Tx<'_>, project, table, name, value: &str| {
            let value = VarValue::Text(value.to_owned());
            let found = data_rows::find_by_variable(tx, id(project), id(table), name, &value)?;
            Ok::<_, StoreError>(found.map(|row| row.id.get()))
        };
        assert_eq!(find(tx, PROJECT, TABLE, "code", "a-1")?, Some(5));
        assert_eq!(find(tx, PROJECT, OTHER_TABLE, "code", "a-1")?, Some(4));
        assert_eq!(find(tx, PROJECT, TABLE, "code", "a-2")?, None);
        assert_eq!(find(tx, PROJECT, TABLE, "none", "a-1")?, None);
        assert_eq!(find(tx, 11, TABLE, "code", "a-1")?, None);
        Ok(())
    });
}

pub(crate) fn a_variable_is_found_however_long_it_is<B: Backend>() {
    let (_backend, store) = opened::<B>();
    let noise = |from: u32| {
        let chars = (from..from + 2_040).map(|n| char::from_u32(0x100 + n * 7_919 % 1_500));
        chars.collect::<Option<String>>().unwrap()
    };
    let long = noise(0);
    let values = [
        long.clone(),
        format!("{long}b"),
        noise(1),
        "short".to_owned(),
    ];
    let written = values.clone();
    write(&store, move |tx| {
        for (key, value) in (1..).zip(&written) {
            let row = DataRow {
                vars: vars(&json!({ "note": value })),
                ..row(key, TABLE)
            };
            create(tx, &row)?;
        }
        for (key, value) in (1..).zip(&written) {
            let one = VarValue::Text(value.clone());
            let found = data_rows::find_by_variable(tx, id(PROJECT), id(TABLE), "note", &one)?;
            assert_eq!(found.map(|row| row.id.get()), Some(key));
        }
        Ok(())
    });
    for (key, value) in (1..).zip(&values) {
        let filters = json!({ "vars.note": { "eq": value } });
        assert_eq!(all_pages(&store, &view(9, TABLE, &filters)), [key]);
    }
}

pub(crate) fn values_are_counted_as_they_were_written<B: Backend>() {
    let (_backend, store) = opened::<B>();
    write(&store, |tx| {
        let values = [
            json!("Yes"),
            json!("yes"),
            json!("Yes"),
            json!(1),
            json!("1"),
            json!(1.0),
            json!(true),
        ];
        for (key, value) in (1..).zip(values) {
            let row = DataRow {
                vars: vars(&json!({ "q1": value })),
                ..row(key, TABLE)
            };
            create(tx, &row)?;
        }
        create(tx, &row(20, TABLE))?;
        let other = DataRow {
            vars: vars(&json!({ "q1": "other" })),
            ..row(21, OTHER_TABLE)
        };
        create(tx, &other)?;
        let counted = |tx: &mut Tx<'_>, name, most| {
            data_rows::count_by_value(tx, id(PROJECT), id(TABLE), name, most)
        };
        let all: BTreeMap<_, _> = counted(tx, "q1", 5)?.unwrap().into_iter().collect();
        let expected = [("1", 2), ("1.0", 1), ("Yes", 2), ("true", 1), ("yes", 1)];
        let expected = expected.map(|(value, count)| (value.to_owned(), count));
        assert_eq!(all, BTreeMap::from(expected));
        assert_eq!(counted(tx, "q1", 4)?, None);
        assert_eq!(counted(tx, "q2", 4)?, Some(Vec::new()));
        Ok(())
    });
}

pub(crate) fn a_deleted_table_is_gone_at_once_and_its_rows_go_in_steps<B: Backend>() {
    let (_backend, store) = opened::<B>();
    let table: DataTableId = id(TABLE);
    write(&store, move |tx| {
        for key in [TABLE, OTHER_TABLE] {
            let named = DataTable::new(id(key), id(PROJECT), &format!("Table {key}"));
            data_tables::insert(tx, &named)?;
            data_views::insert(tx, &view(key + 10, key, &json!({ "vars.n": 1 })))?;
        }
        for key in 2_000..3_500 {
            let row = DataRow {
                contact_id: Some(id(30)),
                vars: vars(&json!({ "n": key })),
                ..row(key, if key == 2_000 { OTHER_TABLE } else { TABLE })
            };
            create(tx, &row)?;
        }
        assert!(!data_tables::begin_clearing(tx, id(11), table, UnixMs(9))?);
        assert!(data_tables::begin_clearing(
            tx,
            id(PROJECT),
            table,
            UnixMs(9)
        )?);
        assert!(!data_tables::begin_clearing(
            tx,
            id(PROJECT),
            table,
            UnixMs(9)
        )?);
        assert_eq!(data_tables::get(tx, id(PROJECT), table)?, None);
        assert_eq!(data_tables::by_name(tx, id(PROJECT), "Table 1000")?, None);
        let all = data_tables::list(tx, id(PROJECT), &ListQuery::default())?;
        let all: Vec<_> = all.rows.iter().map(|table| table.id.get()).collect();
        assert_eq!(all, [OTHER_TABLE]);
        let anew = DataTable::new(id(1_002), id(PROJECT), "Table 1000");
        data_tables::insert(tx, &anew)?;
        let of_contact =
            data_rows::list_of_contact(tx, id(PROJECT), id(30), &ListQuery::default())?;
        let of_contact: Vec<_> = of_contact.rows.iter().map(|row| row.id.get()).collect();
        assert_eq!(of_contact, [2_000]);
        Ok(())
    });
    let mut steps = 0;
    while let Some(table) = write(&store, data_tables::to_clear) {
        let step = write(&store, move |tx| data_tables::clear_some(tx, &table));
        assert!(step.rows <= 500, "{} in one step", step.rows);
        steps += 1;
    }
    assert!(steps >= 3, "{steps} steps");
    write(&store, move |tx| {
        let nothing = ListQuery::default();
        assert_eq!(data_rows::count(tx, id(PROJECT), table, &nothing)?, 0);
        assert_eq!(data_views::count(tx, id(PROJECT), table, &nothing)?, 0);
        assert_eq!(fields::all(tx, id(PROJECT), owner(TABLE))?, []);
        let other = id(OTHER_TABLE);
        assert_eq!(data_rows::count(tx, id(PROJECT), other, &nothing)?, 1);
        assert_eq!(data_views::count(tx, id(PROJECT), other, &nothing)?, 1);
        assert_eq!(fields::all(tx, id(PROJECT), owner(OTHER_TABLE))?.len(), 1);
        Ok(())
    });
}
