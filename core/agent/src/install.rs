//! Which installation this is: a phone that lost its journal is a different peer.

use crate::{files, random};
use postrider_link::frame::InstallId;
use std::{io, path::Path};

/// The name of the journal in a phone's folder.
pub const JOURNAL_FILE: &str = "journal.db";
/// The name of the installation's file beside it.
const INSTALL_FILE: &str = "install";

/// Says why the phone does not know which installation it is.
#[derive(Debug, thiserror::Error)]
pub enum InstallError {
    /// The file could not be read or written.
    #[error("the installation's file cannot be used: {0}")]
    File(#[from] io::Error),
    /// The file is missing or holds something else, beside a journal that belongs to it.
    #[error("the installation's file is damaged: the phone must be paired again")]
    Damaged,
    /// The system has no random numbers to name an installation with.
    #[error(transparent)]
    Random(#[from] random::RandomError),
}

/// Returns the installation of a folder.
///
/// It lives as long as the journal: in a folder without one it is new.
///
/// # Errors
/// When the file cannot be used, or is damaged beside a journal.
pub fn install_of(folder: &Path) -> Result<InstallId, InstallError> {
    let path = folder.join(INSTALL_FILE);
    if !folder.join(JOURNAL_FILE).try_exists()? {
        let name = random::name()?;
        files::write_private(&path, name.as_bytes())?;
    }
    let bytes = files::read(&path)?.ok_or(InstallError::Damaged)?;
    let name = String::from_utf8(bytes).map_err(|_| InstallError::Damaged)?;
    name.trim().parse().map_err(|_| InstallError::Damaged)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_installation_lives_as_long_as_its_journal() {
        let folder = tempfile::tempdir().unwrap();
        let first = install_of(folder.path()).unwrap();
        std::fs::write(folder.path().join(JOURNAL_FILE), b"rows").unwrap();
        let second = install_of(folder.path()).unwrap();
        assert_eq!(second, install_of(folder.path()).unwrap());
        std::fs::remove_file(folder.path().join(JOURNAL_FILE)).unwrap();
        assert_ne!(second, install_of(folder.path()).unwrap());
        assert_eq!(first, second);
    }

    #[test]
    fn a_journal_without_its_installation_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(JOURNAL_FILE), b"rows").unwrap();
        let refused = install_of(folder.path());
        assert!(matches!(refused, Err(InstallError::Damaged)));
    }
}
