//! A phone's settings, as a request gives them.

use crate::parse;
use crate::phones::{account, times};
use hub_app::phones::PhonePatch;
use hub_domain::numbers;
use hub_web::{ApiError, Field, Params};
use postrider_text::gsm7::{LANGUAGES_MAX, Language};
use std::ops::RangeInclusive;

/// Longest delay between two messages.
const SEND_DELAY_SEC_MAX: i64 = 3_600;
/// Longest number that is looked at, in characters.
const NUMBER_LENGTH_MAX: usize = 64;
/// Most regions that are listed: there are fewer.
const COUNTRIES_MAX: usize = 300;
/// Letters of a region's name.
const COUNTRY_LENGTH: usize = 2;

/// The fields that a caller may read but not write.
const READ_ONLY: &[&str] = &[
    "id",
    "time_created",
    "last_active_time",
    "project_id",
    "url",
    "battery",
    "charging",
    "internet_type",
    "app_version",
    "android_sdk",
    "mccmnc",
    "carrier",
    "signal",
    "forwarding",
    "queue",
    "kinds",
    "manufacturer",
    "model",
    "send_limit",
    "sent_message_count",
    "sent_message_epoch",
    "sim_changed",
    "waiting_for",
    "next_slot_time",
    "external_setup",
];

/// Reads what is to be set; `region` is where numbers are read that name no country.
pub(super) fn read(params: &Params, region: Option<&str>) -> Result<PhonePatch, ApiError> {
    parse::refuse_read_only(params, READ_ONLY)?;
    let country = country(&params.get("country"))?;
    let region = country.as_ref().and_then(Option::as_deref).or(region);
    let name = params.get("name");
    let number = params.get("phone_number");
    let typed = number
        .string(NUMBER_LENGTH_MAX)?
        .filter(|typed| !typed.is_empty());
    let parsed = typed
        .map(|typed| numbers::parse(typed, region, numbers::Names::Allowed))
        .transpose()
        .map_err(|error| number.refuse(error))?;
    Ok(PhonePatch {
        name: match name.is_present() {
            true => Some(name.required_string(parse::NAME_LENGTH_MAX)?.to_owned()),
            false => None,
        },
        phone_number: number.is_present().then_some(parsed),
        country,
        send_paused: params.get("send_paused").boolean()?,
        sent_message_limit: optional(&params.get("sent_message_limit"), 0..=u32::MAX)?,
        send_delay_sec: params.get("send_delay").integer(0..=SEND_DELAY_SEC_MAX)?,
        send_limit_max: optional(&params.get("send_limit_max"), 1..=u32::MAX)?,
        device_send_limit_max: optional(&params.get("device_send_limit_max"), 1..=u32::MAX)?,
        waits: times::waits(params)?,
        shift_tables: shift_tables(&params.get("shift_tables"))?,
        delivery_reports: params.get("delivery_reports").boolean()?,
        validate_recipient_numbers: params.get("validate_recipient_numbers").boolean()?,
        allowed_recipient_countries: countries(&params.get("allowed_recipient_countries"))?,
        quiet: times::quiet(params)?,
        vars: parse::vars(&params.get("vars"))?,
        account: account::read(params)?,
    })
}

/// Reads a number or, as `null`, its absence.
pub(super) fn optional(
    field: &Field<'_>,
    range: RangeInclusive<u32>,
) -> Result<Option<Option<u32>>, ApiError> {
    let value = field.integer(i64::from(*range.start())..=i64::from(*range.end()))?;
    let value = value.and_then(|value| u32::try_from(value).ok());
    Ok(field.is_present().then_some(value))
}

/// Reads a country or, as `null` or nothing, its absence.
fn country(field: &Field<'_>) -> Result<Option<Option<String>>, ApiError> {
    let text = field.string(COUNTRY_LENGTH)?;
    let country = text.filter(|text| !text.is_empty());
    let country = country.map(|text| region(field, text)).transpose()?;
    Ok(field.is_present().then_some(country))
}

fn region(field: &Field<'_>, text: &str) -> Result<String, ApiError> {
    let region = text.to_ascii_uppercase();
    match numbers::is_region(&region) {
        true => Ok(region),
        false => Err(field.refuse("must be a country's two letters, as KE")),
    }
}

/// Reads the regions that a phone may send to; none at all means every one.
fn countries(field: &Field<'_>) -> Result<Option<Option<Vec<String>>>, ApiError> {
    let Some(items) = field
        .array(COUNTRIES_MAX)?
        .filter(|items| !items.is_empty())
    else {
        return Ok(field.is_present().then_some(None));
    };
    let mut countries = Vec::with_capacity(items.len());
    for item in items {
        let region = region(&item, item.required_string(COUNTRY_LENGTH)?)?;
        if !countries.contains(&region) {
            countries.push(region);
        }
    }
    Ok(Some(Some(countries)))
}

/// Reads the languages whose shift tables a platform uses; nothing means none.
fn shift_tables(field: &Field<'_>) -> Result<Option<Vec<u8>>, ApiError> {
    let items = field.array(LANGUAGES_MAX)?.unwrap_or_default();
    let mut languages = Vec::with_capacity(items.len());
    for item in items {
        let known = 1..=i64::from(Language::Urdu.identifier());
        let given = item.integer(known)?.and_then(|id| u8::try_from(id).ok());
        languages.push(given.ok_or_else(|| item.refuse("is required"))?);
    }
    languages.sort_unstable();
    languages.dedup();
    Ok(field.is_present().then_some(languages))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn patch(body: &str) -> Result<PhonePatch, ApiError> {
        let body = Some(("application/json", body.as_bytes()));
        read(&Params::from_parts("", body).unwrap(), Some("US"))
    }

    #[test]
    fn countries_are_two_letters_that_exist_and_none_means_all() {
        let read = |body: &str| patch(body).map(|patch| patch.allowed_recipient_countries);
        let two = Some(Some(vec!["KE".to_owned(), "TZ".to_owned()]));
        let body = r#"{"allowed_recipient_countries":["ke","TZ","KE"]}"#;
        assert_eq!(read(body).unwrap(), two);
        for none in ["null", "[]"] {
            let body = format!(r#"{{"allowed_recipient_countries":{none}}}"#);
            assert_eq!(read(&body).unwrap(), Some(None));
        }
        assert_eq!(read("{}").unwrap(), None);
        for wrong in [r#""KE""#, r#"["KEN"]"#, r#"["XX"]"#, "[5]"] {
            let body = format!(r#"{{"allowed_recipient_countries":{wrong}}}"#);
            let param = read(&body).unwrap_err().param().map(str::to_owned);
            assert!(param.unwrap().starts_with("allowed_recipient_countries"));
        }
    }

    #[test]
    fn what_cannot_be_set_is_named() {
        for (body, named) in [
            (r#"{"battery":1}"#, "battery"),
            (r#"{"name":""}"#, "name"),
            (r#"{"phone_number":"no number at all"}"#, "phone_number"),
            (r#"{"quiet_mode":"maybe"}"#, "quiet_mode"),
            (r#"{"quiet_start":"25:00"}"#, "quiet_start"),
            (r#"{"quiet_end":"7:00"}"#, "quiet_end"),
            (r#"{"quiet_end":700}"#, "quiet_end"),
            (r#"{"timezone_id":"Mars/Olympus"}"#, "timezone_id"),
        ] {
            assert_eq!(patch(body).unwrap_err().param(), Some(named), "{body}");
        }
    }
}
