//! The installation's name: a phone that lost its journal is a different peer.

use crate::{
    carry_over,
    install_error::InstallError,
    journal_files::JOURNAL_FILE,
    pairing::{self, Pairing},
    random,
};
use postrider_link::frame::InstallId;
use postrider_machine::Change;
use postrider_store::Journal;
use std::path::Path;

/// Returns the name of a folder's installation, which pairing tells the hub.
///
/// The name is in the journal and lives as long as it; a folder without a journal gets one here.
/// [`adopt_pairing`] takes over what was set aside before, once the hub is known.
///
/// A phone that joins again while its folder still has a pairing has lost its key, and must not go
/// on with that journal. It gets a new name at each call, until [`adopt_pairing`] keeps one.
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

/// Saves the pairing that a hub has accepted for this installation, and takes over what was set
/// aside for the same hub and project: each message once, even if it crashes in between.
///
/// An earlier pairing ends only now, because a new one that fails or is given up must cost nothing.
/// Incoming messages of the earlier one still belong to the owner. If hub and project are the same,
/// they are uploaded under the new name. Otherwise they stay aside until the owner decides (see
/// [`asides`](crate::asides)); the rest is erased, because another hub's messages must not be sent.
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
