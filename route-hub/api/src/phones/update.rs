//! `POST /projects/{project_id}/phones/{phone_id}`

use crate::idempotency::Idempotency;
use crate::phones::account::AccountChange;
use crate::phones::found;
use crate::phones::quiet::QuietChange;
use crate::phones::waits::WaitsChange;
use crate::{ApiResult, Call, enter, transaction};
use axum::extract::State;
use hub_app::dispatch::unit_of_work::UnitOfWork;
use hub_app::hub::Hub;
use hub_app::parse;
use hub_app::phones::model::{MADE_WITH, PhoneView, READ_ONLY};
use hub_domain::{Permission, Phone, VarsChange, numbers};
use hub_store::{StoreError, Tx, phone_accounts, phones};
use hub_web::{Answer, ApiError, Field, Fields, Params};
use postrider_model::PhoneNumber;
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

/// Changes a phone's settings; its link and the queue hear of it after the commit.
pub async fn update(State(hub): State<Hub>, call: Call) -> ApiResult {
    let project = enter(&hub, &call, Permission::EditRoutes).await?;
    let id = call.path_id("phone_id", "phone")?;
    let fields = Fields::read(&call.params)?;
    parse::refuse_read_only(&call.params, MADE_WITH)?;
    let change = Change::read(&call.params, project.country.as_deref())?;
    let _now = hub.now();

    let decide = move |work: &mut UnitOfWork<'_, '_>| {
        let mut phone = found(phones::get(work.tx, work.project.id, id)?)?;
        change.apply(&mut phone)?;
        phones::update(work.tx, &phone)?;
        change.store_account(work.tx, &phone)?;
        work.effects.settings(id);
        work.effects.queued(id);
        work.effects.simulated();
        Ok(PhoneView::read(work.tx, phone, work.project)?)
    };
    let show = move |view| Answer::object(&view, &fields);
    let answer = transaction::answer(&project, Idempotency::none(), decide, show).await?;
    hub.cache.forget_phone(id);
    Ok(answer)
}

/// What is to be set; what is `None` stays, and an inner `None` takes the setting away.
pub(super) struct Change {
    name: Option<String>,
    phone_number: Option<Option<PhoneNumber>>,
    country: Option<Option<String>>,
    send_paused: Option<bool>,
    sent_message_limit: Option<Option<u32>>,
    send_delay_sec: Option<i64>,
    send_limit_max: Option<Option<u32>>,
    device_send_limit_max: Option<Option<u32>>,
    waits: WaitsChange,
    shift_tables: Option<Vec<u8>>,
    delivery_reports: Option<bool>,
    validate_recipient_numbers: Option<bool>,
    allowed_recipient_countries: Option<Option<Vec<String>>>,
    quiet: QuietChange,
    vars: VarsChange,
    account: AccountChange,
}

impl Change {
    pub(super) fn read(params: &Params, region: Option<&str>) -> Result<Self, ApiError> {
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
        Ok(Self {
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
            waits: WaitsChange::read(params)?,
            shift_tables: shift_tables(&params.get("shift_tables"))?,
            delivery_reports: params.get("delivery_reports").boolean()?,
            validate_recipient_numbers: params.get("validate_recipient_numbers").boolean()?,
            allowed_recipient_countries: countries(&params.get("allowed_recipient_countries"))?,
            quiet: QuietChange::read(params)?,
            vars: parse::vars(&params.get("vars"))?,
            account: AccountChange::read(params)?,
        })
    }

    /// Returns the number that is given.
    pub(super) const fn number(&self) -> Option<&PhoneNumber> {
        match &self.phone_number {
            Some(Some(number)) => Some(number),
            _ => None,
        }
    }

    /// Returns the country that is given.
    pub(super) fn country(&self) -> Option<&str> {
        self.country.as_ref().and_then(Option::as_deref)
    }

    /// Stores what is said of the phone's account.
    pub(super) fn store_account(&self, tx: &mut Tx<'_>, phone: &Phone) -> Result<(), StoreError> {
        if self.account.is_empty() || !phone.phone_type.is_provider() {
            return Ok(());
        }
        let mut account = phone_accounts::get(tx, phone.id)?.unwrap_or_default();
        self.account.apply(&mut account);
        phone_accounts::put(tx, phone.id, &account)
    }

    pub(super) fn apply(&self, phone: &mut Phone) -> Result<(), ApiError> {
        if let Some(name) = &self.name {
            phone.name.clone_from(name);
        }
        if let Some(number) = &self.phone_number {
            phone.phone_number.clone_from(number);
        }
        if let Some(country) = &self.country {
            phone.country.clone_from(country);
        }
        if let Some(delay_sec) = self.send_delay_sec {
            phone.set_send_delay(delay_sec * 1_000);
        }
        if let Some(limit) = self.send_limit_max {
            phone.send_limit_max = limit;
        }
        if let Some(limit) = self.device_send_limit_max {
            phone.device_send_limit_max = limit;
        }
        if let Some(languages) = &self.shift_tables {
            phone.shift_tables.clone_from(languages);
        }
        if let Some(reports) = self.delivery_reports {
            phone.delivery_reports = reports;
        }
        if let Some(validate) = self.validate_recipient_numbers {
            phone.validate_recipient_numbers = validate;
        }
        if let Some(countries) = &self.allowed_recipient_countries {
            phone.allowed_recipient_countries.clone_from(countries);
        }
        self.account.check(phone)?;
        self.quiet.apply(phone)?;
        self.waits.apply(&mut phone.waits)?;
        if let Some(limit) = self.sent_message_limit {
            set_limit(phone, limit);
        }
        if let Some(paused) = self.send_paused {
            phone.set_paused(paused);
        }
        parse::apply_vars(&mut phone.vars, &self.vars)
    }
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

/// A limit that is reached pauses at once; a phone that its limit paused goes on under a new one.
fn set_limit(phone: &mut Phone, limit: Option<u32>) {
    phone.sent_message_limit = limit;
    if phone.auto_paused && phone.sends_left() != Some(0) {
        phone.set_paused(false);
    }
    phone.count_sent(0);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::phones::phone_of_tests as phone;

    fn change(body: &str) -> Result<Change, ApiError> {
        let body = Some(("application/json", body.as_bytes()));
        Change::read(&Params::from_parts("", body).unwrap(), Some("US"))
    }

    #[test]
    fn a_limit_pauses_when_reached_and_lets_go_when_raised() {
        let mut phone = phone();
        phone.count_sent(5);
        let limited = change(r#"{"sent_message_limit":5}"#).unwrap();
        limited.apply(&mut phone).unwrap();
        assert!(phone.send_paused && phone.auto_paused);
        change(r#"{"sent_message_limit":null}"#)
            .unwrap()
            .apply(&mut phone)
            .unwrap();
        assert!(!phone.send_paused && phone.sent_message_limit.is_none());
    }

    #[test]
    fn a_persons_pause_outlives_a_limit() {
        let mut phone = phone();
        for body in [r#"{"send_paused":true}"#, r#"{"sent_message_limit":5}"#] {
            change(body).unwrap().apply(&mut phone).unwrap();
        }
        change(r#"{"sent_message_limit":null}"#)
            .unwrap()
            .apply(&mut phone)
            .unwrap();
        assert!(phone.send_paused);
    }

    #[test]
    fn countries_are_two_letters_that_exist_and_none_means_all() {
        let read = |body: &str| change(body).map(|change| change.allowed_recipient_countries);
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
    fn what_is_read_only_or_a_providers_is_named() {
        let param = |body| {
            change(body)
                .err()
                .and_then(|error| error.param().map(str::to_owned))
        };
        assert_eq!(param(r#"{"battery":1}"#).as_deref(), Some("battery"));
        let foreign = change(r#"{"external_secret":"x"}"#).unwrap();
        let refused = foreign.apply(&mut phone()).unwrap_err();
        assert_eq!(refused.param(), Some("external_secret"));
        assert_eq!(param(r#"{"name":""}"#).as_deref(), Some("name"));
        assert_eq!(
            param(r#"{"phone_number":"no number at all"}"#).as_deref(),
            Some("phone_number")
        );
    }
}
