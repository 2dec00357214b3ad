//! Installations whose place another one took: none of them is believed again.
//!
//! What such a one held is called unknown, and what came in there is counted under its name. Should
//! a journal of that name come back, it is an older copy: that it lacks a message proves nothing,
//! and its incoming messages would seem to be counted already.
//!
//! The key that the device had then is kept with it. With it a phone that was replaced can still
//! show who it was, and is told that it is out of service. Without it a phone only hears that the
//! hub does not know it.

use crate::row::Cursor;
use crate::{StoreError, Tx, values};
use hub_domain::Device;
use postrider_model::{DeviceId, UnixMs};

/// Most lost installations that are remembered of one device, however old: a journal that was set
/// aside may come late, and no device has been wiped so often.
const LOST_MAX: u32 = 100;

/// The key that a device had while an installation was its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FormerKey {
    /// The kind of key.
    pub algorithm: String,
    /// The key in base64.
    pub public: String,
}

/// Remembers that an installation of a device was replaced, with the key that the device has had
/// until now, and forgets the oldest of too many.
pub fn insert(
    tx: &mut Tx<'_>,
    device: &Device,
    install: &str,
    now: UnixMs,
) -> Result<(), StoreError> {
    tx.run(
        "INSERT INTO lost_installs (device_id, install, key_algorithm, public_key, time_lost) \
         VALUES ($1, $2, $3, $4, $5) ON CONFLICT (device_id, install) DO UPDATE SET \
         key_algorithm = excluded.key_algorithm, public_key = excluded.public_key, \
         time_lost = excluded.time_lost",
        &values![
            device.id,
            install,
            &device.key_algorithm,
            &device.public_key,
            now
        ],
    )?;
    // Those of an earlier version may have no moment, and are the oldest.
    tx.execute(
        "DELETE FROM lost_installs WHERE device_id = $1 AND install NOT IN (SELECT install \
         FROM lost_installs WHERE device_id = $1 ORDER BY COALESCE(time_lost, 0) DESC LIMIT $2)",
        &values![device.id, LOST_MAX],
    )?;
    Ok(())
}

/// Says whether a device's installation was replaced before.
pub fn is_lost(tx: &mut Tx<'_>, device: DeviceId, install: &str) -> Result<bool, StoreError> {
    let found = tx.query_one(
        "SELECT 1 FROM lost_installs WHERE device_id = $1 AND install = $2",
        &values![device, install],
        |_| Ok(()),
    )?;
    Ok(found.is_some())
}

/// Returns the key of an installation that was replaced; `None` for others, and for those that
/// were replaced before keys were kept.
pub fn former_key(
    tx: &mut Tx<'_>,
    device: DeviceId,
    install: &str,
) -> Result<Option<FormerKey>, StoreError> {
    let found = tx.query_one(
        "SELECT key_algorithm, public_key FROM lost_installs WHERE device_id = $1 AND install = $2",
        &values![device, install],
        |row| {
            let mut columns = Cursor::new(row);
            Ok((columns.opt_text()?, columns.opt_text()?))
        },
    )?;
    Ok(found.and_then(|(algorithm, public)| {
        Some(FormerKey {
            algorithm: algorithm?,
            public: public?,
        })
    }))
}
