//! Days that are over are added up, in the zones of their project and its organization.

use crate::hub::Hub;
use crate::organizations::usage::zone_of;
use crate::statistics::calendar::span_of;
use crate::steps;
use crate::worker::{self, Next, Worker};
use hub_domain::{Day, Project, Zone};
use hub_store::statistics::{self, Span};
use hub_store::{Gate, StoreError, organizations, projects};
use postrider_model::{ProjectId, UnixMs};
use std::collections::BTreeMap;
use std::time::Duration;

/// How often is looked for days that are over.
const LOOK_EVERY: Duration = Duration::from_secs(600);
/// Quarter hours that are added up in one step.
const STEP: u32 = 24;

/// Adds days up until it is dropped.
pub(super) async fn run(hub: Hub) {
    let days = Days {
        hub,
        done: BTreeMap::new(),
    };
    worker::run(days).await;
}

/// The first day that is not added up yet, by project and zone.
pub(super) type Done = BTreeMap<(ProjectId, String), Day>;

struct Days {
    hub: Hub,
    done: Done,
}

impl Worker for Days {
    const FAILURE: &'static str = "days of statistics could not be added up";
    const BACKOFF: Duration = LOOK_EVERY;

    async fn step(&mut self) -> Result<Next, StoreError> {
        let now = self.hub.now().unix;
        add_up(&self.hub, &mut self.done, now).await?;
        Ok(Next::Within(LOOK_EVERY))
    }
}

/// Adds up the days before today of each project that this process works for.
pub(super) async fn add_up(hub: &Hub, done: &mut Done, now: UnixMs) -> Result<(), StoreError> {
    let all = hub
        .store
        .read(|tx| Ok::<_, StoreError>((projects::all(tx)?, organizations::all(tx)?)));
    let (all, organizations) = all.await?;
    let zones: BTreeMap<_, _> = organizations
        .iter()
        .map(|one| (one.id, zone_of(one)))
        .collect();
    for project in all.iter().filter(|project| hub.works_for(project.id)) {
        let own = Zone::find(&project.timezone_id).unwrap_or(Zone::UTC);
        let of_organization = zones.get(&project.organization_id);
        for zone in std::iter::once(&own).chain(of_organization) {
            add_up_in(hub, done, project, zone, now).await?;
        }
    }
    Ok(())
}

async fn add_up_in(
    hub: &Hub,
    done: &mut Done,
    project: &Project,
    zone: &Zone,
    now: UnixMs,
) -> Result<(), StoreError> {
    let (id, key) = (project.id, (project.id, zone.name().to_owned()));
    let first = match done.get(&key) {
        Some(day) => Some(*day),
        None => {
            let first = hub.store.read(move |tx| statistics::first_counted(tx, id));
            first.await?.and_then(|first| Day::of(zone, first.start()))
        }
    };
    let (Some(mut day), Some(today)) = (first, Day::of(zone, now)) else {
        return Ok(());
    };
    while day < today {
        let Some(next) = day.plus(1) else {
            return Ok(());
        };
        if let Some(span) = span_of(zone, day, next) {
            add_up_day(hub, id, span).await?;
        }
        day = next;
        done.insert(key.clone(), day);
    }
    Ok(())
}

/// Adds up one day; after each step others may work as long as it took.
async fn add_up_day(hub: &Hub, id: ProjectId, day: Span) -> Result<(), StoreError> {
    let found = hub.store.read(move |tx| statistics::added_up(tx, id, day));
    if found.await?.contains(&day) {
        return Ok(());
    }
    loop {
        let began = hub.now().boot;
        let step = |quarters| {
            let share = hub.store.hub_at(Gate::Project(id));
            share.write(move |tx| statistics::add_up(tx, id, day, quarters))
        };
        let more = steps::fitting(STEP, step).await?;
        steps::pause(hub.now().boot.since_ms(began)).await;
        if !more {
            return Ok(());
        }
    }
}
