//! What the hub knows of itself: generation, id, highest key.

use crate::{StoreError, Tx, values};
use postrider_model::Key;

/// Returns a value by its name.
///
/// # Errors
/// What the database says.
pub fn get(tx: &mut Tx<'_>, name: &str) -> Result<Option<String>, StoreError> {
    tx.query_one(
        "SELECT value FROM hub_meta WHERE name = $1",
        &values![name],
        |row| row.text(0),
    )
}

/// Stores a value under its name, in place of an earlier one.
///
/// # Errors
/// What the database says.
pub fn put(tx: &mut Tx<'_>, name: &str, value: &str) -> Result<(), StoreError> {
    tx.execute(
        "INSERT INTO hub_meta (name, value) VALUES ($1, $2) \
         ON CONFLICT (name) DO UPDATE SET value = excluded.value",
        &values![name, value],
    )?;
    Ok(())
}

/// Removes a value.
///
/// # Errors
/// What the database says.
pub fn remove(tx: &mut Tx<'_>, name: &str) -> Result<(), StoreError> {
    tx.execute("DELETE FROM hub_meta WHERE name = $1", &values![name])?;
    Ok(())
}

const GENERATION: &str = "gen";

/// Returns the hub's generation: 1 until a restore raises it.
///
/// # Errors
/// What the database says.
pub fn generation(tx: &mut Tx<'_>) -> Result<u64, StoreError> {
    Ok(parse_generation(get(tx, GENERATION)?))
}

/// Reads a generation as it is kept; 1 where none was kept yet.
pub(crate) fn parse_generation(kept: Option<String>) -> u64 {
    kept.and_then(|text| text.parse().ok()).unwrap_or(1)
}

/// Stores the hub's generation.
///
/// # Errors
/// What the database says.
pub fn put_generation(tx: &mut Tx<'_>, generation: u64) -> Result<(), StoreError> {
    put(tx, GENERATION, &generation.to_string())
}

/// Raises the hub's generation and returns the new one.
///
/// # Errors
/// What the database says.
pub fn raise_generation(tx: &mut Tx<'_>) -> Result<u64, StoreError> {
    let raised = generation(tx)? + 1;
    put(tx, GENERATION, &raised.to_string())?;
    Ok(raised)
}

/// Returns the highest key of any row: keys made from now on lie above it.
///
/// # Errors
/// What the database says.
pub fn highest_key(tx: &mut Tx<'_>) -> Result<Option<Key>, StoreError> {
    let highest = tx.query_one(
        "SELECT max(id) FROM (\
         SELECT max(id) AS id FROM organizations UNION ALL SELECT max(id) FROM projects \
         UNION ALL SELECT max(id) FROM api_keys UNION ALL SELECT max(id) FROM devices \
         UNION ALL SELECT max(id) FROM phones UNION ALL SELECT max(id) FROM contacts \
         UNION ALL SELECT max(id) FROM broadcasts \
         UNION ALL SELECT max(id) FROM messages UNION ALL SELECT max(id) FROM webhooks \
         UNION ALL SELECT max(id) FROM outbox UNION ALL SELECT max(id) FROM webhook_log \
         UNION ALL SELECT max(id) FROM alerts UNION ALL SELECT max(id) FROM pairings \
         UNION ALL SELECT max(id) FROM audit_log) AS highest",
        &[],
        |row| row.opt_int(0),
    )?;
    Ok(highest.flatten().and_then(Key::new))
}
