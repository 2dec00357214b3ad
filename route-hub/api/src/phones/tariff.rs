//! A phone's tariff, as a request gives it.

use hub_domain::{Amount, Rates, TARIFF_PREFIXES_MAX, Tariff};
use hub_web::{ApiError, Field, Kind, Member, Object};
use std::collections::BTreeMap;

/// Most digits of a number.
const PREFIX_LENGTH_MAX: usize = 15;

/// What can be said of a tariff.
pub(super) const TARIFF: Member = Member::new(
    "tariff",
    Kind::Object(MEMBERS),
    "What its messages cost; nothing is known without it.",
);
const MEMBERS: &[Member] = &[
    Member::new(
        "currency",
        Kind::Text(3),
        "The currency, by its three letters of ISO 4217.",
    )
    .required(),
    PER_PART,
    PER_MESSAGE,
    PER_MINUTE,
    Member::new(
        "prefixes",
        Kind::Map(&Kind::Object(RATES)),
        "What differs by the first digits of the number, with the country's; the longest that fit count.",
    ),
];
const RATES: &[Member] = &[PER_PART, PER_MESSAGE, PER_MINUTE];
const AMOUNT: Kind = Kind::Text(20);
const PER_PART: Member = Member::new("per_part", AMOUNT, "Each part of an SMS.").nullable();
const PER_MESSAGE: Member =
    Member::new("per_message", AMOUNT, "Each message, whatever its parts.").nullable();
const PER_MINUTE: Member =
    Member::new("per_minute", AMOUNT, "Each begun minute of a call.").nullable();

/// Reads a tariff or, as `null`, its absence.
pub(super) fn read(field: &Field<'_>) -> Result<Option<Option<Tariff>>, ApiError> {
    let Some(object) = field.object()? else {
        return Ok(field.is_present().then_some(None));
    };
    known(&object, MEMBERS)?;
    let currency = object.get("currency");
    let read = currency.required_string()?.parse();
    let mut tariff = Tariff {
        currency: read.map_err(|rule| currency.refuse(rule))?,
        rates: rates(&object)?,
        prefixes: BTreeMap::new(),
    };
    let prefixes = object.get("prefixes");
    for (name, field) in prefixes.object()?.iter().flat_map(Object::members) {
        let of_prefix = field
            .object()?
            .ok_or_else(|| field.refuse("must be an object"))?;
        known(&of_prefix, RATES)?;
        let prefix = digits(name, &field)?;
        tariff.prefixes.insert(prefix, rates(&of_prefix)?);
    }
    if tariff.prefixes.len() > TARIFF_PREFIXES_MAX {
        let rule = format_args!("must have at most {TARIFF_PREFIXES_MAX} prefixes");
        return Err(prefixes.refuse(rule));
    }
    Ok(Some(Some(tariff)))
}

fn known(object: &Object<'_>, members: &[Member]) -> Result<(), ApiError> {
    let is_known = |name: &str| members.iter().any(|member| member.name == name);
    match object.members().find(|(name, _)| !is_known(name)) {
        Some((_, unknown)) => Err(unknown.refuse("is not part of a tariff")),
        None => Ok(()),
    }
}

fn rates(object: &Object<'_>) -> Result<Rates, ApiError> {
    Ok(Rates {
        per_part: amount(&object.get("per_part"))?,
        per_message: amount(&object.get("per_message"))?,
        per_minute: amount(&object.get("per_minute"))?,
    })
}

fn amount(field: &Field<'_>) -> Result<Option<Amount>, ApiError> {
    let given = field.string()?.filter(|text| !text.is_empty());
    let read = given.map(str::parse).transpose();
    read.map_err(|rule| field.refuse(rule))
}

fn digits(typed: &str, field: &Field<'_>) -> Result<String, ApiError> {
    let is_prefix = (1..=PREFIX_LENGTH_MAX).contains(&typed.len())
        && typed.bytes().all(|byte| byte.is_ascii_digit());
    if is_prefix {
        Ok(typed.to_owned())
    } else {
        Err(field.refuse("must be named by 1 to 15 digits, the first of a number"))
    }
}
