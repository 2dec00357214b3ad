//! API keys.

use crate::changes::{self, Scope};
use crate::row::Cursor;
use crate::{Row, StoreError, Tx, values};
use hub_domain::{ApiKey, Permissions};
use postrider_model::{ApiKeyId, OrganizationId, ProjectId, UnixMs};

macro_rules! columns {
    () => {
        "id, organization_id, project_id, name, secret_hash, permissions, rate_per_s, rate_burst, \
         time_created, time_last_used, time_expires, time_revoked"
    };
}

/// Stores a new key.
pub fn insert(tx: &mut Tx<'_>, key: &ApiKey) -> Result<(), StoreError> {
    tx.run(
        concat!(
            "INSERT INTO api_keys (",
            columns!(),
            ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)"
        ),
        &values![
            key.id,
            key.organization_id,
            key.project_id,
            &key.name,
            &key.secret_hash,
            key.permissions.to_json(),
            key.rate_per_s,
            key.rate_burst,
            key.time_created,
            key.time_last_used,
            key.time_expires,
            key.time_revoked,
        ],
    )?;
    Ok(())
}

/// Returns a key, live or not.
pub fn get(tx: &mut Tx<'_>, id: ApiKeyId) -> Result<Option<ApiKey>, StoreError> {
    tx.query_one(
        concat!("SELECT ", columns!(), " FROM api_keys WHERE id = $1"),
        &values![id],
        read,
    )
}

/// Returns an organization's keys, oldest first.
pub fn of_organization(
    tx: &mut Tx<'_>,
    organization_id: OrganizationId,
) -> Result<Vec<ApiKey>, StoreError> {
    tx.query(
        concat!(
            "SELECT ",
            columns!(),
            " FROM api_keys WHERE organization_id = $1 ORDER BY id"
        ),
        &values![organization_id],
        read,
    )
}

/// Says whether a project has had a key, ended ones too, that may send but not view contacts.
pub fn any_sends_unseeing(
    tx: &mut Tx<'_>,
    organization_id: OrganizationId,
    project_id: ProjectId,
) -> Result<bool, StoreError> {
    let found = tx.query_one(
        "SELECT 1 FROM api_keys WHERE organization_id = $1 \
         AND (project_id IS NULL OR project_id = $2) \
         AND permissions LIKE '%\"send_messages\"%' \
         AND permissions NOT LIKE '%\"view_contacts\"%' LIMIT 1",
        &values![organization_id, project_id],
        |row| row.int(0),
    )?;
    Ok(found.is_some())
}

/// Ends a key; says whether there was a live one.
pub fn revoke(tx: &mut Tx<'_>, id: ApiKeyId, now: UnixMs) -> Result<bool, StoreError> {
    let owner = tx.query_one(
        "UPDATE api_keys SET time_revoked = $2 WHERE id = $1 AND time_revoked IS NULL \
         RETURNING organization_id",
        &values![id, now],
        |row| Cursor::new(row).id(),
    )?;
    if let Some(owner) = owner {
        changes::raise(tx, Scope::Keys(owner))?;
    }
    Ok(owner.is_some())
}

/// Notes that a key was used.
pub fn touch(tx: &mut Tx<'_>, id: ApiKeyId, now: UnixMs) -> Result<(), StoreError> {
    tx.run(
        "UPDATE api_keys SET time_last_used = $2 WHERE id = $1",
        &values![id, now],
    )?;
    Ok(())
}

fn read(row: &Row<'_>) -> Result<ApiKey, StoreError> {
    let mut columns = Cursor::new(row);
    Ok(ApiKey {
        id: columns.id()?,
        organization_id: columns.id()?,
        project_id: columns.opt_id()?,
        name: columns.text()?,
        secret_hash: columns.text()?,
        permissions: columns.parsed(Permissions::from_json)?,
        rate_per_s: columns.opt_count()?,
        rate_burst: columns.opt_count()?,
        time_created: columns.time()?,
        time_last_used: columns.opt_time()?,
        time_expires: columns.opt_time()?,
        time_revoked: columns.opt_time()?,
    })
}
