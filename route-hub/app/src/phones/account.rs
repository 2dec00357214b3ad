//! A phone's account at its provider.

use crate::phones::PhoneRefused;
use hub_domain::{Phone, PhoneAccount};
use hub_store::{StoreError, Tx, phone_accounts};
use postrider_model::Secret;

/// What is to be set; what is `None` stays, and an inner `None` takes it away.
#[derive(Debug, Clone, Default)]
pub struct AccountPatch {
    /// The account's id at the provider.
    pub account_id: Option<Option<String>>,
    /// The phone's id at the provider.
    pub id: Option<Option<String>>,
    /// What else the provider wants, as JSON.
    pub config: Option<String>,
    /// The account's secret.
    pub secret: Option<Option<Secret>>,
}

impl AccountPatch {
    const fn is_empty(&self) -> bool {
        self.account_id.is_none()
            && self.id.is_none()
            && self.config.is_none()
            && self.secret.is_none()
    }

    /// Refuses an account for a phone that no provider sends for.
    pub(super) fn check(&self, phone: &Phone) -> Result<(), PhoneRefused> {
        let config = self.config.as_ref().filter(|config| *config != "{}");
        let says_something = [
            (
                matches!(self.account_id, Some(Some(_))),
                "external_account_id",
            ),
            (matches!(self.id, Some(Some(_))), "external_id"),
            (config.is_some(), "external_config"),
            (matches!(self.secret, Some(Some(_))), "external_secret"),
        ];
        let named = says_something.iter().find(|(says, _)| *says);
        match named {
            Some((_, param)) if !phone.phone_type.is_provider() => Err(PhoneRefused::Setting {
                param,
                rule: "is for phones at a provider alone",
            }),
            _ => Ok(()),
        }
    }

    /// Stores what is said of a phone's account.
    pub(super) fn store(&self, tx: &mut Tx<'_>, phone: &Phone) -> Result<(), StoreError> {
        if self.is_empty() || !phone.phone_type.is_provider() {
            return Ok(());
        }
        let mut account = phone_accounts::get(tx, phone.id)?.unwrap_or_default();
        self.apply(&mut account);
        phone_accounts::put(tx, phone.id, &account)
    }

    fn apply(&self, account: &mut PhoneAccount) {
        if let Some(id) = &self.account_id {
            account.external_account_id.clone_from(id);
        }
        if let Some(id) = &self.id {
            account.external_id.clone_from(id);
        }
        if let Some(config) = &self.config {
            account.external_config.clone_from(config);
        }
        if let Some(secret) = &self.secret {
            account.external_secret.clone_from(secret);
        }
    }
}
