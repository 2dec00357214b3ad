//! Old messages of projects that do not keep them for ever are removed, a few at a time.

use crate::hub::Hub;
use crate::steps;
use crate::worker::{self, Next, Worker};
use hub_domain::Project;
use hub_store::messages::{self, Removed, Retention};
use hub_store::{Gate, StoreError, projects};
use postrider_model::UnixMs;
use std::time::Duration;

/// How often old messages are looked for.
const LOOK_EVERY: Duration = Duration::from_secs(600);
/// Most messages looked at in one step.
const STEP: u32 = 100;
/// One day.
const DAY_MS: i64 = 24 * 3_600_000;
/// For how long a phone may still say what became of a message whose time is over.
const UNKNOWN_KEPT_MS: i64 = 30 * DAY_MS;

/// Removes old messages until it is dropped.
pub async fn run(hub: Hub) {
    worker::run(Retaining { hub }).await;
}

struct Retaining {
    hub: Hub,
}

impl Worker for Retaining {
    const FAILURE: &'static str = "old messages could not be removed";
    const BACKOFF: Duration = LOOK_EVERY;

    async fn step(&mut self) -> Result<Next, StoreError> {
        sweep(&self.hub, self.hub.now().unix).await?;
        Ok(Next::Within(LOOK_EVERY))
    }
}

/// Goes through the old messages of every project once and returns how many went; after each step
/// others may work as long as it took.
///
/// What is still open stays, and is looked at again in the next sweep.
pub async fn sweep(hub: &Hub, now: UnixMs) -> Result<usize, StoreError> {
    let mut count = 0;
    let mut projects = hub.store.read(projects::all).await?;
    projects.retain(|project| hub.works_for(project.id));
    for project in projects {
        if let Some(days) = project.message_retention_days {
            count += sweep_project(hub, &project, days, now).await?;
        }
    }
    Ok(count)
}

async fn sweep_project(
    hub: &Hub,
    project: &Project,
    days: u32,
    now: UnixMs,
) -> Result<usize, StoreError> {
    let (id, retention) = (project.id, retention(days, now));
    let (mut above, mut count) = (0, 0);
    loop {
        let old = hub
            .store
            .read(move |tx| messages::any_old(tx, id, &retention, above));
        if !old.await? {
            return Ok(count);
        }
        let began = hub.now().boot;
        let share = hub.store.hub_at(Gate::Project(id));
        let step = share.write(move |tx| messages::remove_old(tx, id, &retention, above));
        let Removed { count: gone, last } = step.await?;
        count += gone;
        match last {
            Some(last) => above = last,
            None => return Ok(count),
        }
        steps::pause(hub.now().boot.since_ms(began)).await;
    }
}

fn retention(days: u32, now: UnixMs) -> Retention {
    Retention {
        before: now.plus_ms(-i64::from(days) * DAY_MS),
        unknown_before: now.plus_ms(-UNKNOWN_KEPT_MS),
        now,
        step: STEP,
    }
}
