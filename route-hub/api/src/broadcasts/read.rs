//! What a request says of a broadcast.

use crate::contact_filter;
use crate::members::PHONE_NUMBER;
use crate::messages::patch;
use crate::parse;
use hub_app::broadcasts::create::WantedBroadcast;
use hub_app::broadcasts::new_broadcast::Named;
use hub_domain::Address;
use hub_web::{ApiError, Field, Kind, Member, Params};
use postrider_model::kind;

/// Longest title, in characters.
const TITLE_LENGTH_MAX: usize = 255;
/// Most numbers of one request.
const NUMBERS_MAX: usize = 500;

/// A title.
pub(super) const TITLE_TEXT: Kind = Kind::Text(TITLE_LENGTH_MAX);
/// The title of a broadcast.
pub(super) const TITLE: Member = Member::new("title", TITLE_TEXT, "Its title, for people.");
/// Whom a broadcast is for.
pub(super) const RECIPIENTS: &[Member] = &[
    Member::new(
        "to_numbers",
        Kind::Array(&PHONE_NUMBER, NUMBERS_MAX),
        "The numbers.",
    ),
    Member::id::<kind::Group>("group_id", "The group, instead of numbers."),
    Member::id::<kind::Contact>("exclude_contact_id", "A member of the group to leave out."),
];

pub(super) fn broadcast(
    params: &Params,
    region: Option<&str>,
) -> Result<WantedBroadcast, ApiError> {
    Ok(WantedBroadcast {
        message: patch::read(params)?,
        title: title(params, "title")?,
        to: Named {
            filter: contact_filter::read(params, region)?,
            ..named(params)?
        },
    })
}

/// Reads whom a request names as recipients.
pub(super) fn named(params: &Params) -> Result<Named, ApiError> {
    let field = params.get("to_numbers");
    Ok(Named {
        group_id: parse::id(&params.get("group_id"), "group")?,
        exclude: parse::id(&params.get("exclude_contact_id"), "contact")?,
        filter: None,
        numbers: field.is_present().then(|| numbers(&field)).transpose()?,
    })
}

fn numbers(field: &Field<'_>) -> Result<Vec<Address>, ApiError> {
    let items = field.array()?.unwrap_or_default();
    let number = |item: &Field<'_>| {
        let number = item.string()?.and_then(Address::new);
        number.ok_or_else(|| item.refuse("is required"))
    };
    items.iter().map(number).collect()
}

/// Reads the title that a request gives.
pub(super) fn title(params: &Params, name: &str) -> Result<Option<String>, ApiError> {
    let title = params.get(name).string()?;
    let title = title.map(str::trim).filter(|title| !title.is_empty());
    Ok(title.map(str::to_owned))
}
