//! How a pairing ends in a phone's folder: whole, or finished at the next start.
//!
//! Several files are removed, and a process may die in between: half a journal would keep the phone
//! from ever starting again. So the decision is written first, and whoever opens the folder next
//! completes it.

use super::{
    aside::{self, Origin},
    record::{Pairing, RECORD_FILE, RecordError},
};
use crate::{
    carry_over,
    files::{self, unless_missing},
    journal_files::{JOURNAL_FILE, UNREADABLE_FILE, move_journal, remove_journal},
};
use serde::{Deserialize, Serialize};
use std::{fs, io, path::Path};

/// The file that says that an ending has begun, and which.
const ENDING_FILE: &str = "ending";
/// The file that says that the owner unpairs, and that the hub may not know everything yet.
const LEAVING_FILE: &str = "leaving";
/// What happens to the journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Ending {
    /// It is erased, and so is whatever was set aside before.
    Erase,
    /// All of it is set aside, for the incoming messages that were not uploaded.
    SetAside,
    /// Incoming messages that were not uploaded are set aside; the rest is erased.
    KeepIncoming,
}

/// The decision, with everything that is needed to complete it.
#[derive(Debug, Serialize, Deserialize)]
struct Wish {
    ending: Ending,
    slot: u8,
    origin: Origin,
}

impl Wish {
    fn new(folder: &Path, ending: Ending) -> io::Result<Self> {
        let mut wish = Self {
            ending,
            slot: 0,
            origin: Origin::default(),
        };
        if ending != Ending::Erase && folder.join(JOURNAL_FILE).try_exists()? {
            wish.slot = aside::free_slot(folder)?;
            wish.origin = Origin::of(folder)?;
        }
        Ok(wish)
    }

    fn to_bytes(&self) -> io::Result<Vec<u8>> {
        Ok(serde_json::to_vec(self)?)
    }

    /// Older versions wrote one word, and had only one aside.
    fn from_bytes(bytes: &[u8]) -> io::Result<Self> {
        let ending = match bytes {
            b"erase" => Ending::Erase,
            b"set aside" => Ending::SetAside,
            wish => return Ok(serde_json::from_slice(wish)?),
        };
        Ok(Self {
            ending,
            slot: 0,
            origin: Origin::default(),
        })
    }

    fn fulfil(&self, folder: &Path) -> io::Result<()> {
        let journal = folder.join(JOURNAL_FILE);
        let aside = aside::journal_of(folder, self.slot);
        match self.ending {
            Ending::Erase => {
                remove_journal(&journal)?;
                remove_journal(&folder.join(UNREADABLE_FILE))?;
                return aside::erase_all(folder);
            }
            Ending::SetAside => move_journal(&journal, &aside)?,
            Ending::KeepIncoming => {
                if journal.try_exists()? {
                    carry_over::keep_incoming(&journal, &aside)?;
                }
                remove_journal(&journal)?;
            }
        }
        if aside.try_exists()? && !aside::has_known_origin(folder, self.slot)? {
            aside::put_origin(folder, self.slot, &self.origin)
        } else {
            Ok(())
        }
    }
}

impl Pairing {
    /// Reads the pairing of a folder; `None` when it has none. A damaged file stays as it is.
    pub fn load(folder: &Path) -> Result<Option<Self>, RecordError> {
        finish(folder)?;
        let Some(bytes) = files::read(&folder.join(RECORD_FILE))? else {
            return Ok(None);
        };
        let pairing = serde_json::from_slice::<Self>(&bytes).map_err(|_| RecordError::Damaged)?;
        pairing.link().map_err(|_| RecordError::Damaged)?;
        Ok(Some(pairing))
    }

    /// Ends the earlier pairing of the folder and tells whether there was one. If it had the same
    /// hub, its journal is set aside; otherwise only its incoming messages are. A damaged
    /// record names no hub, and counts as another hub's.
    pub(crate) fn end_former(&self, folder: &Path) -> Result<bool, RecordError> {
        let ending = match Self::load(folder) {
            Ok(None) => return Ok(false),
            Ok(Some(former)) if former.is_at_hub_of(self) => Ending::SetAside,
            Ok(Some(_)) | Err(RecordError::Damaged) => Ending::KeepIncoming,
            Err(error) => return Err(error),
        };
        begin(folder, ending)?;
        Ok(true)
    }

    /// A hub names its host itself, so the address that was dialled must be the same, too: a hub
    /// cannot fake that.
    fn is_at_hub_of(&self, other: &Self) -> bool {
        match (self.hub_id, other.hub_id) {
            (Some(mine), Some(others)) => mine == others,
            _ => (&self.host, &self.link_url) == (&other.host, &other.link_url),
        }
    }

    /// Ends the pairing of a folder whose owner unpaired the phone: its journal is erased, and
    /// whatever was set aside before.
    ///
    /// After a crash in between the next [`Pairing::load`] completes it.
    pub fn erase(folder: &Path) -> Result<(), RecordError> {
        Ok(begin(folder, Ending::Erase)?)
    }

    /// Ends the pairing of a folder whose phone the hub took out of service. Incoming messages
    /// without an ack are set aside with the ids of hub and project; the rest is erased.
    ///
    /// After a crash in between the next [`Pairing::load`] completes it.
    pub fn keep_incoming(folder: &Path) -> Result<(), RecordError> {
        Ok(begin(folder, Ending::KeepIncoming)?)
    }

    /// Ends the pairing of a folder whose journal the hub does not trust. The journal is set aside
    /// with the ids of hub and project, and a phone that joins again is another installation. If it
    /// joins the same two, it takes over the incoming messages without an ack (see
    /// [`adopt_pairing`](crate::adopt_pairing)).
    ///
    /// After a crash in between the next [`Pairing::load`] completes it.
    pub fn set_aside(folder: &Path) -> Result<(), RecordError> {
        Ok(begin(folder, Ending::SetAside)?)
    }
}

/// Ends the pairing of a folder.
fn begin(folder: &Path, ending: Ending) -> io::Result<()> {
    finish(folder)?;
    let wish = Wish::new(folder, ending)?;
    files::write_private(&folder.join(ENDING_FILE), &wish.to_bytes()?)?;
    finish(folder)
}

/// Completes an ending that has begun, if any.
pub(crate) fn finish(folder: &Path) -> io::Result<()> {
    let path = folder.join(ENDING_FILE);
    let Some(bytes) = files::read(&path)? else {
        return Ok(());
    };
    Wish::from_bytes(&bytes)?.fulfil(folder)?;
    for name in [RECORD_FILE, LEAVING_FILE] {
        unless_missing(fs::remove_file(folder.join(name)))?;
    }
    files::sync_folder(folder)?;
    fs::remove_file(path)
}

/// Writes down that the owner unpairs.
pub(crate) fn begin_leaving(folder: &Path) -> Result<(), RecordError> {
    Ok(files::write_private(&folder.join(LEAVING_FILE), b"")?)
}

/// Tells whether the owner unpairs.
pub(crate) fn is_leaving(folder: &Path) -> io::Result<bool> {
    folder.join(LEAVING_FILE).try_exists()
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

    const ASIDE_FILE: &str = "set-aside-journal.db";
    const ORIGIN_FILE: &str = "set-aside-origin.json";

    #[test]
    fn an_ending_that_a_crash_cut_off_is_finished_by_the_next_start() {
        let kept = [ASIDE_FILE, "set-aside-journal.db-wal", ORIGIN_FILE];
        for (done_before, ending, left) in [
            (1, "set aside", kept.to_vec()),
            (0, "set aside", kept.to_vec()),
            (
                1,
                r#"{"ending":"set_aside","slot":0,"origin":{"host":"hub.example"}}"#,
                kept.to_vec(),
            ),
            (1, "erase", vec![]),
        ] {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path();
            fill(path, &[JOURNAL_FILE, "journal.db-wal", RECORD_FILE]);
            fs::write(path.join(ENDING_FILE), ending).unwrap();
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
    fn what_was_set_aside_before_stays_beside_the_next_one() {
        let folder = tempfile::tempdir().unwrap();
        let before = ["set-aside-journal.db-wal", ORIGIN_FILE];
        fill(folder.path(), &[JOURNAL_FILE, ASIDE_FILE]);
        fill(folder.path(), &before);
        begin(folder.path(), Ending::SetAside).unwrap();
        let kept = fs::read(folder.path().join("set-aside-journal-1.db")).unwrap();
        assert_eq!(kept, JOURNAL_FILE.as_bytes());
        let kept = fs::read(folder.path().join(ASIDE_FILE)).unwrap();
        assert_eq!(kept, ASIDE_FILE.as_bytes());
        assert_eq!(names(folder.path()).len(), 5);
    }

    #[test]
    fn setting_aside_twice_keeps_what_was_set_aside() {
        let folder = tempfile::tempdir().unwrap();
        fill(folder.path(), &[JOURNAL_FILE]);
        begin(folder.path(), Ending::SetAside).unwrap();
        begin(folder.path(), Ending::SetAside).unwrap();
        assert_eq!(names(folder.path()), [ASIDE_FILE, ORIGIN_FILE]);
    }
}
