//! Why the name of an installation is not known.

use crate::{pairing::RecordError, random};
use postrider_store::JournalError;
use std::io;

/// Says why the name of the installation is not known.
#[derive(Debug, thiserror::Error)]
pub enum InstallError {
    /// The journal cannot be used.
    #[error("the phone's journal cannot be used: {0}")]
    Journal(#[from] JournalError),
    /// Files of an earlier pairing cannot be used or removed.
    #[error("files of an earlier pairing cannot be used: {0}")]
    File(#[from] io::Error),
    /// The pairing cannot be read or saved.
    #[error(transparent)]
    Pairing(#[from] RecordError),
    /// The system has no random numbers for a name.
    #[error(transparent)]
    Random(#[from] random::RandomError),
}

impl InstallError {
    /// Returns whether the journal can never be read, so that it has to be
    /// [set aside](crate::Pairing::set_aside).
    pub const fn is_unreadable(&self) -> bool {
        matches!(self, Self::Journal(error) if error.is_unreadable())
    }
}
