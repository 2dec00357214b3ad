//! Why no certificate was issued.

use crate::tls::TlsError;

/// The kind of problem of an account that the authority does not know.
const NO_ACCOUNT: &str = "urn:ietf:params:acme:error:accountDoesNotExist";

/// Says why no certificate was issued.
#[derive(Debug, thiserror::Error)]
pub(super) enum AcmeError {
    /// The authority refused, or could not be asked.
    #[error(transparent)]
    Authority(#[from] instant_acme::Error),
    /// The authority could not see that the name is the hub's.
    #[error("the authority could not reach this hub under the name: {0}")]
    NotSeen(String),
    /// The authority gave the order up.
    #[error("the authority refused, and does not say why")]
    Refused,
    /// The authority does not look by TLS.
    #[error("the authority does not offer TLS-ALPN-01")]
    NoChallenge,
    /// An answer could not be made.
    #[error("no answer to the authority could be made: {0}")]
    Answer(#[from] rcgen::Error),
    /// A file of the data folder.
    #[error(transparent)]
    File(#[from] TlsError),
    /// The account's file.
    #[error("the account is not kept in a form that is known: {0}")]
    Account(#[from] serde_json::Error),
}

impl AcmeError {
    /// Says whether the authority does not know the account.
    pub(super) fn is_no_account(&self) -> bool {
        match self {
            Self::Authority(instant_acme::Error::Api(problem)) => {
                problem.r#type.as_deref() == Some(NO_ACCOUNT)
            }
            _ => false,
        }
    }
}
