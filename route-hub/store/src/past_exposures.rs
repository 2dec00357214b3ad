//! Exposures that a newer one replaced: a late truth about one still counts.

use crate::row::Cursor;
use crate::{StoreError, Tx, values};
use postrider_model::{DeviceId, MessageId};

/// An exposure that was replaced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PastExposure {
    /// The message.
    pub message_id: MessageId,
    /// The number of the exposure.
    pub ep: u32,
    /// The device that held it.
    pub device_id: DeviceId,
    /// The installation that held it.
    pub install: String,
}

/// Keeps an exposure before a newer one replaces it; keeping it twice changes nothing.
pub fn insert(tx: &mut Tx<'_>, past: &PastExposure) -> Result<(), StoreError> {
    tx.run(
        "INSERT INTO past_exposures (message_id, ep, device_id, install) VALUES ($1, $2, $3, $4) \
         ON CONFLICT (message_id, ep) DO NOTHING",
        &values![past.message_id, past.ep, past.device_id, &past.install],
    )?;
    Ok(())
}

/// Returns one past exposure.
pub fn get(
    tx: &mut Tx<'_>,
    message_id: MessageId,
    ep: u32,
) -> Result<Option<PastExposure>, StoreError> {
    tx.query_one(
        "SELECT message_id, ep, device_id, install FROM past_exposures \
         WHERE message_id = $1 AND ep = $2",
        &values![message_id, ep],
        |row| {
            let mut columns = Cursor::new(row);
            Ok(PastExposure {
                message_id: columns.id()?,
                ep: columns.count()?,
                device_id: columns.id()?,
                install: columns.text()?,
            })
        },
    )
}

/// Says whether a device held any earlier exposure of a message.
pub fn any_of_device(
    tx: &mut Tx<'_>,
    message_id: MessageId,
    device_id: DeviceId,
) -> Result<bool, StoreError> {
    let found = tx.query_one(
        "SELECT 1 FROM past_exposures WHERE message_id = $1 AND device_id = $2 LIMIT 1",
        &values![message_id, device_id],
        |_| Ok(()),
    )?;
    Ok(found.is_some())
}
