//! A phone's settings, as a request gives them.

use crate::members::{self, PHONE_NUMBER, VARS, read_only};
use crate::parse;
use crate::phones::tariff::{self, TARIFF};
use crate::phones::{account, times};
use hub_app::phones::PhonePatch;
use hub_domain::numbers;
use hub_web::{ApiError, Field, Kind, Member, Params};
use postrider_text::gsm7::{LANGUAGES_MAX, Language};

/// Longest delay between two messages.
const SEND_DELAY_SEC_MAX: i64 = 3_600;
/// Most regions that are listed: there are fewer.
const COUNTRIES_MAX: usize = 300;
/// A number of things, or none.
const LIMIT: Kind = Kind::Integer(0, u32::MAX as i64);
const RATE: Kind = Kind::Integer(1, u32::MAX as i64);

const READ_ONLY: &[Member] = &read_only([
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
]);

/// What can be said of a phone, and more.
pub(super) const fn takes(more: &'static [Member]) -> [&'static [Member]; 6] {
    [
        more,
        SETTINGS,
        times::QUIET,
        times::WAITS,
        account::TAKES,
        READ_ONLY,
    ]
}

const SETTINGS: &[Member] = &[
    members::name("What it is called."),
    Member::new(
        "phone_number",
        PHONE_NUMBER,
        "Its number, or its name at a provider.",
    ),
    COUNTRY,
    SEND_PAUSED,
    SENT_MESSAGE_LIMIT,
    SEND_DELAY,
    SEND_LIMIT_MAX,
    DEVICE_SEND_LIMIT_MAX,
    SHIFT_TABLES,
    DELIVERY_REPORTS,
    VALIDATE_RECIPIENT_NUMBERS,
    ALLOWED_RECIPIENT_COUNTRIES,
    TARIFF,
    VARS,
];
pub(super) const COUNTRY: Member =
    Member::new("country", members::COUNTRY, "The country that it is in.");
pub(super) const SEND_PAUSED: Member =
    Member::new("send_paused", Kind::Boolean, "Whether its messages wait.");
pub(super) const SENT_MESSAGE_LIMIT: Member = Member::new(
    "sent_message_limit",
    LIMIT,
    "After how many messages it pauses; never without it.",
);
pub(super) const SEND_DELAY: Member = Member::new(
    "send_delay",
    Kind::Integer(0, SEND_DELAY_SEC_MAX),
    "Seconds between two messages.",
);
pub(super) const SEND_LIMIT_MAX: Member = Member::new(
    "send_limit_max",
    RATE,
    "Most SMS of the slot in half an hour.",
);
pub(super) const DEVICE_SEND_LIMIT_MAX: Member = Member::new(
    "device_send_limit_max",
    RATE,
    "Most SMS of the device in half an hour.",
);
pub(super) const SHIFT_TABLES: Member = Member::new(
    "shift_tables",
    Kind::Array(&Kind::Integer(1, LANGUAGES), LANGUAGES_MAX),
    "Languages whose shift tables its platform uses, as 3GPP TS 23.038 numbers them.",
);
pub(super) const DELIVERY_REPORTS: Member = Member::new(
    "delivery_reports",
    Kind::Boolean,
    "Whether it asks for delivery reports.",
);
pub(super) const VALIDATE_RECIPIENT_NUMBERS: Member = Member::new(
    "validate_recipient_numbers",
    Kind::Boolean,
    "Whether it refuses numbers that cannot be.",
);
pub(super) const ALLOWED_RECIPIENT_COUNTRIES: Member = Member::new(
    "allowed_recipient_countries",
    Kind::Array(&members::COUNTRY, COUNTRIES_MAX),
    "The countries that it sends to; all without it.",
);
const LANGUAGES: i64 = Language::Urdu.identifier() as i64;

/// Reads what is to be set; `region` is where numbers are read that name no country.
pub(super) fn read(params: &Params, region: Option<&str>) -> Result<PhonePatch, ApiError> {
    let country = country(&params.get("country"))?;
    let region = country.as_ref().and_then(Option::as_deref).or(region);
    let name = params.get("name");
    let number = params.get("phone_number");
    let typed = number.string()?.filter(|typed| !typed.is_empty());
    let parsed = typed
        .map(|typed| numbers::parse(typed, region, numbers::Names::Allowed))
        .transpose()
        .map_err(|error| number.refuse(error))?;
    Ok(PhonePatch {
        name: if name.is_present() {
            Some(name.required_string()?.to_owned())
        } else {
            None
        },
        phone_number: number.is_present().then_some(parsed),
        country,
        send_paused: params.get("send_paused").boolean()?,
        sent_message_limit: parse::number(&params.get("sent_message_limit"))?,
        send_delay_sec: params.get("send_delay").integer()?,
        send_limit_max: parse::number(&params.get("send_limit_max"))?,
        device_send_limit_max: parse::number(&params.get("device_send_limit_max"))?,
        waits: times::waits(params)?,
        shift_tables: shift_tables(&params.get("shift_tables"))?,
        delivery_reports: params.get("delivery_reports").boolean()?,
        validate_recipient_numbers: params.get("validate_recipient_numbers").boolean()?,
        allowed_recipient_countries: countries(&params.get("allowed_recipient_countries"))?,
        tariff: tariff::read(&params.get("tariff"))?,
        quiet: times::quiet(params)?,
        vars: parse::vars(&params.get("vars"))?,
        account: account::read(params)?,
    })
}

/// Reads a country or, as `null` or nothing, its absence.
fn country(field: &Field<'_>) -> Result<Option<Option<String>>, ApiError> {
    let text = field.string()?;
    let country = text.filter(|text| !text.is_empty());
    let country = country.map(|text| region(field, text)).transpose()?;
    Ok(field.is_present().then_some(country))
}

fn region(field: &Field<'_>, text: &str) -> Result<String, ApiError> {
    let region = text.to_ascii_uppercase();
    if numbers::is_region(&region) {
        Ok(region)
    } else {
        Err(field.refuse("must be a country's two letters, as KE"))
    }
}

/// Reads the regions that a phone may send to; none at all means every one.
fn countries(field: &Field<'_>) -> Result<Option<Option<Vec<String>>>, ApiError> {
    let Some(items) = field.array()?.filter(|items| !items.is_empty()) else {
        return Ok(field.is_present().then_some(None));
    };
    let mut countries = Vec::with_capacity(items.len());
    for item in items {
        let region = region(&item, item.required_string()?)?;
        if !countries.contains(&region) {
            countries.push(region);
        }
    }
    Ok(Some(Some(countries)))
}

/// Reads the languages whose shift tables a platform uses; nothing means none.
fn shift_tables(field: &Field<'_>) -> Result<Option<Vec<u8>>, ApiError> {
    let items = field.array()?.unwrap_or_default();
    let mut languages = Vec::with_capacity(items.len());
    for item in items {
        let given = item.integer()?.and_then(|id| u8::try_from(id).ok());
        languages.push(given.ok_or_else(|| item.refuse("is required"))?);
    }
    languages.sort_unstable();
    languages.dedup();
    Ok(field.is_present().then_some(languages))
}

#[cfg(test)]
mod tests {
    use super::*;
    use hub_web::Takes;

    fn patch(body: &str) -> Result<PhonePatch, ApiError> {
        let body = Some(("application/json", body.as_bytes()));
        let params = Params::from_parts("", body).unwrap();
        let params = params.taking(Takes {
            own: const { &takes(&[]) },
            common: &[],
        });
        params.check()?;
        read(&params, Some("US"))
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
