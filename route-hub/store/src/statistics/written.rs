//! Writing what the jobs of a commit group count.

use crate::counts::Counts;
use crate::parts::Parts;
use crate::{StoreError, Tx, Value, values};
use hub_domain::{Amounts, CountedBy, Currency, status_code};

impl Counts {
    /// Writes each counter once, and nothing where minus and plus are the same.
    pub(crate) fn write(self, tx: &mut Tx<'_>, parts: &mut Parts) -> Result<(), StoreError> {
        let mut parts = parts.of_group();
        self.uses.write(tx, &mut parts)?;
        for (by, amounts) in self.messages.iter().filter(is_something) {
            let values = row(by, *amounts, parts.of(by.project_id));
            add_to_counter(tx, &values)?;
            add_to_days(tx, &values)?;
        }
        for ((link, by), amounts) in self.links.iter().filter(is_something) {
            let part = parts.of(by.project_id);
            let values = [&row(by, *amounts, part)[..], &[Value::from(link.code())]].concat();
            add_to_links(tx, &values)?;
        }
        Ok(())
    }
}

fn is_something<K>((_, amounts): &(K, &Amounts)) -> bool {
    !amounts.is_nothing()
}

fn row<'v>(by: &'v CountedBy, amounts: Amounts, part: i64) -> [Value<'v>; 15] {
    values![
        by.project_id,
        by.quarter.0,
        by.phone_id,
        by.direction.code(),
        by.message_type.code(),
        by.source.code(),
        status_code(by.status),
        by.simulated,
        by.network_code.as_deref().unwrap_or_default(),
        by.currency.as_ref().map_or("", Currency::as_str),
        amounts.count,
        amounts.num_parts,
        amounts.duration_sec,
        amounts.price,
        part,
    ]
}

fn add_to_counter(tx: &mut Tx<'_>, values: &[Value<'_>]) -> Result<(), StoreError> {
    tx.run(
        "INSERT INTO message_counts (project_id, quarter, phone_id, direction, message_type, source, \
         status, simulated, network_code, currency, messages, num_parts, duration_sec, price, part) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15) \
         ON CONFLICT (project_id, quarter, phone_id, direction, message_type, source, status, \
         simulated, network_code, currency, part) DO UPDATE SET \
         messages = message_counts.messages + excluded.messages, \
         num_parts = message_counts.num_parts + excluded.num_parts, \
         duration_sec = message_counts.duration_sec + excluded.duration_sec, \
         price = message_counts.price + excluded.price",
        values,
    )
}

/// As [`add_to_counter`], with the link as the last value.
fn add_to_links(tx: &mut Tx<'_>, values: &[Value<'_>]) -> Result<(), StoreError> {
    tx.run(
        "INSERT INTO link_counts (project_id, quarter, phone_id, direction, message_type, source, \
         status, simulated, network_code, currency, messages, num_parts, duration_sec, price, part, \
         link) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16) \
         ON CONFLICT (project_id, quarter, link, phone_id, direction, message_type, source, status, \
         simulated, network_code, currency, part) DO UPDATE SET \
         messages = link_counts.messages + excluded.messages, \
         num_parts = link_counts.num_parts + excluded.num_parts, \
         duration_sec = link_counts.duration_sec + excluded.duration_sec, \
         price = link_counts.price + excluded.price",
        values,
    )
}

/// Adds to the days that hold the quarter hour, as far as they are added up. No day is longer than 26
/// hours, 104 quarters.
fn add_to_days(tx: &mut Tx<'_>, values: &[Value<'_>]) -> Result<(), StoreError> {
    tx.run(
        "INSERT INTO message_day_sums (project_id, first, until, phone_id, direction, message_type, \
         source, status, simulated, network_code, currency, messages, num_parts, duration_sec, \
         price, part) SELECT project_id, first, until, CAST($3 AS BIGINT), CAST($4 AS BIGINT), \
         CAST($5 AS BIGINT), CAST($6 AS BIGINT), CAST($7 AS BIGINT), CAST($8 AS BIGINT), \
         CAST($9 AS TEXT), CAST($10 AS TEXT), CAST($11 AS BIGINT), CAST($12 AS BIGINT), \
         CAST($13 AS BIGINT), CAST($14 AS BIGINT), CAST($15 AS BIGINT) FROM message_days \
         WHERE project_id = $1 AND first <= $2 AND first > $2 - 104 AND done > $2 \
         ON CONFLICT (project_id, first, until, phone_id, direction, message_type, source, status, \
         simulated, network_code, currency, part) DO UPDATE SET \
         messages = message_day_sums.messages + excluded.messages, \
         num_parts = message_day_sums.num_parts + excluded.num_parts, \
         duration_sec = message_day_sums.duration_sec + excluded.duration_sec, \
         price = message_day_sums.price + excluded.price",
        values,
    )
}
