//! Where messages go once the phone that holds them gives them back.

use crate::{StoreError, Tx, values};
use postrider_model::{MessageId, PhoneId};

/// Keeps the phone that a message shall go to, in place of an earlier one.
pub fn put(tx: &mut Tx<'_>, message_id: MessageId, phone_id: PhoneId) -> Result<(), StoreError> {
    tx.run(
        "INSERT INTO moves (message_id, phone_id) VALUES ($1, $2) \
         ON CONFLICT (message_id) DO UPDATE SET phone_id = excluded.phone_id",
        &values![message_id, phone_id],
    )?;
    Ok(())
}

/// Takes the phone that a message shall go to, if one is kept.
pub fn take(tx: &mut Tx<'_>, message_id: MessageId) -> Result<Option<PhoneId>, StoreError> {
    tx.query_one(
        "DELETE FROM moves WHERE message_id = $1 RETURNING phone_id",
        &values![message_id],
        |row| row.id(0),
    )
}
