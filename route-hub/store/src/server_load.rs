//! What a database server that several hubs share says of itself, for the operator's metrics.

use crate::{StoreError, Tx};

/// What stands at the server now.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ServerLoad {
    /// How many transactions have begun since the oldest snapshot that somebody holds: rows that were
    /// changed since cannot be cleaned up.
    pub oldest_snapshot_transactions: i64,
    /// How many seconds old that snapshot is, of those whose age this account may see.
    pub oldest_snapshot_s: i64,
    /// Whether commits wait for a standby.
    pub awaits_standby: bool,
    /// Standbys that are connected.
    pub standbys: i64,
}

/// Asks the server; `None` on SQLite.
pub fn server_load(tx: &mut Tx<'_>) -> Result<Option<ServerLoad>, StoreError> {
    if !tx.is_shared() {
        return Ok(None);
    }
    let snapshots = "SELECT CAST(COALESCE(MAX(age(backend_xmin)), 0) AS BIGINT), \
        CAST(COALESCE(MAX(EXTRACT(EPOCH FROM clock_timestamp() - xact_start)), 0) AS BIGINT) \
        FROM pg_stat_activity WHERE backend_xmin IS NOT NULL AND pid <> pg_backend_pid() \
        AND (datname IS NULL OR datname = current_database())";
    let standbys = "SELECT CAST(CASE WHEN current_setting('synchronous_standby_names') = '' THEN 0 \
        ELSE 1 END AS BIGINT), COUNT(*) FROM pg_stat_replication";
    let snapshots = tx.query_one(snapshots, &[], |row| Ok((row.int(0)?, row.int(1)?)))?;
    let standbys = tx.query_one(standbys, &[], |row| Ok((row.flag(0)?, row.int(1)?)))?;
    let (oldest_snapshot_transactions, oldest_snapshot_s) = snapshots.unwrap_or_default();
    let (awaits_standby, standbys) = standbys.unwrap_or_default();
    Ok(Some(ServerLoad {
        oldest_snapshot_transactions,
        oldest_snapshot_s,
        awaits_standby,
        standbys,
    }))
}
