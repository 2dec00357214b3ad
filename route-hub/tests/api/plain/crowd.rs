//! What the conditions of a dynamic group mean, said in the plainest way of a contact as it is shown.

use proptest::prelude::*;
use serde_json::{Map, Value, json};

/// One condition of a group.
#[derive(Debug, Clone)]
pub(crate) struct Condition {
    pub key: Key,
    pub op: &'static str,
    pub value: Term,
}

/// What a condition looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Key {
    Id,
    Name,
    Number,
    Time(&'static str),
    Count(&'static str),
    Status,
    Blocked,
    /// In all of these groups, by their places.
    In,
    /// In none of these.
    NotIn,
    Words,
    Variable(&'static str),
}

/// What it compares with; what is only known once the hub runs is drawn as a number.
#[derive(Debug, Clone)]
pub(crate) enum Term {
    Plain(Value),
    /// The id of one of the first contacts.
    Contact(usize),
    /// So many seconds after the test began.
    Seconds(i64),
    /// One or both of the two groups.
    Groups(&'static [usize]),
}

/// What happens to the contacts; the first number chooses one of those that there are.
#[derive(Debug, Clone)]
pub(crate) enum Step {
    Add(Value),
    Change(usize, Value),
    Delete(usize),
    Join(usize, usize),
    Leave(usize, usize),
    Write(usize),
    Answer(usize),
}

/// What a test knows that its conditions name.
pub(crate) struct Known {
    pub began: i64,
    pub groups: [String; 2],
    /// The contacts that there were when it began.
    pub first: Vec<String>,
}

impl Condition {
    /// The value as it is written in the group.
    fn written(&self, known: &Known) -> Value {
        match &self.value {
            Term::Plain(value) => value.clone(),
            Term::Contact(which) => known.first[which % known.first.len()].clone().into(),
            Term::Seconds(after) => json!(known.began + after),
            Term::Groups([one]) => known.groups[*one].clone().into(),
            Term::Groups(both) => both.iter().map(|one| known.groups[*one].clone()).collect(),
        }
    }

    fn holds(&self, contact: &Value, known: &Known) -> bool {
        let wanted = self.written(known);
        let is_yes = |value: &Value| [json!(true), json!(1), json!("1")].contains(value);
        let of = |name: &str| Some(&contact[name]).filter(|value| !value.is_null());
        let is_in = |group: &usize| {
            let ids = contact["group_ids"].as_array().expect("groups");
            ids.contains(&json!(known.groups[*group]))
        };
        let own = match self.key {
            Key::Id => of("id"),
            Key::Name => of("name"),
            Key::Number => of("phone_number"),
            Key::Time(name) | Key::Count(name) => of(name),
            Key::Status => of("conversation_status"),
            Key::Blocked => of("send_blocked"),
            Key::Variable(name) => contact["vars"].get(name),
            Key::Words => return words(&wanted).all(|word| has_word(contact, word)),
            Key::In | Key::NotIn => {
                let Term::Groups(groups) = self.value else {
                    unreachable!("a group is compared with groups")
                };
                return groups
                    .iter()
                    .all(|group| is_in(group) == (self.key == Key::In));
            }
        };
        match (self.op, own) {
            ("exists", own) => own.is_some() == is_yes(&wanted),
            ("not_exists", own) => own.is_none() == is_yes(&wanted),
            (op, None) => op == "ne",
            (op, Some(own)) => match self.key {
                Key::Variable(_) => variable(op, own, &wanted),
                Key::Blocked => (own.as_bool() == Some(is_yes(&wanted))) == (op == "eq"),
                Key::Name => text(
                    op,
                    &shown(own).to_lowercase(),
                    &shown(&wanted).to_lowercase(),
                ),
                Key::Time(_) | Key::Count(_) => ordered(op, &whole(own), &whole(&wanted)),
                _ => text(op, &shown(own), &shown(&wanted)),
            },
        }
    }
}

/// Tells whether a contact is in the group of these conditions.
pub(crate) fn meets(conditions: &[Condition], contact: &Value, known: &Known) -> bool {
    conditions.iter().all(|one| one.holds(contact, known))
}

/// By numbers with a number, by letters with anything else; a truth value may be written in two ways.
fn variable(op: &str, own: &Value, wanted: &Value) -> bool {
    if let Some(wanted) = wanted.as_f64().filter(|_| op != "prefix") {
        let own = match own {
            Value::Bool(flag) => Some(f64::from(u8::from(*flag))),
            Value::String(text) => text.trim().parse().ok(),
            own => own.as_f64(),
        };
        return own.map_or(op == "ne", |own: f64| ordered(op, &own, &wanted));
    }
    let (own, wanted) = (shown(own).to_lowercase(), shown(wanted).to_lowercase());
    let is_one = match wanted.as_str() {
        "1" => ["1", "true"].contains(&own.as_str()),
        "0" => ["0", "false"].contains(&own.as_str()),
        wanted => own == wanted,
    };
    match op {
        "eq" => is_one,
        "ne" => !is_one,
        op => text(op, &own, &wanted),
    }
}

fn text(op: &str, own: &str, wanted: &str) -> bool {
    match op {
        "prefix" => own.starts_with(wanted),
        op => ordered(op, &own, &wanted),
    }
}

fn ordered<T: PartialOrd>(op: &str, own: &T, wanted: &T) -> bool {
    match op {
        "eq" => own == wanted,
        "ne" => own != wanted,
        "gte" => own >= wanted,
        "gt" => own > wanted,
        "lt" => own < wanted,
        "lte" => own <= wanted,
        op => unreachable!("{op}"),
    }
}

fn words(text: &Value) -> impl Iterator<Item = &str> {
    text.as_str().expect("words").split_whitespace()
}

fn has_word(contact: &Value, word: &str) -> bool {
    let own = ["name", "phone_number"].map(|name| &contact[name]);
    let vars = contact["vars"].as_object().expect("variables").values();
    let mut all = own.into_iter().filter(|own| !own.is_null()).chain(vars);
    all.any(|own| shown(own).to_lowercase().contains(&word.to_lowercase()))
}

fn shown(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

fn whole(value: &Value) -> i64 {
    value.as_i64().expect("a whole number")
}

/// Writes the filters of a group; variables stand in an object of their own or beside the others.
pub(crate) fn filters(conditions: &[Condition], known: &Known, nested: bool) -> Value {
    let mut all = Map::new();
    let mut vars = Map::new();
    for one in conditions {
        let (place, name) = match one.key {
            Key::Variable(name) if nested => (&mut vars, name.to_owned()),
            Key::Variable(name) => (&mut all, format!("vars.{name}")),
            key => (&mut all, key.name().to_owned()),
        };
        let value = one.written(known);
        match (one.key, place.get_mut(&name)) {
            (Key::In | Key::NotIn | Key::Words, _) => drop(place.insert(name, value)),
            (_, Some(comparisons)) => comparisons[one.op] = value,
            (_, None) if one.op == "eq" => drop(place.insert(name, value)),
            (_, None) => drop(place.insert(name, json!({ one.op: value }))),
        }
    }
    if !vars.is_empty() {
        all.insert("vars".to_owned(), vars.into());
    }
    all.into()
}

impl Key {
    fn name(self) -> &'static str {
        match self {
            Self::Id => "id",
            Self::Name => "name",
            Self::Number => "phone_number",
            Self::Time(name) | Self::Count(name) | Self::Variable(name) => name,
            Self::Status => "conversation_status",
            Self::Blocked => "send_blocked",
            Self::In => "group",
            Self::NotIn => "not_group",
            Self::Words => "q",
        }
    }
}

const TIMES: [&str; 4] = [
    "time_created",
    "time_updated",
    "last_incoming_message_time",
    "last_outgoing_message_time",
];
const COUNTS: [&str; 2] = ["incoming_message_count", "outgoing_message_count"];
const STATES: [&str; 3] = ["active", "handled", "closed"];
const VARIABLES: [&str; 2] = ["a", "b"];
/// Each group by itself, and both.
const GROUPS: [&[usize]; 3] = [&[0], &[1], &[0, 1]];

const EQUAL: &[&str] = &["eq", "ne"];
const ORDERED: &[&str] = &["eq", "ne", "gte", "gt", "lt", "lte"];
const TEXTS: &[&str] = &["eq", "ne", "gte", "gt", "lt", "lte", "prefix"];

fn one_of<T: Clone + std::fmt::Debug + 'static>(all: &[T]) -> impl Strategy<Value = T> + use<T> {
    proptest::sample::select(all.to_vec())
}

fn word() -> impl Strategy<Value = String> {
    "[abAB]{1,2}"
}

fn number() -> impl Strategy<Value = String> {
    "\\+1500555013[0-3]"
}

/// A variable is a text, a number, a truth value, or a text that reads as one of these.
fn value() -> impl Strategy<Value = Value> {
    prop_oneof![
        3 => word().prop_map(Value::from),
        3 => (-1_i64..3).prop_map(Value::from),
        1 => Just(json!(1.5)),
        2 => any::<bool>().prop_map(Value::from),
        2 => one_of(&["1", "0", "2", "true", "False", " 1", "1.0"]).prop_map(Value::from),
    ]
}

fn contact() -> impl Strategy<Value = Value> {
    let vars = [proptest::option::of(value()), proptest::option::of(value())];
    let number = proptest::option::weighted(0.8, number());
    let parts = (word(), number, vars, any::<bool>(), one_of(&STATES));
    parts.prop_map(|(name, number, [a, b], blocked, status)| {
        json!({
            "name": name, "phone_number": number, "vars": { "a": a, "b": b },
            "send_blocked": blocked, "conversation_status": status,
        })
    })
}

/// Draws what happens in one round.
pub(crate) fn steps(most: usize) -> impl Strategy<Value = Vec<Step>> {
    let which = || (0_usize..1 << 16).boxed();
    let step = prop_oneof![
        4 => contact().prop_map(Step::Add),
        3 => (which(), contact()).prop_map(|(which, contact)| Step::Change(which, contact)),
        1 => which().prop_map(Step::Delete),
        3 => (which(), 0_usize..2).prop_map(|(which, group)| Step::Join(which, group)),
        1 => (which(), 0_usize..2).prop_map(|(which, group)| Step::Leave(which, group)),
        2 => which().prop_map(Step::Write),
        2 => which().prop_map(Step::Answer),
    ];
    proptest::collection::vec(step, 1..most)
}

fn compared(
    key: Key,
    ops: &'static [&'static str],
    value: impl Strategy<Value = Term> + 'static,
) -> BoxedStrategy<Condition> {
    let compares = (one_of(ops), value).prop_map(move |(op, value)| Condition { key, op, value });
    let presence = (one_of(&["exists", "not_exists"]), any::<bool>());
    let presence = presence.prop_map(move |(op, wanted)| Condition {
        key,
        op,
        value: Term::Plain(wanted.into()),
    });
    prop_oneof![6 => compares, 1 => presence].boxed()
}

fn alone(key: Key, value: impl Strategy<Value = Term> + 'static) -> BoxedStrategy<Condition> {
    value
        .prop_map(move |value| Condition {
            key,
            op: "eq",
            value,
        })
        .boxed()
}

fn plain(value: impl Into<Value>) -> Term {
    Term::Plain(value.into())
}

fn condition() -> impl Strategy<Value = Condition> {
    let seconds = || (-1_i64..3).prop_map(Term::Seconds);
    let count = || (0_i64..3).prop_map(plain);
    let groups = || one_of(&GROUPS).prop_map(Term::Groups);
    let words = "([abAB]{1,2}|[0-3]{1,2}|true)( [abAB]{1,2})?";
    prop_oneof![
        1 => compared(Key::Id, ORDERED, (0_usize..64).prop_map(Term::Contact)),
        1 => compared(Key::Name, TEXTS, word().prop_map(plain)),
        1 => compared(Key::Number, TEXTS, number().prop_map(plain)),
        1 => one_of(&TIMES).prop_flat_map(move |name| compared(Key::Time(name), ORDERED, seconds())),
        1 => one_of(&COUNTS).prop_flat_map(move |name| compared(Key::Count(name), ORDERED, count())),
        1 => compared(Key::Status, EQUAL, one_of(&STATES).prop_map(plain)),
        1 => compared(Key::Blocked, EQUAL, any::<bool>().prop_map(plain)),
        1 => alone(Key::In, groups()),
        1 => alone(Key::NotIn, groups()),
        1 => alone(Key::Words, words.prop_map(plain)),
        3 => one_of(&VARIABLES).prop_flat_map(move |name| {
            compared(Key::Variable(name), TEXTS, value().prop_map(plain))
        }),
    ]
}

/// Draws one to three conditions, of which no two are on the same comparison.
pub(crate) fn conditions() -> impl Strategy<Value = Vec<Condition>> {
    proptest::collection::vec(condition(), 1..4).prop_map(|all| {
        let mut kept: Vec<Condition> = Vec::new();
        for one in all {
            let clashes = |other: &Condition| {
                let plain = one.op == "eq" || other.op == "eq";
                other.key == one.key && (plain || other.op == one.op)
            };
            if !kept.iter().any(clashes) {
                kept.push(one);
            }
        }
        kept
    })
}
