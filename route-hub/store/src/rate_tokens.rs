//! Tokens that the processes of a hub have given for API keys with a rate.

use crate::{StoreError, Tx, Value, values};
use postrider_model::ApiKeyId;

/// Adds what a process gave.
pub fn add(tx: &mut Tx<'_>, key: ApiKeyId, given: i64) -> Result<(), StoreError> {
    tx.run(
        "INSERT INTO rate_tokens (key_id, given) VALUES ($1, $2) \
         ON CONFLICT (key_id) DO UPDATE SET given = rate_tokens.given + excluded.given",
        &values![key, given],
    )
}

/// Returns how many all have given ever for each of these keys, unless none.
pub fn given(tx: &mut Tx<'_>, keys: &[ApiKeyId]) -> Result<Vec<(ApiKeyId, i64)>, StoreError> {
    let values: Vec<_> = keys.iter().map(|key| Value::from(*key)).collect();
    let rows = (1..=keys.len()).map(|number| format!("(CAST(${number} AS BIGINT))"));
    let rows = rows.collect::<Vec<_>>().join(", ");
    let sql = format!(
        "SELECT key_id, given FROM (VALUES {rows}) AS keys \
         INNER JOIN rate_tokens ON rate_tokens.key_id = column1"
    );
    tx.query_built(&sql, &values, |row| Ok((row.id(0)?, row.int(1)?)))
}
