//! What is SQLite's own about opening: files that are not ours, and files from the future.

use hub_store::{SqliteSettings, Store, StoreError, meta};
use rusqlite::Connection;
use std::fs;
use std::path::Path;

fn open(path: &Path) -> Result<Store, StoreError> {
    Store::open_sqlite(SqliteSettings::new(path))
}

#[test]
fn what_was_stored_is_there_when_it_is_opened_again() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("hub.db");
    for generation in 2..5 {
        let store = open(&path).unwrap();
        assert_eq!(
            store.write_blocking(meta::raise_generation).unwrap(),
            generation
        );
    }
}

#[test]
fn a_file_of_something_else_is_refused_and_left_alone() {
    let dir = tempfile::tempdir().unwrap();
    let text = dir.path().join("notes.txt");
    let content = "not a database ".repeat(300);
    fs::write(&text, &content).unwrap();
    assert!(matches!(open(&text), Err(StoreError::Foreign { .. })));
    assert_eq!(fs::read_to_string(&text).unwrap(), content);

    let other = dir.path().join("other.db");
    let connection = Connection::open(&other).unwrap();
    connection
        .execute_batch("CREATE TABLE things (id INTEGER)")
        .unwrap();
    drop(connection);
    let before = fs::read(&other).unwrap();
    assert!(matches!(open(&other), Err(StoreError::Foreign { .. })));
    assert_eq!(fs::read(&other).unwrap(), before);
}

#[test]
fn a_missing_file_is_only_made_when_that_is_wanted() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("hub.db");
    let mut settings = SqliteSettings::new(&path);
    settings.create = false;
    let missing = Store::open_sqlite(settings.clone());
    assert!(matches!(missing, Err(StoreError::Missing { .. })));
    assert!(!path.exists());
    drop(open(&path).unwrap());
    assert!(Store::open_sqlite(settings).is_ok());
}

#[test]
fn a_file_of_a_newer_hub_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("hub.db");
    drop(open(&path).unwrap());
    let connection = Connection::open(&path).unwrap();
    let newer = "INSERT INTO refinery_schema_history (version, name, applied_on, checksum) \
        SELECT 999, 'of_the_future', applied_on, checksum FROM refinery_schema_history LIMIT 1";
    connection.execute_batch(newer).unwrap();
    drop(connection);
    let refused = open(&path);
    assert!(matches!(refused, Err(StoreError::Newer { found: 999, known }) if known < 999));
}

#[test]
fn a_damaged_file_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("hub.db");
    drop(open(&path).unwrap());
    let mut bytes = fs::read(&path).unwrap();
    for byte in &mut bytes[100..8_192] {
        *byte ^= 0xa5;
    }
    fs::write(&path, bytes).unwrap();
    let refused = open(&path).err();
    assert!(
        matches!(refused, Some(StoreError::Damaged(_))),
        "{refused:?}"
    );
}
