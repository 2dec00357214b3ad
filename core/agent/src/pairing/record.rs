//! What a phone remembers of its pairing: a small file in its folder.

use crate::{address::HubAddress, files};
use postrider_model::{DeviceId, HubId, PhoneId, PhoneNumber, ProjectId, SimSlot};
use serde::{Deserialize, Serialize};
use std::{io, path::Path};

/// The name of the file in a phone's folder.
pub(super) const RECORD_FILE: &str = "pairing.json";

/// One basic route of the hub: a SIM slot of this device.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PairedPhone {
    /// Its id at the hub.
    pub id: PhoneId,
    /// The slot.
    pub sim: SimSlot,
    /// The number that the hub knows it by.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phone_number: Option<PhoneNumber>,
}

/// Who this phone is to which hub. It holds no secret: the key identifies the phone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pairing {
    /// The device's id at the hub.
    pub device_id: DeviceId,
    /// The hub's own name, which each hello signs.
    pub host: String,
    /// Where the link is dialled.
    pub link_url: String,
    /// The hub's own id; older hubs have none, and the phone learns it when they get one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hub_id: Option<HubId>,
    /// The project that the device belongs to; older hubs did not tell it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project_id: Option<ProjectId>,
    /// The device's basic routes.
    pub phones: Vec<PairedPhone>,
    /// Pinned keys for a hub with a private certificate: the hub must show one of them. Base64 of
    /// the SHA-256, as in the invitation.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pins: Vec<String>,
}

/// Says why a pairing cannot be saved or read.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// The file could not be read or written.
    #[error("the pairing's file cannot be used: {0}")]
    File(#[from] io::Error),
    /// The file holds something else.
    #[error("the pairing's file is damaged: the phone must be paired again")]
    Damaged,
}

impl Pairing {
    /// Saves the pairing in a folder.
    pub fn save(&self, folder: &Path) -> Result<(), RecordError> {
        let bytes = serde_json::to_vec_pretty(self).map_err(io::Error::from)?;
        Ok(files::write_private(&folder.join(RECORD_FILE), &bytes)?)
    }

    /// Returns where the link is dialled.
    pub fn link(&self) -> Result<HubAddress, crate::InvalidAddress> {
        self.link_url.parse()
    }

    /// Returns the basic route of a slot.
    pub fn phone_of(&self, sim: SimSlot) -> Option<&PairedPhone> {
        self.phones.iter().find(|phone| phone.sim == sim)
    }
}

/// Tells whether a folder has a pairing, even a damaged one.
pub(crate) fn is_recorded(folder: &Path) -> io::Result<bool> {
    folder.join(RECORD_FILE).try_exists()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::JOURNAL_FILE;
    use std::fs;

    fn pairing() -> Pairing {
        Pairing {
            device_id: "DV0000000000000007".parse().unwrap(),
            host: "hub.example.org".to_owned(),
            link_url: "wss://hub.example.org/link".to_owned(),
            hub_id: "HB0000000000000003".parse().ok(),
            project_id: "PJ0000000000000005".parse().ok(),
            phones: vec![PairedPhone {
                id: "PN0000000000000009".parse().unwrap(),
                sim: SimSlot::default(),
                phone_number: "+15005550001".parse().ok(),
            }],
            pins: Vec::new(),
        }
    }

    #[test]
    fn a_folder_keeps_its_pairing_until_it_ends() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(Pairing::load(folder.path()).unwrap(), None);
        pairing().save(folder.path()).unwrap();
        assert_eq!(Pairing::load(folder.path()).unwrap(), Some(pairing()));
        let aside = folder.path().join("set-aside-journal.db");
        for (end, is_kept) in [
            (Pairing::set_aside as fn(&Path) -> _, true),
            (Pairing::erase, false),
        ] {
            pairing().save(folder.path()).unwrap();
            fs::write(folder.path().join(JOURNAL_FILE), b"rows").unwrap();
            end(folder.path()).unwrap();
            end(folder.path()).unwrap();
            assert_eq!(Pairing::load(folder.path()).unwrap(), None);
            assert!(!folder.path().join(JOURNAL_FILE).exists());
            assert_eq!(aside.exists(), is_kept);
        }
    }

    #[test]
    fn a_damaged_record_is_refused_and_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(RECORD_FILE);
        fs::write(&path, b"{\"device_id\":").unwrap();
        let refused = Pairing::load(folder.path());
        assert!(matches!(refused, Err(RecordError::Damaged)));
        assert_eq!(fs::read(&path).unwrap(), b"{\"device_id\":");
    }
}
