//! A project's settings, as a request gives them.

use crate::parse;
use hub_app::projects::{ProjectPatch, SLUG_LENGTH};
use hub_domain::{Zone, numbers};
use hub_web::{ApiError, Field, Params};
use postrider_text::PARTS_MAX_DEFAULT;

/// Most days that messages may be told to stay: a hundred years.
const RETENTION_DAYS_MAX: i64 = 36_500;
/// Most SMS parts that may be allowed: no phone sends a longer text.
const SMS_PARTS_MAX: i64 = PARTS_MAX_DEFAULT as i64;
/// Letters of a country.
const COUNTRY_LENGTH: usize = 2;

/// The fields that a caller may read but not write.
const READ_ONLY: &[&str] = &["id", "organization_id", "url"];

/// Reads what is to be set.
pub(super) fn read(params: &Params) -> Result<ProjectPatch, ApiError> {
    parse::refuse_read_only(params, READ_ONLY)?;
    let route = params.get("default_route_id");
    let route_read = parse::route_id(&route)?;
    let retention = params.get("message_retention_days");
    let days = retention.integer(1..=RETENTION_DAYS_MAX)?;
    let days = days.and_then(|days| u32::try_from(days).ok());
    let parts = params.get("sms_parts_max");
    let parts_max = parts.integer(1..=SMS_PARTS_MAX)?;
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
    let text = field
        .string(COUNTRY_LENGTH)?
        .filter(|text| !text.is_empty());
    let region = text.map(str::to_ascii_uppercase);
    match region {
        Some(region) if !numbers::is_region(&region) => {
            Err(field.refuse("must be a country's two letters, as KE"))
        }
        region => Ok(field.is_present().then_some(region)),
    }
}

fn slug(field: &Field<'_>) -> Result<Option<Option<String>>, ApiError> {
    let text = field
        .string(*SLUG_LENGTH.end())?
        .filter(|text| !text.is_empty());
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
