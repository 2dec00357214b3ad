//! Well-formed facts of phones that could not be applied.

use crate::purge::{self, Purged};
use crate::row::Cursor;
use crate::{StoreError, Tx, values};
use postrider_model::{DeviceId, ProjectId, UnixMs};

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

/// Most facts that are kept of one device; of more the oldest are counted and dropped.
pub const KEPT_MAX: u32 = 1_000;
/// Most facts that are dropped in one go: a device that had more from before comes down to
/// [`KEPT_MAX`] little by little.
const DROPPED_AT_ONCE_MAX: u32 = 10;

/// Stores a fact aside, in place of its device's oldest where there are [`KEPT_MAX`] of them.
pub fn insert(tx: &mut Tx<'_>, fact: &FactAside) -> Result<(), StoreError> {
    tx.run(
        "INSERT INTO facts_aside (project_id, device_id, s, frame, reason, time) \
         VALUES (COALESCE((SELECT project_id FROM devices WHERE id = $1), 0), $1, $2, $3, $4, $5)",
        &values![fact.device_id, fact.s, &fact.frame, &fact.reason, fact.time],
    )?;
    let kept = tx.query_one(
        "INSERT INTO facts_aside_counts (device_id, kept, dropped) VALUES ($1, 1, 0) \
         ON CONFLICT (device_id) DO UPDATE SET kept = facts_aside_counts.kept + 1 RETURNING kept",
        &values![fact.device_id],
        |row| Cursor::new(row).count(),
    )?;
    match kept.unwrap_or(0_u32).saturating_sub(KEPT_MAX) {
        0 => Ok(()),
        over => drop_oldest(tx, fact.device_id, over.min(DROPPED_AT_ONCE_MAX)),
    }
}

fn drop_oldest(tx: &mut Tx<'_>, device_id: DeviceId, count: u32) -> Result<(), StoreError> {
    let oldest = tx.query(
        "SELECT time, s FROM facts_aside WHERE device_id = $1 ORDER BY time, s LIMIT $2",
        &values![device_id, count],
        |row| Ok((row.int(0)?, row.int(1)?)),
    )?;
    let mut dropped = 0_usize;
    for (time, s) in oldest {
        dropped += tx.execute(
            "DELETE FROM facts_aside WHERE device_id = $1 AND time = $2 AND s = $3",
            &values![device_id, time, s],
        )?;
    }
    tx.run(
        "UPDATE facts_aside_counts SET kept = kept - $2, dropped = dropped + $2 \
         WHERE device_id = $1",
        &values![device_id, dropped as u64],
    )?;
    Ok(())
}

/// Returns how many facts were dropped to make room for newer ones, of all devices.
pub fn dropped(tx: &mut Tx<'_>) -> Result<u64, StoreError> {
    let sql = "SELECT CAST(COALESCE(sum(dropped), 0) AS BIGINT) FROM facts_aside_counts";
    let dropped = tx.query_one(sql, &[], |row| Cursor::new(row).count())?;
    Ok(dropped.unwrap_or(0))
}

/// Removes a project's facts that were stored aside before `before`, one step of it.
pub fn purge(tx: &mut Tx<'_>, project_id: ProjectId, before: UnixMs) -> Result<Purged, StoreError> {
    purge::step(tx, |tx, limit| {
        let old = tx.query(
            "SELECT device_id, time, s FROM facts_aside WHERE project_id = $1 AND time < $2 \
             ORDER BY time LIMIT $3",
            &values![project_id, before, limit],
            |row| Ok((row.int(0)?, row.int(1)?, row.int(2)?)),
        )?;
        let mut gone = 0;
        for (device_id, time, s) in old {
            let removed = tx.execute(
                "DELETE FROM facts_aside WHERE device_id = $1 AND time = $2 AND s = $3",
                &values![device_id, time, s],
            )?;
            tx.run(
                "UPDATE facts_aside_counts SET kept = kept - $2 WHERE device_id = $1",
                &values![device_id, removed as u64],
            )?;
            gone += removed;
        }
        Ok(gone)
    })
}

/// Returns every fact that was stored aside, oldest first.
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
