//! Writes SQLite's log (WAL) back into the database in pieces, beside the writer.
//!
//! Otherwise a COMMIT does it once the log is long, and its callers wait for thousands of pages. Pages
//! that are needed again and again are written once for each piece, so a piece is not too small. When
//! nothing was committed for a while the rest follows: the log is begun anew after that, which costs the
//! next commit a second sync.
//!
//! While the writer never pauses, the log is never wholly written back, and grows: the engine's own
//! limit (`wal_autocheckpoint`) then has a COMMIT write back what came since the last piece.

use crate::stop::Stop;
use crate::stopwatch::Stopwatch;
use crate::{SqliteSettings, StoreError, priority, sqlite};
use rusqlite::Connection;
use std::time::Duration;

/// Pages that wait in the log until they are written back: 4 MiB.
const PIECE_PAGES: i64 = 1_000;
/// How often the log is looked at while it grows.
const LOOK_EVERY: Duration = Duration::from_millis(20);
/// How often it is looked at otherwise.
const LOOK_IDLE_EVERY: Duration = Duration::from_millis(250);
/// How long the log must not have grown before less than a piece is written back.
const REST: Duration = Duration::from_secs(1);

/// How many pages the log holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Pages {
    all: i64,
    written_back: i64,
}

/// Writes the log back until it is told to stop.
pub(crate) struct WriteBack {
    connection: Connection,
    seen: Pages,
    grew: Stopwatch,
}

impl WriteBack {
    pub(crate) fn open(settings: &SqliteSettings) -> Result<Self, StoreError> {
        Ok(Self {
            connection: sqlite::open_log(settings)?,
            seen: Pages {
                all: 0,
                written_back: 0,
            },
            grew: Stopwatch::start(),
        })
    }

    pub(crate) fn run(mut self, stop: &Stop) {
        priority::lower();
        let mut pause = LOOK_IDLE_EVERY;
        while !stop.wait(pause) {
            // What failed is tried again: the log keeps everything until then.
            pause = match self.look() {
                Ok(true) => LOOK_EVERY,
                Ok(false) | Err(_) => LOOK_IDLE_EVERY,
            };
        }
    }

    /// Looks at the log, writes it back if it is time, and says whether it has grown.
    fn look(&mut self) -> Result<bool, StoreError> {
        let now = self.pages("PRAGMA wal_checkpoint(NOOP)")?;
        let grew = now.all != self.seen.all;
        if grew {
            self.grew = Stopwatch::start();
        }
        self.seen = now;
        if is_due(now, self.grew.elapsed()) {
            self.pages("PRAGMA wal_checkpoint(PASSIVE)")?;
        }
        Ok(grew)
    }

    fn pages(&self, pragma: &str) -> Result<Pages, StoreError> {
        let read = |row: &rusqlite::Row<'_>| {
            Ok(Pages {
                all: row.get(1)?,
                written_back: row.get(2)?,
            })
        };
        self.connection
            .query_row(pragma, [], read)
            .map_err(sqlite::failure)
    }
}

/// Says whether the log is to be written back that has not grown for so long.
fn is_due(pages: Pages, unchanged_for: Duration) -> bool {
    let waiting = pages.all - pages.written_back;
    waiting >= PIECE_PAGES || (waiting > 0 && unchanged_for >= REST)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tx::{Access, Session, Sql};
    use crate::{Store, Value, meta, migrations};
    use std::thread;

    /// Commits a value of so many pages.
    fn commit(writer: &mut dyn Session, pages: usize) {
        let large = "x".repeat(pages * 4_096);
        writer.begin(Access::Write).unwrap();
        let sql = "INSERT INTO hub_meta (name, value) VALUES ('large', $1)";
        writer
            .execute(Sql::Fixed(sql), &[Value::from(large)])
            .unwrap();
        writer.commit().unwrap();
    }

    #[test]
    fn what_waits_in_the_log_is_due_as_a_piece_or_after_a_rest() {
        let pages = |all, written_back| Pages { all, written_back };
        let (busy, rested) = (Duration::ZERO, REST);
        assert!(!is_due(pages(5_000 + PIECE_PAGES - 1, 5_000), busy));
        assert!(is_due(pages(5_000 + PIECE_PAGES, 5_000), busy));
        assert!(is_due(pages(5_001, 5_000), rested));
        assert!(!is_due(pages(5_000, 5_000), rested), "nothing waits");
    }

    #[test]
    fn a_piece_is_written_back_beside_an_open_transaction() {
        let dir = tempfile::tempdir().unwrap();
        let settings = SqliteSettings::new(dir.path().join("hub.db"));
        let mut writer = sqlite::open_writer(&settings, migrations::run).unwrap();
        let mut log = WriteBack::open(&settings).unwrap();
        let pages = |log: &WriteBack| log.pages("PRAGMA wal_checkpoint(NOOP)").unwrap();
        let few = pages(&log);
        assert!(log.look().unwrap(), "the schema is new");
        assert_eq!(pages(&log), few, "less than a piece stays in the log");
        commit(&mut writer, PIECE_PAGES as usize);
        writer.begin(Access::Write).unwrap();
        assert!(log.look().unwrap());
        let many = pages(&log);
        assert!(many.all >= PIECE_PAGES);
        assert_eq!(many.written_back, many.all);
        assert!(!log.look().unwrap());
    }

    #[test]
    fn a_store_writes_its_log_back_without_being_asked() {
        let dir = tempfile::tempdir().unwrap();
        let settings = SqliteSettings::new(dir.path().join("hub.db"));
        let store = Store::open_sqlite(settings.clone()).unwrap();
        store
            .write_blocking(|tx| meta::put(tx, "name", "value"))
            .unwrap();
        let log = WriteBack::open(&settings).unwrap();
        let waited = Stopwatch::start();
        let done = || {
            let pages = log.pages("PRAGMA wal_checkpoint(NOOP)").unwrap();
            pages.all == pages.written_back
        };
        while !done() {
            assert!(
                waited.elapsed() < Duration::from_secs(60),
                "it stays in the log"
            );
            thread::yield_now();
        }
    }
}
