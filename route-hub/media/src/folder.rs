//! The folder of the blobs: which one it is, and what broken uploads leave in it.

use crate::name::BlobName;
use std::fs::{self, DirBuilder, File};
use std::io::{self, Write as _};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::Path;
use std::time::SystemTime;

/// The file that says which hub a folder belongs to.
const MARK: &str = "belongs-to";
/// The folder is for its owner alone.
const RIGHTS: u32 = 0o700;

/// Says that a folder is not the hub's.
#[derive(Debug, thiserror::Error)]
pub enum WrongFolder {
    /// The hub has files, and this folder is not where they are.
    #[error("the folder is not the one that the hub keeps its files in: is a disk missing?")]
    Other,
    /// The folder cannot be used.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// Makes the folder where it is missing.
pub(crate) fn make(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(RIGHTS).create(path)
}

/// Checks a folder's mark, or marks a folder of a hub that has none yet. Returns the mark.
pub(crate) fn recognise(
    path: &Path,
    expected: Option<&str>,
    fresh: &str,
) -> Result<String, WrongFolder> {
    let mark = path.join(MARK);
    match (fs::read_to_string(&mark), expected) {
        (Ok(found), Some(expected)) if found == expected => Ok(found),
        (Ok(found), None) => Ok(found),
        (Err(error), None) if error.kind() == io::ErrorKind::NotFound => {
            write(path, &mark, fresh)?;
            Ok(fresh.to_owned())
        }
        (Err(error), _) if error.kind() != io::ErrorKind::NotFound => Err(error.into()),
        _ => Err(WrongFolder::Other),
    }
}

fn write(folder: &Path, mark: &Path, text: &str) -> io::Result<()> {
    let mut file = File::create_new(mark)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    File::open(folder)?.sync_all()
}

/// Copies a blob from one folder of blobs to another, unless it is there; returns its bytes, `None` where
/// the first has none. What is answered is on disk.
///
/// # Errors
/// When a folder cannot be used.
pub fn copy_blob(from: &Path, to: &Path, name: &BlobName) -> io::Result<Option<u64>> {
    let (source, place) = (from.join(name.place()), to.join(name.place()));
    match fs::metadata(&source) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
        Ok(found) if fs::metadata(&place).is_ok_and(|it| it.len() == found.len()) => {
            return Ok(Some(found.len()));
        }
        Ok(_) => {}
    }
    let folder = place.parent().unwrap_or(to);
    make(folder)?;
    // It has the name of a broken upload until it is whole.
    let mut part = place.clone().into_os_string();
    part.push("#1");
    let length = fs::copy(&source, &part)?;
    File::open(&part)?.sync_all()?;
    fs::rename(&part, &place)?;
    File::open(folder)?.sync_all()?;
    Ok(Some(length))
}

/// Marks a folder as another one is marked, unless it has a mark.
///
/// # Errors
/// When a folder cannot be used.
pub fn copy_mark(from: &Path, to: &Path) -> io::Result<()> {
    match fs::read_to_string(from.join(MARK)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
        Ok(_) if to.join(MARK).exists() => Ok(()),
        Ok(mark) => {
            make(to)?;
            write(to, &to.join(MARK), &mark)
        }
    }
}

/// Marks a folder of a hub that was brought back, whatever hub it was before.
///
/// # Errors
/// When the folder cannot be used.
pub fn mark_anew(path: &Path, mark: &str) -> io::Result<()> {
    make(path)?;
    let place = path.join(MARK);
    match fs::remove_file(&place) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    write(path, &place, mark)
}

/// Removes unfinished uploads that were begun before a moment: `object_store` writes them as
/// `NAME#NUMBER` beside their place.
pub(crate) fn remove_unfinished(path: &Path, before: SystemTime) -> io::Result<usize> {
    let mut removed = 0;
    for folder in fs::read_dir(path)? {
        let folder = folder?;
        if !folder.file_type()?.is_dir() {
            continue;
        }
        for entry in fs::read_dir(folder.path())? {
            let entry = entry?;
            let is_old = entry.metadata().and_then(|it| it.modified());
            if is_unfinished(&entry.file_name().to_string_lossy())
                && is_old.is_ok_and(|written| written < before)
            {
                fs::remove_file(entry.path())?;
                removed += 1;
            }
        }
    }
    Ok(removed)
}

fn is_unfinished(name: &str) -> bool {
    let number = name.split_once('#').map(|(_, number)| number);
    number.is_some_and(|it| !it.is_empty() && it.bytes().all(|byte| byte.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hub_knows_its_folder_again_and_no_other() {
        let dir = tempfile::tempdir().unwrap();
        let (own, other) = (dir.path().join("own"), dir.path().join("other"));
        make(&own).unwrap();
        make(&other).unwrap();
        let mark = recognise(&own, None, "first").unwrap();
        assert_eq!(mark, "first");
        assert_eq!(recognise(&own, Some("first"), "x").unwrap(), "first");
        // A second hub on the same database that has not written its mark yet finds the first one's.
        assert_eq!(recognise(&own, None, "second").unwrap(), "first");
        let missing = recognise(&other, Some("first"), "x");
        assert!(matches!(missing, Err(WrongFolder::Other)));
        recognise(&other, None, "other").unwrap();
        let foreign = recognise(&other, Some("first"), "x");
        assert!(matches!(foreign, Err(WrongFolder::Other)));
    }

    #[test]
    fn a_blob_is_copied_once_and_a_missing_one_is_told() {
        let dir = tempfile::tempdir().unwrap();
        let (from, to) = (dir.path().join("from"), dir.path().join("to"));
        let (name, missing) = (BlobName::new("FI01ab"), BlobName::new("FI02ab"));
        let (name, missing) = (name.unwrap(), missing.unwrap());
        make(&from.join("ab")).unwrap();
        fs::write(from.join("ab/FI01ab"), "hello").unwrap();
        recognise(&from, None, "mark").unwrap();
        for _ in 0..2 {
            assert_eq!(copy_blob(&from, &to, &name).unwrap(), Some(5));
            copy_mark(&from, &to).unwrap();
        }
        assert_eq!(fs::read_to_string(to.join("ab/FI01ab")).unwrap(), "hello");
        assert_eq!(copy_blob(&from, &to, &missing).unwrap(), None);
        assert_eq!(recognise(&to, Some("mark"), "x").unwrap(), "mark");
        assert_eq!(fs::read_dir(to.join("ab")).unwrap().count(), 1);
    }
}
