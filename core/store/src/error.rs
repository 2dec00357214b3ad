//! Why a journal cannot be used.

use rusqlite::ErrorCode;
use std::{
    io,
    path::{Path, PathBuf},
};

/// Says why a journal cannot be opened, read or written. The file stays as it is.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// The file is no journal of this program.
    #[error("{} is not a journal of this program", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
    },
    /// The file is a journal, but damaged.
    #[error("the journal {} is damaged: {found}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        found: String,
    },
    /// A newer version of this program wrote the journal.
    #[error("the journal has schema {found}, this version knows {known}")]
    Newer {
        /// The journal's schema.
        found: i64,
        /// The newest one known here.
        known: i64,
    },
    /// Another process has the journal open.
    #[error("the journal {} is in use by another process", path.display())]
    InUse {
        /// The file.
        path: PathBuf,
    },
    /// A row has a value that this version cannot have written.
    #[error("the journal's table {table} holds a value that is not valid: {column}")]
    InvalidRow {
        /// The table.
        table: &'static str,
        /// The column.
        column: &'static str,
    },
    /// The schema could not be brought up to date.
    #[error("the journal's schema cannot be brought up to date: {0}")]
    Migration(#[from] Box<refinery::Error>),
    /// The database failed.
    #[error("the journal's database failed: {0}")]
    Database(#[from] rusqlite::Error),
    /// The file system failed.
    #[error("the journal's folder failed: {0}")]
    Io(#[from] io::Error),
}

impl JournalError {
    /// Returns whether the file itself is at fault, so that trying again is useless.
    pub const fn is_unreadable(&self) -> bool {
        matches!(
            self,
            Self::Foreign { .. } | Self::Damaged { .. } | Self::InvalidRow { .. }
        )
    }

    /// Turns an error of SQLite into one that names the file.
    pub(crate) fn at(self, path: &Path) -> Self {
        let Self::Database(error) = self else {
            return self;
        };
        let path = path.to_owned();
        match error.sqlite_error_code() {
            Some(ErrorCode::NotADatabase) => Self::Foreign { path },
            Some(ErrorCode::DatabaseCorrupt) => Self::Damaged {
                path,
                found: error.to_string(),
            },
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::InUse { path },
            _ => Self::Database(error),
        }
    }
}
