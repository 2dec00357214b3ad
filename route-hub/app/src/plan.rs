//! What an organization's plan refuses.

use crate::failure::Failure;
use crate::hub::Hub;
use hub_domain::{Day, Organization, Quarter, UsageType};
use hub_store::usage::{self, Limits};
use hub_store::{Gate, Share, StoreError, Tx};
use hub_view::{Refusal, RefusalCode};
use postrider_model::{Now, OrganizationId, UnixMs};
use std::sync::Arc;

/// Returns what jobs of an organization must not go beyond; `None` where its plan refuses nothing, which
/// is known without a look at the database.
pub(crate) async fn limits(
    hub: &Hub,
    organization_id: OrganizationId,
    now: Now,
) -> Result<Option<Arc<Limits>>, StoreError> {
    let found = hub.cache.organization(&hub.store, organization_id).await?;
    let limited = found.filter(|organization| organization.plan.refuses());
    Ok(limited.map(|organization| Arc::new(limits_of(&organization, now.unix))))
}

fn limits_of(organization: &Organization, now: UnixMs) -> Limits {
    let limit = |kind: &UsageType| Some((*kind, organization.plan.refuses_beyond(*kind)?));
    Limits {
        organization_id: organization.id,
        most: organization.plan.limits.keys().filter_map(limit).collect(),
        day: Quarter::of(organization.midnight(now)),
        period: organization.period(),
    }
}

/// Names the gate behind which no two jobs go beyond a limit together.
pub(crate) fn gated<'s>(share: Share<'s>, limits: Option<&Arc<Limits>>) -> Share<'s> {
    match limits {
        Some(limits) => share.and(Gate::Organization(limits.organization_id)),
        None => share,
    }
}

/// Holds a job to limits.
pub(crate) fn hold(tx: &mut Tx<'_>, limits: Option<&Arc<Limits>>) {
    if let Some(limits) = limits {
        usage::limit(tx, limits);
    }
}

/// Refuses to send while the plan is suspended, or where so many messages are more than it has room for.
/// The job looks again.
pub(crate) async fn admit(
    hub: &Hub,
    organization_id: OrganizationId,
    messages: usize,
    now: Now,
) -> Result<(), Failure> {
    let found = hub.cache.organization(&hub.store, organization_id).await?;
    let Some(organization) = found else {
        return Ok(());
    };
    if organization.plan.is_suspended(now.unix) {
        let text = "sending is suspended: the plan's plan_suspend_time has passed";
        return Err(Refusal::new(RefusalCode::LimitExceeded, text).into());
    }
    check(
        hub,
        organization_id,
        (UsageType::StoredMessages, messages),
        now,
    )
    .await
}

/// Refuses so much more of a type, files in bytes, where the plan has no room for it. The job looks again.
pub(crate) async fn check(
    hub: &Hub,
    organization_id: OrganizationId,
    (kind, more): (UsageType, usize),
    now: Now,
) -> Result<(), Failure> {
    let Some(limits) = limits(hub, organization_id, now).await? else {
        return Ok(());
    };
    let more = i64::try_from(more).unwrap_or(i64::MAX);
    let share = hub.store.of_organization(organization_id);
    let reading = share.read(move |tx| {
        usage::limit(tx, &limits);
        usage::check(tx, kind, more)
    });
    Ok(reading.await?)
}

/// How many messages the hub may make just now by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Room {
    /// As many as there are.
    All,
    /// So many until the next day, or the plan's next period.
    Only(usize),
    /// None as long as the plan is suspended.
    Suspended,
}

impl Room {
    /// Returns what there is room for of so many; `None` where they wait.
    pub(crate) fn of(self, wanted: usize) -> Option<usize> {
        match self {
            Self::All => Some(wanted),
            Self::Only(0) if wanted > 0 => None,
            Self::Only(room) => Some(wanted.min(room)),
            Self::Suspended => None,
        }
    }
}

/// Says how many more messages an organization may send for now; tests do not count.
pub(crate) async fn room(
    hub: &Hub,
    organization_id: OrganizationId,
    are_tests: bool,
    now: Now,
) -> Result<Room, StoreError> {
    let Some(organization) = hub.cache.organization(&hub.store, organization_id).await? else {
        return Ok(Room::All);
    };
    if organization.plan.is_suspended(now.unix) {
        return Ok(Room::Suspended);
    }
    if are_tests || limit_of_messages(&organization).is_none() {
        return Ok(Room::All);
    }
    let share = hub.store.of_organization(organization_id);
    share
        .read(move |tx| room_in(tx, &organization, now.unix))
        .await
}

/// As [`room`], of messages that are no tests, within a job.
pub(crate) fn room_in(
    tx: &mut Tx<'_>,
    organization: &Organization,
    now: UnixMs,
) -> Result<Room, StoreError> {
    if organization.plan.is_suspended(now) {
        return Ok(Room::Suspended);
    }
    let Some((kind, most)) = limit_of_messages(organization) else {
        return Ok(Room::All);
    };
    let used = usage::used(tx, &limits_of(organization, now), kind)?;
    let left = most.saturating_sub(used);
    Ok(Room::Only(usize::try_from(left).unwrap_or(usize::MAX)))
}

/// Returns when the limit of messages counts from nothing again; `None` for that of a period, which the
/// operator begins.
pub(crate) fn next_room_time(organization: &Organization, now: UnixMs) -> Option<UnixMs> {
    let (kind, _) = limit_of_messages(organization)?;
    organization.next_midnight(now).filter(|_| kind.is_daily())
}

fn limit_of_messages(organization: &Organization) -> Option<(UsageType, u64)> {
    let by = [
        UsageType::ExternalMessagesDay,
        UsageType::ExternalMessagesPeriod,
    ];
    let limit = |kind: UsageType| Some((kind, organization.plan.refuses_beyond(kind)?));
    by.into_iter().find_map(limit)
}

/// Returns an organization whose plan limits its requests, and their most a day.
pub(crate) async fn requests_max(
    hub: &Hub,
    id: OrganizationId,
) -> Result<Option<(Arc<Organization>, u64)>, StoreError> {
    let found = hub.cache.organization(&hub.store, id).await?;
    let limited = found.and_then(|organization| {
        let most = organization
            .plan
            .refuses_beyond(UsageType::ApiRequestsDay)?;
        Some((organization, most))
    });
    Ok(limited)
}

/// Counts a request of a key, unless the plan has no room for it today.
///
/// # Errors
/// `limit_exceeded` where it has none.
pub(crate) async fn take_request(
    hub: &Hub,
    organization: &Organization,
    most: u64,
    now: UnixMs,
) -> Result<(), Failure> {
    let limit = UsageType::ApiRequestsDay;
    let Some(day) = Day::of(&organization.zone(), now) else {
        return Ok(());
    };
    let id = organization.id;
    let taking = hub.store.write(move |tx| {
        if usage::take_request(tx, id, day, most)? {
            Ok(())
        } else {
            Err(StoreError::Beyond(hub_domain::Exceeded {
                limit,
                most,
                used: usage::requests_of(tx, id, day)?,
            }))
        }
    });
    Ok(taking.await?)
}
