//! Alerts of the hub itself: behind the hub's gate.

use crate::purge::{self, Purged};
use crate::row::Cursor;
use crate::{Row, StoreError, Tx, values};
use hub_domain::{HubAlert, HubAlertKind};
use postrider_model::{AlertId, UnixMs};

macro_rules! columns {
    () => {
        "id, process, kind, detail, time_created, time_cleared"
    };
}

/// Raises an alert, unless one of its kind stands for the same process.
pub fn raise(tx: &mut Tx<'_>, alert: &HubAlert) -> Result<(), StoreError> {
    if stands(tx, alert.process, alert.kind)? {
        return Ok(());
    }
    tx.run(
        concat!(
            "INSERT INTO hub_alerts (",
            columns!(),
            ") VALUES ($1, $2, $3, $4, $5, $6)"
        ),
        &values![
            alert.id,
            i64::from(alert.process),
            alert.kind.code(),
            &alert.detail,
            alert.time_created,
            alert.time_cleared,
        ],
    )
}

fn stands(tx: &mut Tx<'_>, process: u8, kind: HubAlertKind) -> Result<bool, StoreError> {
    let found = tx.query_one(
        "SELECT 1 FROM hub_alerts WHERE process = $1 AND kind = $2 AND time_cleared IS NULL LIMIT 1",
        &values![i64::from(process), kind.code()],
        |_| Ok(()),
    )?;
    Ok(found.is_some())
}

/// Ends the alert of a kind that stands for a process, if there is one.
pub fn clear_kind(
    tx: &mut Tx<'_>,
    process: u8,
    kind: HubAlertKind,
    now: UnixMs,
) -> Result<(), StoreError> {
    tx.run(
        "UPDATE hub_alerts SET time_cleared = $3 \
         WHERE process = $1 AND kind = $2 AND time_cleared IS NULL",
        &values![i64::from(process), kind.code(), now],
    )
}

/// Ends an alert by its id; says whether it stood.
pub fn clear(tx: &mut Tx<'_>, id: AlertId, now: UnixMs) -> Result<bool, StoreError> {
    let changed = tx.execute(
        "UPDATE hub_alerts SET time_cleared = $2 WHERE id = $1 AND time_cleared IS NULL",
        &values![id, now],
    )?;
    Ok(changed == 1)
}

/// Ends the alerts of a process that has ended, and of any other that does not live.
pub fn process_ended(tx: &mut Tx<'_>, process: u8, now: UnixMs) -> Result<(), StoreError> {
    tx.run(
        "UPDATE hub_alerts SET time_cleared = $2 WHERE time_cleared IS NULL AND (process = $1 \
         OR NOT EXISTS (SELECT 1 FROM processes WHERE number = hub_alerts.process AND ended = 0))",
        &values![i64::from(process), now],
    )
}

/// Removes the alerts that ended before `before`, one step of it.
pub fn purge(tx: &mut Tx<'_>, before: UnixMs) -> Result<Purged, StoreError> {
    purge::step(tx, |tx, limit| {
        tx.execute(
            "DELETE FROM hub_alerts WHERE id IN \
             (SELECT id FROM hub_alerts WHERE time_cleared < $1 ORDER BY id LIMIT $2)",
            &values![before, limit],
        )
    })
}

/// Returns alerts, newest first; those that stand alone unless `cleared_too`.
pub fn latest(tx: &mut Tx<'_>, cleared_too: bool, limit: u32) -> Result<Vec<HubAlert>, StoreError> {
    tx.query(
        concat!(
            "SELECT ",
            columns!(),
            " FROM hub_alerts WHERE time_cleared IS NULL OR $1 = 1 ORDER BY id DESC LIMIT $2"
        ),
        &values![cleared_too, limit],
        read,
    )
}

fn read(row: &Row<'_>) -> Result<HubAlert, StoreError> {
    let mut columns = Cursor::new(row);
    Ok(HubAlert {
        id: columns.id()?,
        process: columns.count()?,
        kind: columns.coded(HubAlertKind::from_code)?,
        detail: columns.text()?,
        time_created: columns.time()?,
        time_cleared: columns.opt_time()?,
    })
}
