//! Rows that nobody needs any more are removed, a few at a time.
//!
//! Each purge takes small steps; one that has more to do first lets others work as long as its
//! last step took, and those with nothing left wait for the next look.

use crate::clearing;
use crate::hub::Hub;
use crate::purge::all_of;
use crate::worker::{self, Next, Worker};
use hub_domain::Project;
use hub_store::purge::Purged;
use hub_store::{
    Gate, StoreError, Tx, alerts, facts_aside, hub_alerts, idempotency, leftovers, messages,
    pairings, projects, webhook_deliveries, webhook_log,
};
use postrider_model::UnixMs;
use std::time::Duration;

/// How often old rows are looked for.
const LOOK_EVERY: Duration = Duration::from_secs(600);
/// One day.
const DAY_MS: i64 = 24 * 3_600_000;
/// How long deliveries of webhooks are kept.
const DELIVERIES_KEPT_MS: i64 = 7 * DAY_MS;
/// How long alerts that ended, and deleted messages that are final, are kept;
/// facts set aside, too, where the project keeps its messages for ever.
const KEPT_MS: i64 = 30 * DAY_MS;

/// One step of a purge over all projects, at a moment.
type OfAll = fn(&mut Tx<'_>, UnixMs) -> Result<Purged, StoreError>;
/// One step of a purge in a project.
type OfProject = fn(&mut Tx<'_>, &Project, UnixMs) -> Result<Purged, StoreError>;

const OF_ALL: &[OfAll] = &[
    |tx, now| pairings::purge(tx, now.plus_ms(-crate::pairing::open::KEPT_MS)),
    idempotency::purge,
    |tx, now| hub_alerts::purge(tx, now.plus_ms(-KEPT_MS)),
];

const OF_PROJECT: &[OfProject] = &[
    |tx, project, now| messages::purge_hidden(tx, project.id, now.plus_ms(-KEPT_MS)),
    |tx, project, now| facts_aside::purge(tx, project.id, now.plus_ms(-facts_kept_ms(project))),
    |tx, project, now| alerts::purge(tx, project.id, now.plus_ms(-KEPT_MS)),
    |tx, project, now| webhook_deliveries::purge(tx, project.id, now.plus_ms(-DELIVERIES_KEPT_MS)),
    |tx, project, now| webhook_log::purge(tx, project.id, now.plus_ms(-KEPT_MS)),
];

/// Returns how long facts set aside are kept: they have texts in them, and are kept no longer than
/// the project's messages.
fn facts_kept_ms(project: &Project) -> i64 {
    let days = project.message_retention_days.map(i64::from);
    days.map_or(KEPT_MS, |days| days * DAY_MS)
}

/// Removes old rows until it is dropped.
pub async fn run(hub: Hub) {
    worker::run(Housekeeping { hub }).await;
}

struct Housekeeping {
    hub: Hub,
}

impl Worker for Housekeeping {
    const FAILURE: &'static str = "old rows could not be removed";
    const BACKOFF: Duration = LOOK_EVERY;

    async fn step(&mut self) -> Result<Next, StoreError> {
        tidy(&self.hub, self.hub.now().unix).await?;
        Ok(Next::Within(LOOK_EVERY))
    }
}

/// Removes everything that is old at `now`, and returns how many rows went.
pub async fn tidy(hub: &Hub, now: UnixMs) -> Result<u32, StoreError> {
    let mut rows = 0;
    if hub.own_shares.owned().has_first() {
        rows += tidy_hub(hub, now).await?;
    }
    let mut projects = hub.store.read(projects::all).await?;
    projects.retain(|project| hub.works_for(project.id));
    for project in projects {
        for purge in OF_PROJECT {
            let project = project.clone();
            let gate = Gate::Project(project.id);
            rows += all_of(hub, gate, move |tx| purge(tx, &project, now)).await?;
        }
    }
    Ok(rows)
}

/// Removes what is old and found over all projects at once: one process does it for all.
async fn tidy_hub(hub: &Hub, now: UnixMs) -> Result<u32, StoreError> {
    clearing::finish(hub).await?;
    let mut rows = all_of(hub, Gate::Hub, leftovers::purge).await?;
    for purge in OF_ALL {
        rows += all_of(hub, Gate::Hub, move |tx| purge(tx, now)).await?;
    }
    Ok(rows)
}
