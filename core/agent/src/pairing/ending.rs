//! How a pairing ends in a phone's folder: whole, or finished at the next start.
//!
//! Several files go, and a process may die in between: half of a journal would keep the phone from
//! ever starting again. So the wish is on disk first, and whoever opens the folder next fulfils it.

use super::record::{RECORD_FILE, RecordError};
use crate::{files, install::JOURNAL_FILE};
use std::{fs, io, path::Path};

/// The file that says that an ending has begun, and which.
const ENDING_FILE: &str = "ending";
/// The file that says that the owner unpairs, and that the hub may not have heard everything yet.
const LEAVING_FILE: &str = "leaving";
/// What a journal is called that was set aside.
pub(crate) const ASIDE_FILE: &str = "set-aside-journal.db";
/// What a journal is called that was set aside and could not be read.
pub(crate) const UNREADABLE_FILE: &str = "unreadable-journal.db";

/// What becomes of the journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending {
    /// It goes, and whatever was set aside before.
    Erase,
    /// It is kept beside, for what came in and was not told.
    SetAside,
}

impl Ending {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Erase => "erase",
            Self::SetAside => "set aside",
        }
    }

    fn from_bytes(bytes: &[u8]) -> io::Result<Self> {
        let named = |ending: &Self| ending.as_str().as_bytes() == bytes;
        let all = [Self::Erase, Self::SetAside];
        let found = all.into_iter().find(named);
        found.ok_or_else(|| io::ErrorKind::InvalidData.into())
    }
}

/// Ends the pairing of a folder.
pub(super) fn begin(folder: &Path, ending: Ending) -> io::Result<()> {
    finish(folder)?;
    let has_journal = folder.join(JOURNAL_FILE).try_exists()?;
    if ending == Ending::SetAside && has_journal {
        // A leftover log beside another journal would be taken for its own.
        remove_journal(&folder.join(ASIDE_FILE))?;
    }
    files::write_private(&folder.join(ENDING_FILE), ending.as_str().as_bytes())?;
    finish(folder)
}

/// Finishes an ending that has begun; without one nothing happens.
pub(crate) fn finish(folder: &Path) -> io::Result<()> {
    let path = folder.join(ENDING_FILE);
    let Some(bytes) = files::read(&path)? else {
        return Ok(());
    };
    match Ending::from_bytes(&bytes)? {
        Ending::Erase => {
            for name in [JOURNAL_FILE, ASIDE_FILE, UNREADABLE_FILE] {
                remove_journal(&folder.join(name))?;
            }
        }
        Ending::SetAside => move_journal(&folder.join(JOURNAL_FILE), &folder.join(ASIDE_FILE))?,
    }
    for name in [RECORD_FILE, LEAVING_FILE] {
        unless_missing(fs::remove_file(folder.join(name)))?;
    }
    files::sync_folder(folder)?;
    fs::remove_file(path)
}

/// Remembers that the owner unpairs.
pub(crate) fn begin_leaving(folder: &Path) -> Result<(), RecordError> {
    Ok(files::write_private(&folder.join(LEAVING_FILE), b"")?)
}

/// Tells whether the owner unpairs.
pub(crate) fn is_leaving(folder: &Path) -> io::Result<bool> {
    folder.join(LEAVING_FILE).try_exists()
}

/// Moves a journal with its log; what was moved before is no mistake.
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

fn unless_missing(done: io::Result<()>) -> io::Result<()> {
    match done {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fill(folder: &Path, names: &[&str]) {
        for name in names {
            fs::write(folder.join(name), name.as_bytes()).unwrap();
        }
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<_> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn an_ending_that_a_crash_cut_off_is_finished_by_the_next_start() {
        for (done_before, ending, left) in [
            (
                1,
                Ending::SetAside,
                vec![ASIDE_FILE, "set-aside-journal.db-wal"],
            ),
            (
                0,
                Ending::SetAside,
                vec![ASIDE_FILE, "set-aside-journal.db-wal"],
            ),
            (1, Ending::Erase, vec![]),
        ] {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path();
            fill(path, &[JOURNAL_FILE, "journal.db-wal", RECORD_FILE]);
            fs::write(path.join(ENDING_FILE), ending.as_str()).unwrap();
            if done_before == 1 {
                fs::rename(path.join(JOURNAL_FILE), path.join(ASIDE_FILE)).unwrap();
            }
            finish(path).unwrap();
            assert_eq!(names(path), left, "{ending:?}");
            finish(path).unwrap();
            assert_eq!(names(path), left, "{ending:?}");
        }
    }

    #[test]
    fn a_journal_that_is_set_aside_never_meets_the_log_of_an_older_one() {
        let folder = tempfile::tempdir().unwrap();
        fill(
            folder.path(),
            &[JOURNAL_FILE, ASIDE_FILE, "set-aside-journal.db-wal"],
        );
        begin(folder.path(), Ending::SetAside).unwrap();
        assert_eq!(names(folder.path()), [ASIDE_FILE]);
        let kept = fs::read(folder.path().join(ASIDE_FILE)).unwrap();
        assert_eq!(kept, JOURNAL_FILE.as_bytes());
    }

    #[test]
    fn setting_aside_twice_keeps_what_was_set_aside() {
        let folder = tempfile::tempdir().unwrap();
        fill(folder.path(), &[JOURNAL_FILE]);
        begin(folder.path(), Ending::SetAside).unwrap();
        begin(folder.path(), Ending::SetAside).unwrap();
        assert_eq!(names(folder.path()), [ASIDE_FILE]);
    }
}
