//! The SQLite engine: all that is SQLite's own.
//!
//! - `BIGINT PRIMARY KEY` becomes `INTEGER PRIMARY KEY`, which makes the key the row's own number
//!   and saves an index;
//! - `); -- clustered` makes a table without a row number: its rows stand in the order of its key;
//! - `$1` becomes `?1`: SQLite takes `$1` for a name and numbers names by their first appearance,
//!   so `$2` standing before `$1` would silently swap the arguments;
//! - WAL, `synchronous=FULL`: a commit is on disk when it returns, whatever dies next.

use crate::row::{Columns, Row};
use crate::stopwatch::Stopwatch;
use crate::tx::{Access, EachRow, Limit, Session, Sql};
use crate::{StoreError, Value};
use rusqlite::config::DbConfig;
use rusqlite::types::{ToSql, ToSqlOutput, ValueRef};
use rusqlite::{CachedStatement, Connection, ErrorCode, OpenFlags, Statement};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

/// Marks our files: "PoRt" as a number (`PRAGMA application_id`).
const APPLICATION_ID: i32 = 0x506f_5274;
/// How long to wait for another process's lock: a request is answered within 5 s.
const BUSY_WAIT: Duration = Duration::from_secs(4);
/// How long to wait until a lock is asked for again that is refused at once.
const BUSY_PAUSE: Duration = Duration::from_millis(5);
/// Statements kept prepared on each connection; above it the least used goes.
const STATEMENTS_MAX: usize = 256;
/// Steps of SQLite's machine between two looks at the limits (a tenth of a millisecond or so).
const STEPS_PER_LOOK: u16 = 1_000;
/// The size of the log at which it is written back: 16,000 pages.
const LOG_BYTES: u64 = 16_000 * 4_096;
/// The page cache of the connection that writes, in SQLite's words: 16 MiB.
///
/// Where a commit split a page of a file below 1 GiB, SQLite looks at each page of the cache
/// (`balance_nonroot` numbers pages anew by way of the lock page, and so the cache is truncated): a
/// larger cache costs more than it saves. See ADR 36.
const CACHE_SIZE: i64 = -16_384;
/// That of one that reads: 32 MiB.
const READER_CACHE_SIZE: i64 = -32_768;
/// How much of the file a connection that reads maps: 256 MiB.
///
/// The one that writes maps nothing: SQLite would copy pages out of the map, and soon the whole file would
/// be resident. See ADR 38.
const READER_MAP_BYTES: i64 = 256 << 20;

/// Where and how to open an SQLite database.
#[derive(Debug, Clone)]
pub struct SqliteSettings {
    /// The database's file; two more beside it carry its name with `-wal` and `-shm`.
    pub path: PathBuf,
    /// Threads that read; each has a connection. Of several, one is kept for the hub itself.
    pub readers: usize,
    /// Whether a missing file is made.
    pub create: bool,
    /// Whether the log is brought to its full size (64 MiB) at once, so that no commit has to
    /// make the file longer: a flush then takes half the time and less.
    pub reserve_log: bool,
    /// The number of this process in the keys that it makes: no two that write at once share one.
    pub process: u8,
    /// How long a write waits while another process holds the database, until it is
    /// [`StoreError::Busy`].
    pub busy_wait: Duration,
}

impl SqliteSettings {
    /// Returns settings for `path`: four readers, the file is made when it is missing, and the
    /// log grows as it is written.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self {
            path: path.into(),
            readers: 4,
            create: true,
            reserve_log: false,
            process: 0,
            busy_wait: BUSY_WAIT,
        }
    }
}

/// One connection.
pub(crate) struct SqliteSession {
    connection: Connection,
    /// Texts with `?1`, by the address and length of the constant that they were made from.
    rewritten: HashMap<(usize, usize), Box<str>>,
    meter: Arc<Meter>,
    changes_before_job: u64,
}

/// Opens the file, brings its schema up to date with `migrate` and returns the connection that
/// writes.
pub(crate) fn open_writer(
    settings: &SqliteSettings,
    migrate: impl Fn(&mut Connection) -> Result<(), StoreError>,
) -> Result<SqliteSession, StoreError> {
    let path = &settings.path;
    if !settings.create && !path.exists() {
        return Err(StoreError::Missing { path: path.clone() });
    }
    let mut connection = connect(path, OpenFlags::default())?;
    patiently(|| own(&connection, path))?;
    patiently(|| configure(&connection))?;
    patiently(|| migrate(&mut connection))?;
    let busy_wait = settings.busy_wait;
    connection.busy_timeout(busy_wait).map_err(failure)?;
    if settings.reserve_log {
        reserve_log(&connection, path)?;
    }
    SqliteSession::new(connection)
}

/// Opens a connection that reads.
pub(crate) fn open_reader(settings: &SqliteSettings) -> Result<SqliteSession, StoreError> {
    let connection = connect(&settings.path, OpenFlags::default())?;
    patiently(|| configure(&connection))?;
    connection
        .pragma_update(None, "query_only", true)
        .map_err(failure)?;
    connection
        .pragma_update(None, "cache_size", READER_CACHE_SIZE)
        .map_err(failure)?;
    connection
        .pragma_update(None, "mmap_size", READER_MAP_BYTES)
        .map_err(failure)?;
    SqliteSession::new(connection)
}

/// Opens a connection that writes the log back.
pub(crate) fn open_log(settings: &SqliteSettings) -> Result<Connection, StoreError> {
    let connection = connect(&settings.path, OpenFlags::default())?;
    patiently(|| configure(&connection))?;
    Ok(connection)
}

pub(crate) fn connect(path: &Path, flags: OpenFlags) -> Result<Connection, StoreError> {
    let connection = Connection::open_with_flags(path, flags).map_err(failure)?;
    connection.busy_timeout(BUSY_WAIT).map_err(failure)?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS_MAX);
    // Otherwise a statement is planned again whenever a bound value could decide on a partial index.
    connection
        .set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)
        .map_err(failure)?;
    Ok(connection)
}

/// Does something again while another process that opens the database holds it: some locks are
/// refused without a wait.
pub(crate) fn patiently<T>(
    mut work: impl FnMut() -> Result<T, StoreError>,
) -> Result<T, StoreError> {
    let waited = Stopwatch::start();
    loop {
        match work() {
            Err(StoreError::Busy) if waited.elapsed() < BUSY_WAIT => thread::sleep(BUSY_PAUSE),
            done => return done,
        }
    }
}

/// Makes an empty file ours and refuses everybody else's.
fn own(connection: &Connection, path: &Path) -> Result<(), StoreError> {
    if is_ours(connection, path)? {
        return Ok(());
    }
    // At one moment: another process may be making the same file ours.
    let looking = connection.unchecked_transaction().map_err(failure)?;
    let read = |sql| looking.query_row(sql, [], |row| row.get::<_, i64>(0));
    let objects = read("SELECT count(*) FROM sqlite_master").map_err(failure)?;
    let mark = read("PRAGMA application_id").map_err(failure)?;
    looking.commit().map_err(failure)?;
    if mark == i64::from(APPLICATION_ID) {
        return Ok(());
    }
    if mark != 0 || objects != 0 {
        return Err(StoreError::Foreign {
            path: path.to_owned(),
        });
    }
    connection
        .pragma_update(None, "application_id", APPLICATION_ID)
        .map_err(failure)
}

/// Says whether a file has our mark; what is no database at all is somebody else's.
pub(crate) fn is_ours(connection: &Connection, path: &Path) -> Result<bool, StoreError> {
    let mark = connection.query_row("PRAGMA application_id", [], |row| row.get::<_, i64>(0));
    match mark {
        Ok(mark) => Ok(mark == i64::from(APPLICATION_ID)),
        Err(error) if error.sqlite_error_code() == Some(ErrorCode::NotADatabase) => {
            Err(StoreError::Foreign {
                path: path.to_owned(),
            })
        }
        Err(error) => Err(failure(error)),
    }
}

fn configure(connection: &Connection) -> Result<(), StoreError> {
    let set = format!(
        "PRAGMA journal_mode = WAL;
        PRAGMA synchronous = FULL;
        PRAGMA wal_autocheckpoint = 16000;
        PRAGMA temp_store = MEMORY;
        PRAGMA cache_size = {CACHE_SIZE};
        PRAGMA foreign_keys = OFF;"
    );
    connection.execute_batch(&set).map_err(failure)
}

/// Brings the log to the size that checkpoints leave it at.
///
/// A transaction too large for the cache spills into the log and is rolled back: the log stays as
/// long as it became, and what is in it counts for nothing.
fn reserve_log(connection: &Connection, path: &Path) -> Result<(), StoreError> {
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    let bytes = std::fs::metadata(log).map_or(0, |log| log.len());
    if bytes >= LOG_BYTES {
        return Ok(());
    }
    let spill = format!(
        "PRAGMA cache_size = 64;
        BEGIN IMMEDIATE;
        CREATE TABLE log_reserve (filler BLOB);
        INSERT INTO log_reserve VALUES (zeroblob({LOG_BYTES}));
        ROLLBACK;
        PRAGMA cache_size = {CACHE_SIZE};"
    );
    connection.execute_batch(&spill).map_err(failure)
}

/// Returns a migration's text in SQLite's dialect.
pub(crate) fn dialect(migration: &str) -> String {
    migration
        .replace("BIGINT PRIMARY KEY", "INTEGER PRIMARY KEY")
        .replace("); -- clustered", ") WITHOUT ROWID;")
}

/// Rewrites `$1` to `?1`, leaving quoted texts and names alone.
fn numbered(sql: &str) -> Box<str> {
    let mut quote = None;
    let mut text = String::with_capacity(sql.len());
    for c in sql.chars() {
        match quote {
            Some(open) if c == open => quote = None,
            Some(_) => {}
            None if c == '\'' || c == '"' => quote = Some(c),
            None if c == '$' => {
                text.push('?');
                continue;
            }
            None => {}
        }
        text.push(c);
    }
    text.into_boxed_str()
}

impl SqliteSession {
    fn new(mut connection: Connection) -> Result<Self, StoreError> {
        let meter = Arc::new(Meter::new());
        let seen = Arc::clone(&meter);
        connection
            .progress_handler(i32::from(STEPS_PER_LOOK), Some(move || seen.look()))
            .map_err(failure)?;
        Ok(Self {
            connection,
            rewritten: HashMap::new(),
            meter,
            changes_before_job: 0,
        })
    }

    fn bound(
        &mut self,
        sql: Sql<'_>,
        values: &[Value<'_>],
    ) -> Result<CachedStatement<'_>, StoreError> {
        let built;
        let text: &str = match sql {
            Sql::Fixed(text) => self
                .rewritten
                .entry((text.as_ptr().addr(), text.len()))
                .or_insert_with(|| numbered(text)),
            Sql::Built(text) => {
                built = numbered(text);
                &built
            }
        };
        let mut statement = self.connection.prepare_cached(text).map_err(failure)?;
        bind(&mut statement, values)?;
        Ok(statement)
    }

    fn command(&self, sql: &str) -> Result<(), StoreError> {
        let mut statement = self.connection.prepare_cached(sql).map_err(failure)?;
        statement.raw_execute().map_err(failure)?;
        Ok(())
    }
}

/// Binds every value that is not NULL: a cached statement comes with all its parameters cleared.
fn bind(statement: &mut Statement<'_>, values: &[Value<'_>]) -> Result<(), StoreError> {
    debug_assert_eq!(statement.parameter_count(), values.len(), "values bound");
    for (index, value) in values.iter().enumerate() {
        if *value != Value::Null {
            statement
                .raw_bind_parameter(index + 1, value)
                .map_err(failure)?;
        }
    }
    Ok(())
}

impl Session for SqliteSession {
    fn begin(&mut self, access: Access) -> Result<(), StoreError> {
        match access {
            Access::Write => self.command("BEGIN IMMEDIATE"),
            Access::Read => self.command("BEGIN"),
        }
    }

    fn commit(&mut self) -> Result<(), StoreError> {
        self.command("COMMIT")
    }

    fn rollback(&mut self) {
        // Some errors have already rolled back.
        if !self.connection.is_autocommit() {
            drop(self.command("ROLLBACK"));
        }
    }

    fn execute(&mut self, sql: Sql<'_>, values: &[Value<'_>]) -> Result<usize, StoreError> {
        let executed = self.bound(sql, values)?.raw_execute();
        executed.map_err(|error| self.meter.explain(failure(error)))
    }

    fn query(
        &mut self,
        sql: Sql<'_>,
        values: &[Value<'_>],
        each: EachRow<'_>,
    ) -> Result<(), StoreError> {
        let meter = Arc::clone(&self.meter);
        let mut statement = self.bound(sql, values)?;
        let mut rows = statement.raw_query();
        let explained = |error| meter.explain(failure(error));
        while let Some(row) = rows.next().map_err(explained)? {
            if !each(&Row::new(row))? {
                break;
            }
        }
        Ok(())
    }

    fn limit_time(&mut self, limit: Duration) -> Limit {
        self.meter.limit_time(limit)
    }

    fn restore_limit(&mut self, limit: Limit) {
        self.meter.end_ms.store(limit.0, Ordering::Relaxed);
    }

    fn begin_job(&mut self, steps_max: u64) {
        self.meter.begin_job(steps_max);
        self.changes_before_job = self.connection.total_changes();
    }

    fn steps(&self) -> u64 {
        self.meter.steps()
    }

    fn has_written(&self) -> bool {
        self.connection.total_changes() != self.changes_before_job
    }

    fn change_mark(&mut self) -> Result<i64, StoreError> {
        self.connection
            .prepare_cached("PRAGMA data_version")
            .and_then(|mut statement| statement.query_row([], |row| row.get(0)))
            .map_err(failure)
    }
}

/// What ends statements: a moment, in milliseconds of the meter's own clock, and a number of steps.
struct Meter {
    clock: Stopwatch,
    end_ms: AtomicU64,
    looks: AtomicU64,
    looks_max: AtomicU64,
}

impl Meter {
    fn new() -> Self {
        Self {
            clock: Stopwatch::start(),
            end_ms: AtomicU64::new(Limit::NONE.0),
            looks: AtomicU64::new(0),
            looks_max: AtomicU64::new(u64::MAX),
        }
    }

    fn now_ms(&self) -> u64 {
        u64::try_from(self.clock.elapsed().as_millis()).unwrap_or(Limit::NONE.0)
    }

    fn limit_time(&self, limit: Duration) -> Limit {
        let length_ms = u64::try_from(limit.as_millis()).unwrap_or(Limit::NONE.0);
        let end_ms = self.now_ms().saturating_add(length_ms);
        Limit(self.end_ms.fetch_min(end_ms, Ordering::Relaxed))
    }

    fn begin_job(&self, steps_max: u64) {
        let looks_max = steps_max.div_ceil(u64::from(STEPS_PER_LOOK));
        self.looks_max.store(looks_max, Ordering::Relaxed);
        self.looks.store(0, Ordering::Relaxed);
    }

    fn steps(&self) -> u64 {
        self.looks.load(Ordering::Relaxed) * u64::from(STEPS_PER_LOOK)
    }

    /// Counts steps and says whether the statement is to end.
    fn look(&self) -> bool {
        self.looks.fetch_add(1, Ordering::Relaxed);
        let end_ms = self.end_ms.load(Ordering::Relaxed);
        self.is_over_budget() || (end_ms != Limit::NONE.0 && self.now_ms() >= end_ms)
    }

    fn is_over_budget(&self) -> bool {
        self.looks.load(Ordering::Relaxed) > self.looks_max.load(Ordering::Relaxed)
    }

    /// Says why a statement was broken off.
    fn explain(&self, error: StoreError) -> StoreError {
        match error {
            StoreError::TooSlow if self.is_over_budget() => StoreError::OverBudget { job: "" },
            error => error,
        }
    }
}

impl ToSql for Value<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self {
            Self::Null => ValueRef::Null,
            Self::Int(value) => ValueRef::Integer(*value),
            Self::Real(value) => ValueRef::Real(*value),
            Self::Text(text) => ValueRef::Text(text.as_bytes()),
            Self::Blob(bytes) => ValueRef::Blob(bytes),
        }))
    }
}

impl Columns for rusqlite::Row<'_> {
    fn int(&self, column: usize) -> Result<Option<i64>, StoreError> {
        match self.get_ref(column).map_err(failure)? {
            ValueRef::Null => Ok(None),
            ValueRef::Integer(value) => Ok(Some(value)),
            ValueRef::Real(_) | ValueRef::Text(_) | ValueRef::Blob(_) => {
                Err(StoreError::BadRow { column })
            }
        }
    }

    fn real(&self, column: usize) -> Result<Option<f64>, StoreError> {
        match self.get_ref(column).map_err(failure)? {
            ValueRef::Null => Ok(None),
            ValueRef::Real(value) => Ok(Some(value)),
            ValueRef::Integer(_) | ValueRef::Text(_) | ValueRef::Blob(_) => {
                Err(StoreError::BadRow { column })
            }
        }
    }

    fn text(&self, column: usize) -> Result<Option<&str>, StoreError> {
        match self.get_ref(column).map_err(failure)? {
            ValueRef::Null => Ok(None),
            ValueRef::Text(bytes) => std::str::from_utf8(bytes)
                .map(Some)
                .map_err(|_| StoreError::BadRow { column }),
            ValueRef::Integer(_) | ValueRef::Real(_) | ValueRef::Blob(_) => {
                Err(StoreError::BadRow { column })
            }
        }
    }

    fn bytes(&self, column: usize) -> Result<&[u8], StoreError> {
        match self.get_ref(column).map_err(failure)? {
            ValueRef::Text(bytes) | ValueRef::Blob(bytes) => Ok(bytes),
            ValueRef::Null | ValueRef::Integer(_) | ValueRef::Real(_) => {
                Err(StoreError::BadRow { column })
            }
        }
    }

    fn blob(&self, column: usize) -> Result<Option<&[u8]>, StoreError> {
        match self.get_ref(column).map_err(failure)? {
            ValueRef::Null => Ok(None),
            ValueRef::Blob(bytes) => Ok(Some(bytes)),
            ValueRef::Integer(_) | ValueRef::Real(_) | ValueRef::Text(_) => {
                Err(StoreError::BadRow { column })
            }
        }
    }
}

/// Says what an error of SQLite means to a job.
pub(crate) fn failure(error: rusqlite::Error) -> StoreError {
    match error.sqlite_error_code() {
        Some(ErrorCode::ConstraintViolation) => StoreError::Conflict(Arc::new(error)),
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => StoreError::Busy,
        Some(ErrorCode::OperationInterrupted) => StoreError::TooSlow,
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
            StoreError::Damaged(Arc::new(error))
        }
        Some(ErrorCode::DiskFull) => StoreError::Full(Arc::new(error)),
        Some(
            ErrorCode::ReadOnly
            | ErrorCode::CannotOpen
            | ErrorCode::PermissionDenied
            | ErrorCode::SystemIoFailure,
        ) => StoreError::NotWritable(Arc::new(error)),
        _ => StoreError::Engine(Arc::new(error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Health, Store, Tx, meta, migrations};
    use std::io::{Seek as _, SeekFrom, Write as _};

    #[test]
    fn sqlite_swaps_dollar_parameters_unless_they_are_rewritten() {
        let connection = Connection::open_in_memory().unwrap();
        let read = |sql: &str| {
            let mut statement = connection.prepare(sql).unwrap();
            bind(&mut statement, &[Value::Int(1), Value::Int(2)]).unwrap();
            let mut rows = statement.raw_query();
            let row = rows.next().unwrap().unwrap();
            (row.get::<_, i64>(0).unwrap(), row.get::<_, i64>(1).unwrap())
        };
        let sql = "SELECT $2, $1";
        assert_eq!(read(sql), (1, 2), "SQLite numbers $2 first");
        assert_eq!(read(&numbered(sql)), (2, 1));
    }

    #[test]
    fn quoted_texts_and_names_are_left_alone() {
        let sql = r#"SELECT '$1 it''s', "a$2", $10 FROM t WHERE x = $1"#;
        let expected = r#"SELECT '$1 it''s', "a$2", ?10 FROM t WHERE x = ?1"#;
        assert_eq!(&*numbered(sql), expected);
    }

    /// Sets how many pages the file may have: when it has as many already, its disk seems full.
    fn pages_max(store: &Store, sql: &'static str) {
        let set = store.write_blocking(move |tx| tx.query(sql, &[], |row| row.int(0)));
        set.unwrap();
    }

    #[test]
    fn a_file_that_cannot_grow_is_full_until_it_can() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open_sqlite(SqliteSettings::new(dir.path().join("hub.db"))).unwrap();
        pages_max(&store, "PRAGMA max_page_count = 1");
        let large = |tx: &mut Tx<'_>| meta::put(tx, "large", &"x".repeat(1_000_000));
        let refused = store.write_blocking(large);
        assert!(matches!(refused, Err(StoreError::Full(_))));
        assert_eq!(store.health(), Health::Full);
        pages_max(&store, "PRAGMA max_page_count = 100000");
        let mut changes = store.health_changes();
        let mut builder = tokio::runtime::Builder::new_current_thread();
        let runtime = builder.enable_time().build().unwrap();
        runtime.block_on(async {
            let well = changes.wait_for(|health| *health == Health::Ok);
            let well = tokio::time::timeout(Duration::from_secs(60), well).await;
            assert!(well.is_ok(), "it goes on by itself");
        });
        store.write_blocking(large).unwrap();
    }

    #[test]
    fn a_page_of_rubbish_is_damage() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("hub.db");
        let settings = SqliteSettings::new(&path);
        let writer = open_writer(&settings, migrations::run).unwrap().connection;
        let find = "SELECT rootpage FROM sqlite_master WHERE name = 'api_requests'";
        let page: u32 = writer.query_row(find, [], |row| row.get(0)).unwrap();
        let emptied = writer.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0));
        assert_eq!(emptied, Ok(0_i64), "what is in the log would mend the page");
        drop(writer);
        let mut file = std::fs::OpenOptions::new().write(true).open(&path).unwrap();
        file.seek(SeekFrom::Start(u64::from(page - 1) * 4_096))
            .unwrap();
        file.write_all(&[0xa5; 4_096]).unwrap();
        let store = Store::open_sqlite(settings).unwrap();
        let read = "SELECT * FROM api_requests";
        let read = store.read_blocking(move |tx| tx.query_one(read, &[], |row| row.int(0)));
        assert!(matches!(read, Err(StoreError::Damaged(_))), "{read:?}");
        let refused = store.write_blocking(|tx| meta::put(tx, "name", "value"));
        assert!(matches!(refused, Err(StoreError::Damaged(_))));
        assert_eq!(store.health(), Health::Damaged);
    }

    #[test]
    fn every_commit_is_forced_to_disk() {
        let dir = tempfile::tempdir().unwrap();
        let settings = SqliteSettings::new(dir.path().join("hub.db"));
        let writer = open_writer(&settings, migrations::run).unwrap();
        let read = |pragma: &str| {
            let value = writer
                .connection
                .pragma_query_value(None, pragma, |row| row.get::<_, rusqlite::types::Value>(0));
            format!("{:?}", value.unwrap())
        };
        assert_eq!(read("synchronous"), "Integer(2)");
        assert_eq!(read("journal_mode"), "Text(\"wal\")");
        assert_eq!(read("wal_autocheckpoint"), "Integer(16000)");
    }

    #[test]
    fn only_connections_that_read_map_the_file() {
        let dir = tempfile::tempdir().unwrap();
        let settings = SqliteSettings::new(dir.path().join("hub.db"));
        let writer = open_writer(&settings, migrations::run).unwrap().connection;
        let reader = open_reader(&settings).unwrap().connection;
        let log = open_log(&settings).unwrap();
        let mapped = [writer, reader, log].map(|one| {
            let bytes = one.pragma_query_value(None, "mmap_size", |row| row.get::<_, i64>(0));
            bytes.unwrap()
        });
        assert_eq!(mapped, [0, READER_MAP_BYTES, 0]);
    }
}
