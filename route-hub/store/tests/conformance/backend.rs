//! What a test is given: a database of some engine.

use hub_store::Store;
use hub_store::testing::TestDatabase;

/// A database of its own for each test.
pub(crate) trait Backend {
    /// Makes an empty database.
    fn fresh() -> Self;
    /// Opens it; twice is two processes on one database.
    fn open(&self) -> Store;
}

impl Backend for TestDatabase {
    fn fresh() -> Self {
        Self::fresh()
    }

    fn open(&self) -> Store {
        self.open()
    }
}
