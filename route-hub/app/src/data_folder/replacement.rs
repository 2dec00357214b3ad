//! Putting a database in the place of another, so that a kill at any moment leaves the old one or
//! the new one, and never a mixture.
//!
//! ```text
//! restoring/hub.db   being made; the old data are untouched
//!      | rename: the commit
//! restored/hub.db    from now on it counts
//!      | the old files move to replaced-…/, hub.db moves to its place, restored/ goes
//! hub.db
//! ```
//!
//! Every program that enters the folder first finishes what it finds in `restored`. Nothing is ever
//! deleted but what was made here and not committed.

use crate::data_folder::database;
use crate::data_folder::error::CommandError;
use crate::data_folder::folder_lock;
use std::fs::{self, DirBuilder, File};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, chown};
use std::path::{Path, PathBuf};

/// Where a new database is made.
const RESTORING: &str = "restoring";
/// Where it lies from its commit until it is in its place.
const RESTORED: &str = "restored";
/// In either: the name of the folder that takes the old files.
const ASIDE_FILE: &str = "aside";
/// The database's files, that of the log first: without it the database would be older.
const ENDS: [&str; 3] = ["-wal", "-shm", ""];

/// Makes an empty folder for the new database and returns it.
///
/// # Errors
/// When it cannot be made.
pub fn begin(folder: &Path) -> Result<PathBuf, CommandError> {
    let making = folder.join(RESTORING);
    let made = remove_folder(&making).and_then(|()| private_folder(&making));
    made.map_err(|error| CommandError::of(making.display(), &error))?;
    Ok(making)
}

/// Puts what was made in [`begin`]'s folder in the place of what is there, whose files go to a
/// folder `replaced-` with `stamp`; returns that one.
///
/// The caller is alone in the folder, and has nothing of either database open.
///
/// # Errors
/// When the file system refuses; before the commit everything is as it was.
pub fn commit(folder: &Path, stamp: &str) -> Result<Option<PathBuf>, CommandError> {
    commit_steps(folder, stamp).map_err(|error| CommandError::of(folder.display(), &error))
}

fn commit_steps(folder: &Path, stamp: &str) -> io::Result<Option<PathBuf>> {
    let making = folder.join(RESTORING);
    let new = database(&making);
    if with_end(&new, "-wal").exists() {
        // The last to close it writes the log back and removes it: without it, the newest would be lost.
        return Err(io::Error::other("the new database is still open"));
    }
    belongs_as(folder, &new)?;
    File::open(&new)?.sync_all()?;
    let there = |end: &&str| with_end(&database(folder), end).exists();
    let aside = if ENDS.iter().any(there) {
        Some(new_folder(folder, &format!("replaced-{stamp}"))?)
    } else {
        None
    };
    let name = aside.as_deref().and_then(Path::file_name);
    let name = name.map(|name| name.to_string_lossy().into_owned());
    let note = making.join(ASIDE_FILE);
    fs::write(&note, name.unwrap_or_default())?;
    File::open(&note)?.sync_all()?;
    sync_folder(&making)?;
    sync_folder(folder)?;
    fs::rename(&making, folder.join(RESTORED))?;
    sync_folder(folder)?;
    finish_steps(folder)?;
    Ok(aside)
}

/// Finishes what was committed and not finished, if there is anything.
///
/// # Errors
/// When the file system refuses, or while somebody else replaces the data.
pub fn finish(folder: &Path) -> Result<(), CommandError> {
    if !is_pending(folder) {
        return Ok(());
    }
    let Some(_alone) = folder_lock::alone(folder)? else {
        return Err(under_way(folder));
    };
    finish_steps(folder).map_err(|error| CommandError::of(folder.display(), &error))
}

/// Says whether a committed replacement is not finished.
pub fn is_pending(folder: &Path) -> bool {
    folder.join(RESTORED).exists()
}

/// Makes the error of a folder whose data are being replaced.
pub fn under_way(folder: &Path) -> CommandError {
    let folder = folder.display();
    CommandError::new(format!("{folder}: a restore is under way"))
}

fn finish_steps(folder: &Path) -> io::Result<()> {
    let restored = folder.join(RESTORED);
    let (new, place) = (database(&restored), database(folder));
    if new.exists() {
        let aside = fs::read_to_string(restored.join(ASIDE_FILE))?;
        for end in ENDS {
            let old = with_end(&place, end);
            if old.exists() && !aside.is_empty() {
                fs::rename(&old, with_end(&database(&folder.join(&aside)), end))?;
            }
        }
        if !aside.is_empty() {
            sync_folder(&folder.join(&aside))?;
        }
        fs::rename(&new, &place)?;
        sync_folder(folder)?;
    }
    remove_folder(&restored)?;
    sync_folder(folder)
}

fn with_end(path: &Path, end: &str) -> PathBuf {
    let mut path = path.as_os_str().to_owned();
    path.push(end);
    path.into()
}

/// Gives a file to whom its folder belongs, when another user (root) made it.
fn belongs_as(folder: &Path, file: &Path) -> io::Result<()> {
    let (owner, own) = (fs::metadata(folder)?, fs::metadata(file)?);
    if (owner.uid(), owner.gid()) == (own.uid(), own.gid()) {
        return Ok(());
    }
    chown(file, Some(owner.uid()), Some(owner.gid()))
}

fn private_folder(path: &Path) -> io::Result<()> {
    DirBuilder::new().mode(0o700).create(path)
}

/// Makes a folder of that name, or of the first with a number that is free.
fn new_folder(within: &Path, name: &str) -> io::Result<PathBuf> {
    let mut path = within.join(name);
    for number in 2.. {
        match private_folder(&path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                path = within.join(format!("{name}-{number}"));
            }
            Err(error) => return Err(error),
            Ok(()) => break,
        }
    }
    Ok(path)
}

fn remove_folder(path: &Path) -> io::Result<()> {
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Brings to disk which files a folder has.
pub fn sync_folder(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    const OLD: [(&str, &str); 3] = [
        ("hub.db", "old"),
        ("hub.db-wal", "old log"),
        ("hub.db-shm", "old index"),
    ];

    fn folder(old: &[(&str, &str)]) -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        for (name, text) in old {
            fs::write(dir.path().join(name), text).unwrap();
        }
        dir
    }

    fn made(folder: &Path) {
        let making = begin(folder).unwrap();
        fs::write(making.join("hub.db"), "new").unwrap();
    }

    /// Every file below a folder, with what is in it.
    fn files(folder: &Path) -> BTreeMap<String, String> {
        let mut found = BTreeMap::new();
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            if path.is_dir() {
                let below = files(&path).into_iter();
                found.extend(below.map(|(below, text)| (format!("{name}/{below}"), text)));
            } else if name != "lock" {
                found.insert(name, fs::read_to_string(path).unwrap());
            }
        }
        found
    }

    fn expected(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
        let pairs = pairs.iter();
        pairs
            .map(|(name, text)| ((*name).to_owned(), (*text).to_owned()))
            .collect()
    }

    const NEW: [(&str, &str); 4] = [
        ("hub.db", "new"),
        ("replaced-now/hub.db", "old"),
        ("replaced-now/hub.db-shm", "old index"),
        ("replaced-now/hub.db-wal", "old log"),
    ];

    #[test]
    fn the_new_takes_the_place_and_the_old_is_kept_whole() {
        let dir = folder(&OLD);
        made(dir.path());
        let aside = commit(dir.path(), "now").unwrap().unwrap();
        assert_eq!(aside, dir.path().join("replaced-now"));
        assert_eq!(files(dir.path()), expected(&NEW));
        made(dir.path());
        let aside = commit(dir.path(), "now").unwrap().unwrap();
        assert_eq!(aside, dir.path().join("replaced-now-2"));
    }

    #[test]
    fn a_folder_without_data_sets_nothing_aside() {
        let dir = folder(&[]);
        made(dir.path());
        assert_eq!(commit(dir.path(), "now").unwrap(), None);
        assert_eq!(files(dir.path()), expected(&[("hub.db", "new")]));
    }

    #[test]
    fn a_database_that_is_still_open_takes_no_place() {
        let dir = folder(&OLD);
        made(dir.path());
        fs::write(dir.path().join("restoring/hub.db-wal"), "newest").unwrap();
        let refused = commit(dir.path(), "now").unwrap_err();
        assert!(refused.to_string().contains("still open"), "{refused}");
        let mut there = files(dir.path());
        there.retain(|name, _| !name.starts_with("restoring/"));
        assert_eq!(there, expected(&OLD));
    }

    #[test]
    fn what_was_broken_off_before_the_commit_never_was() {
        let dir = folder(&OLD);
        made(dir.path());
        finish(dir.path()).unwrap();
        let mut there = files(dir.path());
        there.retain(|name, _| !name.starts_with("restoring/"));
        assert_eq!(there, expected(&OLD));
        made(dir.path());
        commit(dir.path(), "now").unwrap();
        assert_eq!(files(dir.path()), expected(&NEW));
    }

    #[test]
    fn what_was_broken_off_after_the_commit_is_finished_from_every_step() {
        // The files that were moved before the kill.
        for moved in 0..=4 {
            let dir = folder(&OLD);
            made(dir.path());
            fs::create_dir(dir.path().join("replaced-now")).unwrap();
            fs::write(dir.path().join("restoring/aside"), "replaced-now").unwrap();
            fs::rename(dir.path().join("restoring"), dir.path().join("restored")).unwrap();
            let steps = ["hub.db-wal", "hub.db-shm", "hub.db"]
                .map(|name| (name.to_owned(), format!("replaced-now/{name}")));
            let last = ("restored/hub.db".to_owned(), "hub.db".to_owned());
            for (from, to) in steps.into_iter().chain([last]).take(moved) {
                fs::rename(dir.path().join(from), dir.path().join(to)).unwrap();
            }
            assert!(is_pending(dir.path()));
            finish(dir.path()).unwrap();
            assert!(!is_pending(dir.path()));
            assert_eq!(files(dir.path()), expected(&NEW), "after {moved} moves");
        }
    }
}
