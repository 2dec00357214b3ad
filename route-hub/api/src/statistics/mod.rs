//! Statistics of messages, contacts, rows and airtime, by intervals of days.

mod airtime;
mod contacts;
mod data_tables;
mod groups;
mod messages;
mod series;

pub use airtime::AIRTIME_STATS;
pub use contacts::CONTACT_STATS;
pub use data_tables::DATA_TABLE_STATS;
pub use messages::{MESSAGE_STATS, MESSAGE_STATS_OF_ORGANIZATION};

use hub_app::statistics::Asked;
use hub_domain::{Day, Interval, Rollup};
use hub_web::{ApiError, Field, Kind, Member, Params};
use postrider_model::UnixMs;
use serde_json::{Map, Value, json};

const START_DATE: Member = Member::new("start_date", Kind::Date, "The first day.").required();
const END_DATE: Member = Member::new("end_date", Kind::Date, "The last day.").required();

/// The bounds of an interval, as it is shown.
const BOUNDS: [Member; 4] = [
    Member::new("start_time", Kind::Time, "When it begins."),
    Member::new("end_time", Kind::Time, "When it is over."),
    Member::new("start_date", Kind::Date, "Its first day."),
    Member::new("end_date", Kind::Date, "Its last day."),
];

/// Reads which days are asked for, and how they are put together.
fn asked(params: &Params) -> Result<Asked, ApiError> {
    Ok(Asked {
        days: Interval {
            first: day(&params.get("start_date"))?,
            last: day(&params.get("end_date"))?,
        },
        rollup: params.get("rollup").named()?.unwrap_or(Rollup::Day),
    })
}

fn day(field: &Field<'_>) -> Result<Day, ApiError> {
    let read = field.required_string()?.parse();
    read.map_err(|invalid| field.refuse(invalid))
}

/// Reads a list that is separated by commas.
fn listed<T>(
    field: &Field<'_>,
    read: impl Fn(&str) -> Result<T, ApiError>,
) -> Result<Vec<T>, ApiError> {
    let text = field.string()?.unwrap_or_default();
    let items = text
        .split(',')
        .map(str::trim)
        .filter(|item| !item.is_empty());
    items.map(read).collect()
}

/// Shows the bounds of an interval.
fn bounds(interval: Interval, start: UnixMs, end: UnixMs) -> Map<String, Value> {
    let mut shown = Map::new();
    shown.insert("start_time".to_owned(), json!(start.seconds()));
    shown.insert("end_time".to_owned(), json!(end.seconds()));
    shown.insert("start_date".to_owned(), json!(interval.first.to_string()));
    shown.insert("end_date".to_owned(), json!(interval.last.to_string()));
    shown
}
