//! Opening a journal, and one transaction per group of changes.

use crate::{
    JournalError, link, log,
    mark::Mark,
    migrations, read,
    sums::{Extent, Sums},
    write,
};
use postrider_link::{
    frame::Inbound,
    session::phone::{FactRange, PhoneFact},
};
use postrider_machine::{
    Change, EndedAsked, MessageRef, Snapshot,
    change::{EndedRow, MessageRow},
};
use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionBehavior, config::DbConfig};
use std::{
    collections::BTreeMap,
    ffi::OsString,
    fs::{self, File},
    path::{Path, PathBuf},
    time::Duration,
};

/// Marks the file as ours: "PRdj" in SQLite's `application_id`.
pub const APPLICATION_ID: i32 = 0x5052_646a;

/// Prepared statements that are kept; there are fewer different ones.
const STATEMENTS_MAX: usize = 64;

/// A start checks a file of up to so many pages completely; of a larger one only what it reads.
const CHECKED_PAGES_MAX: i64 = 2_048;

/// How long a process that is shutting down may still hold the file.
const BUSY: Duration = Duration::from_millis(300);

/// The open journal of one phone.
///
/// Only one process has it open at a time. After a failed commit the machine is ahead of its disk:
/// drop both, and start again from the file.
#[derive(Debug)]
pub struct Journal {
    connection: Connection,
    sums: Sums,
}

impl Journal {
    /// Opens the journal at `path` and returns its content, or makes a new one if there is none.
    ///
    /// The content is checked first; exposures that are over only in a small file. A file with an
    /// error stays as it is.
    pub fn open(path: &Path) -> Result<(Self, Snapshot), JournalError> {
        if !path.try_exists()? {
            create(path)?;
        }
        let in_file = Mark::in_file(path)?;
        if in_file.is_live()
            && let Some(found) = log::damage(&beside(path, "-wal"))?
        {
            return Err(damaged(path, found));
        }
        let mut connection = connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        let sums = prepare(&mut connection, path, in_file).map_err(|error| error.at(path))?;
        let snapshot = read::snapshot(&connection).map_err(|error| error.at(path))?;
        Ok((Self { connection, sums }, snapshot))
    }

    /// Writes changes in order, all or none, and returns when they are on disk.
    ///
    /// # Errors
    /// [`JournalError`]: none of them is written, or it is not known whether they are.
    pub fn commit(&mut self, changes: &[Change]) -> Result<(), JournalError> {
        let before = self.sums.now();
        match self.write(changes, &before) {
            Ok(true) => log::renew(&self.connection),
            Ok(false) => Ok(()),
            Err(error) => {
                self.sums.go_back(before);
                Err(error)
            }
        }
    }

    /// Returns whether texts were erased.
    fn write(
        &mut self,
        changes: &[Change],
        before: &BTreeMap<String, i64>,
    ) -> Result<bool, JournalError> {
        let transaction = self
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate)?;
        let mut has_erased = false;
        for change in changes {
            let rows = transaction.total_changes();
            write::change(&transaction, change)?;
            let is_erasure = matches!(change, Change::TextsErased { .. });
            has_erased |= is_erasure && transaction.total_changes() > rows;
        }
        self.sums.write(&transaction, before)?;
        transaction.commit()?;
        Ok(has_erased)
    }

    /// Reads facts that wait for their ack, as `LoadFacts` asks.
    pub fn facts(&self, range: FactRange) -> Result<Vec<PhoneFact>, JournalError> {
        link::facts(&self.connection, range)
    }

    /// Reads the acked incoming messages that are kept aside, as `LoadInbound` asks.
    pub fn inbound(&self) -> Result<Vec<Inbound>, JournalError> {
        link::inbound(&self.connection)
    }

    /// Reads ended exposures, as `LoadEnded` asks.
    pub fn ended(&self, asked: &EndedAsked) -> Result<Vec<EndedRow>, JournalError> {
        read::ended(&self.connection, asked)
    }

    /// Reads an exposure that is over, as `LoadMessage` asks; its `ended` is not read.
    pub fn message_over(&self, message: MessageRef) -> Result<Option<MessageRow>, JournalError> {
        read::message_over(&self.connection, message)
    }

    /// Reads everything that a start needs.
    pub fn load(&self) -> Result<Snapshot, JournalError> {
        read::snapshot(&self.connection)
    }
}

impl Drop for Journal {
    /// Leaves one file that needs no log. If that fails, the next start reads the log.
    fn drop(&mut self) {
        drop(log::rest(&self.connection));
    }
}

/// Checks an open file, brings it up to date, and begins its log.
fn prepare(connection: &mut Connection, path: &Path, in_file: Mark) -> Result<Sums, JournalError> {
    let is_small = check(connection)?;
    let mark = Mark::read(connection)?;
    if in_file.has_key() && mark.has_key() && mark.key() != in_file.key() {
        return Err(damaged(path, "its log belongs to another journal"));
    }
    let extent = if is_small {
        Extent::All
    } else {
        Extent::AllButEnded
    };
    let sums = migrate(connection, path, mark, extent)?;
    use_log(connection, path)?;
    if !in_file.is_live() || !mark.is_live() {
        log::begin(connection)?;
    }
    sums.watch(connection)?;
    Ok(sums)
}

/// Compares the sums with the rows, and brings the schema up to date.
///
/// While its schema changes, a journal has no key: its rows are summed again afterwards.
fn migrate(
    connection: &mut Connection,
    path: &Path,
    mark: Mark,
    extent: Extent,
) -> Result<Sums, JournalError> {
    let is_old = migrations::are_due(connection)?;
    if mark.has_key() {
        let sums = Sums::of(connection, mark)?;
        if let Some(name) = sums.differing(connection, extent)? {
            return Err(damaged(
                path,
                &format!("rows of {name} differ from what was written"),
            ));
        }
        if !is_old {
            return Ok(sums);
        }
        Mark::NONE.write(connection)?;
    }
    migrations::run(connection)?;
    seal(connection)
}

/// Sums every row of a journal and gives it a key.
fn seal(connection: &mut Connection) -> Result<Sums, JournalError> {
    let mark = Mark::draw(connection)?;
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let sums = Sums::of(&transaction, mark)?;
    sums.take_stock(&transaction)?;
    mark.write(&transaction)?;
    transaction.commit()?;
    Ok(sums)
}

/// Creates a journal beside `path` and moves it there, so that a half-written one is never found.
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
    seal(&mut connection)?;
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
        // The log stays until its content is certainly in the file, errors or not.
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
        connection.pragma_update(None, "locking_mode", "EXCLUSIVE")?;
        connection.pragma_update(None, "temp_store", "MEMORY")?;
        connection.pragma_update(None, "secure_delete", "ON")?;
        Ok(connection)
    };
    open().map_err(|error| JournalError::from(error).at(path))
}

/// Checks that the file is ours and sound before anything is written to it; returns whether it
/// is small enough to be checked completely.
fn check(connection: &Connection) -> Result<bool, JournalError> {
    let id: i32 = connection.pragma_query_value(None, "application_id", |row| row.get(0))?;
    if id != APPLICATION_ID {
        return Err(sqlite_failure(ErrorCode::NotADatabase, None).into());
    }
    let pages: i64 = connection.pragma_query_value(None, "page_count", |row| row.get(0))?;
    let is_small = pages <= CHECKED_PAGES_MAX;
    if is_small {
        let found: String =
            connection.pragma_query_value(None, "integrity_check", |row| row.get(0))?;
        if found != "ok" {
            return Err(sqlite_failure(ErrorCode::DatabaseCorrupt, Some(found)).into());
        }
    }
    Ok(is_small)
}

fn use_log(connection: &Connection, path: &Path) -> Result<(), JournalError> {
    let mode: String =
        connection.pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get(0))?;
    if mode != "wal" {
        return Err(damaged(path, "it cannot have a log"));
    }
    Ok(connection.pragma_update(None, "synchronous", "FULL")?)
}

fn damaged(path: &Path, found: &str) -> JournalError {
    JournalError::Damaged {
        path: path.to_owned(),
        found: found.to_owned(),
    }
}

fn sqlite_failure(code: ErrorCode, message: Option<String>) -> rusqlite::Error {
    let failure = rusqlite::ffi::Error {
        code,
        extended_code: 0,
    };
    rusqlite::Error::SqliteFailure(failure, message)
}

fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(suffix);
    PathBuf::from(name)
}
