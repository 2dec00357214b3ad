//! Moves to another database and back: with `POSTRIDER_TEST_DATABASE` through a server, else from file to
//! file.

use hub_store::moving::{self, MoveError, Names, Place, Step};
use hub_store::testing::{PostgresDatabase, server};
use hub_store::{PostgresSettings, SqliteSettings, Store, StoreError, meta};
use postrider_model::UnixMs;
use rusqlite::{Connection, types::Value};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;
use tempfile::TempDir;

const NOW: UnixMs = UnixMs(1_700_000_000_000);
/// Tables with fifty times as many rows as others: their keys are a number, two, a text, and none.
const LARGE: &[&str] = &["contact_vars", "facts_aside", "idempotency", "messages"];

/// The databases of a test.
struct World {
    dir: TempDir,
    /// On a server, where there is one.
    middle: Option<PostgresDatabase>,
}

impl World {
    fn new() -> Self {
        Self {
            dir: tempfile::tempdir().unwrap(),
            middle: server().map(|server| PostgresDatabase::empty(&server)),
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn file(&self, name: &str) -> Place {
        Place::Sqlite(self.path(name))
    }

    /// The source of most tests, with so many rows in each table.
    fn filled(&self, rows: i64) -> Place {
        fill(&self.path("source.db"), rows);
        self.file("source.db")
    }

    /// The target of most tests.
    fn middle(&self) -> Place {
        match &self.middle {
            None => self.file("target.db"),
            Some(database) => Place::Postgres(Box::new(PostgresSettings {
                beat: Duration::from_millis(10),
                ..PostgresSettings::new(database.url())
            })),
        }
    }
}

fn open(place: &Place) -> Result<Store, StoreError> {
    match place {
        Place::Sqlite(path) => Store::open_sqlite(SqliteSettings::new(path)),
        Place::Postgres(settings) => Store::open_postgres(settings),
    }
}

fn names() -> Names {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let [id, run] = [(), ()].map(|()| NEXT.fetch_add(1, Ordering::Relaxed).to_string());
    Names { id, run, now: NOW }
}

/// Moves, and breaks off after so many steps; returns the steps.
fn moved(from: &Place, to: &Place, steps_max: usize) -> (Vec<Step>, Result<(), MoveError>) {
    let mut steps = Vec::new();
    let done = moving::run(from, to, &names(), &mut |step| {
        steps.push(step);
        steps.len() < steps_max
    });
    (steps, done)
}

fn assert_refused(done: Result<(), MoveError>, expected: &str) {
    let error = done.expect_err(expected);
    let cause = std::error::Error::source(&error).map(ToString::to_string);
    let said = format!("{error}: {}", cause.unwrap_or_default());
    assert!(said.contains(expected), "{said}");
}

fn is_refused(place: &Place) -> bool {
    match open(place) {
        Ok(_) => false,
        Err(StoreError::Refused { .. }) => true,
        Err(error) => panic!("{error:?}"),
    }
}

type Rows = BTreeMap<String, Vec<Vec<Value>>>;

/// The columns of each table, with their types and whether they may be NULL.
fn tables(connection: &Connection) -> BTreeMap<String, Vec<(String, String, bool)>> {
    let look = "SELECT t.name, c.name, c.type, c.\"notnull\" = 0 AND c.pk = 0 FROM sqlite_master AS t, \
        pragma_table_info(t.name) AS c WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite%' \
        AND t.name NOT IN ('change_versions', 'gates', 'processes', 'refinery_schema_history', 'writers')";
    let mut tables = BTreeMap::<String, Vec<_>>::new();
    let mut look = connection.prepare(look).unwrap();
    let mut rows = look.query([]).unwrap();
    while let Some(row) = rows.next().unwrap() {
        let column = (
            row.get(1).unwrap(),
            row.get(2).unwrap(),
            row.get(3).unwrap(),
        );
        tables.entry(row.get(0).unwrap()).or_default().push(column);
    }
    tables
}

/// Makes a hub's file with rows in every table: values of each kind, NULL wherever it may be, and rows
/// that are the same where they may be.
fn fill(path: &Path, rows: i64) {
    drop(Store::open_sqlite(SqliteSettings::new(path)).unwrap());
    let mut connection = Connection::open(path).unwrap();
    let tables = tables(&connection);
    let filling = connection.transaction().unwrap();
    for (table, columns) in tables {
        let rows = if LARGE.contains(&&*table) {
            rows * 50
        } else {
            rows
        };
        for number in 1..=rows {
            let values = columns.iter().map(|(_, kind, nullable)| match &**kind {
                _ if *nullable && number % 3 == 0 => Value::Null,
                "DOUBLE PRECISION" => Value::Real((number - 2) as f64 * -0.25),
                "TEXT" => Value::Text(format!("{} \u{fc}\u{1f600}'\u{0}\\ {number}", number % 7)),
                _ => Value::Integer(number * 1_000_003),
            });
            let values: Vec<_> = values.collect();
            let numbers: Vec<_> = (1..=columns.len()).map(|n| format!("?{n}")).collect();
            let names: Vec<_> = columns.iter().map(|(name, _, _)| &**name).collect();
            let (names, numbers) = (names.join(", "), numbers.join(", "));
            let insert = format!("INSERT INTO {table} ({names}) VALUES ({numbers})");
            let times = if table == "facts_aside" { 3 } else { 1 };
            for _ in 0..times {
                let values = rusqlite::params_from_iter(&values);
                filling.execute(&insert, values).unwrap();
            }
        }
    }
    let rest = "INSERT INTO hub_meta (name, value) VALUES ('hub_id', 'HB0000000000000007'); \
        UPDATE devices SET connected_to = NULL, offline_since = 5; \
        UPDATE devices SET connected_to = 3, offline_since = NULL \
        WHERE id = (SELECT min(id) FROM devices)";
    filling.execute_batch(rest).unwrap();
    filling.commit().unwrap();
}

/// Returns all rows of a hub's file in an order.
fn rows(path: &Path) -> Rows {
    let connection = Connection::open(path).unwrap();
    let tables = tables(&connection).into_iter().map(|(table, columns)| {
        let names: Vec<_> = columns.iter().map(|(name, _, _)| &**name).collect();
        let names = names.join(", ");
        let only = if table == "hub_meta" {
            "name <> 'move'"
        } else {
            "true"
        };
        let read = format!("SELECT {names} FROM {table} WHERE {only} ORDER BY {names}");
        let mut read = connection.prepare(&read).unwrap();
        let found = read.query_map([], |row| (0..columns.len()).map(|n| row.get(n)).collect());
        let found = found.unwrap().map(Result::unwrap).collect();
        (table, found)
    });
    tables.collect()
}

/// The rows as a database keeps them after a move.
fn as_moved(mut rows: Rows) -> Rows {
    for row in rows.values_mut().flatten().flatten() {
        if let Value::Text(text) = row {
            *text = text.replace('\0', "\u{fffd}");
        }
    }
    rows
}

#[test]
fn there_and_back_every_row_is_the_same() {
    let world = World::new();
    let (source, middle, back) = (world.filled(30), world.middle(), world.file("back.db"));
    let connected = "UPDATE devices SET connected_to = NULL, offline_since = 1700000000000 \
        WHERE connected_to IS NOT NULL";
    let mut before = rows(&world.path("source.db"));
    let (steps, done) = moved(&source, &middle, usize::MAX);
    done.unwrap();
    assert_eq!(steps.last(), Some(&Step::Finished));
    moved(&middle, &back, usize::MAX).1.unwrap();
    let after = rows(&world.path("back.db"));
    let original = Connection::open(world.path("source.db")).unwrap();
    assert_eq!(original.execute(connected, []).unwrap(), 1);
    before.insert(
        "devices".to_owned(),
        rows(&world.path("source.db")).remove("devices").unwrap(),
    );
    assert!(before.values().all(|rows| rows.len() >= 30), "each table");
    assert!(before["facts_aside"].len() > 4_000, "more than a step");
    let before = as_moved(before);
    for (table, rows) in &after {
        assert_eq!(Some(rows), before.get(table), "{table}");
    }
    assert_eq!(before.len(), after.len());
    drop(open(&back).unwrap());
    assert!(is_refused(&source) && is_refused(&middle));
}

#[test]
fn a_move_that_is_broken_off_at_any_step_is_done_again_and_never_are_two_served() {
    let world = World::new();
    let (source, middle) = (world.filled(1), world.middle());
    let before = as_moved(rows(&world.path("source.db")));
    // Each try takes its time; more of them at the first steps, which are marks.
    let stride = if server().is_some() { 37 } else { 13 };
    let mut broken_off = 0;
    for steps_max in (1..4).chain((4..).step_by(stride)) {
        let (steps, done) = moved(&source, &middle, steps_max);
        if done.is_ok() {
            break;
        }
        assert!(matches!(done, Err(MoveError::BrokenOff)), "{done:?}");
        broken_off += 1;
        let is_finished = steps.contains(&Step::Finished);
        assert_eq!(is_refused(&middle), !is_finished, "after {steps_max} steps");
        assert_eq!(
            is_refused(&source),
            steps.contains(&Step::SourceMarked) || broken_off > 2,
            "after {steps_max} steps"
        );
        if is_finished {
            break;
        }
    }
    assert!(broken_off > 5, "{broken_off}");
    let (steps, done) = moved(&source, &middle, usize::MAX);
    done.unwrap();
    assert!(matches!(*steps, [Step::WasFinished]) || steps.ends_with(&[Step::Finished]));
    moved(&middle, &world.file("back.db"), usize::MAX)
        .1
        .unwrap();
    let after = rows(&world.path("back.db"));
    assert_eq!(after["messages"], before["messages"]);
    assert_eq!(after["facts_aside"], before["facts_aside"]);
}

#[test]
fn a_move_is_taken_back_until_the_target_was_served() {
    let world = World::new();
    let (source, middle) = (world.filled(3), world.middle());
    assert_refused(moving::undo(&source, &middle), "was not moved");
    moved(&source, &middle, 20).1.unwrap_err();
    moving::undo(&source, &middle).unwrap();
    assert!(!is_refused(&source) && is_refused(&middle));
    moved(&source, &middle, usize::MAX).1.unwrap();
    moving::undo(&source, &middle).unwrap();
    assert!(!is_refused(&source) && is_refused(&middle));
    moved(&source, &middle, usize::MAX).1.unwrap();
    let other = world.file("other.db");
    assert_refused(moving::undo(&source, &other), "is empty");
    let store = open(&middle).unwrap();
    store.write_blocking(moving::served).unwrap();
    drop(store);
    assert_refused(moving::undo(&source, &middle), "has been served");
    assert_refused(moved(&source, &middle, usize::MAX).1, "was moved to");
    assert!(is_refused(&source) && !is_refused(&middle));
}

#[test]
fn only_a_hub_s_rows_move_and_only_into_an_empty_database() {
    let world = World::new();
    let (source, middle) = (world.filled(3), world.middle());
    let nothing = world.file("nothing.db");
    assert_refused(moved(&nothing, &middle, usize::MAX).1, "no database");
    drop(open(&nothing).unwrap());
    assert_refused(moved(&nothing, &middle, usize::MAX).1, "no hub");
    let store = open(&middle).unwrap();
    let kept = store.write_blocking(|tx| meta::put(tx, "kept", "value"));
    kept.unwrap();
    drop(store);
    assert_refused(moved(&source, &middle, usize::MAX).1, "not empty");
    assert!(
        !is_refused(&source) && !is_refused(&middle),
        "nothing was done"
    );
    let newer = "INSERT INTO refinery_schema_history (version, name, applied_on, checksum) \
        SELECT 999, 'of_the_future', applied_on, checksum FROM refinery_schema_history LIMIT 1";
    let connection = Connection::open(world.path("source.db")).unwrap();
    connection.execute_batch(newer).unwrap();
    let to = world.file("to.db");
    assert_refused(moved(&source, &to, usize::MAX).1, "schema 999");
}

#[test]
fn of_two_moves_into_one_target_the_newest_goes_on() {
    let world = World::new();
    let (source, middle) = (world.filled(3), world.middle());
    let mut steps = 0;
    let first = moving::run(&source, &middle, &names(), &mut |_| {
        steps += 1;
        if steps == 20 {
            moved(&source, &middle, usize::MAX).1.unwrap();
        }
        true
    });
    assert_refused(first, "another migrate");
    drop(open(&middle).unwrap());
}

#[test]
fn a_database_that_a_process_uses_is_refused_and_one_that_was_killed_is_ended() {
    let Some(server) = server() else {
        return;
    };
    let world = World::new();
    let (source, middle) = (world.filled(3), world.middle());
    let living = open(&middle).unwrap();
    assert_refused(moved(&source, &middle, usize::MAX).1, "works on it");
    drop(living);
    moved(&source, &middle, usize::MAX).1.unwrap();
    let dead = "INSERT INTO processes (number, incarnation, serves, beats, ended) \
        VALUES (7, 77, 1, 5, 0); INSERT INTO writers (process, incarnation, writer, place, commits) \
        VALUES (7, 77, 0, 0, 3)";
    let database = world.middle.as_ref().unwrap();
    database.run(&[dead]).unwrap();
    let next = PostgresDatabase::empty(&server);
    let to = Place::Postgres(Box::new(PostgresSettings::new(next.url())));
    moved(&middle, &to, usize::MAX).1.unwrap();
    let ended = "DO $$ BEGIN ASSERT (SELECT ended FROM processes WHERE number = 7) = 1 \
        AND NOT EXISTS (SELECT FROM writers WHERE process = 7); END $$";
    database.run(&[ended]).unwrap();
    let none = "DO $$ BEGIN ASSERT NOT EXISTS (SELECT FROM processes WHERE number = 7); END $$";
    next.run(&[none]).unwrap();
    drop(next.open().unwrap());
}
