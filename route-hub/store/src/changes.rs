//! What another process has changed, so that the hub reads only that again.
//!
//! Each scope has the number of its last change; the numbers rise over all of them. A process that
//! writes beside a running hub raises them in the same transaction ([`raise`]); the hub asks for what is
//! newer than it has seen ([`since`]).

use crate::{StoreError, Tx, values};
use postrider_model::{DeviceId, Id, Key, OrganizationId, PhoneId, ProjectId};

/// What a change concerns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scope {
    /// Anything.
    Hub,
    /// The API keys of an organization.
    Keys(OrganizationId),
    /// The rows of a project that are kept in memory.
    Rows(ProjectId),
    /// A project: its rows, and what its phones go by.
    Project(ProjectId),
    /// A device and its right to be connected.
    Device(DeviceId),
    /// A phone's settings and queue.
    Phone(PhoneId),
}

impl Scope {
    const fn code(self) -> i64 {
        match self {
            Self::Hub => 1,
            Self::Keys(_) => 2,
            Self::Rows(_) => 3,
            Self::Project(_) => 4,
            Self::Device(_) => 5,
            Self::Phone(_) => 6,
        }
    }

    fn id(self) -> i64 {
        match self {
            Self::Hub => 0,
            Self::Keys(id) => id.get(),
            Self::Rows(id) | Self::Project(id) => id.get(),
            Self::Device(id) => id.get(),
            Self::Phone(id) => id.get(),
        }
    }

    /// One that this version does not know, or cannot read, may be anything.
    fn from_columns(code: i64, id: i64) -> Self {
        fn of<K>(id: i64, scope: impl FnOnce(Id<K>) -> Scope) -> Scope {
            Key::new(id).map_or(Scope::Hub, |key| scope(Id::new(key)))
        }
        match code {
            2 => of(id, Self::Keys),
            3 => of(id, Self::Rows),
            4 => of(id, Self::Project),
            5 => of(id, Self::Device),
            6 => of(id, Self::Phone),
            _ => Self::Hub,
        }
    }
}

/// Notes that something has changed in this transaction.
pub fn raise(tx: &mut Tx<'_>, scope: Scope) -> Result<(), StoreError> {
    tx.execute(
        "INSERT INTO change_versions (scope, scope_id, version) \
         VALUES ($1, $2, (SELECT COALESCE(MAX(version), 0) + 1 FROM change_versions)) \
         ON CONFLICT (scope, scope_id) DO UPDATE SET version = excluded.version",
        &values![scope.code(), scope.id()],
    )?;
    Ok(())
}

/// Returns the number of the newest change; 0 before the first.
pub fn newest(tx: &mut Tx<'_>) -> Result<i64, StoreError> {
    let newest = tx.query_one("SELECT MAX(version) FROM change_versions", &[], |row| {
        row.opt_int(0)
    })?;
    Ok(newest.flatten().unwrap_or(0))
}

/// Returns what has changed after the change `seen`, with the numbers, in their order.
pub fn since(tx: &mut Tx<'_>, seen: i64) -> Result<Vec<(Scope, i64)>, StoreError> {
    tx.query(
        "SELECT scope, scope_id, version FROM change_versions WHERE version > $1 ORDER BY version",
        &values![seen],
        |row| Ok((Scope::from_columns(row.int(0)?, row.int(1)?), row.int(2)?)),
    )
}
