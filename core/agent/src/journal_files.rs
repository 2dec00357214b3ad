//! The files of a journal, moved and removed together.

use crate::files::unless_missing;
use std::{fs, io, path::Path};

/// The name of the journal in a phone's folder.
pub const JOURNAL_FILE: &str = "journal.db";
/// The name of a journal that was set aside and could not be read.
pub(crate) const UNREADABLE_FILE: &str = "unreadable-journal.db";

/// Moves a journal with its log, unless that was done before.
pub(crate) fn move_journal(from: &Path, to: &Path) -> io::Result<()> {
    for suffix in SUFFIXES {
        let moved = fs::rename(beside(from, suffix), beside(to, suffix));
        unless_missing(moved)?;
    }
    Ok(())
}

/// Removes a journal with its log.
pub(crate) fn remove_journal(path: &Path) -> io::Result<()> {
    for suffix in SUFFIXES {
        unless_missing(fs::remove_file(beside(path, suffix)))?;
    }
    Ok(())
}

/// A journal's own file, its log, and the log's index.
const SUFFIXES: [&str; 3] = ["", "-wal", "-shm"];

fn beside(path: &Path, suffix: &str) -> std::path::PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}
