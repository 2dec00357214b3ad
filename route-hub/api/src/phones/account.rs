//! A phone's account at its provider, as a request gives it.

use hub_app::phones::AccountPatch;
use hub_web::{ApiError, Field, Kind, Member, Params};
use postrider_model::Secret;

/// Longest id of a provider, in characters.
const ID_LENGTH_MAX: usize = 200;
/// Longest secret of a provider, in characters.
const SECRET_LENGTH_MAX: usize = 2_000;
/// Most bytes of what else a provider wants, as JSON.
const CONFIG_BYTES_MAX: usize = 8_192;

/// What can be said of an account.
pub(super) const TAKES: &[Member] = &[
    EXTERNAL_ACCOUNT_ID,
    EXTERNAL_ID,
    EXTERNAL_CONFIG,
    Member::new(
        "external_secret",
        Kind::Text(SECRET_LENGTH_MAX),
        "The secret; never shown.",
    ),
];
pub(super) const EXTERNAL_ACCOUNT_ID: Member = Member::new(
    "external_account_id",
    Kind::Text(ID_LENGTH_MAX),
    "The account at the provider.",
);
pub(super) const EXTERNAL_ID: Member = Member::new(
    "external_id",
    Kind::Text(ID_LENGTH_MAX),
    "The phone's id at the provider.",
);
pub(super) const EXTERNAL_CONFIG: Member = Member::new(
    "external_config",
    Kind::Map(&Kind::Any),
    "What else the provider wants.",
);

/// Reads the parameters `external_…`.
pub(super) fn read(params: &Params) -> Result<AccountPatch, ApiError> {
    let secret = params.get("external_secret");
    let text = secret.string()?;
    let given = text.filter(|text| !text.is_empty()).map(Secret::new);
    Ok(AccountPatch {
        account_id: id(&params.get("external_account_id"))?,
        id: id(&params.get("external_id"))?,
        config: config(&params.get("external_config"))?,
        secret: secret.is_present().then_some(given),
    })
}

fn id(field: &Field<'_>) -> Result<Option<Option<String>>, ApiError> {
    let text = field.string()?.filter(|text| !text.is_empty());
    Ok(field.is_present().then_some(text.map(str::to_owned)))
}

fn config(field: &Field<'_>) -> Result<Option<String>, ApiError> {
    if field.is_empty() {
        return Ok(field.is_present().then(|| "{}".to_owned()));
    }
    field.object()?;
    let text = field.to_json().to_string();
    if text.len() > CONFIG_BYTES_MAX {
        Err(field.refuse(format_args!("must have at most {CONFIG_BYTES_MAX} bytes")))
    } else {
        Ok(Some(text))
    }
}
