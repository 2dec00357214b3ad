//! The one error that Rust gives Kotlin, and the one that Kotlin throws back.

use postrider_agent::{
    IdentityError, InstallError, InvalidAddress, InvalidPin, RecordError, Refused, StartError,
    TrustError,
};

/// What Kotlin throws when the platform refuses.
#[derive(Debug, thiserror::Error, uniffi::Error)]
pub enum ShellError {
    /// The keystore has lost the key, or cannot use it: the phone must be paired again.
    #[error("the keystore cannot use the key")]
    KeyLost,
    /// The platform refused, or the shell failed.
    #[error("the shell failed: {reason}")]
    Failed {
        /// The exception's kind, without numbers or texts.
        reason: String,
    },
}

impl From<uniffi::UnexpectedUniFFICallbackError> for ShellError {
    fn from(_: uniffi::UnexpectedUniFFICallbackError) -> Self {
        // Its reason may quote the message.
        Self::Failed {
            reason: "an exception that was not expected".to_owned(),
        }
    }
}

/// Why the agent refused; each message is safe to show.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, uniffi::Error)]
pub enum AgentError {
    /// The phone has not joined a hub.
    #[error("the phone has not joined a hub")]
    NotPaired,
    /// It is running already, or a pairing is.
    #[error("it is running already")]
    Running,
    /// It is not running.
    #[error("it is not running")]
    NotRunning,
    /// The invitation or address is not valid.
    #[error("{field} {rule}")]
    InvalidParam {
        /// What was wrong.
        field: String,
        /// Which rule it broke.
        rule: String,
    },
    /// The agent cannot do this, or not now.
    #[error("{why}")]
    NotGranted {
        /// Why.
        why: Refused,
    },
    /// The keystore's key cannot be used: the phone must be paired again.
    #[error("the phone's key cannot be used: the phone must be paired again")]
    KeyLost,
    /// The journal could not be read and is set aside: the phone must be paired again.
    #[error("the phone's journal could not be read and is set aside: {reason}")]
    JournalSetAside {
        /// What is wrong with it.
        reason: String,
    },
    /// None of the platform's trusted roots can be read, so no hub can be verified.
    #[error("none of the phone's trusted roots can be read")]
    NoRoots,
    /// Its storage cannot be used now; trying again may help.
    #[error("the phone's storage cannot be used: {reason}")]
    Storage {
        /// Why not.
        reason: String,
    },
    /// It was called from one of the agent's own threads, for which it would wait.
    #[error("this call must not be made from a callback")]
    OnAgentThread,
}

impl AgentError {
    pub(crate) fn storage(error: impl std::fmt::Display) -> Self {
        Self::Storage {
            reason: error.to_string(),
        }
    }

    fn invalid(field: &str, rule: impl std::fmt::Display) -> Self {
        Self::InvalidParam {
            field: field.to_owned(),
            rule: rule.to_string(),
        }
    }
}

impl From<InvalidAddress> for AgentError {
    fn from(error: InvalidAddress) -> Self {
        Self::invalid("hub", error)
    }
}

impl From<InvalidPin> for AgentError {
    fn from(error: InvalidPin) -> Self {
        Self::invalid("pin", error)
    }
}

impl From<TrustError> for AgentError {
    fn from(error: TrustError) -> Self {
        match error {
            TrustError::NoRoots => Self::NoRoots,
            TrustError::Root | TrustError::Library(_) => Self::invalid("roots", error),
        }
    }
}

impl From<IdentityError> for AgentError {
    fn from(_: IdentityError) -> Self {
        Self::KeyLost
    }
}

impl From<RecordError> for AgentError {
    fn from(error: RecordError) -> Self {
        match error {
            RecordError::Damaged => Self::NotPaired,
            RecordError::File(error) => Self::storage(error),
        }
    }
}

impl From<InstallError> for AgentError {
    fn from(error: InstallError) -> Self {
        Self::storage(error)
    }
}

impl From<StartError> for AgentError {
    fn from(error: StartError) -> Self {
        match error {
            StartError::Address(error) => error.into(),
            error => Self::storage(error),
        }
    }
}

impl From<Option<Refused>> for AgentError {
    fn from(refused: Option<Refused>) -> Self {
        match refused {
            Some(why) => Self::NotGranted { why },
            None => Self::NotRunning,
        }
    }
}
