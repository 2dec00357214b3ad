//! What the server's errors mean for a job.

use crate::StoreError;
use std::sync::Arc;
use tokio_postgres::Error;
use tokio_postgres::error::SqlState;

/// Translates an error of the client or the server.
pub(crate) fn failure(error: Error) -> StoreError {
    let Some(code) = error.code() else {
        return StoreError::Unreachable(Arc::new(error));
    };
    if *code == SqlState::QUERY_CANCELED {
        return StoreError::TooSlow;
    }
    if *code == SqlState::LOCK_NOT_AVAILABLE || is_rerun(code) {
        return StoreError::Busy;
    }
    if *code == SqlState::DISK_FULL {
        return StoreError::Full(Arc::new(error));
    }
    // The server hung up on a transaction that it heard nothing of: a link stood still.
    if *code == SqlState::IDLE_IN_TRANSACTION_SESSION_TIMEOUT {
        return StoreError::Unreachable(Arc::new(error));
    }
    match code.code().get(..2) {
        Some("08" | "53" | "57") => StoreError::Unreachable(Arc::new(error)),
        // A wrong password, or no such database.
        Some("28" | "3D") => StoreError::Refused {
            why: error
                .as_db_error()
                .map_or("", |told| told.message())
                .to_owned(),
        },
        Some("23") => StoreError::Conflict(Arc::new(error)),
        Some("58") => StoreError::NotWritable(Arc::new(error)),
        _ if *code == SqlState::DATA_CORRUPTED || *code == SqlState::INDEX_CORRUPTED => {
            StoreError::Damaged(Arc::new(error))
        }
        _ if *code == SqlState::READ_ONLY_SQL_TRANSACTION => {
            StoreError::NotWritable(Arc::new(error))
        }
        _ => StoreError::Engine(Arc::new(error)),
    }
}

/// Says whether the server gave up a transaction that may well succeed alone.
pub(crate) fn is_rerun(code: &SqlState) -> bool {
    *code == SqlState::T_R_DEADLOCK_DETECTED || *code == SqlState::T_R_SERIALIZATION_FAILURE
}
