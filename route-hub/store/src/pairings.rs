//! Pairings.

use crate::purge::{self, Purged};
use crate::row::Cursor;
use crate::{Row, StoreError, Tx, values};
use hub_domain::{Pairing, PairingState};
use postrider_model::{PairingId, UnixMs};

macro_rules! columns {
    () => {
        "id, project_id, device_id, name, code_name, code_hash, full_hash, wrong_tries, \
         public_key, key_algorithm, device_json, digits, state, time_created, time_expires, \
         commitment, hub_number"
    };
}

/// Stores a new pairing.
pub fn insert(tx: &mut Tx<'_>, pairing: &Pairing) -> Result<(), StoreError> {
    tx.run(
        concat!(
            "INSERT INTO pairings (",
            columns!(),
            ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)"
        ),
        &values![
            pairing.id,
            pairing.project_id,
            pairing.device_id,
            &pairing.name,
            &pairing.code_name,
            &pairing.code_hash,
            &pairing.full_hash,
            pairing.wrong_tries,
            &pairing.public_key,
            &pairing.key_algorithm,
            &pairing.device_json,
            &pairing.digits,
            pairing.state.code(),
            pairing.time_created,
            pairing.time_expires,
            &pairing.commitment,
            &pairing.hub_number,
        ],
    )?;
    Ok(())
}

/// Stores how far a pairing has come.
pub fn update(tx: &mut Tx<'_>, pairing: &Pairing) -> Result<(), StoreError> {
    tx.run(
        "UPDATE pairings SET device_id = $2, wrong_tries = $3, public_key = $4, \
         key_algorithm = $5, device_json = $6, digits = $7, state = $8, commitment = $9, hub_number = $10 \
         WHERE id = $1",
        &values![
            pairing.id,
            pairing.device_id,
            pairing.wrong_tries,
            &pairing.public_key,
            &pairing.key_algorithm,
            &pairing.device_json,
            &pairing.digits,
            pairing.state.code(),
            &pairing.commitment,
            &pairing.hub_number,
        ],
    )?;
    Ok(())
}

/// Returns a pairing.
pub fn get(tx: &mut Tx<'_>, id: PairingId) -> Result<Option<Pairing>, StoreError> {
    tx.query_one(
        concat!("SELECT ", columns!(), " FROM pairings WHERE id = $1"),
        &values![id],
        read,
    )
}

/// Returns the pairing of a full code, by the code's hash.
pub fn by_full_hash(tx: &mut Tx<'_>, full_hash: &str) -> Result<Option<Pairing>, StoreError> {
    tx.query_one(
        concat!(
            "SELECT ",
            columns!(),
            " FROM pairings WHERE full_hash = $1 ORDER BY id DESC LIMIT 1"
        ),
        &values![full_hash],
        read,
    )
}

/// Returns the newest pairing of a typed code's name that has not run out.
pub fn by_code_name(
    tx: &mut Tx<'_>,
    code_name: &str,
    now: UnixMs,
) -> Result<Option<Pairing>, StoreError> {
    tx.query_one(
        concat!(
            "SELECT ",
            columns!(),
            " FROM pairings WHERE code_name = $1 AND time_expires > $2 ORDER BY id DESC LIMIT 1"
        ),
        &values![code_name, now],
        read,
    )
}

/// Removes pairings whose code ran out before `before`, one step of them.
pub fn purge(tx: &mut Tx<'_>, before: UnixMs) -> Result<Purged, StoreError> {
    purge::step(tx, |tx, limit| {
        tx.execute(
            "DELETE FROM pairings WHERE id IN (SELECT id FROM pairings WHERE time_expires < $1 \
             ORDER BY time_expires LIMIT $2)",
            &values![before, limit],
        )
    })
}

fn read(row: &Row<'_>) -> Result<Pairing, StoreError> {
    let mut columns = Cursor::new(row);
    Ok(Pairing {
        id: columns.id()?,
        project_id: columns.id()?,
        device_id: columns.opt_id()?,
        name: columns.text()?,
        code_name: columns.text()?,
        code_hash: columns.text()?,
        full_hash: columns.text()?,
        wrong_tries: columns.count()?,
        public_key: columns.opt_text()?,
        key_algorithm: columns.opt_text()?,
        device_json: columns.opt_text()?,
        digits: columns.opt_text()?,
        state: columns.coded(PairingState::from_code)?,
        time_created: columns.time()?,
        time_expires: columns.time()?,
        commitment: columns.opt_text()?,
        hub_number: columns.opt_text()?,
    })
}
