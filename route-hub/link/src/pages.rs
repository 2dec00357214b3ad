//! Held pages: what a phone shows after the hub went backwards or was restored.

use crate::held::{Held, counters, link_of};
use hub_app::devices::project_of;
use hub_app::dispatch::freeze;
use hub_app::hub::Hub;
use hub_app::unit_of_work::Effects;
use hub_app::unit_of_work::UnitOfWork;
use hub_domain::{Device, Project};
use hub_store::facts_aside::{self, FactAside};
use hub_store::{StoreError, Tx, devices, phones};
use postrider_link::codec;
use postrider_link::dispatch::held;
use postrider_link::dispatch::newest::Fence;
use postrider_link::frame::{self, HeldRow, PhoneFrame, Send};
use postrider_link::session::hub::DeviceLink;
use postrider_model::{Now, ProjectId};
use std::sync::Arc;

/// Commits what one page shows.
///
/// # Errors
/// [`StoreError::Closed`] when the phone has a newer connection.
pub(crate) async fn store(
    hub: &Hub,
    project: ProjectId,
    fence: Fence,
    rows: Vec<HeldRow>,
) -> Result<(), StoreError> {
    let (worker, now, rows) = (hub.clone(), hub.now(), Arc::new(rows));
    let effects = hub
        .store
        .of(project)
        .write_whole(move |tx| show(&worker, tx, &fence, &rows, now))
        .await?;
    effects.perform(hub);
    Ok(())
}

fn show(
    hub: &Hub,
    tx: &mut Tx<'_>,
    fence: &Fence,
    rows: &[HeldRow],
    now: Now,
) -> Result<Effects, StoreError> {
    let (device, project) = of_connection(tx, fence)?;
    let mut held = held_by(hub, tx, (device, &project), fence, now)?;
    let page = held::in_page(&mut held, &fence.holder(), rows)?;
    let Held {
        mut work, device, ..
    } = held;
    put_aside(work.tx, &device, page.nowhere, FORGOTTEN, now)?;
    put_aside(work.tx, &device, page.refused, NOT_ITS_OWN, now)?;
    if page.proves_forgotten {
        freeze::proven_by(&mut work, &device)?;
    }
    work.finish()
}

/// Why rows are set aside whose message is not there.
const FORGOTTEN: &str = "held messages that the hub has forgotten";
/// Why rows are set aside whose message is not this phone's to speak of.
const NOT_ITS_OWN: &str = "held messages that never were this phone's";

/// Keeps rows that nothing could be done with.
fn put_aside(
    tx: &mut Tx<'_>,
    device: &Device,
    rows: Vec<HeldRow>,
    reason: &str,
    now: Now,
) -> Result<(), StoreError> {
    if rows.is_empty() {
        return Ok(());
    }
    let (count, last) = (rows.len(), false);
    tracing::warn!(device = %device.id, count, reason, "rows of a phone were set aside");
    let aside = FactAside {
        device_id: device.id,
        s: 0,
        frame: codec::encode(&PhoneFrame::Held(frame::Held { rows, last })).unwrap_or_default(),
        reason: reason.to_owned(),
        time: now.unix,
    };
    facts_aside::insert(tx, &aside)
}

/// Commits the reconciled row, and returns what goes out again with its number: when the counters
/// had started over before, and only the phone had not learned of it.
///
/// # Errors
/// [`StoreError::Closed`] when the phone has a newer connection.
pub(crate) async fn finish(
    hub: &Hub,
    project: ProjectId,
    fence: Fence,
    link: DeviceLink,
    restarts: bool,
) -> Result<Vec<Send>, StoreError> {
    let (worker, now) = (hub.clone(), hub.now());
    let (resume, effects) = hub
        .store
        .of(project)
        .write_whole(move |tx| reconcile(&worker, tx, &fence, &link, restarts, now))
        .await?;
    effects.perform(hub);
    Ok(resume)
}

fn reconcile(
    hub: &Hub,
    tx: &mut Tx<'_>,
    fence: &Fence,
    link: &DeviceLink,
    restarts: bool,
    now: Now,
) -> Result<(Vec<Send>, Effects), StoreError> {
    let (device, project) = of_connection(tx, fence)?;
    let mut held = held_by(hub, tx, (device, &project), fence, now)?;
    let resume = held::all_came(&mut held, &fence.holder(), restarts)?;
    let Held {
        mut work, device, ..
    } = held;
    devices::update_link(work.tx, device.id, &counters(link))?;
    freeze::answered(&mut work, &device)?;
    Ok((resume, work.finish()?))
}

fn held_by<'w, 't>(
    hub: &'w Hub,
    tx: &'w mut Tx<'t>,
    (device, project): (Device, &'w Project),
    fence: &Fence,
    now: Now,
) -> Result<Held<'w, 't>, StoreError> {
    let on = phones::of_device(tx, device.id)?;
    Ok(Held {
        work: UnitOfWork::new(hub, tx, project, now),
        device,
        by: fence.holder(),
        on,
    })
}

fn of_connection(tx: &mut Tx<'_>, fence: &Fence) -> Result<(Device, Project), StoreError> {
    let is_newest = |device: &Device| link_of(device).is_some_and(|row| fence.admits(&row));
    let device = devices::get(tx, fence.device)?.filter(is_newest);
    let device = device.ok_or(StoreError::Closed)?;
    let project = project_of(tx, &device)?;
    Ok((device, project))
}
