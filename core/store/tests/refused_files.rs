//! A file that is not a sound journal of ours is refused, and stays as it is.
#![expect(
    clippy::unwrap_used,
    reason = "a helper of a test stops the test where it cannot go on"
)]

use postrider_machine::Change;
use postrider_store::{Journal, JournalError};
use rusqlite::Connection;
use std::{
    fs,
    path::{Path, PathBuf},
};
use tempfile::TempDir;

fn folder() -> (TempDir, PathBuf) {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("journal.db");
    (folder, path)
}

/// Makes a journal with content, closed and merged into its one file.
fn journal_at(path: &Path) {
    let (mut journal, _) = Journal::open(path).unwrap();
    let configs: Vec<_> = (0..8)
        .map(|slot| {
            Change::ConfigSet(postrider_link::frame::Config {
                sim: postrider_model::SimSlot::new(slot),
                quiet: vec![(1, 2); 400],
                ..Default::default()
            })
        })
        .collect();
    journal.commit(&configs).unwrap();
}

/// Opens a file that must be refused, and checks that it did not change.
fn refusal(path: &Path) -> JournalError {
    let before = fs::read(path).unwrap();
    let error = Journal::open(path).map(|_| ()).unwrap_err();
    assert_eq!(fs::read(path).unwrap(), before, "{error}");
    error
}

#[test]
fn a_file_that_is_no_database_is_foreign() {
    let (_folder, path) = folder();
    fs::write(&path, "a diary, not a journal".repeat(300)).unwrap();
    assert!(matches!(refusal(&path), JournalError::Foreign { .. }));
}

#[test]
fn an_empty_file_is_foreign() {
    let (_folder, path) = folder();
    fs::write(&path, "").unwrap();
    assert!(matches!(refusal(&path), JournalError::Foreign { .. }));
}

#[test]
fn a_database_of_another_program_is_foreign() {
    let (_folder, path) = folder();
    let other = Connection::open(&path).unwrap();
    other.execute_batch("CREATE TABLE link (one)").unwrap();
    drop(other);
    assert!(matches!(refusal(&path), JournalError::Foreign { .. }));
}

#[test]
fn a_damaged_journal_is_told_apart_from_a_foreign_one() {
    let (_folder, path) = folder();
    journal_at(&path);
    let mut bytes = fs::read(&path).unwrap();
    let middle = bytes.len() / 4096 / 2 * 4096;
    bytes[middle..middle + 4096].fill(0x5a);
    fs::write(&path, bytes).unwrap();
    assert!(matches!(refusal(&path), JournalError::Damaged { .. }));
}

#[test]
fn a_journal_that_was_cut_off_is_damaged() {
    let (_folder, path) = folder();
    journal_at(&path);
    let bytes = fs::read(&path).unwrap();
    fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
    assert!(matches!(refusal(&path), JournalError::Damaged { .. }));
}

#[test]
fn a_journal_of_a_newer_version_is_refused() {
    let (_folder, path) = folder();
    journal_at(&path);
    let newer = Connection::open(&path).unwrap();
    let sql = "INSERT INTO refinery_schema_history (version, name, applied_on, checksum)
               SELECT 99, 'later', applied_on, checksum FROM refinery_schema_history LIMIT 1";
    newer.execute(sql, []).unwrap();
    drop(newer);
    let error = Journal::open(&path).map(|_| ()).unwrap_err();
    assert!(
        matches!(error, JournalError::Newer { found: 99, .. }),
        "{error}"
    );
}

#[test]
fn a_log_without_its_file_is_no_reason_for_a_new_journal() {
    let (folder, path) = folder();
    fs::write(folder.path().join("journal.db-wal"), "the last commits").unwrap();
    let error = Journal::open(&path).map(|_| ()).unwrap_err();
    assert!(matches!(error, JournalError::Damaged { .. }), "{error}");
    assert!(!path.exists());
}

#[test]
fn a_half_made_journal_of_a_start_that_died_is_made_anew() {
    let (folder, path) = folder();
    fs::write(folder.path().join("journal.db.new"), "half").unwrap();
    assert!(Journal::open(&path).is_ok());
    assert!(path.exists() && !folder.path().join("journal.db.new").exists());
}

#[test]
fn a_journal_that_is_open_elsewhere_is_in_use() {
    let (_folder, path) = folder();
    let _open = Journal::open(&path).unwrap();
    let error = Journal::open(&path).map(|_| ()).unwrap_err();
    assert!(matches!(error, JournalError::InUse { .. }), "{error}");
}
