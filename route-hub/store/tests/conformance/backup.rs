//! What is SQLite's own about copies: taken while others write, whole, and sound.

use hub_store::backup::{self, Progress, Sound};
use hub_store::{SqliteSettings, Store, StoreError, meta};
use rusqlite::Connection;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

struct Folder {
    dir: TempDir,
}

impl Folder {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        Self { dir }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn open(&self) -> Store {
        Store::open_sqlite(SqliteSettings::new(self.path("hub.db"))).unwrap()
    }

    /// Copies the database to an empty file of its own.
    fn copy(&self, each_step: &mut dyn FnMut(Progress)) -> Result<Sound, StoreError> {
        File::create_new(self.path("copy.db")).unwrap();
        backup::copy(&self.path("hub.db"), &self.path("copy.db"), each_step)
    }
}

/// Stores one value of so many bytes.
fn put(store: &Store, name: &'static str, bytes: usize) {
    let stored = store.write_blocking(move |tx| meta::put(tx, name, &"x".repeat(bytes)));
    stored.unwrap();
}

fn read(path: &Path, name: &'static str) -> Option<usize> {
    let store = Store::open_sqlite(SqliteSettings::new(path)).unwrap();
    let value = store.read_blocking(move |tx| meta::get(tx, name)).unwrap();
    value.map(|value| value.len())
}

#[test]
fn single_writes_go_on_between_the_steps_of_a_copy_which_shows_one_moment() {
    let folder = Folder::new();
    let store = folder.open();
    for name in ["a", "b", "c", "d"] {
        put(&store, name, 2_000_000);
    }
    let mut steps = Vec::new();
    let mut last_write = 0;
    let sound = folder.copy(&mut |progress| {
        steps.push(progress);
        last_write += 1;
        // It returns once it is on disk: nothing that the copy holds keeps it from that.
        put(&store, "during", last_write);
        put(&store, "a", 1);
    });
    assert!(steps.len() > 5, "{steps:?}");
    let all = steps[0].pages;
    assert!(steps.iter().all(|step| step.pages == all), "{steps:?}");
    assert!(steps.is_sorted_by_key(|step| step.pages_done));
    assert_eq!(sound.unwrap().bytes, all * 4_096);
    assert_eq!(read(&folder.path("hub.db"), "during"), Some(last_write));
    let copy = folder.path("copy.db");
    assert_eq!(read(&copy, "a"), Some(2_000_000));
    assert_eq!(read(&copy, "during"), None, "it came after the moment");
}

#[test]
fn a_copy_is_one_file_with_all_that_was_committed() {
    let folder = Folder::new();
    let store = folder.open();
    put(&store, "only_in_the_log", 77);
    folder.copy(&mut |_| ()).unwrap();
    let names: Vec<_> = fs::read_dir(folder.dir.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.starts_with("copy"))
        .collect();
    assert_eq!(names, ["copy.db"]);
    let bytes = fs::read(folder.path("copy.db")).unwrap();
    assert_eq!(bytes[18..20], [1, 1], "its header names no log");
    assert_eq!(read(&folder.path("copy.db"), "only_in_the_log"), Some(77));
}

#[test]
fn copying_changes_nothing_of_the_source() {
    let folder = Folder::new();
    let store = folder.open();
    put(&store, "a", 10);
    let log = folder.path("hub.db-wal");
    let before = (fs::read(folder.path("hub.db")), fs::read(&log));
    folder.copy(&mut |_| ()).unwrap();
    let after = (fs::read(folder.path("hub.db")), fs::read(&log));
    assert_eq!(before.0.unwrap(), after.0.unwrap());
    assert_eq!(before.1.unwrap(), after.1.unwrap());
}

#[test]
fn a_damaged_source_gives_no_copy() {
    let folder = Folder::new();
    let store = folder.open();
    put(&store, "a", 500_000);
    drop(store);
    let path = folder.path("hub.db");
    let mut bytes = fs::read(&path).unwrap();
    // Beyond the schema: the file opens, and only a look through it finds the fault.
    let tables = bytes.len() / 4_096 / 2;
    for byte in &mut bytes[tables * 4_096..(tables + 40) * 4_096] {
        *byte ^= 0xa5;
    }
    fs::write(&path, bytes).unwrap();
    let refused = folder.copy(&mut |_| ()).err();
    assert!(
        matches!(refused, Some(StoreError::Damaged(_))),
        "{refused:?}"
    );
}

#[test]
fn what_is_no_database_of_a_hub_is_refused() {
    let folder = Folder::new();
    let missing = backup::check(&folder.path("hub.db"));
    assert!(matches!(missing, Err(StoreError::Missing { .. })));
    let other = folder.path("other.db");
    let tables = "CREATE TABLE things (id INTEGER)";
    Connection::open(&other)
        .unwrap()
        .execute_batch(tables)
        .unwrap();
    let text = folder.path("notes.txt");
    fs::write(&text, "not a database ".repeat(300)).unwrap();
    for path in [other, text] {
        let refused = backup::check(&path).err();
        assert!(
            matches!(refused, Some(StoreError::Foreign { .. })),
            "{refused:?}"
        );
    }
}

#[test]
fn a_database_that_somebody_has_open_is_known() {
    let folder = Folder::new();
    let path = folder.path("hub.db");
    assert!(!backup::is_open(&path).unwrap(), "there is none");
    let store = folder.open();
    put(&store, "a", 10);
    assert!(backup::is_open(&path).unwrap());
    put(&store, "a", 20);
    drop(store);
    assert!(!backup::is_open(&path).unwrap());
    assert_eq!(read(&path, "a"), Some(20));
}

#[test]
fn an_upgrade_is_foreseen_where_the_schema_is_older() {
    let folder = Folder::new();
    let path = folder.path("hub.db");
    assert_eq!(backup::upgrade(&path).unwrap(), None, "there is none");
    fs::write(&path, "").unwrap();
    assert_eq!(backup::upgrade(&path).unwrap(), None, "it is empty");
    drop(folder.open());
    assert_eq!(backup::upgrade(&path).unwrap(), None, "it is the newest");
    let connection = Connection::open(&path).unwrap();
    let newest = "SELECT max(version) FROM refinery_schema_history";
    let newest: i64 = connection.query_row(newest, [], |row| row.get(0)).unwrap();
    let forget = "DELETE FROM refinery_schema_history WHERE version = ?1";
    connection.execute(forget, [newest]).unwrap();
    drop(connection);
    let upgrade = backup::upgrade(&path).unwrap().unwrap();
    assert_eq!((upgrade.from, upgrade.to), (newest - 1, newest));
    assert!(upgrade.bytes >= fs::metadata(&path).unwrap().len());
    fs::write(&path, "not a database ".repeat(300)).unwrap();
    assert_eq!(backup::upgrade(&path).unwrap(), None, "it is not a hub's");
}
