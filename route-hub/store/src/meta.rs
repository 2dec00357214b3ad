//! What the hub knows of itself: generation, id, highest key.

use crate::{StoreError, Tx, values};
use postrider_model::{HubId, Key};

/// Returns a value by its name.
pub fn get(tx: &mut Tx<'_>, name: &str) -> Result<Option<String>, StoreError> {
    tx.query_one(
        "SELECT value FROM hub_meta WHERE name = $1",
        &values![name],
        |row| row.text(0),
    )
}

/// Stores a value under its name, in place of an earlier one.
pub fn put(tx: &mut Tx<'_>, name: &str, value: &str) -> Result<(), StoreError> {
    tx.run(
        "INSERT INTO hub_meta (name, value) VALUES ($1, $2) \
         ON CONFLICT (name) DO UPDATE SET value = excluded.value",
        &values![name, value],
    )?;
    Ok(())
}

/// Removes a value.
pub fn remove(tx: &mut Tx<'_>, name: &str) -> Result<(), StoreError> {
    tx.run("DELETE FROM hub_meta WHERE name = $1", &values![name])?;
    Ok(())
}

const GENERATION: &str = "gen";

/// Returns the hub's generation: 1 until a restore raises it.
pub fn generation(tx: &mut Tx<'_>) -> Result<u64, StoreError> {
    Ok(parse_generation(get(tx, GENERATION)?))
}

/// Reads a generation as it is kept; 1 where none was kept yet.
pub(crate) fn parse_generation(kept: Option<String>) -> u64 {
    kept.and_then(|text| text.parse().ok()).unwrap_or(1)
}

/// Stores the hub's generation.
pub fn put_generation(tx: &mut Tx<'_>, generation: u64) -> Result<(), StoreError> {
    put(tx, GENERATION, &generation.to_string())
}

const PROOF_KEY: &str = "proof_key";

/// Returns the key of the hub's proofs; `None` before one was made.
pub fn kept_proof_key(tx: &mut Tx<'_>) -> Result<Option<String>, StoreError> {
    get(tx, PROOF_KEY)
}

/// Returns the key of the hub's proofs, and keeps `fresh` where there was none.
pub fn proof_key(tx: &mut Tx<'_>, fresh: &str) -> Result<String, StoreError> {
    tx.run(
        "INSERT INTO hub_meta (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING",
        &values![PROOF_KEY, fresh],
    )?;
    Ok(get(tx, PROOF_KEY)?.unwrap_or_default())
}

/// Raises the hub's generation and returns the new one.
pub fn raise_generation(tx: &mut Tx<'_>) -> Result<u64, StoreError> {
    let raised = generation(tx)? + 1;
    put(tx, GENERATION, &raised.to_string())?;
    Ok(raised)
}

/// Under what name a database keeps that it may have forgotten what was answered.
pub(crate) const LOSS: &str = "loss";

/// Says whether the database may have forgotten what was answered, and not every project is frozen yet.
pub fn is_loss_open(tx: &mut Tx<'_>) -> Result<bool, StoreError> {
    Ok(get(tx, LOSS)?.is_some())
}

/// Notes that every project is frozen since the database has forgotten something.
pub fn end_loss(tx: &mut Tx<'_>) -> Result<(), StoreError> {
    remove(tx, LOSS)
}

const HUB_ID: &str = "hub_id";

/// Returns the hub's own id; `None` before it was made.
///
/// # Errors
/// When the stored one is not an id.
pub fn hub_id(tx: &mut Tx<'_>) -> Result<Option<HubId>, StoreError> {
    let stored = get(tx, HUB_ID)?;
    let read = |text: String| text.parse().map_err(|_| StoreError::BadRow { column: 0 });
    stored.map(read).transpose()
}

/// Stores the hub's own id, which is never changed.
pub fn put_hub_id(tx: &mut Tx<'_>, id: HubId) -> Result<(), StoreError> {
    put(tx, HUB_ID, &id.to_string())
}

macro_rules! highest_of {
    ($($table:literal)*) => { [$(($table, concat!("SELECT max(id) FROM ", $table))),*] };
}

/// The tables whose rows have a key of their own, and how its highest is asked for.
const KEYED: [(&str, &str); 29] = highest_of! {
    "alerts"
    "api_keys"
    "audit_log"
    "broadcasts"
    "campaigns"
    "contact_groups"
    "contacts"
    "data_rows"
    "data_tables"
    "data_views"
    "devices"
    "fields"
    "files"
    "hub_alerts"
    "labels"
    "message_templates"
    "messages"
    "organizations"
    "outbox"
    "pairings"
    "phones"
    "projects"
    "relative_schedules"
    "routes"
    "schedules"
    "tasks"
    "webhook_deliveries"
    "webhook_log"
    "webhooks"
};

/// Returns the highest key of any row: keys made from now on lie above it.
pub fn highest_key(tx: &mut Tx<'_>) -> Result<Option<Key>, StoreError> {
    let mut highest = None;
    for (_, sql) in KEYED {
        let of_table = tx.query_one(sql, &[], |row| row.opt_int(0))?;
        highest = highest.max(of_table.flatten());
    }
    Ok(highest.and_then(Key::new))
}

#[cfg(test)]
mod tests {
    use super::KEYED;
    use std::{collections::BTreeSet, fs, path::Path};

    #[test]
    fn keys_are_looked_for_in_every_table_that_has_them() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("migrations");
        let (mut keyed, mut dropped) = (BTreeSet::new(), BTreeSet::new());
        let name = |text: &str| text.split([' ', ';']).next().unwrap().to_owned();
        for file in fs::read_dir(folder).unwrap() {
            let text = fs::read_to_string(file.unwrap().path()).unwrap();
            let tables = text.split("CREATE TABLE ").skip(1);
            let with_key = tables.filter(|table| table.contains("    id BIGINT PRIMARY KEY"));
            keyed.extend(with_key.map(name));
            dropped.extend(text.split("DROP TABLE ").skip(1).map(name));
        }
        keyed.retain(|table| !dropped.contains(table));
        let listed = KEYED.map(|(table, _)| table.to_owned());
        assert_eq!(keyed, listed.into());
    }
}
