//! A project's settings, as a request gives them.

use crate::members::{self, TIMEZONE_ID, VARS};
use crate::messages::patch::ROUTE;
use crate::parse;
use hub_app::projects::{ProjectPatch, SLUG_LENGTH};
use hub_domain::{Zone, numbers};
use hub_web::{ApiError, Field, Kind, Member, Params};
use postrider_text::PARTS_MAX_DEFAULT;

/// Most days that messages may be told to stay: a hundred years.
const RETENTION_DAYS_MAX: i64 = 36_500;
/// Most SMS parts that may be allowed: no phone sends a longer text.
const PARTS_MAX: i64 = PARTS_MAX_DEFAULT as i64;

/// The country whose numbers need no country code.
pub(super) const COUNTRY: Member = Member::new(
    "country",
    members::COUNTRY,
    "The country whose numbers need no country code.",
);
/// What addresses name it by.
pub(super) const URL_SLUG: Member = Member::new(
    "url_slug",
    Kind::Text(*SLUG_LENGTH.end()),
    "What addresses name it by.",
);
/// What sends where nothing is named.
pub(super) const DEFAULT_ROUTE_ID: Member = Member::new(
    "default_route_id",
    ROUTE,
    "What sends where nothing is named.",
);
/// Whether messages make contacts.
pub(super) const AUTO_CREATE_CONTACTS: Member = Member::new(
    "auto_create_contacts",
    Kind::Boolean,
    "Whether messages make contacts.",
);
/// How long messages stay.
pub(super) const MESSAGE_RETENTION_DAYS: Member = Member::new(
    "message_retention_days",
    Kind::Integer(1, RETENTION_DAYS_MAX),
    "Days that messages stay; for ever without it.",
);
/// Whether short links begin with https.
pub(super) const SHORT_LINK_SCHEME: Member = Member::new(
    "short_link_scheme",
    Kind::Boolean,
    "Whether short links begin with https://.",
);
/// How long a text may be.
pub(super) const SMS_PARTS_MAX: Member = Member::new(
    "sms_parts_max",
    Kind::Integer(1, PARTS_MAX),
    "Most SMS that a text may take.",
);
/// A project's settings besides its name.
pub(super) const TAKES: &[Member] = &[
    TIMEZONE_ID,
    COUNTRY,
    URL_SLUG,
    DEFAULT_ROUTE_ID,
    AUTO_CREATE_CONTACTS,
    MESSAGE_RETENTION_DAYS,
    SHORT_LINK_SCHEME,
    SMS_PARTS_MAX,
    VARS,
    Member::read_only("id"),
    Member::read_only("organization_id"),
    Member::read_only("url"),
];

/// Reads what is to be set.
pub(super) fn read(params: &Params) -> Result<ProjectPatch, ApiError> {
    let route = params.get("default_route_id");
    let route_read = parse::route_id(&route)?;
    let retention = params.get("message_retention_days");
    let days = retention.integer()?;
    let days = days.and_then(|days| u32::try_from(days).ok());
    let parts = params.get("sms_parts_max");
    let parts_max = parts.integer()?;
    let parts_max = parts_max.and_then(|parts| u32::try_from(parts).ok());
    Ok(ProjectPatch {
        name: parse::name(&params.get("name"))?,
        timezone_id: parse::zone(&params.get("timezone_id"))?.map(|zone| zone_name(zone.as_ref())),
        country: country(&params.get("country"))?,
        url_slug: slug(&params.get("url_slug"))?,
        default_route_id: route.is_present().then_some(route_read),
        auto_create_contacts: params.get("auto_create_contacts").boolean()?,
        message_retention_days: retention.is_present().then_some(days),
        short_link_scheme: params.get("short_link_scheme").boolean()?,
        sms_parts_max: parts.is_present().then_some(parts_max),
        vars: parse::vars(&params.get("vars"))?,
        ..ProjectPatch::default()
    })
}

/// A project without a zone of its own keeps UTC.
fn zone_name(zone: Option<&Zone>) -> String {
    zone.map_or("UTC", Zone::name).to_owned()
}

fn country(field: &Field<'_>) -> Result<Option<Option<String>>, ApiError> {
    let text = field.string()?.filter(|text| !text.is_empty());
    let region = text.map(str::to_ascii_uppercase);
    match region {
        Some(region) if !numbers::is_region(&region) => {
            Err(field.refuse("must be a country's two letters, as KE"))
        }
        region => Ok(field.is_present().then_some(region)),
    }
}

fn slug(field: &Field<'_>) -> Result<Option<Option<String>>, ApiError> {
    let text = field.string()?.filter(|text| !text.is_empty());
    let is_slug = |text: &str| {
        SLUG_LENGTH.contains(&text.len())
            && text
                .bytes()
                .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'-' | b'_'))
    };
    match text {
        Some(text) if !is_slug(text) => {
            Err(field.refuse("must be 3 to 18 characters of a-z, 0-9, - and _"))
        }
        text => Ok(field.is_present().then_some(text.map(str::to_owned))),
    }
}
