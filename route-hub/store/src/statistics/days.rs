//! Days whose counters are added up, so that a year is read as 365 days and not as 35,000 quarter
//! hours.
//!
//! A day is any span of quarter hours: where it begins is up to the zone of whoever reads. It is added
//! up in steps. What is counted later of the quarters that are done goes to the sums in the same
//! transaction, so they are always what the counters come to.

use crate::row::Cursor;
use crate::{StoreError, Tx, values};
use hub_domain::Quarter;
use postrider_model::ProjectId;

/// Quarter hours, from the first until before the last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Span {
    /// The first.
    pub first: Quarter,
    /// The one after the last.
    pub until: Quarter,
}

/// Returns the spans within a span that are added up, in their order.
pub fn added_up(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    within: Span,
) -> Result<Vec<Span>, StoreError> {
    tx.query(
        "SELECT first, until FROM message_days \
         WHERE project_id = $1 AND first >= $2 AND first < $3 AND until <= $3 AND done = until \
         ORDER BY first, until",
        &values![project_id, within.first.0, within.until.0],
        |row| {
            let mut columns = Cursor::new(row);
            let [first, until] = [columns.int()?, columns.int()?].map(Quarter);
            Ok(Span { first, until })
        },
    )
}

/// Returns the first quarter hour in which something of a project was counted.
pub fn first_counted(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
) -> Result<Option<Quarter>, StoreError> {
    tx.query_one(
        "SELECT quarter FROM message_counts WHERE project_id = $1 ORDER BY quarter LIMIT 1",
        &values![project_id],
        |row| row.int(0).map(Quarter),
    )
}

/// Adds the next `quarters` of a day to its sums, and says whether there are more.
pub fn add_up(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    day: Span,
    quarters: u32,
) -> Result<bool, StoreError> {
    let (first, until) = (day.first.0, day.until.0);
    let done = tx.query_one(
        "SELECT done FROM message_days WHERE project_id = $1 AND first = $2 AND until = $3",
        &values![project_id, first, until],
        |row| row.int(0),
    )?;
    let done = done.unwrap_or(first);
    let end = until.min(done.saturating_add(quarters.into()));
    tx.run(
        "INSERT INTO message_day_sums (project_id, first, until, phone_id, direction, message_type, \
         source, status, simulated, network_code, currency, messages, num_parts, duration_sec, \
         price, part) SELECT project_id, CAST($2 AS BIGINT), CAST($3 AS BIGINT), phone_id, direction, \
         message_type, source, status, simulated, network_code, currency, \
         CAST(sum(messages) AS BIGINT), CAST(sum(num_parts) AS BIGINT), \
         CAST(sum(duration_sec) AS BIGINT), CAST(sum(price) AS BIGINT), 0 FROM message_counts \
         WHERE project_id = $1 AND quarter >= $4 AND quarter < $5 \
         GROUP BY project_id, phone_id, direction, message_type, source, status, simulated, \
         network_code, currency \
         ON CONFLICT (project_id, first, until, phone_id, direction, message_type, source, status, \
         simulated, network_code, currency, part) DO UPDATE SET \
         messages = message_day_sums.messages + excluded.messages, \
         num_parts = message_day_sums.num_parts + excluded.num_parts, \
         duration_sec = message_day_sums.duration_sec + excluded.duration_sec, \
         price = message_day_sums.price + excluded.price",
        &values![project_id, first, until, done, end],
    )?;
    tx.run(
        "INSERT INTO message_days (project_id, first, until, done) VALUES ($1, $2, $3, $4) \
         ON CONFLICT (project_id, first, until) DO UPDATE SET done = excluded.done",
        &values![project_id, first, until, end],
    )?;
    Ok(end < until)
}
