//! Answers kept for repeats of a request.

use crate::purge::{self, Purged};
use crate::row::Cursor;
use crate::{StoreError, Tx, values};
use postrider_model::{ProjectId, UnixMs};

/// How long an answer is kept: 30 days.
pub const KEPT_MS: i64 = 30 * 86_400_000;

/// A kept answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptAnswer {
    /// The hash of the body that was answered.
    pub body_hash: String,
    /// The answer.
    pub answer: String,
}

/// Returns the answer to an earlier request with this key.
pub fn get(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    key: &str,
) -> Result<Option<KeptAnswer>, StoreError> {
    tx.query_one(
        "SELECT body_hash, answer FROM idempotency WHERE project_id = $1 AND idem_key = $2",
        &values![project_id, key],
        |row| {
            let mut columns = Cursor::new(row);
            Ok(KeptAnswer {
                body_hash: columns.text()?,
                answer: columns.text()?,
            })
        },
    )
}

/// Keeps an answer, in the transaction of what it tells.
///
/// # Errors
/// [`StoreError::Conflict`] when the key has one.
pub fn put(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    key: &str,
    kept: &KeptAnswer,
    now: UnixMs,
) -> Result<(), StoreError> {
    tx.run(
        "INSERT INTO idempotency (project_id, idem_key, body_hash, answer, time_created) \
         VALUES ($1, $2, $3, $4, $5)",
        &values![project_id, key, &kept.body_hash, &kept.answer, now],
    )?;
    Ok(())
}

/// Removes answers older than [`KEPT_MS`], one step of them.
pub fn purge(tx: &mut Tx<'_>, now: UnixMs) -> Result<Purged, StoreError> {
    purge::step(tx, |tx, limit| {
        tx.execute(
            "DELETE FROM idempotency WHERE (project_id, idem_key) IN (SELECT project_id, \
             idem_key FROM idempotency WHERE time_created < $1 ORDER BY time_created LIMIT $2)",
            &values![now.plus_ms(-KEPT_MS), limit],
        )
    })
}
