//! People in memory, and what may be asked of them: all that a list does, in the plainest way.

use proptest::prelude::*;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// What a contact is made of here.
#[derive(Debug, Clone)]
pub(crate) struct Person {
    pub name: String,
    pub city: Option<String>,
    pub age: Option<i64>,
    pub blocked: bool,
}

/// A contact and its place in the order of creation.
#[derive(Debug, Clone)]
pub(crate) struct Row {
    pub id: String,
    pub person: Person,
    pub joined: bool,
}

/// What happens to the people; a number chooses one of those that there are.
#[derive(Debug, Clone)]
pub(crate) enum Step {
    Add(Person),
    Change(usize, Person),
    Delete(usize),
    Join(usize),
    Leave(usize),
}

/// What a filter compares.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Field {
    Name,
    City,
    Age,
    Blocked,
    Group,
}

/// One condition on a field.
#[derive(Debug, Clone)]
pub(crate) enum Test {
    Text(&'static str, String),
    Number(&'static str, i64),
    Exists(bool),
    Is(bool),
    Joined,
}

/// Which contacts a list is asked for.
pub(crate) type Filters = BTreeMap<Field, Test>;

/// A list as it is asked for.
#[derive(Debug, Clone)]
pub(crate) struct Question {
    pub filters: Filters,
    pub by_name: bool,
    pub descending: bool,
    pub page_size: usize,
}

impl Person {
    pub(crate) fn body(&self) -> Value {
        json!({
            "name": self.name, "send_blocked": self.blocked,
            "vars": { "city": self.city, "age": self.age },
        })
    }
}

impl Test {
    fn holds(&self, field: Field, row: &Row) -> bool {
        let Person {
            name,
            city,
            age,
            blocked,
        } = &row.person;
        match (field, self) {
            (Field::Name, Test::Text(op, wanted)) => compares(op, Some(name), wanted),
            (Field::City, Test::Text(op, wanted)) => compares(op, city.as_ref(), wanted),
            (Field::City, Test::Exists(wanted)) => city.is_some() == *wanted,
            (Field::Age, Test::Exists(wanted)) => age.is_some() == *wanted,
            (Field::Age, Test::Number(op, wanted)) => match (*op, *age) {
                ("ne", age) => age != Some(*wanted),
                (_, None) => false,
                ("eq", Some(age)) => age == *wanted,
                ("min", Some(age)) => age >= *wanted,
                ("max", Some(age)) => age < *wanted,
                (op, _) => unreachable!("{op}"),
            },
            (Field::Blocked, Test::Is(wanted)) => blocked == wanted,
            (Field::Group, Test::Joined) => row.joined,
            other => unreachable!("{other:?}"),
        }
    }

    /// The modifier and the value, as they are written.
    fn written(&self, group: &str) -> (&'static str, Value) {
        match self {
            Test::Text(op, wanted) => (op, json!(wanted)),
            Test::Number(op, wanted) => (op, json!(wanted)),
            Test::Exists(wanted) => ("exists", json!(wanted)),
            Test::Is(wanted) => ("eq", json!(wanted)),
            Test::Joined => ("eq", json!(group)),
        }
    }
}

/// Texts are compared without regard to case; a missing text matches none.
fn compares(op: &str, text: Option<&String>, wanted: &str) -> bool {
    let wanted = wanted.to_lowercase();
    let Some(text) = text.map(|text| text.to_lowercase()) else {
        return matches!(op, "ne" | "not_prefix");
    };
    match op {
        "eq" => text == wanted,
        "ne" => text != wanted,
        "prefix" => text.starts_with(&wanted),
        "not_prefix" => !text.starts_with(&wanted),
        "gte" => text >= wanted,
        "gt" => text > wanted,
        "lt" => text < wanted,
        "lte" => text <= wanted,
        op => unreachable!("{op}"),
    }
}

/// Tells whether a contact is one of those asked for.
pub(crate) fn meets(filters: &Filters, row: &Row) -> bool {
    filters.iter().all(|(field, test)| test.holds(*field, row))
}

/// Writes filters as the query of a list.
pub(crate) fn as_query(filters: &Filters, group: &str) -> String {
    let mut query = String::new();
    for (field, test) in filters {
        let (op, value) = test.written(group);
        let name = match field {
            Field::Name => "name",
            Field::City => "vars[city]",
            Field::Age => "vars[age]",
            Field::Blocked => "send_blocked",
            Field::Group => "group_id",
        };
        let modifier = if op == "eq" {
            String::new()
        } else {
            format!("[{op}]")
        };
        let value = value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned);
        query += &format!("&{name}{modifier}={value}");
    }
    query
}

/// Writes filters as those of a dynamic group, whose words are fewer.
pub(crate) fn as_json(filters: &Filters, group: &str) -> Value {
    let (mut all, mut vars) = (Map::new(), Map::new());
    for (field, test) in filters {
        let (op, value) = test.written(group);
        let op = match op {
            "min" => "gte",
            "max" => "lt",
            op => op,
        };
        let value = if op == "eq" {
            value
        } else {
            json!({ op: value })
        };
        match field {
            Field::Name => all.insert("name".into(), value),
            Field::City => vars.insert("city".into(), value),
            Field::Age => vars.insert("age".into(), value),
            Field::Blocked => all.insert("send_blocked".into(), value),
            Field::Group => all.insert("group".into(), value),
        };
    }
    if !vars.is_empty() {
        all.insert("vars".into(), vars.into());
    }
    all.into()
}

impl Question {
    pub(crate) fn query(&self, group: &str) -> String {
        let sort = if self.by_name { "name" } else { "default" };
        let direction = if self.descending { "desc" } else { "asc" };
        let filters = as_query(&self.filters, group);
        format!(
            "page_size={}&sort={sort}&sort_dir={direction}{filters}",
            self.page_size
        )
    }

    /// What the list is by the plain model; `rows` are in the order of creation.
    pub(crate) fn answer(&self, rows: &[Row]) -> Vec<String> {
        let mut found: Vec<_> = rows
            .iter()
            .filter(|row| meets(&self.filters, row))
            .collect();
        if self.by_name {
            found.sort_by_key(|row| row.person.name.to_lowercase());
        }
        if self.descending {
            found.reverse();
        }
        found.into_iter().map(|row| row.id.clone()).collect()
    }
}

fn word() -> impl Strategy<Value = String> {
    "[abAB]{1,3}"
}

fn person() -> impl Strategy<Value = Person> {
    let city = proptest::option::of(word());
    let age = proptest::option::of(0_i64..6);
    let parts = (word(), city, age, any::<bool>());
    parts.prop_map(|(name, city, age, blocked)| Person {
        name,
        city,
        age,
        blocked,
    })
}

/// Draws what happens; people who only come and go are never changed.
pub(crate) fn steps(most: usize, may_change: bool) -> impl Strategy<Value = Vec<Step>> {
    let which = any::<prop::sample::Index>().prop_map(|index| index.index(1 << 16));
    let step = prop_oneof![
        6 => person().prop_map(Step::Add),
        2 => (which.clone(), person()).prop_map(move |(which, person)| {
            if may_change { Step::Change(which, person) } else { Step::Join(which) }
        }),
        1 => which.clone().prop_map(Step::Delete),
        3 => which.clone().prop_map(Step::Join),
        1 => which.prop_map(Step::Leave),
    ];
    proptest::collection::vec(step, 1..most)
}

fn text() -> impl Strategy<Value = Test> {
    let ops = vec!["eq", "ne", "prefix", "not_prefix", "gte", "gt", "lt", "lte"];
    (proptest::sample::select(ops), word()).prop_map(|(op, wanted)| Test::Text(op, wanted))
}

fn condition() -> impl Strategy<Value = (Field, Test)> {
    let number = (
        proptest::sample::select(vec!["eq", "ne", "min", "max"]),
        0_i64..6,
    );
    prop_oneof![
        3 => text().prop_map(|test| (Field::Name, test)),
        2 => text().prop_map(|test| (Field::City, test)),
        1 => any::<bool>().prop_map(|wanted| (Field::City, Test::Exists(wanted))),
        2 => number.prop_map(|(op, wanted)| (Field::Age, Test::Number(op, wanted))),
        1 => any::<bool>().prop_map(|wanted| (Field::Age, Test::Exists(wanted))),
        1 => any::<bool>().prop_map(|wanted| (Field::Blocked, Test::Is(wanted))),
        2 => Just((Field::Group, Test::Joined)),
    ]
}

/// Draws up to three conditions, each on a field of its own.
pub(crate) fn filters() -> impl Strategy<Value = Filters> {
    proptest::collection::vec(condition(), 0..4).prop_map(|all| all.into_iter().collect())
}

/// Draws a list to ask for.
pub(crate) fn question() -> impl Strategy<Value = Question> {
    let parts = (filters(), any::<bool>(), any::<bool>(), 1_usize..9);
    parts.prop_map(|(filters, by_name, descending, page_size)| Question {
        filters,
        by_name,
        descending,
        page_size,
    })
}
