//! Copies of a database: complete under their name, or not there.

use crate::data_folder::error::CommandError;
use crate::data_folder::replacement::sync_folder;
use hub_store::backup::{self, Sound};
use std::fs::{self, File, OpenOptions, Permissions, TryLockError};
use std::io;
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

/// Nobody but its owner may read a copy: it holds messages, numbers and secrets.
const RIGHTS: u32 = 0o600;
/// How the name of an unfinished copy begins and ends.
const PART: (&str, &str) = (".", ".part");

/// Copies a database to a file, which is never overwritten, while others write to it.
///
/// # Errors
/// When the database cannot be read, the file exists already, or the copy is damaged.
pub fn copy(from: &Path, to: &Path) -> Result<Sound, CommandError> {
    let taken = || {
        let to = to.display();
        CommandError::new(format!("{to} exists already and is not overwritten"))
    };
    if to.exists() {
        return Err(taken());
    }
    let part = Part::make(to)?;
    let sound = backup::copy(from, &part.path, &mut |_| ())?;
    match part.name(to) {
        Ok(()) => Ok(sound),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(taken()),
        Err(error) => Err(CommandError::of(to.display(), &error)),
    }
}

/// An unfinished copy beside its place; removed on drop.
struct Part {
    path: PathBuf,
    _lock: File,
}

impl Part {
    /// Makes an empty file beside `to`, or takes over what a killed program left there.
    fn make(to: &Path) -> Result<Self, CommandError> {
        let Some(name) = to.file_name() else {
            let to = to.display();
            return Err(CommandError::new(format!("{to} is not a file name")));
        };
        let name = format!("{}{}{}", PART.0, name.to_string_lossy(), PART.1);
        let path = to.with_file_name(name);
        let failed = |error| CommandError::of(path.display(), &error);
        let mut making = OpenOptions::new();
        making.read(true).write(true).create(true).truncate(false);
        let lock = making.mode(RIGHTS).open(&path).map_err(failed)?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let to = to.display();
                let text = format!("{to}: another backup is writing to this file");
                return Err(CommandError::new(text));
            }
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
        let empty = lock
            .set_permissions(Permissions::from_mode(RIGHTS))
            .and_then(|()| lock.set_len(0));
        empty.map_err(failed)?;
        Ok(Self { path, _lock: lock })
    }

    /// Gives the finished copy its name, unless a file has it.
    fn name(self, to: &Path) -> io::Result<()> {
        match fs::hard_link(&self.path, to) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Err(error),
            // A file system without links.
            Err(_) if !to.exists() => fs::rename(&self.path, to)?,
            other => other?,
        }
        let folder = to.parent().filter(|folder| !folder.as_os_str().is_empty());
        sync_folder(folder.unwrap_or(Path::new(".")))
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        // What cannot be removed is taken over by the next backup.
        let _ = fs::remove_file(&self.path);
    }
}

/// Removes what killed programs left of copies in a folder.
pub fn sweep(folder: &Path) {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    for entry in entries {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let ours = name.starts_with(".hub-") && name.ends_with(".db.part");
        let abandoned = || File::open(entry.path()).is_ok_and(|part| part.try_lock().is_ok());
        if ours && abandoned() {
            let _ = fs::remove_file(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hub_store::{SqliteSettings, Store};

    /// What is in a folder beside the database itself.
    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<_> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter(|name| !name.starts_with("hub.db"))
            .collect();
        names.sort();
        names
    }

    fn data(dir: &Path) -> PathBuf {
        let path = dir.join("hub.db");
        drop(Store::open_sqlite(SqliteSettings::new(&path)).unwrap());
        path
    }

    #[test]
    fn a_backup_is_for_its_owner_alone_and_overwrites_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let (from, to) = (data(dir.path()), dir.path().join("copy.db"));
        copy(&from, &to).unwrap();
        assert_eq!(
            fs::metadata(&to).unwrap().permissions().mode() & 0o777,
            RIGHTS
        );
        fs::write(&to, "precious").unwrap();
        assert!(copy(&from, &to).is_err());
        assert_eq!(fs::read_to_string(&to).unwrap(), "precious");
        assert_eq!(names(dir.path()), ["copy.db"]);
    }

    #[test]
    fn a_file_that_appears_meanwhile_is_not_overwritten() {
        let dir = tempfile::tempdir().unwrap();
        let to = dir.path().join("copy.db");
        let part = Part::make(&to).unwrap();
        fs::write(&to, "precious").unwrap();
        assert!(part.name(&to).is_err());
        assert_eq!(fs::read_to_string(&to).unwrap(), "precious");
    }

    #[test]
    fn two_backups_to_one_file_do_not_meet() {
        let dir = tempfile::tempdir().unwrap();
        let (from, to) = (data(dir.path()), dir.path().join("copy.db"));
        let other = Part::make(&to).unwrap();
        assert!(copy(&from, &to).is_err());
        sweep(dir.path());
        assert!(other.path.exists());
    }

    #[test]
    fn what_a_killed_backup_left_is_taken_over_or_swept() {
        let dir = tempfile::tempdir().unwrap();
        let (from, to) = (data(dir.path()), dir.path().join("hub-1.db"));
        for name in [".hub-1.db.part", ".hub-2.db.part"] {
            fs::write(dir.path().join(name), "half a database").unwrap();
        }
        copy(&from, &to).unwrap();
        sweep(dir.path());
        assert_eq!(names(dir.path()), ["hub-1.db"]);
    }

    #[test]
    fn what_failed_leaves_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let to = dir.path().join("copy.db");
        assert!(copy(&dir.path().join("missing.db"), &to).is_err());
        assert!(names(dir.path()).is_empty());
    }
}
