//! Alerts.

use crate::purge::{self, Purged};
use crate::row::Cursor;
use crate::{Row, StoreError, Tx, values};
use hub_domain::{Alert, AlertKind};
use postrider_model::{AlertId, DeviceId, PhoneId, ProjectId, UnixMs};

macro_rules! columns {
    () => {
        "id, project_id, phone_id, device_id, kind, detail, time_created, time_cleared"
    };
}

/// Raises an alert, unless one of its kind stands for the same phone and device.
///
/// Says whether it was raised.
pub fn raise(tx: &mut Tx<'_>, alert: &Alert) -> Result<bool, StoreError> {
    if standing(
        tx,
        alert.project_id,
        alert.phone_id,
        alert.device_id,
        alert.kind,
    )?
    .is_some()
    {
        return Ok(false);
    }
    tx.run(
        concat!(
            "INSERT INTO alerts (",
            columns!(),
            ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8)"
        ),
        &values![
            alert.id,
            alert.project_id,
            alert.phone_id,
            alert.device_id,
            alert.kind.code(),
            &alert.detail,
            alert.time_created,
            alert.time_cleared,
        ],
    )?;
    Ok(true)
}

/// Returns the alert of a kind that stands for a phone and device.
pub fn standing(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    phone_id: Option<PhoneId>,
    device_id: Option<DeviceId>,
    kind: AlertKind,
) -> Result<Option<Alert>, StoreError> {
    tx.query_one(
        concat!(
            "SELECT ",
            columns!(),
            " FROM alerts WHERE project_id = $1 AND kind = $2 AND time_cleared IS NULL \
             AND COALESCE(phone_id, -1) = $3 AND COALESCE(device_id, -1) = $4"
        ),
        &values![
            project_id,
            kind.code(),
            phone_id.map_or(-1, |id| id.get()),
            device_id.map_or(-1, |id| id.get()),
        ],
        read,
    )
}

/// Returns an alert.
pub fn get(tx: &mut Tx<'_>, id: AlertId) -> Result<Option<Alert>, StoreError> {
    tx.query_one(
        concat!("SELECT ", columns!(), " FROM alerts WHERE id = $1"),
        &values![id],
        read,
    )
}

/// Returns the alerts that stand about a device and its phones, oldest first.
///
/// The sum keeps it off the index that holds the ended ones too, for the sake of their order.
pub fn standing_of_device(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    device_id: DeviceId,
) -> Result<Vec<Alert>, StoreError> {
    tx.query(
        concat!(
            "SELECT ",
            columns!(),
            " FROM alerts WHERE project_id = $1 AND device_id = $2 AND time_cleared IS NULL \
             ORDER BY (id + 0)"
        ),
        &values![project_id, device_id],
        read,
    )
}

/// Says whether an alert of a kind was raised about a device at or after `since`, whether or not it
/// has ended.
pub fn raised_since(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    device_id: DeviceId,
    kind: AlertKind,
    since: UnixMs,
) -> Result<bool, StoreError> {
    let found = tx.query_one(
        "SELECT 1 FROM alerts WHERE project_id = $1 AND device_id = $2 AND kind = $3 \
         AND time_created >= $4 LIMIT 1",
        &values![project_id, device_id, kind.code(), since],
        |_| Ok(()),
    )?;
    Ok(found.is_some())
}

/// Clears the alert of a kind that stands for a phone and device; says whether there was one.
pub fn clear_kind(
    tx: &mut Tx<'_>,
    project_id: ProjectId,
    phone_id: Option<PhoneId>,
    device_id: Option<DeviceId>,
    kind: AlertKind,
    now: UnixMs,
) -> Result<bool, StoreError> {
    let Some(alert) = standing(tx, project_id, phone_id, device_id, kind)? else {
        return Ok(false);
    };
    clear(tx, alert.id, now)
}

/// Clears an alert by its id; says whether it stood.
pub fn clear(tx: &mut Tx<'_>, id: AlertId, now: UnixMs) -> Result<bool, StoreError> {
    let changed = tx.execute(
        "UPDATE alerts SET time_cleared = $2 WHERE id = $1 AND (time_cleared + 0) IS NULL",
        &values![id, now],
    )?;
    Ok(changed == 1)
}

/// Removes a project's alerts that ended before `before`, one step of it.
///
/// The last one that says that a device is offline stays while the device does: it would be raised
/// again otherwise ([`raised_since`]).
pub fn purge(tx: &mut Tx<'_>, project_id: ProjectId, before: UnixMs) -> Result<Purged, StoreError> {
    purge::step(tx, |tx, limit| {
        tx.execute(
            "DELETE FROM alerts WHERE id IN (SELECT id FROM alerts WHERE project_id = $1 \
             AND time_cleared IS NOT NULL AND time_cleared < $2 AND NOT (kind = $4 AND EXISTS \
             (SELECT 1 FROM devices WHERE devices.id = alerts.device_id AND alerts.time_created >= \
              COALESCE(devices.offline_since, devices.time_last_seen))) \
             ORDER BY time_cleared NULLS FIRST LIMIT $3)",
            &values![project_id, before, limit, AlertKind::PhoneOffline.code()],
        )
    })
}

/// Returns alerts, newest first; those that stand alone unless `cleared_too`.
pub fn latest(tx: &mut Tx<'_>, cleared_too: bool, limit: u32) -> Result<Vec<Alert>, StoreError> {
    tx.query(
        concat!(
            "SELECT ",
            columns!(),
            " FROM alerts WHERE time_cleared IS NULL OR $1 = 1 ORDER BY id DESC LIMIT $2"
        ),
        &values![cleared_too, limit],
        read,
    )
}

fn read(row: &Row<'_>) -> Result<Alert, StoreError> {
    let mut columns = Cursor::new(row);
    Ok(Alert {
        id: columns.id()?,
        project_id: columns.id()?,
        phone_id: columns.opt_id()?,
        device_id: columns.opt_id()?,
        kind: columns.coded(AlertKind::from_code)?,
        detail: columns.text()?,
        time_created: columns.time()?,
        time_cleared: columns.opt_time()?,
    })
}
