//! The one error of the command line: a text for the operator.

use crate::failure::NotDone;
use crate::names::InvalidName;
use hub_outgoing::InvalidRoot;
use hub_store::StoreError;
use std::error::Error;
use std::fmt::{self, Write as _};
use std::io;

/// Says in words why a command could not do what it was told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandError(String);

impl CommandError {
    /// Makes the error of a text.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// Makes the error of a failed step, with everything that the step says about it.
    pub fn of(step: impl fmt::Display, error: &dyn Error) -> Self {
        let mut text = format!("{step}: {error}");
        let mut cause = error.source();
        while let Some(error) = cause {
            let _ = write!(text, ": {error}");
            cause = error.source();
        }
        Self(text)
    }
}

impl fmt::Display for CommandError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for CommandError {}

impl From<StoreError> for CommandError {
    fn from(error: StoreError) -> Self {
        Self::of("the database", &error)
    }
}

impl<R: fmt::Display> From<NotDone<R>> for CommandError {
    fn from(error: NotDone<R>) -> Self {
        match error {
            NotDone::Refused(reason) => Self::new(reason.to_string()),
            NotDone::Store(error) => error.into(),
        }
    }
}

impl From<InvalidName> for CommandError {
    fn from(error: InvalidName) -> Self {
        Self::new(error.to_string())
    }
}

impl From<io::Error> for CommandError {
    fn from(error: io::Error) -> Self {
        Self(error.to_string())
    }
}

impl From<InvalidRoot> for CommandError {
    fn from(error: InvalidRoot) -> Self {
        Self::of("a trusted certificate cannot be used", &error)
    }
}
