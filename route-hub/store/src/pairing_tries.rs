//! Tries of pairing codes, by address.

use crate::{StoreError, Tx, values};
use postrider_model::UnixMs;

/// Most rows that go with one job.
const FORGOTTEN_MAX: i64 = 100;

/// The tries of an address since a moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tries {
    /// How many there were, with those whose code is still being looked at.
    pub tries: i64,
    /// When the first of them was.
    pub since: UnixMs,
}

/// Returns the tries of an address.
pub fn get(tx: &mut Tx<'_>, source: &str) -> Result<Option<Tries>, StoreError> {
    let found = "SELECT tries, time_began FROM pairing_tries WHERE source = $1";
    tx.query_one(found, &values![source], |row| {
        Ok(Tries {
            tries: row.int(0)?,
            since: UnixMs(row.int(1)?),
        })
    })
}

/// Stores the tries of an address.
pub fn put(tx: &mut Tx<'_>, source: &str, now: Tries) -> Result<(), StoreError> {
    tx.run(
        "INSERT INTO pairing_tries (source, tries, time_began) VALUES ($1, $2, $3) \
         ON CONFLICT (source) DO UPDATE SET tries = excluded.tries, time_began = excluded.time_began",
        &values![source, now.tries, now.since.0],
    )
}

/// Gives a try back, unless it was taken in another window.
pub fn give_back(tx: &mut Tx<'_>, source: &str, since: UnixMs) -> Result<(), StoreError> {
    tx.run(
        "UPDATE pairing_tries SET tries = tries - 1 \
         WHERE source = $1 AND time_began = $2 AND tries > 0",
        &values![source, since.0],
    )
}

/// Forgets some addresses whose window began before `before`, and those that are more than `most`, the
/// oldest first.
pub fn forget(tx: &mut Tx<'_>, before: UnixMs, most: i64) -> Result<(), StoreError> {
    tx.run(
        "DELETE FROM pairing_tries WHERE source IN (SELECT source FROM pairing_tries \
         WHERE time_began < $1 ORDER BY time_began LIMIT $2)",
        &values![before.0, FORGOTTEN_MAX],
    )?;
    tx.run(
        "DELETE FROM pairing_tries WHERE time_began < (SELECT time_began FROM pairing_tries \
         ORDER BY time_began DESC LIMIT 1 OFFSET $1)",
        &values![most - 1],
    )
}
