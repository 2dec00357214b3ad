//! The messages of one contact, newest first.

use crate::row::Cursor;
use crate::{StoreError, Tx, values};
use hub_domain::Direction;
use postrider_link::ownership::hub::HubState;
use postrider_model::{ContactId, MessageId};

/// A message of a contact, as far as is needed to see whether it can still be called off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OfContact {
    /// Its id.
    pub id: MessageId,
    /// Whether it goes out and has no outcome yet.
    pub is_open: bool,
}

/// Returns up to `most` of a contact's messages below a key, newest first.
pub fn of_contact_below(
    tx: &mut Tx<'_>,
    contact_id: ContactId,
    below: i64,
    most: usize,
) -> Result<Vec<OfContact>, StoreError> {
    tx.query(
        "SELECT id, direction, state FROM messages WHERE contact_id = $1 AND id < $2 \
         ORDER BY id DESC LIMIT $3",
        &values![contact_id, below, i64::try_from(most).unwrap_or(i64::MAX)],
        |row| {
            let mut columns = Cursor::new(row);
            let id = columns.id()?;
            let direction = columns.coded(Direction::from_code)?;
            let state = columns.int()?;
            Ok(OfContact {
                id,
                is_open: direction == Direction::Outgoing && state < HubState::Unknown.code(),
            })
        },
    )
}
