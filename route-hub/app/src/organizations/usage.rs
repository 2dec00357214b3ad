//! How much an organization has, and uses.

use crate::actor::OrganizationActor;
use crate::failure::Failure;
use crate::hub::Hub;
use crate::worker::{self, Next, Worker};
use hub_domain::{Day, Organization, Quarter, UsageType, Zone};
use hub_store::usage::{self, Amounts};
use hub_store::{StoreError, Tx};
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

/// Returns how much there is of a type; of what begins anew each day, since the organization's midnight.
pub async fn present(
    actor: &OrganizationActor,
    organization: &Organization,
    kind: UsageType,
) -> Result<u64, Failure> {
    let now = actor.now.unix;
    let Some(today) = Day::of(&organization.zone(), now) else {
        return Ok(0);
    };
    write_requests(actor, kind).await?;
    let (id, period) = (organization.id, organization.period());
    let midnight = Quarter::of(organization.midnight(now));
    let share = actor.hub.store.of_organization(id);
    let reading = share.read(move |tx| match kind {
        UsageType::ApiRequestsDay => usage::requests_of(tx, id, today),
        UsageType::Projects => usage::projects_before(tx, id, UnixMs(i64::MAX)),
        UsageType::ExternalMessagesPeriod => Ok(amount(usage::since(tx, id, period)?, kind)),
        kind if kind.is_daily() => Ok(amount(usage::since(tx, id, midnight)?, kind)),
        kind => Ok(amount(usage::present(tx, id)?, kind)),
    });
    Ok(kind.shown(reading.await?))
}

async fn write_requests(actor: &OrganizationActor, kind: UsageType) -> Result<(), StoreError> {
    match kind {
        UsageType::ApiRequestsDay => actor.hub.request_counts.write(&actor.hub.store).await,
        _ => Ok(()),
    }
}

fn amount(amounts: Amounts, kind: UsageType) -> u64 {
    u64::try_from(amounts.of(kind)).unwrap_or(0)
}

/// Returns how much of a type there was at the end of each day, or was used on it.
pub async fn history(
    actor: &OrganizationActor,
    organization: &Organization,
    kind: UsageType,
    days: Days,
) -> Result<Vec<(Day, u64)>, Failure> {
    let (id, zone, period) = (organization.id, organization.zone(), organization.period());
    write_requests(actor, kind).await?;
    let reading = move |tx: &mut Tx<'_>| {
        let days = days.with_ends(&zone);
        let amounts = match kind {
            UsageType::ApiRequestsDay => requests(tx, id, &days)?,
            UsageType::Projects => projects(tx, id, &days)?,
            UsageType::ExternalMessagesPeriod => within_period(tx, id, period, &days)?,
            kind => changes(tx, id, kind, &days)?,
        };
        let of_days = days.iter().zip(amounts);
        Ok::<_, StoreError>(
            of_days
                .map(|((day, ..), amount)| (*day, kind.shown(amount)))
                .collect(),
        )
    };
    let share = actor.hub.store.of_organization(id);
    Ok(share.read(reading).await?)
}

/// A day, when it begins, and when it is over.
type Ends = (Day, UnixMs, UnixMs);

impl Days {
    fn with_ends(self, zone: &Zone) -> Vec<Ends> {
        let mut days = Vec::new();
        let mut next = Some(self.first).filter(|first| *first <= self.last);
        while let Some(day) = next {
            let after = day.plus(1);
            let until = after.and_then(|after| after.start(zone));
            let (Some(from), Some(until)) = (day.start(zone), until) else {
                break;
            };
            days.push((day, from, until));
            next = after.filter(|after| *after <= self.last);
        }
        days
    }
}

fn requests(tx: &mut Tx<'_>, id: OrganizationId, days: &[Ends]) -> Result<Vec<u64>, StoreError> {
    let each = days
        .iter()
        .map(|(day, ..)| usage::requests_of(tx, id, *day));
    each.collect()
}

fn projects(tx: &mut Tx<'_>, id: OrganizationId, days: &[Ends]) -> Result<Vec<u64>, StoreError> {
    let each = days
        .iter()
        .map(|(.., until)| usage::projects_before(tx, id, *until));
    each.collect()
}

/// Goes back from what there is now: before a change there was so much less.
fn changes(
    tx: &mut Tx<'_>,
    id: OrganizationId,
    kind: UsageType,
    days: &[Ends],
) -> Result<Vec<u64>, StoreError> {
    let Some((_, first, _)) = days.first() else {
        return Ok(Vec::new());
    };
    let mut within = vec![0; days.len()];
    let mut since = 0;
    usage::each_change(tx, id, Quarter::of(*first), |quarter, amounts| {
        let at = quarter.start();
        let day = days.partition_point(|(.., until)| *until <= at);
        match within.get_mut(day) {
            Some(day) => *day += amounts.of(kind),
            None => since += amounts.of(kind),
        }
    })?;
    if kind.is_daily() {
        return Ok(within
            .into_iter()
            .map(|used| u64::try_from(used).unwrap_or(0))
            .collect());
    }
    let mut there = usage::present(tx, id)?.of(kind) - since;
    let mut ends = Vec::with_capacity(days.len());
    for changed in within.into_iter().rev() {
        ends.push(u64::try_from(there).unwrap_or(0));
        there -= changed;
    }
    ends.reverse();
    Ok(ends)
}

/// Counts the messages from the beginning of the plan's period to the end of each day.
fn within_period(
    tx: &mut Tx<'_>,
    id: OrganizationId,
    period: Quarter,
    days: &[Ends],
) -> Result<Vec<u64>, StoreError> {
    let mut ends = vec![0; days.len()];
    usage::each_change(tx, id, period, |quarter, amounts| {
        let at = quarter.start();
        let day = days.partition_point(|(.., until)| *until <= at);
        let sent = amount(amounts, UsageType::ExternalMessagesPeriod);
        ends.iter_mut().skip(day).for_each(|end| *end += sent);
    })?;
    Ok(ends)
}

/// Returns the zone in which an organization's days begin.
pub fn zone_of(organization: &Organization) -> Zone {
    organization.zone()
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
