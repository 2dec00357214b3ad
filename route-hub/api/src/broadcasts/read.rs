//! What a request says of a broadcast.

use crate::messages::patch;
use crate::parse;
use hub_app::broadcasts::create::WantedBroadcast;
use hub_app::broadcasts::new_broadcast::Named;
use hub_domain::Address;
use hub_web::{ApiError, Field, Params};

/// Longest title, in characters.
const TITLE_LENGTH_MAX: usize = 255;
/// Most numbers of one request.
const NUMBERS_MAX: usize = 500;
/// Longest number that is looked at, in characters.
const NUMBER_LENGTH_MAX: usize = 64;

pub(super) fn broadcast(params: &Params) -> Result<WantedBroadcast, ApiError> {
    Ok(WantedBroadcast {
        message: patch::read(params)?,
        title: title(params, "title")?,
        to: named(params)?,
    })
}

/// Reads whom a request names as recipients.
pub(super) fn named(params: &Params) -> Result<Named, ApiError> {
    let field = params.get("to_numbers");
    Ok(Named {
        group_id: parse::id(&params.get("group_id"), "group")?,
        exclude: parse::id(&params.get("exclude_contact_id"), "contact")?,
        numbers: field.is_present().then(|| numbers(&field)).transpose()?,
    })
}

fn numbers(field: &Field<'_>) -> Result<Vec<Address>, ApiError> {
    let items = field.array(NUMBERS_MAX)?.unwrap_or_default();
    let number = |item: &Field<'_>| {
        let number = item.string(NUMBER_LENGTH_MAX)?.and_then(Address::new);
        number.ok_or_else(|| item.refuse("is required"))
    };
    items.iter().map(number).collect()
}

/// Reads the title that a request gives.
pub(super) fn title(params: &Params, name: &str) -> Result<Option<String>, ApiError> {
    let title = params.get(name).string(TITLE_LENGTH_MAX)?;
    let title = title.map(str::trim).filter(|title| !title.is_empty());
    Ok(title.map(str::to_owned))
}
