//! `GET /organizations/{organization_id}/usage_history`

use crate::organizations::enter_whole;
use crate::organizations::usage::zone_of;
use crate::{ApiResult, Call};
use axum::extract::State;
use hub_app::hub::Hub;
use hub_domain::{Day, Permission, UsageType, Zone};
use hub_store::{StoreError, Tx, usage};
use hub_web::{Answer, ApiError, Field, Fields};
use postrider_model::{OrganizationId, UnixMs};
use serde::Serialize;

/// Most days of one answer.
const DAYS_MAX: i32 = 500;
/// Characters of a day.
const DAY_LENGTH: usize = 10;
/// Longest name of a type.
const TYPE_LENGTH_MAX: usize = 64;

/// Shows how much of a type there was at the end of each day, or was used on it.
pub async fn usage_history(State(hub): State<Hub>, call: Call) -> ApiResult {
    let organization = enter_whole(&hub, &call, Permission::ViewBilling).await?;
    let zone = zone_of(&organization);
    let now = hub.now().unix;
    let today = Day::of(&zone, now).ok_or_else(|| ApiError::internal("no such day"))?;
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
    let (id, of) = (organization.id, zone.clone());
    let counting = move |tx: &mut Tx<'_>| history(tx, id, kind, &of, first, last.min(today));
    if kind == UsageType::ApiRequestsDay {
        hub.request_counts.write(&hub).await?;
    }
    let counted = hub.store.of_organization(id).read(counting).await?;
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

/// Counts each day once; what is not daily adds up.
fn history(
    tx: &mut Tx<'_>,
    id: OrganizationId,
    kind: UsageType,
    zone: &Zone,
    first: Day,
    last: Day,
) -> Result<Vec<(Day, u64)>, StoreError> {
    let mut counted = Vec::new();
    let Some(mut from) = first.start(zone) else {
        return Ok(counted);
    };
    let mut sum = match kind.is_daily() {
        true => 0,
        false => usage::made_within(tx, id, kind, UnixMs(0), from)?,
    };
    let mut next = Some(first).filter(|first| *first <= last);
    while let Some(day) = next {
        let after = day.plus(1);
        let Some(until) = after.and_then(|after| after.start(zone)) else {
            break;
        };
        let of_day = match kind {
            UsageType::ApiRequestsDay => usage::requests_of(tx, id, day)?,
            kind => usage::made_within(tx, id, kind, from, until)?,
        };
        sum = if kind.is_daily() {
            of_day
        } else {
            sum + of_day
        };
        counted.push((day, sum));
        from = until;
        next = after.filter(|after| *after <= last);
    }
    Ok(counted)
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
