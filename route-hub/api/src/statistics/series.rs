//! Statistics of several series: what they take, and how they are shown.

use crate::messages::COUNT;
use crate::statistics::{BOUNDS, bounds, listed};
use hub_app::statistics::IntervalValues;
use hub_web::{ApiError, Field, Kind, Member};
use serde_json::{Map, Value, json};

/// Most series of one answer.
const SERIES_MAX: usize = 10;

pub(super) const ROLLUP: Member = Member::new(
    "rollup",
    Kind::Word(&["day", "week", "month", "year"]),
    "How days are put together.",
)
.or("\"day\"");
pub(super) const CUMULATIVE: Member = Member::new(
    "cumulative",
    Kind::Boolean,
    "Whether an interval counts what came before it, too.",
)
.or("true");

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
    Member::new("values", Kind::Map(&COUNT), "How many, by series."),
];

/// Reads the names of series, at most ten.
pub(super) fn read<S>(
    field: &Field<'_>,
    read: impl Fn(&str) -> Result<S, ApiError>,
) -> Result<Vec<S>, ApiError> {
    let series = listed(field, read)?;
    if series.len() > SERIES_MAX {
        return Err(field.refuse(format_args!("must have at most {SERIES_MAX} items")));
    }
    Ok(series)
}

/// Shows the intervals with the values of each series by its name.
pub(super) fn shown(names: &[String], counted: Vec<IntervalValues>) -> Value {
    let intervals = counted.into_iter().map(|interval| {
        let mut shown = bounds(interval.interval, interval.start, interval.end);
        let values = names.iter().cloned();
        let values = values.zip(interval.values.into_iter().map(Value::from));
        shown.insert("values".to_owned(), values.collect::<Map<_, _>>().into());
        Value::Object(shown)
    });
    json!({ "intervals": intervals.collect::<Vec<_>>() })
}
