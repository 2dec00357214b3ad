//! Statistics by groups: how they are put together, and how they are shown.

use crate::statistics::{BOUNDS, bounds};
use hub_app::statistics::{Cell, IntervalGroups, Sum};
use hub_domain::{Metric, Rollup};
use hub_web::{Kind, Member};
use serde_json::{Map, Value, json};

pub(super) const ROLLUP: Member = Member::new(
    "rollup",
    Kind::Word(Rollup::NAMES),
    "How days are put together.",
)
.or("\"day\"");

/// The members of the answer.
pub(super) const MEMBERS: &[Member] = &[Member::new(
    "intervals",
    Kind::Array(&Kind::Object(INTERVAL), usize::MAX),
    "The intervals.",
)];
const INTERVAL: &[Member] = &[
    BOUNDS[0],
    BOUNDS[1],
    BOUNDS[2],
    BOUNDS[3],
    Member::new(
        "groups",
        Kind::Array(&Kind::Object(GROUP), usize::MAX),
        "The groups.",
    ),
];
const GROUP: &[Member] = &[
    Member::new(
        "properties",
        Kind::Map(&Kind::Any),
        "What is common to all that it counts.",
    ),
    Member::new("metrics", Kind::Map(&Kind::Number), "What it adds up to."),
];

/// Shows the intervals with their groups.
pub(super) fn shown(
    properties: &[&str],
    metrics: &[Metric],
    counted: Vec<IntervalGroups>,
) -> Value {
    let intervals = counted.into_iter().map(|interval| {
        let mut shown = bounds(interval.interval, interval.start, interval.end);
        let groups = interval.groups.into_iter().map(|(cells, sums)| {
            let names = properties.iter().map(|name| (*name).to_owned());
            let properties = names.zip(cells.iter().map(value));
            let metrics = metrics.iter();
            let metrics = metrics.map(|metric| (metric.to_string(), number(sums.of(*metric))));
            json!({
                "properties": properties.collect::<Map<_, _>>(),
                "metrics": metrics.collect::<Map<_, _>>(),
            })
        });
        shown.insert("groups".to_owned(), groups.collect());
        Value::Object(shown)
    });
    json!({ "intervals": intervals.collect::<Vec<_>>() })
}

fn number(sum: Sum) -> Value {
    match sum {
        Sum::Whole(count) => Value::from(count),
        Sum::Money(amount) => Value::from(amount.to_f64()),
    }
}

fn value(cell: &Cell) -> Value {
    match cell {
        Cell::Nothing => Value::Null,
        Cell::Word(word) => Value::from(*word),
        Cell::Text(text) => Value::from(&**text),
        Cell::Flag(flag) => Value::from(*flag),
    }
}
