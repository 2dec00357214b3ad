//! A phone's account at its provider, as a request gives it.

use hub_domain::{Phone, PhoneAccount};
use hub_web::{ApiError, Field, Params};
use postrider_model::Secret;

/// Longest id of a provider, in characters.
const ID_LENGTH_MAX: usize = 200;
/// Longest secret of a provider, in characters.
const SECRET_LENGTH_MAX: usize = 2_000;
/// Most bytes of what else a provider wants, as JSON.
const CONFIG_BYTES_MAX: usize = 8_192;

/// What is to be set; what is `None` stays, and an inner `None` takes it away.
#[derive(Debug, Clone, Default)]
pub(super) struct AccountChange {
    account_id: Option<Option<String>>,
    id: Option<Option<String>>,
    config: Option<String>,
    secret: Option<Option<Secret>>,
}

impl AccountChange {
    /// Reads the parameters `external_…`.
    pub(super) fn read(params: &Params) -> Result<Self, ApiError> {
        let secret = params.get("external_secret");
        let text = secret.string(SECRET_LENGTH_MAX)?;
        let given = text.filter(|text| !text.is_empty()).map(Secret::new);
        Ok(Self {
            account_id: id(&params.get("external_account_id"))?,
            id: id(&params.get("external_id"))?,
            config: config(&params.get("external_config"))?,
            secret: secret.is_present().then_some(given),
        })
    }

    /// Says whether nothing is said.
    pub(super) const fn is_empty(&self) -> bool {
        self.account_id.is_none()
            && self.id.is_none()
            && self.config.is_none()
            && self.secret.is_none()
    }

    /// Refuses an account for a phone that no provider sends for.
    pub(super) fn check(&self, phone: &Phone) -> Result<(), ApiError> {
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
            Some((_, name)) if !phone.phone_type.is_provider() => {
                let rule = "is for phones at a provider alone";
                Err(ApiError::invalid_param(name, rule))
            }
            _ => Ok(()),
        }
    }

    /// Changes an account.
    pub(super) fn apply(&self, account: &mut PhoneAccount) {
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

fn id(field: &Field<'_>) -> Result<Option<Option<String>>, ApiError> {
    let text = field.string(ID_LENGTH_MAX)?.filter(|text| !text.is_empty());
    Ok(field.is_present().then_some(text.map(str::to_owned)))
}

fn config(field: &Field<'_>) -> Result<Option<String>, ApiError> {
    if field.is_empty() {
        return Ok(field.is_present().then(|| "{}".to_owned()));
    }
    field.object()?;
    let text = field.to_json().to_string();
    match text.len() > CONFIG_BYTES_MAX {
        true => Err(field.refuse(format_args!("must have at most {CONFIG_BYTES_MAX} bytes"))),
        false => Ok(Some(text)),
    }
}
