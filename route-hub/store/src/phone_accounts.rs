//! What phones at a provider are reached with. The secret is written and never shown.

use crate::row::Cursor;
use crate::{StoreError, Tx, values};
use hub_domain::PhoneAccount;
use postrider_model::{PhoneId, Secret};

/// Stores a phone's account, in place of an earlier one.
pub fn put(tx: &mut Tx<'_>, phone_id: PhoneId, account: &PhoneAccount) -> Result<(), StoreError> {
    tx.run(
        "INSERT INTO phone_accounts (phone_id, external_account_id, external_id, \
         external_config, external_secret) VALUES ($1, $2, $3, $4, $5) \
         ON CONFLICT (phone_id) DO UPDATE SET \
         external_account_id = excluded.external_account_id, \
         external_id = excluded.external_id, external_config = excluded.external_config, \
         external_secret = excluded.external_secret",
        &values![
            phone_id,
            &account.external_account_id,
            &account.external_id,
            &account.external_config,
            &account.external_secret,
        ],
    )?;
    Ok(())
}

/// Returns a phone's account.
pub fn get(tx: &mut Tx<'_>, phone_id: PhoneId) -> Result<Option<PhoneAccount>, StoreError> {
    tx.query_one(
        "SELECT external_account_id, external_id, external_config, external_secret \
         FROM phone_accounts WHERE phone_id = $1",
        &values![phone_id],
        |row| {
            let mut columns = Cursor::new(row);
            Ok(PhoneAccount {
                external_account_id: columns.opt_text()?,
                external_id: columns.opt_text()?,
                external_config: columns.text()?,
                external_secret: columns.opt_text()?.map(Secret::new),
            })
        },
    )
}

/// Erases a phone's account.
pub fn delete(tx: &mut Tx<'_>, phone_id: PhoneId) -> Result<(), StoreError> {
    tx.run(
        "DELETE FROM phone_accounts WHERE phone_id = $1",
        &values![phone_id],
    )?;
    Ok(())
}
