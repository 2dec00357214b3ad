//! How far each device's incoming messages are counted: after a change of generation a phone
//! uploads again what it still holds.

use crate::{StoreError, Tx, values};
use postrider_model::{DeviceId, UnixMs};

/// Most installations of one device that are known, however old: a journal that was set aside may
/// come late, and no device has been wiped so often.
pub const INSTALLS_MAX: u32 = 100;

/// Counts the incoming message `n` of an installation; `false` when it was counted before.
///
/// A phone numbers them upwards and uploads them in that order.
pub fn count(
    tx: &mut Tx<'_>,
    device_id: DeviceId,
    install: &str,
    n: u64,
    now: UnixMs,
) -> Result<bool, StoreError> {
    let known = tx.query_one(
        "SELECT n FROM inbound_counted WHERE device_id = $1 AND install = $2",
        &values![device_id, install],
        |row| row.int(0),
    )?;
    let counted = tx.execute(
        "INSERT INTO inbound_counted (device_id, install, n, time) VALUES ($1, $2, $3, $4) \
         ON CONFLICT (device_id, install) DO UPDATE SET n = excluded.n, time = excluded.time \
         WHERE inbound_counted.n < excluded.n",
        &values![device_id, install, n, now],
    )?;
    if known.is_none() {
        forget_oldest(tx, device_id)?;
    }
    Ok(counted == 1)
}

/// Keeps the [`INSTALLS_MAX`] installations of a device that counted last.
fn forget_oldest(tx: &mut Tx<'_>, device_id: DeviceId) -> Result<(), StoreError> {
    tx.run(
        "DELETE FROM inbound_counted WHERE device_id = $1 AND install IN \
         (SELECT install FROM inbound_counted WHERE device_id = $1 \
          ORDER BY time DESC, install LIMIT $2 OFFSET $3)",
        &values![device_id, INSTALLS_MAX, INSTALLS_MAX],
    )?;
    Ok(())
}
