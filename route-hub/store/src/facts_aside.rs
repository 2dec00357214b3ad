//! Well-formed facts of phones that could not be applied.

use crate::purge::{self, Purged};
use crate::row::Cursor;
use crate::{StoreError, Tx, values};
use postrider_model::{DeviceId, UnixMs};

/// A fact that was stored aside, counted and acked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FactAside {
    /// The device that reported it.
    pub device_id: DeviceId,
    /// Its number on the link.
    pub s: u64,
    /// The frame, as JSON.
    pub frame: String,
    /// Why it could not be applied.
    pub reason: String,
    /// When it came.
    pub time: UnixMs,
}

/// Stores a fact aside.
///
/// # Errors
/// What the database says.
pub fn insert(tx: &mut Tx<'_>, fact: &FactAside) -> Result<(), StoreError> {
    tx.execute(
        "INSERT INTO facts_aside (device_id, s, frame, reason, time) VALUES ($1, $2, $3, $4, $5)",
        &values![fact.device_id, fact.s, &fact.frame, &fact.reason, fact.time],
    )?;
    Ok(())
}

/// Removes what was stored aside before `before`, one step of it.
///
/// # Errors
/// What the database says.
pub fn purge(tx: &mut Tx<'_>, before: UnixMs) -> Result<Purged, StoreError> {
    purge::step(tx, |tx, limit| {
        tx.execute(
            "DELETE FROM facts_aside WHERE (time, device_id, s) IN (SELECT time, device_id, s \
             FROM facts_aside WHERE time < $1 ORDER BY time LIMIT $2)",
            &values![before, limit],
        )
    })
}

/// Returns every fact that was stored aside, oldest first.
///
/// # Errors
/// What the database says.
pub fn all(tx: &mut Tx<'_>) -> Result<Vec<FactAside>, StoreError> {
    tx.query(
        "SELECT device_id, s, frame, reason, time FROM facts_aside ORDER BY time, device_id, s",
        &[],
        |row| {
            let mut columns = Cursor::new(row);
            Ok(FactAside {
                device_id: columns.id()?,
                s: columns.count()?,
                frame: columns.text()?,
                reason: columns.text()?,
                time: columns.time()?,
            })
        },
    )
}
