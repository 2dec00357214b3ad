//! Who is in a data folder: any number of programs that use it, or one that replaces its data.
//!
//! The system ends a lock with its program, however that ends; the file `lock` itself says nothing.

use crate::data_folder::error::CommandError;
use std::fs::{File, OpenOptions, TryLockError};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

/// The name of the file that is locked.
const LOCK_FILE: &str = "lock";
/// It holds nothing, and whoever may look into the folder may use it.
const LOCK_RIGHTS: u32 = 0o644;

/// A place in a data folder, given back when this is dropped.
#[derive(Debug)]
pub struct Place {
    _lock: File,
}

/// Takes a place beside others; `None` while somebody replaces the folder's data.
///
/// # Errors
/// When the folder cannot be used.
pub fn beside_others(folder: &Path) -> Result<Option<Place>, CommandError> {
    let lock = file(folder)?;
    let locked = lock.try_lock_shared();
    taken(folder, lock, locked)
}

/// Takes the only place; `None` while anybody else is in the folder.
///
/// # Errors
/// When the folder cannot be used.
pub fn alone(folder: &Path) -> Result<Option<Place>, CommandError> {
    let lock = file(folder)?;
    let locked = lock.try_lock();
    taken(folder, lock, locked)
}

fn taken(
    folder: &Path,
    lock: File,
    locked: Result<(), TryLockError>,
) -> Result<Option<Place>, CommandError> {
    match locked {
        Ok(()) => Ok(Some(Place { _lock: lock })),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(CommandError::of(folder.display(), &error)),
    }
}

fn file(folder: &Path) -> Result<File, CommandError> {
    let path = folder.join(LOCK_FILE);
    let opened = File::open(&path).or_else(|_| {
        let mut making = OpenOptions::new();
        making.read(true).write(true).create(true).truncate(false);
        making.mode(LOCK_RIGHTS).open(&path)
    });
    opened.map_err(|error| CommandError::of(path.display(), &error))
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
}
