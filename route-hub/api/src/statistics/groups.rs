//! Statistics by groups: how they are put together, and how they are shown.

use crate::statistics::{BOUNDS, bounds};
use hub_app::statistics::{Cell, IntervalGroups, Sum, Sums};
use hub_domain::{Metric, Rollup};
use hub_web::{Kind, Member};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::Value;

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

/// Shows the intervals with their groups, which are written one after the other: there may be
/// thousands.
pub(super) fn shown(
    properties: &[&'static str],
    metrics: &[Metric],
    counted: Vec<IntervalGroups>,
) -> impl Serialize + use<> {
    let properties = properties.iter().copied().zip(0..);
    let metrics = metrics.iter().map(|metric| (metric.to_string(), *metric));
    Intervals {
        names: Names {
            properties: once(properties),
            metrics: once(metrics),
        },
        counted,
    }
}

/// What groups have, each once, however often it was asked for.
struct Names {
    /// With the place of each in a group's cells.
    properties: Vec<(&'static str, usize)>,
    metrics: Vec<(String, Metric)>,
}

fn once<N: PartialEq, T>(all: impl Iterator<Item = (N, T)>) -> Vec<(N, T)> {
    let mut once: Vec<(N, T)> = Vec::new();
    for one in all {
        if once.iter().all(|(name, _)| *name != one.0) {
            once.push(one);
        }
    }
    once
}

struct Intervals {
    names: Names,
    counted: Vec<IntervalGroups>,
}

impl Serialize for Intervals {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let intervals = self.counted.iter();
        let intervals = intervals.map(|counted| Interval(&self.names, counted));
        serializer.collect_map([("intervals", Each(intervals))])
    }
}

struct Interval<'g>(&'g Names, &'g IntervalGroups);

impl Serialize for Interval<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(names, counted) = self;
        let mut shown = serializer.serialize_map(None)?;
        for (name, bound) in bounds(counted.interval, counted.start, counted.end) {
            shown.serialize_entry(&name, &bound)?;
        }
        let groups = counted.groups.iter();
        let groups = groups.map(|(cells, sums)| Group {
            properties: Properties(names, cells),
            metrics: Metrics(names, sums),
        });
        shown.serialize_entry("groups", &Each(groups))?;
        shown.end()
    }
}

/// An array of what an iterator gives.
struct Each<I>(I);

impl<I: Iterator<Item: Serialize> + Clone> Serialize for Each<I> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.clone())
    }
}

#[derive(Serialize)]
struct Group<'g> {
    properties: Properties<'g>,
    metrics: Metrics<'g>,
}

struct Properties<'g>(&'g Names, &'g [Cell]);

impl Serialize for Properties<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(names, cells) = self;
        let properties = names.properties.iter();
        serializer.collect_map(properties.map(|(name, at)| (name, Shown(&cells[*at]))))
    }
}

struct Metrics<'g>(&'g Names, &'g Sums);

impl Serialize for Metrics<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(names, sums) = self;
        let metrics = names.metrics.iter();
        serializer.collect_map(metrics.map(|(name, metric)| (name, number(sums.of(*metric)))))
    }
}

fn number(sum: Sum) -> Value {
    match sum {
        Sum::Whole(count) => Value::from(count),
        Sum::Money(amount) => Value::from(amount.to_f64()),
    }
}

struct Shown<'g>(&'g Cell);

impl Serialize for Shown<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Cell::Nothing => serializer.serialize_none(),
            Cell::Word(word) => serializer.serialize_str(word),
            Cell::Text(text) => serializer.serialize_str(text),
            Cell::Flag(flag) => serializer.serialize_bool(*flag),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hub_domain::{Amounts, Day};
    use postrider_model::UnixMs;

    #[test]
    fn what_is_asked_for_twice_is_shown_once() {
        let day: Day = "2026-01-01".parse().unwrap();
        let cells = vec![
            Cell::Text("a\"b".into()),
            Cell::Flag(true),
            Cell::Text("a\"b".into()),
        ];
        let amounts = Amounts {
            count: 3,
            num_parts: 4,
            ..Amounts::default()
        };
        let counted = IntervalGroups {
            interval: hub_domain::Interval {
                first: day,
                last: day,
            },
            start: UnixMs(1_000),
            end: UnixMs(2_000),
            groups: vec![(cells, Sums::from(amounts))],
        };
        let properties = ["phone_name", "simulated", "phone_name"];
        let metrics = ["num_parts", "count", "num_parts"].map(|name| name.parse().unwrap());
        let text = serde_json::to_string(&shown(&properties, &metrics, vec![counted])).unwrap();
        assert_eq!(
            text,
            r#"{"intervals":[{"start_time":1,"end_time":2,"start_date":"2026-01-01","#.to_owned()
                + r#""end_date":"2026-01-01","groups":[{"properties":{"phone_name":"a\"b","#
                + r#""simulated":true},"metrics":{"num_parts":4,"count":3}}]}]}"#
        );
    }
}
