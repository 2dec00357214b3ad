//! Which installation this is: a phone that lost its journal is a different peer.

use crate::{
    carry_over,
    pairing::{self, Pairing, RecordError},
    random,
};
use postrider_link::frame::InstallId;
use postrider_machine::Change;
use postrider_store::{Journal, JournalError};
use std::{io, path::Path};

/// The name of the journal in a phone's folder.
pub const JOURNAL_FILE: &str = "journal.db";

/// Says why the phone does not know which installation it is.
#[derive(Debug, thiserror::Error)]
pub enum InstallError {
    /// The journal cannot be used.
    #[error("the phone's journal cannot be used: {0}")]
    Journal(#[from] JournalError),
    /// What an earlier pairing left cannot be taken over or removed.
    #[error("what an earlier pairing left cannot be used: {0}")]
    File(#[from] io::Error),
    /// The pairing cannot be read or kept.
    #[error(transparent)]
    Pairing(#[from] RecordError),
    /// The system has no random numbers to name an installation with.
    #[error(transparent)]
    Random(#[from] random::RandomError),
}

impl InstallError {
    /// Returns whether the journal can never be read: it is to be
    /// [set aside](crate::Pairing::set_aside).
    pub const fn is_unreadable(&self) -> bool {
        matches!(self, Self::Journal(error) if error.is_unreadable())
    }
}

/// Returns the name of a folder's installation: what pairing tells the hub.
///
/// The journal keeps it, so it lives as long as that; a folder without a journal gets one here. What
/// was set aside before is taken over by [`adopt_pairing`], once it is known for whom it is.
///
/// A phone that joins anew while its folder still has a pairing has lost its key, and must not go on
/// with that journal: the name is another one at each call, until [`adopt_pairing`] keeps it.
///
/// # Errors
/// When the journal cannot be used; it is left as it is.
pub fn install_of(folder: &Path) -> Result<InstallId, InstallError> {
    pairing::finish(folder)?;
    if pairing::is_recorded(folder)? {
        return Ok(fresh()?);
    }
    let (mut journal, snapshot) = Journal::open(&folder.join(JOURNAL_FILE))?;
    let install = match snapshot.install {
        Some(install) => install,
        None => begin(&mut journal, fresh()?)?,
    };
    Ok(install)
}

/// Remembers the pairing by which a hub has accepted this installation, and takes over what was set
/// aside for the same hub and project: each message once, whatever crashes.
///
/// A pairing that was there ends only now, for one that fails or is given up must cost nothing: what
/// came in is still the owner's. The same hub and project hear of it under the new name. Another one
/// must not, nor may the old one's messages be sent for it: what came in stays aside until its owner
/// says what becomes of it (see [`asides`](crate::asides)), the rest is erased.
///
/// # Errors
/// When a file cannot be moved, removed or written, or the journal cannot be begun.
pub fn adopt_pairing(
    folder: &Path,
    install: InstallId,
    pairing: &Pairing,
) -> Result<(), InstallError> {
    let is_new = pairing.end_former(folder)?;
    let (mut journal, _) = Journal::open(&folder.join(JOURNAL_FILE))?;
    if is_new {
        begin(&mut journal, install)?;
    }
    carry_over::take_over(folder, &mut journal, pairing)?;
    Ok(pairing.save(folder)?)
}

fn begin(journal: &mut Journal, install: InstallId) -> Result<InstallId, InstallError> {
    journal.commit(&[Change::InstallSet(install.clone())])?;
    Ok(install)
}

fn fresh() -> Result<InstallId, random::RandomError> {
    random::name()?.parse().map_err(|_| random::RandomError)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_installation_lives_as_long_as_its_journal() {
        let folder = tempfile::tempdir().unwrap();
        let install = install_of(folder.path()).unwrap();
        assert_eq!(install_of(folder.path()).unwrap(), install);
        for entry in std::fs::read_dir(folder.path()).unwrap() {
            std::fs::remove_file(entry.unwrap().path()).unwrap();
        }
        assert_ne!(install_of(folder.path()).unwrap(), install);
    }

    fn pairing(link_url: &str) -> Pairing {
        Pairing {
            device_id: "DV0000000000000007".parse().unwrap(),
            host: "hub.example.org".to_owned(),
            link_url: link_url.to_owned(),
            hub_id: None,
            project_id: None,
            phones: Vec::new(),
            pins: Vec::new(),
        }
    }

    #[test]
    fn only_a_former_pairing_with_the_same_hub_goes_on_in_a_new_installation() {
        let joined = pairing("wss://hub.example.org/link");
        let record = |url| serde_json::to_vec(&pairing(url)).unwrap();
        for (former, goes_on) in [
            (record(&joined.link_url), true),
            (record("wss://other.example.org/link"), false),
            (b"{\"device_id\":".to_vec(), false),
        ] {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path();
            let file = path.join("pairing.json");
            let journal = || Journal::open(&path.join(JOURNAL_FILE)).unwrap();
            let before = install_of(path).unwrap();
            journal().0.commit(&[Change::PausedSet(true)]).unwrap();
            std::fs::write(&file, &former).unwrap();
            let install = install_of(path).unwrap();
            assert_ne!(install, before);
            assert_eq!(journal().1.install, Some(before));
            assert_eq!(std::fs::read(&file).unwrap(), former);
            adopt_pairing(path, install.clone(), &joined).unwrap();
            assert_eq!(Pairing::load(path).unwrap().as_ref(), Some(&joined));
            let (_, snapshot) = journal();
            assert_eq!(snapshot.install, Some(install));
            assert_eq!(snapshot.paused, goes_on);
            assert!(!path.join("set-aside-journal.db").exists());
        }
    }

    #[test]
    fn a_first_pairing_keeps_the_journal_that_was_begun_for_it() {
        let folder = tempfile::tempdir().unwrap();
        let joined = pairing("wss://hub.example.org/link");
        let install = install_of(folder.path()).unwrap();
        adopt_pairing(folder.path(), install.clone(), &joined).unwrap();
        let (_, snapshot) = Journal::open(&folder.path().join(JOURNAL_FILE)).unwrap();
        assert_eq!(snapshot.install, Some(install));
        assert_eq!(Pairing::load(folder.path()).unwrap(), Some(joined));
    }
}
