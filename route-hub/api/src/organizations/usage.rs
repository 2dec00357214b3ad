//! `GET /organizations/{organization_id}/usage/{usage_type}`

use crate::organizations::enter_whole;
use crate::{ApiResult, Call, Failure};
use axum::extract::State;
use hub_app::hub::Hub;
use hub_domain::{Day, Organization, Permission, UsageType, Zone};
use hub_store::usage;
use hub_web::{Answer, ApiError, Fields};
use postrider_model::UnixMs;

/// Answers with a bare number: how much of a type the organization has, or has used today.
pub async fn usage(State(hub): State<Hub>, call: Call) -> ApiResult {
    let organization = enter_whole(&hub, &call, Permission::ViewBilling).await?;
    let kind = call.path("usage_type").and_then(UsageType::named);
    let kind = kind.ok_or_else(|| ApiError::not_found("usage type"))?;
    Ok(Answer::value(
        &present(&hub, &organization, kind).await?,
        Fields::ALL,
    )?)
}

/// Counts what there is of a type; what begins anew each day, since the organization's midnight.
pub(super) async fn present(
    hub: &Hub,
    organization: &Organization,
    kind: UsageType,
) -> Result<u64, Failure> {
    let (id, now) = (organization.id, hub.now().unix);
    if kind == UsageType::ApiRequestsDay {
        return requests_today(hub, organization, now).await;
    }
    let from = match kind.is_daily() {
        true => midnight(&zone_of(organization), now),
        false => UnixMs(0),
    };
    let until = UnixMs(i64::MAX);
    let counting = hub
        .store
        .of_organization(id)
        .read(move |tx| usage::made_within(tx, id, kind, from, until));
    Ok(counting.await?)
}

async fn requests_today(
    hub: &Hub,
    organization: &Organization,
    now: UnixMs,
) -> Result<u64, Failure> {
    hub.request_counts.write(hub).await?;
    let (id, today) = (organization.id, Day::of(&zone_of(organization), now));
    let reading = hub.store.of_organization(id).read(move |tx| match today {
        Some(today) => usage::requests_of(tx, id, today),
        None => Ok(0),
    });
    Ok(reading.await?)
}

/// Returns the zone in which an organization's days begin.
pub(super) fn zone_of(organization: &Organization) -> Zone {
    Zone::find(&organization.timezone_id).unwrap_or(Zone::UTC)
}

fn midnight(zone: &Zone, now: UnixMs) -> UnixMs {
    let day = Day::of(zone, now);
    day.and_then(|day| day.start(zone)).unwrap_or(now)
}
