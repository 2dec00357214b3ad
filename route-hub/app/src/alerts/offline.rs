//! Finding phones that stay away.
//!
//! A phone that stays away has one alert: when the operator has cleared it, it is not raised again
//! before the phone was here. The transaction that admits a phone clears its alert; a worker must
//! raise it, since nothing happens on a link that is gone.

use crate::actor::Who;
use crate::alerts::About;
use crate::alerts::rules::{Presence, is_missed};
use crate::hub::Hub;
use crate::hub_work::HubWork;
use crate::worker::{self, Next, Worker};
use hub_domain::{AlertKind, Device, DeviceState};
use hub_store::{Gate, StoreError, Tx, alerts, devices, projects};
use postrider_model::{DeviceId, Now, ProjectId, UnixMs};
use std::collections::BTreeMap;
use std::time::Duration;

/// How often the devices are looked at.
const LOOK_EVERY: Duration = Duration::from_secs(15);

/// Looks for phones that stay away until it is dropped.
pub async fn run(hub: Hub) {
    let started = hub.now().unix;
    tokio::time::sleep(LOOK_EVERY).await;
    worker::run(Watch { hub, started }).await;
}

struct Watch {
    hub: Hub,
    started: UnixMs,
}

impl Worker for Watch {
    const FAILURE: &'static str = "the phones' presence could not be looked at";
    const BACKOFF: Duration = LOOK_EVERY;

    async fn step(&mut self) -> Result<Next, StoreError> {
        look(&self.hub, self.started, self.hub.now()).await?;
        Ok(Next::Within(LOOK_EVERY))
    }
}

/// Raises the alerts that are due at `now`; says how many.
pub async fn look(hub: &Hub, started: UnixMs, now: Now) -> Result<usize, StoreError> {
    let all = hub.store.read(devices::all).await?;
    let mut missed = all;
    missed.retain(|device| hub.works_for(device.project_id) && is_gone(device, started, now));
    if missed.is_empty() {
        return Ok(0);
    }
    let new = hub.store.read(move |tx| untold(tx, &missed)).await?;
    if new.is_empty() {
        return Ok(0);
    }
    let mut raised = 0;
    for (project, gone) in by_project(new) {
        let writer = hub.clone();
        let job = move |tx: &mut Tx<'_>| {
            let mut work = HubWork::new(&writer, tx, Who::Hub, now);
            let raised = raise_all(&mut work, project, &gone, started)?;
            Ok::<_, StoreError>((raised, work.effects))
        };
        let share = hub.store.hub_at(Gate::Project(project));
        let (of_project, effects) = share.write(job).await?;
        effects.perform(hub);
        raised += of_project;
    }
    Ok(raised)
}

fn by_project(new: Vec<(ProjectId, DeviceId)>) -> BTreeMap<ProjectId, Vec<DeviceId>> {
    let mut all: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for (project, device) in new {
        all.entry(project).or_default().push(device);
    }
    all
}

fn is_gone(device: &Device, started: UnixMs, now: Now) -> bool {
    device.state == DeviceState::Active && is_missed(presence(device), started, now.unix)
}

fn presence(device: &Device) -> Presence {
    Presence {
        connected: device.connected_to.is_some(),
        offline_since: device.offline_since,
        last_seen: device.time_last_seen,
    }
}

/// Returns the devices of which nobody was told since they went, with their projects.
fn untold(tx: &mut Tx<'_>, missed: &[Device]) -> Result<Vec<(ProjectId, DeviceId)>, StoreError> {
    let mut new = Vec::new();
    for device in missed {
        let (project, kind) = (device.project_id, AlertKind::PhoneOffline);
        let since = presence(device).gone_at().unwrap_or_default();
        let stands = alerts::standing(tx, project, None, Some(device.id), kind)?.is_some();
        if !stands && !alerts::raised_since(tx, project, device.id, kind, since)? {
            new.push((project, device.id));
        }
    }
    Ok(new)
}

/// Raises alerts about devices that are still gone: one may have come back before the transaction.
fn raise_all(
    work: &mut HubWork<'_, '_>,
    project: ProjectId,
    gone: &[DeviceId],
    started: UnixMs,
) -> Result<usize, StoreError> {
    let Some(project) = projects::get(work.tx, project)? else {
        return Ok(0);
    };
    let mut raised = 0;
    for id in gone {
        let device = devices::get(work.tx, *id)?;
        let device = device.filter(|device| is_gone(device, started, work.now));
        if device.is_none() {
            continue;
        }
        work.within(&project, |work| {
            crate::alerts::raise(work, About::Device(*id), AlertKind::PhoneOffline)
        })?;
        raised += 1;
    }
    Ok(raised)
}
