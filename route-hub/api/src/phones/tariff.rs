//! A phone's tariff, as a request gives it.

use hub_domain::{Amount, Rates, TARIFF_PREFIXES_MAX, Tariff};
use hub_web::{ApiError, Field, Kind, Member, Object};
use std::collections::BTreeMap;

/// Most digits of a number.
const PREFIX_LENGTH_MAX: usize = 15;

/// What can be said of a tariff.
pub(super) const TARIFF: Member = tariff(Kind::Object(MEMBERS));
/// What is shown of one.
pub(super) const SHOWN: Member = tariff(Kind::Object(SHOWN_MEMBERS));

const MEMBERS: &[Member] = &members(RATES, &Kind::Object(RATES));
const SHOWN_MEMBERS: &[Member] = &members(SHOWN_RATES, &Kind::Object(SHOWN_RATES));
const RATES: &[Member; 3] = &rates_as(Kind::Either(&[AMOUNT, Kind::Number]));
const SHOWN_RATES: &[Member; 3] = &rates_as(AMOUNT);
const AMOUNT: Kind = Kind::Text(20);

const fn tariff(kind: Kind) -> Member {
    let about = "What its messages cost; nothing is known without it.";
    Member::new("tariff", kind, about)
}

const fn members(rates: &[Member; 3], of_prefix: &'static Kind) -> [Member; 5] {
    let [per_part, per_message, per_minute] = *rates;
    [
        Member::new(
            "currency",
            Kind::Text(3),
            "The currency, by its three letters of ISO 4217.",
        )
        .required(),
        per_part,
        per_message,
        per_minute,
        Member::new(
            "prefixes",
            Kind::Map(of_prefix),
            "What differs by the first digits of the number, with the country's; the longest that fit count.",
        ),
    ]
}

const fn rates_as(amount: Kind) -> [Member; 3] {
    [
        Member::new("per_part", amount, "Each part of an SMS.").nullable(),
        Member::new("per_message", amount, "Each message, whatever its parts.").nullable(),
        Member::new("per_minute", amount, "Each begun minute of a call.").nullable(),
    ]
}

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
    let given = field.decimal()?.filter(|text| !text.is_empty());
    let read = given.map(|text| text.parse()).transpose();
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
