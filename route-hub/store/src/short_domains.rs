//! The domains that short links may be at. Every hub keeps them in memory.

use crate::row::Cursor;
use crate::{Row, StoreError, Tx, changes, values};
use hub_domain::{DomainOwner, ShortDomain};

/// Returns all domains by their names.
pub fn all(tx: &mut Tx<'_>) -> Result<Vec<ShortDomain>, StoreError> {
    tx.query(
        "SELECT name, organization_id, project_id, time_created FROM short_domains ORDER BY name",
        &[],
        read,
    )
}

/// Stores a domain; one of that name is another's from now on.
pub fn put(tx: &mut Tx<'_>, domain: &ShortDomain) -> Result<(), StoreError> {
    let (organization, project) = match domain.owner {
        DomainOwner::Hub => (None, None),
        DomainOwner::Organization(id) => (Some(id), None),
        DomainOwner::Project(id) => (None, Some(id)),
    };
    tx.run(
        "INSERT INTO short_domains (name, organization_id, project_id, time_created) \
         VALUES ($1, $2, $3, $4) ON CONFLICT (name) DO UPDATE SET \
         organization_id = excluded.organization_id, project_id = excluded.project_id",
        &values![&domain.name, organization, project, domain.time_created],
    )?;
    changes::raise(tx, changes::Scope::Hub)
}

/// Removes a domain; says whether it was there.
pub fn remove(tx: &mut Tx<'_>, name: &str) -> Result<bool, StoreError> {
    let removed = tx.execute("DELETE FROM short_domains WHERE name = $1", &values![name])?;
    changes::raise(tx, changes::Scope::Hub)?;
    Ok(removed == 1)
}

fn read(row: &Row<'_>) -> Result<ShortDomain, StoreError> {
    let mut columns = Cursor::new(row);
    Ok(ShortDomain {
        name: columns.text()?,
        owner: match (columns.opt_id()?, columns.opt_id()?) {
            (None, None) => DomainOwner::Hub,
            (Some(id), None) => DomainOwner::Organization(id),
            (None, Some(id)) => DomainOwner::Project(id),
            (Some(_), Some(_)) => return Err(StoreError::BadRow { column: 2 }),
        },
        time_created: columns.time()?,
    })
}
