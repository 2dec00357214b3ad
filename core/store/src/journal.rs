//! Opening a journal, and one transaction per group of changes.

use crate::{JournalError, link, migrations, read, write};
use postrider_link::{
    frame::Inbound,
    session::phone::{FactRange, PhoneFact},
};
use postrider_machine::{Change, Snapshot};
use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionBehavior};
use std::{
    ffi::OsString,
    fs::{self, File},
    path::{Path, PathBuf},
    time::Duration,
};

/// What the file's header says to be ours: "PRdj" in SQLite's `application_id`.
pub const APPLICATION_ID: i32 = 0x5052_646a;

/// Statements kept ready; there are fewer different ones.
const STATEMENTS_MAX: usize = 64;

/// How long a process that goes down may still hold the file.
const BUSY: Duration = Duration::from_millis(300);

/// The open journal of one phone.
///
/// Only one process has it open at a time. After a commit failed the machine is ahead of its disk:
/// drop both, and start again from the file.
#[derive(Debug)]
pub struct Journal {
    connection: Connection,
}

impl Journal {
    /// Opens the journal at `path`, and makes a new one where there is none.
    ///
    /// Returns what it holds, too. The whole file is checked first.
    ///
    /// # Errors
    /// [`JournalError`] says what is wrong with the file, which is left as it is.
    pub fn open(path: &Path) -> Result<(Self, Snapshot), JournalError> {
        if !path.try_exists()? {
            create(path)?;
        }
        let mut connection = connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        check(&connection, path).map_err(|error| explain(error, path))?;
        migrations::run(&mut connection)?;
        let snapshot = read::snapshot(&connection)?;
        Ok((Self { connection }, snapshot))
    }

    /// Writes changes in order, all or none, and returns when they are on disk.
    ///
    /// # Errors
    /// [`JournalError`]; then none of them is written.
    pub fn commit(&mut self, changes: &[Change]) -> Result<(), JournalError> {
        let transaction = self
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate)?;
        for change in changes {
            write::change(&transaction, change)?;
        }
        transaction.commit()?;
        Ok(())
    }

    /// Reads facts that wait for their ack, as `LoadFacts` asks for.
    ///
    /// # Errors
    /// [`JournalError`] when they cannot be read.
    pub fn facts(&self, range: FactRange) -> Result<Vec<PhoneFact>, JournalError> {
        link::facts(&self.connection, range)
    }

    /// Reads the acked incoming messages that are kept aside, as `LoadInbound` asks for.
    ///
    /// # Errors
    /// [`JournalError`] when they cannot be read.
    pub fn inbound(&self) -> Result<Vec<Inbound>, JournalError> {
        link::inbound(&self.connection)
    }

    /// Reads everything that a start needs.
    ///
    /// # Errors
    /// [`JournalError`] when it cannot be read.
    pub fn load(&self) -> Result<Snapshot, JournalError> {
        read::snapshot(&self.connection)
    }
}

/// Makes a journal beside `path` and moves it there whole, so that no half of one is ever found.
fn create(path: &Path) -> Result<(), JournalError> {
    let log = beside(path, "-wal");
    if log.try_exists()? {
        return Err(JournalError::Damaged {
            path: path.to_owned(),
            found: "the file is gone, but its log is there".to_owned(),
        });
    }
    let draft = beside(path, ".new");
    for leftover in [&draft, &beside(path, ".new-journal")] {
        match fs::remove_file(leftover) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error.into()),
            _ => {}
        }
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
    let mut connection = Connection::open_with_flags(&draft, flags)?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "application_id", APPLICATION_ID)?;
    migrations::run(&mut connection)?;
    connection.close().map_err(|(_, error)| error)?;
    fs::rename(&draft, path)?;
    if let Some(folder) = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
    {
        File::open(folder)?.sync_all()?;
    }
    Ok(())
}

fn connect(path: &Path, flags: OpenFlags) -> Result<Connection, JournalError> {
    let open = || -> rusqlite::Result<Connection> {
        let connection = Connection::open_with_flags(path, flags)?;
        connection.set_prepared_statement_cache_capacity(STATEMENTS_MAX);
        connection.busy_timeout(BUSY)?;
        connection.pragma_update(None, "locking_mode", "EXCLUSIVE")?;
        connection.pragma_update(None, "temp_store", "MEMORY")?;
        connection.pragma_update(None, "secure_delete", "ON")?;
        Ok(connection)
    };
    open().map_err(|error| explain(error, path))
}

/// Makes sure that the file is ours and whole before anything is written to it.
fn check(connection: &Connection, path: &Path) -> Result<(), rusqlite::Error> {
    let id: i32 = connection.pragma_query_value(None, "application_id", |row| row.get(0))?;
    if id != APPLICATION_ID {
        return Err(foreign());
    }
    let found: String = connection.pragma_query_value(None, "quick_check", |row| row.get(0))?;
    if found != "ok" {
        return Err(damaged(found));
    }
    let mode: String =
        connection.pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get(0))?;
    if mode != "wal" {
        return Err(damaged(format!("{} cannot have a log", path.display())));
    }
    connection.pragma_update(None, "synchronous", "FULL")
}

fn foreign() -> rusqlite::Error {
    sqlite_failure(ErrorCode::NotADatabase, None)
}

fn damaged(found: String) -> rusqlite::Error {
    sqlite_failure(ErrorCode::DatabaseCorrupt, Some(found))
}

fn sqlite_failure(code: ErrorCode, message: Option<String>) -> rusqlite::Error {
    let failure = rusqlite::ffi::Error {
        code,
        extended_code: 0,
    };
    rusqlite::Error::SqliteFailure(failure, message)
}

/// Says in the journal's words what SQLite found.
fn explain(error: rusqlite::Error, path: &Path) -> JournalError {
    let path = path.to_owned();
    match error.sqlite_error_code() {
        Some(ErrorCode::NotADatabase) => JournalError::Foreign { path },
        Some(ErrorCode::DatabaseCorrupt) => JournalError::Damaged {
            path,
            found: error.to_string(),
        },
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => JournalError::InUse { path },
        _ => JournalError::Database(error),
    }
}

fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(suffix);
    PathBuf::from(name)
}
