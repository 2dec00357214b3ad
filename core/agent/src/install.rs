//! Which installation this is: a phone that lost its journal is a different peer.

use crate::{kept, pairing, random};
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
/// The journal keeps it, so it lives as long as that; a folder without a journal gets one here. It
/// begins with what came in under a journal that was [set aside](crate::Pairing::set_aside) and was
/// not acked, so that the new installation tells it: each message once, whatever crashes.
///
/// A phone that joins anew while its folder still has a pairing has lost its key, and must not go on
/// with that journal: the name is another one at each call, and is kept once
/// [`Pairing::replace`](crate::Pairing::replace) is told that a hub has accepted it.
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
        None => begin(folder, &mut journal, fresh()?)?,
    };
    // An installation with a name has taken over already.
    kept::discard(folder)?;
    Ok(install)
}

/// Begins the journal of an installation whose name a hub knows already.
pub(crate) fn begin_as(folder: &Path, install: &InstallId) -> Result<(), InstallError> {
    let (mut journal, _) = Journal::open(&folder.join(JOURNAL_FILE))?;
    begin(folder, &mut journal, install.clone())?;
    Ok(kept::discard(folder)?)
}

fn begin(
    folder: &Path,
    journal: &mut Journal,
    install: InstallId,
) -> Result<InstallId, InstallError> {
    let mut changes = vec![Change::InstallSet(install.clone())];
    changes.extend(kept::changes(folder)?);
    journal.commit(&changes)?;
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
}
