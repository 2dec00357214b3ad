//! Samples of what lists answer: a page, and a number.

use hub_web::{Kind, Member, Shape};
use serde_json::{Map, Value, json};
use utoipa::openapi::example::{Example, ExampleBuilder};

/// Returns samples of a list's answers. Their names are sorted: the page comes first.
pub(super) fn of_list(shape: &Shape) -> [(&'static str, Example); 2] {
    let page = json!({
        "data": [object(shape.members)],
        "truncated": false,
        "next_marker": null,
        "sort": "default",
        "sort_dir": "desc",
    });
    let sample = |about, value| {
        let example = ExampleBuilder::new().summary(about);
        example.value(Some(value)).build()
    };
    [
        ("list", sample("A page of the list.", page)),
        ("number", sample("With `count`.", json!({ "count": 0 }))),
    ]
}

fn object(members: &[Member]) -> Value {
    let members = members.iter().filter(|member| !member.is_optional);
    let members: Map<_, _> = members
        .map(|member| (member.name.to_owned(), shown(member)))
        .collect();
    Value::Object(members)
}

/// An object within another is left out where it may be.
fn shown(member: &Member) -> Value {
    match member.kind {
        Kind::Of(_) | Kind::Object(_) if member.is_nullable => Value::Null,
        kind => value(&kind),
    }
}

fn value(kind: &Kind) -> Value {
    match *kind {
        Kind::Any | Kind::Null | Kind::Later(_) | Kind::ReadOnly | Kind::Elsewhere(_) => {
            Value::Null
        }
        Kind::Text(chars_max) => json!("text".chars().take(chars_max).collect::<String>()),
        Kind::Word(words) => json!(words.first()),
        Kind::Id(prefix) => json!(format!("{prefix}0000000000000001")),
        Kind::Url(_) => json!("https://example.org/"),
        Kind::Zone => json!("Europe/Berlin"),
        Kind::Date => json!("2026-01-31"),
        Kind::TimeOfDay => json!("08:30"),
        Kind::Integer(low, high) => json!(1.clamp(low, high)),
        Kind::Number => json!(1),
        Kind::Boolean => json!(false),
        Kind::Time => json!(1_767_225_600),
        Kind::Vars | Kind::Map(_) => json!({}),
        Kind::Array(..) => json!([]),
        Kind::Object(members) => object(members),
        Kind::Of(shape) => object(shape.members),
        Kind::Either(kinds) => kinds.first().map(value).unwrap_or_default(),
    }
}
