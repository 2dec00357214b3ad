//! How much an organization has, and uses.

use crate::actor::OrganizationActor;
use crate::failure::Failure;
use crate::hub::Hub;
use crate::worker::{self, Next, Worker};
use hub_domain::{Day, Organization, UsageType, Zone};
use hub_store::{StoreError, Tx, usage};
use postrider_model::{OrganizationId, UnixMs};
use std::time::Duration;

/// How often counted requests are written.
const WRITE_EVERY: Duration = Duration::from_secs(10);

/// Days of an organization, the last one included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Days {
    /// The first day.
    pub first: Day,
    /// The last day.
    pub last: Day,
}

/// Counts what there is of a type; what begins anew each day, since the organization's midnight.
pub async fn present(
    actor: &OrganizationActor,
    organization: &Organization,
    kind: UsageType,
) -> Result<u64, Failure> {
    let (id, now) = (organization.id, actor.now.unix);
    if kind == UsageType::ApiRequestsDay {
        return requests_today(actor, organization).await;
    }
    let from = match kind.is_daily() {
        true => midnight(&zone_of(organization), now),
        false => UnixMs(0),
    };
    let until = UnixMs(i64::MAX);
    let share = actor.hub.store.of_organization(id);
    let counting = share.read(move |tx| usage::made_within(tx, id, kind, from, until));
    Ok(counting.await?)
}

async fn requests_today(
    actor: &OrganizationActor,
    organization: &Organization,
) -> Result<u64, Failure> {
    let hub = &actor.hub;
    hub.request_counts.write(&hub.store).await?;
    let today = Day::of(&zone_of(organization), actor.now.unix);
    let id = organization.id;
    let reading = hub.store.of_organization(id).read(move |tx| match today {
        Some(today) => usage::requests_of(tx, id, today),
        None => Ok(0),
    });
    Ok(reading.await?)
}

/// Counts how much of a type there was at the end of each day, or was used on it.
pub async fn history(
    actor: &OrganizationActor,
    organization: &Organization,
    kind: UsageType,
    days: Days,
) -> Result<Vec<(Day, u64)>, Failure> {
    let (hub, id, zone) = (&actor.hub, organization.id, zone_of(organization));
    if kind == UsageType::ApiRequestsDay {
        hub.request_counts.write(&hub.store).await?;
    }
    let counting = move |tx: &mut Tx<'_>| each_day(tx, id, kind, &zone, days);
    Ok(hub.store.of_organization(id).read(counting).await?)
}

/// Counts each day once; what is not daily adds up.
fn each_day(
    tx: &mut Tx<'_>,
    id: OrganizationId,
    kind: UsageType,
    zone: &Zone,
    days: Days,
) -> Result<Vec<(Day, u64)>, StoreError> {
    let mut counted = Vec::new();
    let Some(mut from) = days.first.start(zone) else {
        return Ok(counted);
    };
    let mut sum = match kind.is_daily() {
        true => 0,
        false => usage::made_within(tx, id, kind, UnixMs(0), from)?,
    };
    let mut next = Some(days.first).filter(|first| *first <= days.last);
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
        next = after.filter(|after| *after <= days.last);
    }
    Ok(counted)
}

/// Returns the zone in which an organization's days begin.
pub fn zone_of(organization: &Organization) -> Zone {
    Zone::find(&organization.timezone_id).unwrap_or(Zone::UTC)
}

fn midnight(zone: &Zone, now: UnixMs) -> UnixMs {
    let day = Day::of(zone, now);
    day.and_then(|day| day.start(zone)).unwrap_or(now)
}

/// Writes how many requests were counted, until it is dropped.
pub async fn run(hub: Hub) {
    tokio::time::sleep(WRITE_EVERY).await;
    worker::run(Counting { hub }).await;
}

struct Counting {
    hub: Hub,
}

impl Worker for Counting {
    const FAILURE: &'static str = "the counted requests could not be written";
    const BACKOFF: Duration = WRITE_EVERY;

    async fn step(&mut self) -> Result<Next, StoreError> {
        self.hub.request_counts.write(&self.hub.store).await?;
        Ok(Next::Within(WRITE_EVERY))
    }
}
