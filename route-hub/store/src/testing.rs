//! A database of its own for a test, on the engine that `POSTRIDER_TEST_DATABASE` names: a server's
//! URL, or `sqlite`, which it is without one.

#![expect(clippy::unwrap_used, reason = "a test without its database has failed")]

use crate::{PostgresSettings, SqliteSettings, Store, StoreError, migrations, postgres};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Once;
use std::sync::atomic::{AtomicU32, Ordering};
use std::{env, process, thread};
use tempfile::TempDir;

/// What chooses the engine.
const VARIABLE: &str = "POSTRIDER_TEST_DATABASE";

/// A database that goes with the value.
pub enum TestDatabase {
    /// A file in a folder of its own.
    Sqlite(TempDir),
    /// One of a server's databases.
    Postgres(PostgresDatabase),
}

impl TestDatabase {
    /// Makes a database without a row.
    ///
    /// # Panics
    /// When there is none to be had.
    pub fn fresh() -> Self {
        match server() {
            None => Self::Sqlite(tempfile::tempdir().unwrap()),
            Some(server) => Self::Postgres(PostgresDatabase::fresh(&server)),
        }
    }

    /// Opens it; twice is two processes on one database.
    ///
    /// # Panics
    /// When it cannot be opened.
    pub fn open(&self) -> Store {
        match self {
            Self::Sqlite(dir) => {
                Store::open_sqlite(SqliteSettings::new(dir.path().join("hub.db"))).unwrap()
            }
            Self::Postgres(database) => database.open().unwrap(),
        }
    }
}

/// Returns the URL of the server that tests are to use.
pub fn server() -> Option<String> {
    env::var(VARIABLE)
        .ok()
        .filter(|url| !url.is_empty() && url != "sqlite")
}

/// A database on a server, dropped with the value.
pub struct PostgresDatabase {
    server: String,
    name: String,
}

impl PostgresDatabase {
    /// Makes one with our schema, from a template that the first test makes.
    ///
    /// # Panics
    /// When the server refuses.
    pub fn fresh(server: &str) -> Self {
        static MADE: Once = Once::new();
        let mut hasher = DefaultHasher::new();
        migrations::ALL.hash(&mut hasher);
        let ours = [
            include_str!("postgres/dialect.rs"),
            include_str!("postgres/migrate.rs"),
        ];
        ours.hash(&mut hasher);
        let template = format!("postrider_template_{:016x}", hasher.finish());
        MADE.call_once(|| make_template(server, &template));
        Self::named(server, next_name(), &format!("TEMPLATE {template}"))
    }

    /// Makes one without a table.
    ///
    /// # Panics
    /// When the server refuses.
    pub fn empty(server: &str) -> Self {
        Self::named(server, next_name(), "")
    }

    fn named(server: &str, name: String, with: &str) -> Self {
        run(server, &[&format!("CREATE DATABASE {name} {with}")]).unwrap();
        let server = server.to_owned();
        Self { server, name }
    }

    /// Returns what it is reached with.
    pub fn url(&self) -> String {
        let (server, options) = match self.server.split_once('?') {
            Some((server, options)) => (server, format!("?{options}")),
            None => (&*self.server, String::new()),
        };
        let server = server.rsplit_once('/').map_or(server, |(server, _)| server);
        format!("{server}/{}{options}", self.name)
    }

    /// Opens it.
    ///
    /// # Errors
    /// As [`Store::open_postgres`].
    ///
    /// # Panics
    /// When there is no thread for it.
    pub fn open(&self) -> Result<Store, StoreError> {
        let settings = PostgresSettings::new(self.url());
        apart(|| Store::open_postgres(&settings))
    }

    /// Runs statements that no job of a store may.
    ///
    /// # Errors
    /// What the server says.
    pub fn run(&self, statements: &[&str]) -> Result<(), StoreError> {
        run(&self.url(), statements)
    }
}

impl Drop for PostgresDatabase {
    fn drop(&mut self) {
        let statement = format!("DROP DATABASE IF EXISTS {} WITH (FORCE)", self.name);
        drop(run(&self.server, &[&statement]));
    }
}

/// Makes the template unless another process did: it gets its name when it is whole, and goes with
/// its server.
fn make_template(server: &str, name: &str) {
    let made = PostgresDatabase::empty(server);
    let settings = PostgresSettings::new(made.url());
    apart(|| postgres::prepare(&settings)).unwrap();
    let rename = format!("ALTER DATABASE {} RENAME TO {name}", made.name);
    drop(run(server, &[&rename]));
}

fn next_name() -> String {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    format!("postrider_test_{}_{number}", process::id())
}

fn run(url: &str, statements: &[&str]) -> Result<(), StoreError> {
    let settings = PostgresSettings::new(url);
    apart(|| postgres::run(&settings, statements))
}

/// Works on a thread of its own: the caller's may have a runtime, which cannot wait.
fn apart<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    thread::scope(|scope| scope.spawn(work).join().unwrap())
}
