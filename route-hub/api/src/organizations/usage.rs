//! `GET /organizations/{organization_id}/usage/{usage_type}` and `…/usage_history`

use crate::organizations::enter_whole;
use crate::{ApiResult, Call};
use axum::extract::State;
use hub_app::hub::Hub;
use hub_app::organizations::usage::{Days, history, present, zone_of};
use hub_domain::{Day, Permission, UsageType};
use hub_web::{Answer, ApiError, Field, Fields};
use serde::Serialize;

/// Answers with a bare number: how much of a type the organization has, or has used today.
pub async fn usage(State(hub): State<Hub>, call: Call) -> ApiResult {
    let (actor, organization) = enter_whole(&hub, &call, Permission::ViewBilling).await?;
    let kind = call.path("usage_type").and_then(UsageType::named);
    let kind = kind.ok_or_else(|| ApiError::not_found("usage type"))?;
    let counted = present(&actor, &organization, kind).await?;
    Ok(Answer::value(&counted, Fields::ALL)?)
}

/// Most days of one answer.
const DAYS_MAX: i32 = 500;
/// Characters of a day.
const DAY_LENGTH: usize = 10;
/// Longest name of a type.
const TYPE_LENGTH_MAX: usize = 64;

/// Shows how much of a type there was at the end of each day, or was used on it.
pub async fn usage_history(State(hub): State<Hub>, call: Call) -> ApiResult {
    let (actor, organization) = enter_whole(&hub, &call, Permission::ViewBilling).await?;
    let zone = zone_of(&organization);
    let today = Day::of(&zone, actor.now.unix).ok_or_else(|| ApiError::internal("no such day"))?;
    let wanted = Fields::read(&call.params)?;
    let kind = kind(&call.params.get("usage_type"))?;
    let (start, end) = (call.params.get("start_date"), call.params.get("end_date"));
    let (first, last) = (day(&start)?, day(&end)?);
    if last < first {
        return Err(end.refuse("must not be before start_date").into());
    }
    if last.since(first) >= DAYS_MAX {
        let rule = format_args!("must be at most {DAYS_MAX} days before end_date");
        return Err(start.refuse(rule).into());
    }
    let last = last.min(today);
    let counted = history(&actor, &organization, kind, Days { first, last }).await?;
    let shown = History {
        timezone_id: zone.name(),
        usage_type: kind.as_str(),
        history: counted.into_iter().map(|at| entry(at, today)).collect(),
    };
    Ok(Answer::value(&shown, &wanted)?)
}

fn kind(field: &Field<'_>) -> Result<UsageType, ApiError> {
    let name = field.required_string(TYPE_LENGTH_MAX)?;
    let unknown = || field.refuse("is not something that is counted");
    UsageType::named(name).ok_or_else(unknown)
}

fn day(field: &Field<'_>) -> Result<Day, ApiError> {
    let read = field.required_string(DAY_LENGTH)?.parse();
    read.map_err(|invalid| field.refuse(invalid))
}

fn entry((day, usage): (Day, u64), today: Day) -> Entry {
    Entry {
        date: day.to_string(),
        usage,
        current: (day == today).then_some(true),
    }
}

#[derive(Serialize)]
struct History<'a> {
    timezone_id: &'a str,
    usage_type: &'a str,
    history: Vec<Entry>,
}

#[derive(Serialize)]
struct Entry {
    date: String,
    usage: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    current: Option<bool>,
}
