//! `admin organization plan` and `set-plan`.

use crate::admin::args::PlanSettings;
use crate::admin::output::table;
use hub_app::data_folder::error::CommandError;
use hub_app::operator::PlanPatch;
use hub_domain::recurrence::Rule;
use hub_domain::{Feature, Organization, Overage, Plan, Rate, UsageType};
use postrider_model::UnixMs;
use serde_json::{Map, Value, json};
use std::str::FromStr;

/// The last second that a timestamp can name: that of the year 9999.
const SECONDS_MAX: i64 = 253_402_300_799;

/// Reads and checks what a plan is set to.
///
/// # Errors
/// That names the flag.
pub(super) fn read(settings: &PlanSettings) -> Result<PlanPatch, CommandError> {
    Ok(PlanPatch {
        name: given("--name", settings.name.as_deref(), |name| {
            Ok(name.to_owned())
        })?,
        price: given("--price", settings.price.as_deref(), rate)?,
        rrule: given("--rrule", settings.rrule.as_deref(), rule)?,
        start_time: given("--start-time", settings.start_time.as_deref(), moment)?,
        end_time: given("--end-time", settings.end_time.as_deref(), moment)?,
        suspend_time: given("--suspend-time", settings.suspend_time.as_deref(), moment)?,
        limits: each("--limit", UsageType::NAMES, &settings.limits, |text| {
            text.parse()
                .map_err(|_| "must be a whole number or none".to_owned())
        })?,
        features: each("--feature", Feature::NAMES, &settings.features, |text| {
            text.parse().map_err(|_| "must be true or false".to_owned())
        })?,
        overage_rates: each(
            "--overage-rate",
            Overage::NAMES,
            &settings.overage_rates,
            rate,
        )?,
    })
}

fn given<T>(
    flag: &str,
    text: Option<&str>,
    read: impl FnOnce(&str) -> Result<T, String>,
) -> Result<Option<Option<T>>, CommandError> {
    match text.map(str::trim) {
        None => Ok(None),
        Some("") => Ok(Some(None)),
        Some(text) => match read(text) {
            Ok(value) => Ok(Some(Some(value))),
            Err(rule) => Err(CommandError::new(format!("{flag} {rule}"))),
        },
    }
}

/// Reads settings by name; `none` or nothing takes one away.
fn each<K: FromStr, V>(
    flag: &str,
    names: &[&str],
    texts: &[String],
    read: impl Fn(&str) -> Result<V, String>,
) -> Result<Vec<(K, Option<V>)>, CommandError> {
    let one = |text: &String| {
        let refused = |rule: &str| CommandError::new(format!("{flag} {rule}"));
        let (name, value) = text
            .split_once('=')
            .ok_or_else(|| refused("must be NAME=VALUE"))?;
        let known = name.trim().parse().ok();
        let name = known.ok_or_else(|| refused(&format!("names one of: {}", names.join(", "))))?;
        match value.trim() {
            "" | "none" => Ok((name, None)),
            value => read(value)
                .map(|value| (name, Some(value)))
                .map_err(|rule| refused(&rule)),
        }
    };
    texts.iter().map(one).collect()
}

fn rate(text: &str) -> Result<Rate, String> {
    let (amount, currency) = text
        .split_once(' ')
        .ok_or("must be an amount and a currency, such as 9.50 USD")?;
    let amount = amount
        .parse()
        .map_err(|rule: hub_domain::NotAnAmount| rule.to_string())?;
    let currency = currency.trim().parse();
    let currency = currency.map_err(|rule: hub_domain::NotACurrency| rule.to_string())?;
    Ok(Rate::new(amount, currency))
}

fn rule(text: &str) -> Result<String, String> {
    match Rule::parse(text) {
        Ok(_) => Ok(text.to_owned()),
        Err(invalid) => Err(invalid.to_string()),
    }
}

fn moment(text: &str) -> Result<UnixMs, String> {
    let seconds = text.parse::<i64>().ok();
    let seconds = seconds.filter(|seconds| (0..=SECONDS_MAX).contains(seconds));
    let rule = "must be a UNIX timestamp in seconds";
    seconds
        .map(|seconds| UnixMs(seconds * 1_000))
        .ok_or_else(|| rule.to_owned())
}

/// Shows a plan as JSON.
pub(super) fn view(organization: &Organization) -> Value {
    let plan = &organization.plan;
    let features = Feature::ALL.iter();
    let features = features.map(|one| (one.to_string(), Value::Bool(plan.has(*one))));
    json!({
        "id": organization.id,
        "plan_name": plan.name,
        "plan_price": plan.price.map(|price| price.amount.to_string()),
        "plan_currency": plan.price.map(|price| price.currency.to_string()),
        "plan_rrule": plan.rrule,
        "plan_start_time": plan.start_time.map(UnixMs::seconds),
        "plan_end_time": plan.end_time.map(UnixMs::seconds),
        "plan_suspend_time": plan.suspend_time.map(UnixMs::seconds),
        "plan_limits": limits(plan).map(|(name, most)| (name.to_string(), json!(most))).collect::<Map<_, _>>(),
        "plan_features": features.collect::<Map<_, _>>(),
        "overage_rates": rates(plan).map(|(name, rate)| (name, Value::from(rate))).collect::<Map<_, _>>(),
    })
}

fn limits(plan: &Plan) -> impl Iterator<Item = (UsageType, Option<u64>)> {
    plan.limited()
        .map(|kind| (kind, plan.limits.get(&kind).copied()))
}

fn rates(plan: &Plan) -> impl Iterator<Item = (String, String)> {
    let rates = plan.overage_rates.iter();
    rates.map(|(name, rate)| (name.to_string(), written(*rate)))
}

fn written(rate: Rate) -> String {
    format!("{} {}", rate.amount, rate.currency)
}

/// Shows a plan to people: what is set of it.
pub(super) fn text(organization: &Organization) -> String {
    let plan = &organization.plan;
    let seconds = |time: Option<UnixMs>| time.map(|time| time.seconds().to_string());
    let mut rows = Vec::new();
    let mut row = |name: &str, value: Option<String>| {
        rows.extend(value.map(|value| vec![name.to_owned(), value]));
    };
    row("name", plan.name.clone());
    row("price", plan.price.map(written));
    row("rrule", plan.rrule.clone());
    row("start_time", seconds(plan.start_time));
    row("end_time", seconds(plan.end_time));
    row("suspend_time", seconds(plan.suspend_time));
    for (name, most) in limits(plan) {
        row(&format!("limit {name}"), most.map(|most| most.to_string()));
    }
    for (name, has) in &plan.features {
        row(&format!("feature {name}"), Some(has.to_string()));
    }
    for (name, rate) in rates(plan) {
        row(&format!("overage rate {name}"), Some(rate));
    }
    if rows.is_empty() {
        "nothing is set: nothing is limited".to_owned()
    } else {
        table(&["setting", "value"], &rows)
    }
}
