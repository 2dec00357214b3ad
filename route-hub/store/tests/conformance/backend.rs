//! What a test is given: a database of some engine.

use hub_store::{SqliteSettings, Store};
use tempfile::TempDir;

/// A database of its own for each test.
pub(crate) trait Backend {
    /// Makes an empty database.
    fn fresh() -> Self;
    /// Opens it; twice is two processes on one database.
    fn open(&self) -> Store;
}

/// SQLite in a folder of its own.
pub(crate) struct Sqlite {
    dir: TempDir,
}

impl Backend for Sqlite {
    fn fresh() -> Self {
        let dir = tempfile::tempdir().unwrap();
        Self { dir }
    }

    fn open(&self) -> Store {
        let settings = SqliteSettings::new(self.dir.path().join("hub.db"));
        Store::open_sqlite(settings).unwrap()
    }
}
