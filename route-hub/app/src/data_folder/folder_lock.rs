//! Who is in a data folder: any number of programs that use it, one of which serves it, or one that replaces
//! its data.
//!
//! The system ends a lock with its program, however that ends. The file `lock` itself says nothing; `serving`
//! says who serves, or served last.

use crate::data_folder::error::CommandError;
use crate::data_folder::owner;
use hub_domain::utc_text;
use postrider_model::UnixMs;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{Read as _, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use std::process;

/// The name of the file that all who are in a folder lock.
const LOCK_FILE: &str = "lock";
/// The name of the file that whoever serves a folder locks, too.
const SERVING_FILE: &str = "serving";
/// Neither holds a secret, and whoever may look into the folder may use it.
const LOCK_RIGHTS: u32 = 0o644;
/// Where Linux keeps the name of the machine, or of the container.
const HOST_FILE: &str = "/proc/sys/kernel/hostname";
/// Most bytes that are read of what a program says of itself.
const WORDS_MAX: u64 = 500;

/// A place in a data folder, given back when this is dropped.
#[derive(Debug)]
pub struct Place {
    locks: Vec<File>,
}

/// Takes a place beside others; `None` while somebody replaces the folder's data.
///
/// # Errors
/// When the folder cannot be used, or is another user's and this is root.
pub fn beside_others(folder: &Path) -> Result<Option<Place>, CommandError> {
    let lock = file(folder)?;
    let locked = lock.try_lock_shared();
    taken(folder, lock, locked)
}

/// Takes the only place; `None` while anybody else is in the folder.
///
/// # Errors
/// When the folder cannot be used, or is another user's and this is root.
pub fn alone(folder: &Path) -> Result<Option<Place>, CommandError> {
    let lock = file(folder)?;
    let locked = lock.try_lock();
    taken(folder, lock, locked)
}

impl Place {
    /// Makes this the place of the one program that serves the folder.
    ///
    /// # Errors
    /// When another one serves it, which the error names, or the folder cannot be used.
    pub fn serving(mut self, folder: &Path, now: UnixMs) -> Result<Self, CommandError> {
        let path = folder.join(SERVING_FILE);
        let opened = making().open(&path);
        let mut lock = opened.map_err(|error| CommandError::of(path.display(), &error))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(served_already(folder, &lock)),
            Err(TryLockError::Error(error)) => {
                return Err(CommandError::of(path.display(), &error));
            }
        }
        // On a full disk others are refused without these words.
        let _ = lock
            .set_len(0)
            .and_then(|()| lock.write_all(own_words(now).as_bytes()));
        self.locks.push(lock);
        Ok(self)
    }
}

/// Returns the number of the process that serves a folder, or served it last.
pub fn served_by(folder: &Path) -> Option<u32> {
    let words = fs::read_to_string(folder.join(SERVING_FILE)).ok()?;
    words
        .strip_prefix("process ")?
        .split(' ')
        .next()?
        .parse()
        .ok()
}

fn taken(
    folder: &Path,
    lock: File,
    locked: Result<(), TryLockError>,
) -> Result<Option<Place>, CommandError> {
    match locked {
        Ok(()) => Ok(Some(Place { locks: vec![lock] })),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(CommandError::of(folder.display(), &error)),
    }
}

fn file(folder: &Path) -> Result<File, CommandError> {
    owner::refuse_root(folder)?;
    let path = folder.join(LOCK_FILE);
    let opened = File::open(&path).or_else(|_| making().open(&path));
    opened.map_err(|error| CommandError::of(path.display(), &error))
}

fn making() -> OpenOptions {
    let mut making = OpenOptions::new();
    making.read(true).write(true).create(true).truncate(false);
    making.mode(LOCK_RIGHTS);
    making
}

/// Says which program this is, where it runs and since when.
fn own_words(now: UnixMs) -> String {
    let mut words = format!("process {}", process::id());
    if let Ok(host) = fs::read_to_string(HOST_FILE) {
        words.push_str(&format!(" on {}", host.trim()));
    }
    if let Some(since) = utc_text(now.seconds()) {
        words.push_str(&format!(" since {since}"));
    }
    words
}

fn served_already(folder: &Path, lock: &File) -> CommandError {
    let mut words = String::new();
    // Who cannot be read is not named.
    let _ = lock.take(WORDS_MAX).read_to_string(&mut words);
    let by = match words.trim() {
        "" => "another process",
        words => words,
    };
    CommandError::new(format!(
        "{} is served already, by {by}. Stop that one first; several hubs can share a PostgreSQL database, \
         not a folder",
        folder.display()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn users_share_a_folder_and_a_replacer_has_it_alone() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path();
        let users = [(), ()].map(|()| beside_others(folder).unwrap().unwrap());
        assert!(alone(folder).unwrap().is_none());
        drop(users);
        let replacer = alone(folder).unwrap().unwrap();
        assert!(alone(folder).unwrap().is_none());
        assert!(beside_others(folder).unwrap().is_none());
        drop(replacer);
        assert!(beside_others(folder).unwrap().is_some());
    }

    #[test]
    fn one_of_those_who_use_a_folder_serves_it_and_is_named_to_the_next() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path();
        let serve = |ms| {
            let place = beside_others(folder).unwrap().unwrap();
            place.serving(folder, UnixMs(ms))
        };
        let first = serve(1_700_000_000_000).unwrap();
        let refused = serve(1_800_000_000_000).unwrap_err().to_string();
        assert_eq!(served_by(folder), Some(process::id()));
        let own = format!("by process {} ", process::id());
        assert!(refused.contains(&own), "{refused}");
        assert!(refused.contains("since 2023-11-14T22:13:20Z"), "{refused}");
        assert!(beside_others(folder).unwrap().is_some());
        assert!(alone(folder).unwrap().is_none());
        drop(first);
        let second = serve(1_800_000_000_000).unwrap();
        let refused = serve(1_900_000_000_000).unwrap_err().to_string();
        assert!(refused.contains("since 2027-01-15T08:00:00Z."), "{refused}");
        fs::write(folder.join(SERVING_FILE), "").unwrap();
        let refused = serve(1_900_000_000_000).unwrap_err().to_string();
        assert!(refused.contains("by another process."), "{refused}");
        drop(second);
        assert!(alone(folder).unwrap().is_some());
    }
}
