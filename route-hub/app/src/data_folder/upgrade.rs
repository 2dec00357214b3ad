//! Before a newer program changes the schema of a file, the file is copied: a restore of that copy is the way back.

use crate::clock::SystemClock;
use crate::data_folder::copy::{copy, sweep};
use crate::data_folder::error::CommandError;
use crate::data_folder::stamp::stamp;
use crate::data_folder::{database, make};
use hub_store::backup::{self, Upgrade};
use std::fs::{self, File};
use std::path::{Path, PathBuf};

/// The folder of such copies in the data folder.
const COPIES: &str = "before-upgrade";
/// The file in it that is locked while a copy is made and the schema changes.
const LOCK_FILE: &str = "lock";
/// How many of them stay, the newest among them.
const KEPT: usize = 2;
/// Room that is left beside a copy, for the log that the change is written to.
const MARGIN_BYTES: u64 = 64 << 20;

/// How a program changes the schema of a file.
#[derive(Debug, Clone, Copy)]
pub struct Upgrading {
    /// Whether the file is copied first.
    pub copies: bool,
    /// Tells the operator what is done.
    pub tell: fn(&str),
}

impl Upgrading {
    /// Copies the database of a folder, if opening it would change its schema. What is returned is kept until it
    /// has: meanwhile nobody else does the same.
    ///
    /// # Errors
    /// When there is no room for a copy, or it cannot be made.
    pub(super) fn prepare(self, folder: &Path) -> Result<Option<File>, CommandError> {
        let file = database(folder);
        if backup::upgrade(&file)?.is_none() {
            return Ok(None);
        }
        let copies = copies(folder);
        make(&copies)?;
        let path = copies.join(LOCK_FILE);
        let locked = File::create(&path).and_then(|lock| lock.lock().map(|()| lock));
        let lock = locked.map_err(|error| CommandError::of(path.display(), &error))?;
        // Another program may have changed it meanwhile.
        let Some(upgrade) = backup::upgrade(&file)? else {
            return Ok(None);
        };
        let Upgrade { from, to, .. } = upgrade;
        if !self.copies {
            (self.tell)(&format!(
                "the database gets schema {to}; of schema {from} no copy is made"
            ));
            return Ok(Some(lock));
        }
        sweep(&copies);
        refuse_without_room(folder, upgrade, free_bytes(folder)?)?;
        let copied = copies.join(name(upgrade));
        copy(&file, &copied)?;
        let copied_to = copied.display();
        (self.tell)(&format!(
            "the database gets schema {to}; a copy of schema {from} is {copied_to}"
        ));
        remove_older(&copies, &copied);
        Ok(Some(lock))
    }
}

fn name(upgrade: Upgrade) -> String {
    let now = SystemClock::start().now().unix;
    format!("hub-v{}-{}.db", upgrade.from, stamp(now))
}

/// Returns the room that a file system has for this user.
fn free_bytes(folder: &Path) -> Result<u64, CommandError> {
    let found = rustix::fs::statvfs(folder);
    let found = found.map_err(|error| CommandError::of(folder.display(), &error))?;
    Ok(found.f_bavail.saturating_mul(found.f_frsize))
}

fn refuse_without_room(folder: &Path, upgrade: Upgrade, free: u64) -> Result<(), CommandError> {
    let needed = upgrade.bytes.saturating_add(MARGIN_BYTES);
    if free >= needed {
        return Ok(());
    }
    let Upgrade { from, to, .. } = upgrade;
    let (folder, free_mb, needed_mb) = (folder.display(), free / 1_000_000, needed / 1_000_000);
    Err(CommandError::new(format!(
        "{folder} has schema {from} and gets {to}. First it is copied, which needs {needed_mb} MB where \
         {free_mb} MB are free: make room, or give --no-backup to `serve` or `migrate`, which then go without \
         a copy"
    )))
}

/// Removes all but the newest copies, of which `newest` is one.
fn remove_older(copies: &Path, newest: &Path) {
    let entries = fs::read_dir(copies).into_iter().flatten().flatten();
    let mut others: Vec<_> = entries
        .map(|entry| entry.path())
        .filter(|path| path != newest && moment(path).is_some())
        .collect();
    others.sort_by_key(|path| moment(path));
    let too_many = others.len().saturating_sub(KEPT - 1);
    for old in others.drain(..too_many) {
        // One that stays takes room, and does no other harm.
        let _ = fs::remove_file(old);
    }
}

/// Returns the moment in the name of a copy, which sorts as a text.
fn moment(path: &Path) -> Option<String> {
    let name = path.file_name()?.to_str()?;
    let rest = name.strip_prefix("hub-v")?.strip_suffix(".db")?;
    let (_, moment) = rest.split_once('-')?;
    Some(moment.to_owned())
}

/// Returns the folder of the copies in a data folder.
pub fn copies(folder: &Path) -> PathBuf {
    folder.join(COPIES)
}

#[cfg(test)]
mod tests {
    use super::*;

    const UPGRADE: Upgrade = Upgrade {
        from: 9,
        to: 10,
        bytes: 1_000_000,
    };

    #[test]
    fn a_copy_needs_room_for_the_file_and_what_the_change_writes() {
        let needed = 1_000_000 + MARGIN_BYTES;
        let room = |free| refuse_without_room(Path::new("data"), UPGRADE, free);
        assert_eq!(room(needed), Ok(()));
        let refused = room(needed - 1).unwrap_err().to_string();
        for part in ["data", "schema 9", "10", "--no-backup", "68 MB"] {
            assert!(refused.contains(part), "{refused}");
        }
    }

    #[test]
    fn the_newest_two_stay_and_nothing_else_is_touched() {
        let dir = tempfile::tempdir().unwrap();
        let names = [
            "hub-v9-20260101T000000Z.db",
            "hub-v41-20250101T000000Z.db",
            "hub-v10-20240101T000000Z.db",
            "hub-v10-20270101T000000Z.db",
            "hub-20230101T000000Z.db",
            "lock",
        ];
        for name in names {
            fs::write(dir.path().join(name), "").unwrap();
        }
        // The clock was set back: the one that was just made looks old.
        remove_older(dir.path(), &dir.path().join(names[2]));
        let there: Vec<_> = names.map(|name| dir.path().join(name).exists()).into();
        assert_eq!(there, [false, false, true, true, true, true]);
    }

    #[test]
    fn a_new_or_missing_database_is_left_alone() {
        let dir = tempfile::tempdir().unwrap();
        let upgrading = Upgrading {
            copies: true,
            tell: |_| panic!("nothing is to be told"),
        };
        assert!(upgrading.prepare(dir.path()).unwrap().is_none());
        fs::write(database(dir.path()), "").unwrap();
        assert!(upgrading.prepare(dir.path()).unwrap().is_none());
        assert!(!copies(dir.path()).exists());
    }
}
