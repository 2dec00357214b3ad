//! What another process has changed, so that the hub reads only that again.
//!
//! Each scope has the number of its last change, raised in the transaction of the change ([`raise`]);
//! every other process asks for what is newer than it has seen ([`since`]).

use crate::tx::Engine;
use crate::{StoreError, Tx, values};
use postrider_model::{DeviceId, Id, Key, OrganizationId, PhoneId, ProjectId};

/// What a change concerns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scope {
    /// Anything.
    Hub,
    /// An organization's own row, and its API keys.
    Keys(OrganizationId),
    /// The rows of a project that are kept in memory.
    Rows(ProjectId),
    /// A project: its rows, and what its phones go by.
    Project(ProjectId),
    /// A device and its right to be connected.
    Device(DeviceId),
    /// A phone's settings and queue.
    Phone(PhoneId),
    /// The process that a device is connected to.
    Presence(DeviceId),
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
            Self::Presence(_) => 7,
        }
    }

    fn id(self) -> i64 {
        match self {
            Self::Hub => 0,
            Self::Keys(id) => id.get(),
            Self::Rows(id) | Self::Project(id) => id.get(),
            Self::Device(id) | Self::Presence(id) => id.get(),
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
            7 => of(id, Self::Presence),
            _ => Self::Hub,
        }
    }
}

/// Up to where the changes are known, and on which timeline of the server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mark(String, i64);

/// Notes that something has changed in this transaction, and raises the versions of its gates: what was
/// prepared before it is prepared anew. The functions of this crate that change what a hub keeps in
/// memory of a project, of API keys or of a device's right to be connected do so themselves.
pub fn raise(tx: &mut Tx<'_>, scope: Scope) -> Result<(), StoreError> {
    tx.change_version();
    note(tx, scope)
}

/// As [`raise`], for what nobody prepares a job on, such as where a device is connected: others forget it
/// at their next look.
pub fn note(tx: &mut Tx<'_>, scope: Scope) -> Result<(), StoreError> {
    let note = match tx.engine() {
        Engine::Sqlite => {
            "INSERT INTO change_versions (scope, scope_id, version) \
             VALUES ($1, $2, (SELECT COALESCE(MAX(version), 0) + 1 FROM change_versions)) \
             ON CONFLICT (scope, scope_id) DO UPDATE SET version = excluded.version"
        }
        Engine::Postgres => {
            "INSERT INTO change_versions (scope, scope_id, version) \
             VALUES ($1, $2, CAST(CAST(pg_current_xact_id() AS TEXT) AS BIGINT)) \
             ON CONFLICT (scope, scope_id) DO UPDATE SET version = excluded.version"
        }
    };
    tx.run(note, &values![scope.code(), scope.id()])
}

/// Returns the mark of all that has changed so far.
pub fn newest(tx: &mut Tx<'_>) -> Result<Mark, StoreError> {
    let newest = match tx.engine() {
        Engine::Sqlite => "SELECT CAST(COALESCE(MAX(version), 0) AS TEXT) FROM change_versions",
        Engine::Postgres => "SELECT CAST(pg_current_snapshot() AS TEXT)",
    };
    let mark = tx.query_one(newest, &[], |row| row.text(0))?;
    let mark = mark.ok_or(StoreError::BadRow { column: 0 })?;
    Ok(Mark(mark, tx.timeline()))
}

/// Returns what has changed after a mark.
///
/// On a server transactions end in another order than they began in, so the mark is a snapshot: what
/// was not to be seen in it is new. A server that was promoted gives the same numbers to other
/// transactions, so that anything may be new there.
pub fn since(tx: &mut Tx<'_>, seen: &Mark) -> Result<Vec<Scope>, StoreError> {
    if seen.1 != tx.timeline() {
        return Ok(vec![Scope::Hub]);
    }
    let since = match tx.engine() {
        Engine::Sqlite => {
            "SELECT scope, scope_id FROM change_versions WHERE version > CAST($1 AS BIGINT) \
             ORDER BY version"
        }
        Engine::Postgres => {
            "SELECT scope, scope_id FROM change_versions WHERE version >= CAST(CAST( \
             pg_snapshot_xmin(CAST(CAST($1 AS TEXT) AS pg_snapshot)) AS TEXT) AS BIGINT) \
             AND NOT pg_visible_in_snapshot(CAST(CAST(version AS TEXT) AS xid8), \
             CAST(CAST($1 AS TEXT) AS pg_snapshot)) ORDER BY version"
        }
    };
    tx.query(since, &values![&seen.0], |row| {
        Ok(Scope::from_columns(row.int(0)?, row.int(1)?))
    })
}
