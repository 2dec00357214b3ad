//! What a phone at a provider is reached with.

use postrider_model::Secret;

/// A phone's account at its provider.
#[derive(Debug, Clone, PartialEq)]
pub struct PhoneAccount {
    /// The account.
    pub external_account_id: Option<String>,
    /// The phone's own id there.
    pub external_id: Option<String>,
    /// What else the provider wants, as a JSON object.
    pub external_config: String,
    /// What proves that the account is ours.
    pub external_secret: Option<Secret>,
}

impl Default for PhoneAccount {
    fn default() -> Self {
        Self {
            external_account_id: None,
            external_id: None,
            external_config: "{}".to_owned(),
            external_secret: None,
        }
    }
}
