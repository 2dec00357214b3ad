//! A copy of an SQLite database that others go on writing to.
//!
//! The engine's own backup copies pages; the connection that it reads from holds one read
//! transaction from the first page to the last. So the copy is the database as it was at one
//! moment, it never starts again because somebody committed meanwhile, and nobody who commits waits
//! for it: in WAL a reader holds up no writer. What it costs is that the log is not written back
//! past that moment until the copy is done. (`VACUUM INTO` would hold the same transaction for one
//! long statement, which rebuilds every index, can be neither paced nor interrupted between pages,
//! and gives no progress.)
//!
//! The copy is one file: no log stands beside it.

use crate::sqlite::{self, failure};
use crate::{StoreError, meta, migrations};
use postrider_model::FileId;
use rusqlite::backup::{Backup, StepResult};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};
use std::fmt;
use std::fs::{self, File};
use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

/// Pages copied at a time (1 MiB), so that a step is over within milliseconds.
const PAGES_PER_STEP: i32 = 256;
/// The pause after each step: the disk serves commits in between.
const PAUSE: Duration = Duration::from_millis(1);
/// Steps after which the copy is flushed (16 MiB), so that no flush at the end holds up the disk.
const STEPS_PER_FLUSH: u32 = 16;
/// The pause before a step that found a lock is tried again, and how often that is done in a row.
const LOCK_PAUSE: Duration = Duration::from_millis(10);
const LOCK_TRIES_MAX: u32 = 500;
/// Most faults of an unsound file that are named.
const FAULTS_NAMED_MAX: usize = 3;

/// How far a copy is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Pages copied.
    pub pages_done: u64,
    /// Pages in all.
    pub pages: u64,
}

/// What a sound file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sound {
    /// Its schema.
    pub schema: i64,
    /// Its length.
    pub bytes: u64,
}

/// Copies the database at `from` to `to`, an empty file that the caller has made with the rights
/// that it shall have, while others write to `from`; returns when the copy is on disk and was
/// found sound. `each_step` is called between two steps.
///
/// What was not copied to the end is no database: the caller removes it.
///
/// # Errors
/// [`StoreError::Missing`], [`StoreError::Foreign`], [`StoreError::Damaged`], [`StoreError::Busy`]
/// and what else the file system says.
pub fn copy(
    from: &Path,
    to: &Path,
    each_step: &mut dyn FnMut(Progress),
) -> Result<Sound, StoreError> {
    let source = open_source(from)?;
    let mut target =
        Connection::open_with_flags(to, OpenFlags::SQLITE_OPEN_READ_WRITE).map_err(failure)?;
    // Nobody looks at the copy before it is done, and a copy broken off is thrown away.
    let fast = "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -2048;";
    target.execute_batch(fast).map_err(failure)?;
    let flushed = File::open(to).map_err(io)?;
    copy_pages(&source, &mut target, &flushed, each_step)?;
    source.execute_batch("ROLLBACK").map_err(failure)?;
    // The header said that a log stands beside it.
    target
        .execute_batch("PRAGMA journal_mode = DELETE")
        .map_err(failure)?;
    target.close().map_err(|(_, error)| failure(error))?;
    flushed.sync_all().map_err(io)?;
    check(to)
}

fn copy_pages(
    source: &Connection,
    target: &mut Connection,
    flushed: &File,
    each_step: &mut dyn FnMut(Progress),
) -> Result<(), StoreError> {
    let backup = Backup::new(source, target).map_err(failure)?;
    let (mut steps, mut locked) = (0_u32, 0_u32);
    loop {
        match backup.step(PAGES_PER_STEP).map_err(failure)? {
            StepResult::Done => return Ok(()),
            StepResult::More => locked = 0,
            _ if locked >= LOCK_TRIES_MAX => return Err(StoreError::Busy),
            _ => {
                locked += 1;
                thread::sleep(LOCK_PAUSE);
                continue;
            }
        }
        steps += 1;
        if steps.is_multiple_of(STEPS_PER_FLUSH) {
            flushed.sync_data().map_err(io)?;
        }
        each_step(progress(&backup));
        thread::sleep(PAUSE);
    }
}

fn progress(backup: &Backup<'_, '_>) -> Progress {
    let progress = backup.progress();
    let count = |pages: i32| u64::try_from(pages).unwrap_or(0);
    Progress {
        pages_done: count(progress.pagecount - progress.remaining),
        pages: count(progress.pagecount),
    }
}

/// Opens a database to read one state of it, which stays until its transaction ends.
fn open_source(path: &Path) -> Result<Connection, StoreError> {
    let source = open_ours(path)?;
    let hold = "PRAGMA query_only = ON; BEGIN; SELECT count(*) FROM sqlite_master;";
    source.execute_batch(hold).map_err(failure)?;
    Ok(source)
}

/// Opens a file that is a hub's database, without changing it.
pub(crate) fn open_ours(path: &Path) -> Result<Connection, StoreError> {
    if !path.exists() {
        let path = path.to_owned();
        return Err(StoreError::Missing { path });
    }
    let connection = sqlite::connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    // Leaving must not write the log back, nor remove it.
    connection
        .set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)
        .map_err(failure)?;
    if !sqlite::is_ours(&connection, path)? {
        let path = path.to_owned();
        return Err(StoreError::Foreign { path });
    }
    Ok(connection)
}

/// Returns the files that the database of a copy names, with whether they have a thumbnail.
///
/// # Errors
/// As [`copy`].
pub fn files(path: &Path) -> Result<Vec<(FileId, bool)>, StoreError> {
    let connection = open_ours(path)?;
    let mut read = match connection.prepare("SELECT id, thumbnail_size FROM files ORDER BY id") {
        Ok(read) => read,
        // A copy from before there were files.
        Err(_) => return Ok(Vec::new()),
    };
    let rows = read.query_map([], |row| {
        Ok((
            row.get::<_, i64>(0)?,
            row.get::<_, Option<i64>>(1)?.is_some(),
        ))
    });
    let rows: Result<Vec<_>, _> = rows.map_err(failure)?.collect();
    let known = |(id, thumbnail)| Some((FileId::from_i64(id)?, thumbnail));
    Ok(rows
        .map_err(failure)?
        .into_iter()
        .filter_map(known)
        .collect())
}

/// Looks through a whole file that nobody writes to, a copy for instance.
///
/// # Errors
/// [`StoreError::Missing`], [`StoreError::Foreign`]; [`StoreError::Newer`] when this version cannot
/// use it; [`StoreError::Damaged`] when it is unsound.
pub fn check(path: &Path) -> Result<Sound, StoreError> {
    let connection = open_ours(path)?;
    let faults = faults(&connection)?;
    if faults != ["ok"] {
        return Err(StoreError::Damaged(Arc::new(Unsound(faults))));
    }
    Ok(Sound {
        schema: migrations::known(&connection)?,
        bytes: fs::metadata(path).map_err(io)?.len(),
    })
}

fn faults(connection: &Connection) -> Result<Vec<String>, StoreError> {
    let mut checking = connection
        .prepare("PRAGMA integrity_check")
        .map_err(failure)?;
    let said = checking
        .query_map([], |row| row.get::<_, String>(0))
        .map_err(failure)?;
    let said: Result<Vec<_>, _> = said.take(FAULTS_NAMED_MAX).collect();
    said.map_err(failure)
}

/// Says whether some process has the database at `path` open; a missing one nobody has.
///
/// # Errors
/// [`StoreError::Foreign`] and what the file system says.
pub fn is_open(path: &Path) -> Result<bool, StoreError> {
    if !path.exists() {
        return Ok(false);
    }
    let connection =
        Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE).map_err(failure)?;
    connection.busy_timeout(Duration::ZERO).map_err(failure)?;
    connection
        .set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)
        .map_err(failure)?;
    // Whoever has it open holds a lock on it that lets nobody be alone.
    let alone = "PRAGMA locking_mode = EXCLUSIVE; SELECT count(*) FROM sqlite_master;";
    match connection.execute_batch(alone).map_err(failure) {
        Err(StoreError::Busy) => Ok(true),
        // Nobody can use what is damaged or something else.
        Ok(()) | Err(StoreError::Damaged(_)) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Reads the generation of a database that nothing else shall be done with.
///
/// # Errors
/// [`StoreError::Missing`], [`StoreError::Foreign`], [`StoreError::Damaged`].
pub fn generation(path: &Path) -> Result<u64, StoreError> {
    let connection = open_ours(path)?;
    let sql = "SELECT max(value) FROM hub_meta WHERE name = 'gen'";
    let kept = connection.query_row(sql, [], |row| row.get::<_, Option<String>>(0));
    Ok(meta::parse_generation(kept.map_err(failure)?))
}

/// Another schema that opening a database gives it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Upgrade {
    /// The schema that it has.
    pub from: i64,
    /// The one that it gets.
    pub to: i64,
    /// How long a copy of it may be: its length and that of its log.
    pub bytes: u64,
}

/// Looks whether opening the database at `path` would change its schema; `None` when it would not, also
/// where there is none yet, or a file that is refused.
///
/// # Errors
/// [`StoreError::Refused`] when its data have moved; [`StoreError::Damaged`], [`StoreError::Busy`] and what else
/// the file system says.
pub fn upgrade(path: &Path) -> Result<Option<Upgrade>, StoreError> {
    if fs::metadata(path).map_or(0, |file| file.len()) == 0 {
        return Ok(None);
    }
    let looking = || match open_ours(path) {
        Ok(connection) => migrations::pending(&connection),
        Err(StoreError::Foreign { .. }) => Ok(None),
        Err(error) => Err(error),
    };
    let Some((from, to)) = sqlite::patiently(looking)? else {
        return Ok(None);
    };
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    let log_bytes = fs::metadata(log).map_or(0, |log| log.len());
    let bytes = fs::metadata(path).map_err(io)?.len() + log_bytes;
    Ok(Some(Upgrade { from, to, bytes }))
}

/// What is wrong with a file.
#[derive(Debug)]
struct Unsound(Vec<String>);

impl fmt::Display for Unsound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join("; "))
    }
}

impl std::error::Error for Unsound {}

fn io(error: std::io::Error) -> StoreError {
    StoreError::Engine(Arc::new(error))
}
