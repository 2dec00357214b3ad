//! How far each device's incoming messages are counted: after a change of generation a phone
//! uploads again what it still holds.

use crate::{StoreError, Tx, values};
use postrider_model::DeviceId;

/// Counts the incoming message `n` of an installation; `false` when it was counted before.
///
/// A phone numbers them upwards and uploads them in that order.
///
/// # Errors
/// What the database says.
pub fn count(
    tx: &mut Tx<'_>,
    device_id: DeviceId,
    install: &str,
    n: u64,
) -> Result<bool, StoreError> {
    let counted = tx.execute(
        "INSERT INTO inbound_counted (device_id, install, n) VALUES ($1, $2, $3) \
         ON CONFLICT (device_id, install) DO UPDATE SET n = excluded.n \
         WHERE inbound_counted.n < excluded.n",
        &values![device_id, install, n],
    )?;
    Ok(counted == 1)
}
