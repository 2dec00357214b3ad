//! What a phone set aside: whose it is, and until when it is kept.
//!
//! An aside is a journal beside the phone's own, with a small file that names its hub and project.
//! When the phone joins the same two again, it takes the aside over by itself. For any other, the
//! owner is asked, so that one tenant's texts never reach another by accident. What nobody took is
//! erased after 30 days.

use super::record::{Pairing, RECORD_FILE};
use crate::{
    files::{self, unless_missing},
    journal_files::{JOURNAL_FILE, remove_journal},
};
use postrider_model::{DeviceId, HubId, ProjectId};
use postrider_store::Journal;
use serde::{Deserialize, Serialize};
use std::{
    fs, io,
    path::{Path, PathBuf},
};

/// Most asides of a phone. Each comes from one pairing; the oldest is erased for a new one.
const SLOTS: u8 = 8;
/// Whose an aside is.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Origin {
    hub_id: Option<HubId>,
    project_id: Option<ProjectId>,
    device_id: Option<DeviceId>,
    pub(super) host: Option<String>,
    link_url: Option<String>,
    /// When it was first seen, in Unix milliseconds.
    pub(super) since: Option<i64>,
}

impl Origin {
    /// Returns whose the journal of a folder is, as far as the folder says.
    pub(super) fn of(folder: &Path) -> io::Result<Self> {
        let Some(bytes) = files::read(&folder.join(RECORD_FILE))? else {
            return Ok(Self::default());
        };
        let Ok(pairing) = serde_json::from_slice::<Pairing>(&bytes) else {
            return Ok(Self::default());
        };
        Ok(Self {
            hub_id: pairing.hub_id.or_else(|| learned_hub(folder)),
            project_id: pairing.project_id,
            device_id: Some(pairing.device_id),
            host: Some(pairing.host),
            link_url: Some(pairing.link_url),
            since: None,
        })
    }

    /// Tells whether it belongs to this hub and project. If an older hub or phone did not say, only
    /// the same device under the same address counts.
    fn fits(&self, joined: &Pairing) -> bool {
        let is_same_device = self.device_id == Some(joined.device_id);
        let hub = match (self.hub_id, joined.hub_id) {
            (Some(its), Some(joined)) => its == joined,
            _ => is_same_device && self.is_at_address_of(joined),
        };
        let project = match (self.project_id, joined.project_id) {
            (Some(its), Some(joined)) => its == joined,
            _ => is_same_device,
        };
        hub && project
    }

    fn is_at_address_of(&self, joined: &Pairing) -> bool {
        let its = (self.host.as_deref(), self.link_url.as_deref());
        its == (Some(&joined.host), Some(&joined.link_url))
    }

    fn is_known(&self) -> bool {
        self.hub_id.is_some() && self.project_id.is_some()
    }
}

/// A journal that cannot be read names no hub.
fn learned_hub(folder: &Path) -> Option<HubId> {
    let (_, snapshot) = Journal::open(&folder.join(JOURNAL_FILE)).ok()?;
    snapshot.link.hub
}

/// Returns where the journal of a slot is.
pub(crate) fn journal_of(folder: &Path, slot: u8) -> PathBuf {
    folder.join(named("set-aside-journal", "db", slot))
}

fn origin_file(folder: &Path, slot: u8) -> PathBuf {
    folder.join(named("set-aside-origin", "json", slot))
}

/// The first slot has the name that older versions used for the only one.
fn named(stem: &str, ending: &str, slot: u8) -> String {
    match slot {
        0 => format!("{stem}.{ending}"),
        slot => format!("{stem}-{slot}.{ending}"),
    }
}

/// Returns the slots in use.
pub(super) fn slots(folder: &Path) -> impl Iterator<Item = u8> {
    (0..SLOTS).filter(move |slot| journal_of(folder, *slot).exists())
}

/// Returns a slot for another aside; when all are taken, the oldest is erased.
pub(super) fn free_slot(folder: &Path) -> io::Result<u8> {
    let taken: Vec<u8> = slots(folder).collect();
    if let Some(free) = (0..SLOTS).find(|slot| !taken.contains(slot)) {
        erase(folder, free)?;
        return Ok(free);
    }
    let mut oldest = (i64::MAX, 0);
    for slot in taken {
        let since = origin(folder, slot)?.since.unwrap_or(i64::MAX);
        oldest = oldest.min((since, slot));
    }
    tracing::error!("too many earlier journals are set aside: the oldest is erased");
    erase(folder, oldest.1)?;
    Ok(oldest.1)
}

/// Reads to which hub and project a slot's aside belongs.
pub(super) fn origin(folder: &Path, slot: u8) -> io::Result<Origin> {
    let bytes = files::read(&origin_file(folder, slot))?.unwrap_or_default();
    Ok(serde_json::from_slice(&bytes).unwrap_or_default())
}

/// Writes to which hub and project a slot's aside belongs.
pub(super) fn put_origin(folder: &Path, slot: u8, origin: &Origin) -> io::Result<()> {
    let bytes = serde_json::to_vec_pretty(origin)?;
    files::write_private(&origin_file(folder, slot), &bytes)
}

/// Erases what is set aside in a slot, if anything.
pub fn erase(folder: &Path, slot: u8) -> io::Result<()> {
    remove_journal(&journal_of(folder, slot))?;
    unless_missing(fs::remove_file(origin_file(folder, slot)))
}

/// Erases every aside.
pub(super) fn erase_all(folder: &Path) -> io::Result<()> {
    (0..SLOTS).try_for_each(|slot| erase(folder, slot))
}

/// Returns the slots of what was made for this hub and project.
pub(crate) fn of_pairing(folder: &Path, joined: &Pairing) -> io::Result<Vec<u8>> {
    let mut found = Vec::new();
    for slot in slots(folder) {
        if origin(folder, slot)?.fits(joined) {
            found.push(slot);
        }
    }
    Ok(found)
}

/// Tells whether an aside names its hub and project. If not, it may belong to the present ones.
pub(crate) fn has_known_origin(folder: &Path, slot: u8) -> io::Result<bool> {
    Ok(origin(folder, slot)?.is_known())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairing(hub: Option<&str>, project: Option<&str>, device: &str) -> Pairing {
        Pairing {
            device_id: device.parse().unwrap(),
            host: "hub.example.org".to_owned(),
            link_url: "wss://hub.example.org/link".to_owned(),
            hub_id: hub.map(|hub| hub.parse().unwrap()),
            project_id: project.map(|project| project.parse().unwrap()),
            phones: Vec::new(),
            pins: Vec::new(),
        }
    }

    const HUB: Option<&str> = Some("HB0000000000000001");
    const OTHER_HUB: Option<&str> = Some("HB0000000000000002");
    const PROJECT: Option<&str> = Some("PJ0000000000000001");
    const OTHER_PROJECT: Option<&str> = Some("PJ0000000000000002");
    const DEVICE: &str = "DV0000000000000001";
    const OTHER_DEVICE: &str = "DV0000000000000002";

    fn origin_of(pairing: &Pairing) -> Origin {
        let folder = tempfile::tempdir().unwrap();
        pairing.save(folder.path()).unwrap();
        Origin::of(folder.path()).unwrap()
    }

    #[test]
    fn an_aside_is_taken_by_its_own_hub_and_project_alone() {
        let origin = origin_of(&pairing(HUB, PROJECT, DEVICE));
        assert!(origin.fits(&pairing(HUB, PROJECT, OTHER_DEVICE)));
        assert!(!origin.fits(&pairing(OTHER_HUB, PROJECT, DEVICE)));
        assert!(!origin.fits(&pairing(HUB, OTHER_PROJECT, DEVICE)));
    }

    #[test]
    fn what_an_older_hub_did_not_say_is_not_guessed() {
        let older = origin_of(&pairing(None, None, DEVICE));
        assert!(older.fits(&pairing(None, None, DEVICE)));
        assert!(older.fits(&pairing(HUB, PROJECT, DEVICE)));
        assert!(!older.fits(&pairing(HUB, PROJECT, OTHER_DEVICE)));
        assert!(!older.fits(&pairing(None, None, OTHER_DEVICE)));
        assert!(!Origin::default().fits(&pairing(HUB, PROJECT, DEVICE)));
    }

    #[test]
    fn the_oldest_makes_room_when_too_much_is_set_aside() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        for slot in 0..SLOTS {
            assert_eq!(free_slot(path).unwrap(), slot);
            fs::write(journal_of(path, slot), b"rows").unwrap();
            let origin = Origin {
                since: Some(i64::from((slot + 5) % SLOTS)),
                ..Origin::default()
            };
            put_origin(path, slot, &origin).unwrap();
        }
        assert_eq!(free_slot(path).unwrap(), 3);
        assert_eq!(slots(path).count(), usize::from(SLOTS) - 1);
    }
}
