//! Held pages: what a phone shows after the hub went backwards or was restored.

use crate::dispatch::effects::Effects;
use crate::dispatch::settle::{Detail, Work};
use crate::hub::Hub;
use crate::link::fence::Fence;
use crate::link::freeze;
use crate::link::identify::{counters, link_of, project_of, wanted_again};
use hub_domain::Device;
use hub_store::facts_aside::{self, FactAside};
use hub_store::{StoreError, Tx, devices, messages, phones};
use postrider_link::codec;
use postrider_link::frame::{Held, HeldRow, PhoneFrame, Send};
use postrider_link::ownership::hub::{Fact, Holder};
use postrider_link::session::hub::DeviceLink;
use postrider_model::{Now, WireState};
use std::sync::Arc;

/// Commits what one page shows.
///
/// # Errors
/// What the database says; [`StoreError::Closed`] when the phone has a newer connection.
pub async fn store(hub: &Hub, fence: Fence, rows: Vec<HeldRow>) -> Result<(), StoreError> {
    let (worker, now, rows) = (hub.clone(), hub.now(), Arc::new(rows));
    let effects = hub
        .store
        .of(fence.project)
        .write(move |tx| {
            let device = of_connection(tx, &fence)?;
            show(&worker, tx, &device, &rows, now)
        })
        .await?;
    effects.perform(hub);
    Ok(())
}

fn show(
    hub: &Hub,
    tx: &mut Tx<'_>,
    device: &Device,
    rows: &[HeldRow],
    now: Now,
) -> Result<Effects, StoreError> {
    let project = project_of(tx, device)?;
    let Some(link) = link_of(device) else {
        return Ok(Effects::default());
    };
    let by = Holder {
        device: device.id,
        install: link.install,
    };
    let mut work = Work::new(hub, &project, now);
    let mut nowhere = Vec::new();
    for row in rows {
        let found = messages::by_key(tx, row.id)?;
        let Some(mut message) = found.filter(|message| message.project_id == project.id) else {
            nowhere.push(*row);
            continue;
        };
        let fact = Fact::Shown {
            ep: row.ep,
            by: &by,
            state: row.state,
            page: true,
        };
        let applied = work.apply(tx, &mut message, fact, &Detail::default())?;
        if row.state == WireState::Revoked && applied.is_ok_and(|outcome| outcome.requeued) {
            freeze::freed(&mut work, tx, &mut message)?;
        }
    }
    put_aside(tx, device, nowhere, now)?;
    work.finish(tx)
}

/// Keeps what a phone was given of messages that this hub has forgotten altogether.
fn put_aside(
    tx: &mut Tx<'_>,
    device: &Device,
    rows: Vec<HeldRow>,
    now: Now,
) -> Result<(), StoreError> {
    if rows.is_empty() {
        return Ok(());
    }
    let (count, last) = (rows.len(), false);
    tracing::warn!(device = %device.id, count, "a phone holds messages that the hub has forgotten");
    let aside = FactAside {
        device_id: device.id,
        s: 0,
        frame: codec::encode(&PhoneFrame::Held(Held { rows, last })).unwrap_or_default(),
        reason: "held messages that the hub has forgotten".to_owned(),
        time: now.unix,
    };
    facts_aside::insert(tx, &aside)
}

/// Commits the reconciled row, and returns what goes out again with its number: when the counters
/// had started over before, and only the phone had not learned of it.
///
/// # Errors
/// What the database says; [`StoreError::Closed`] when the phone has a newer connection.
pub async fn finish(
    hub: &Hub,
    fence: Fence,
    link: DeviceLink,
    restarts: bool,
) -> Result<Vec<Send>, StoreError> {
    let (worker, now) = (hub.clone(), hub.now());
    let (resume, effects) = hub
        .store
        .of(fence.project)
        .write(move |tx| {
            let device = of_connection(tx, &fence)?;
            reconcile(&worker, tx, &device, &link, restarts, now)
        })
        .await?;
    effects.perform(hub);
    Ok(resume)
}

fn reconcile(
    hub: &Hub,
    tx: &mut Tx<'_>,
    device: &Device,
    link: &DeviceLink,
    restarts: bool,
    now: Now,
) -> Result<(Vec<Send>, Effects), StoreError> {
    let project = project_of(tx, device)?;
    let mut work = Work::new(hub, &project, now);
    let mut resume = Vec::new();
    let by = Holder {
        device: device.id,
        install: link.install.clone(),
    };
    let on = phones::of_device(tx, device.id)?;
    for mut message in messages::on_device(tx, device.id, 0)? {
        if restarts {
            drop(work.apply(tx, &mut message, Fact::Renumbered, &Detail::default())?);
            continue;
        }
        if message.ownership.install.as_deref() != Some(by.install.as_str()) {
            continue;
        }
        match wanted_again(&work, &message, &on)? {
            Some(frame) => resume.push(frame),
            None => {
                let fact = Fact::NeverReceived { by: &by, down: 0 };
                let applied = work.apply(tx, &mut message, fact, &Detail::default())?;
                if applied.is_ok_and(|outcome| outcome.requeued) {
                    freeze::freed(&mut work, tx, &mut message)?;
                }
            }
        }
    }
    devices::update_link(tx, device.id, &counters(link))?;
    let mut effects = work.finish(tx)?;
    effects.merge(freeze::answered(hub, tx, &project, device, now)?);
    Ok((resume, effects))
}

fn of_connection(tx: &mut Tx<'_>, fence: &Fence) -> Result<Device, StoreError> {
    let device = devices::get(tx, fence.device)?;
    device
        .filter(|device| fence.admits(device))
        .ok_or(StoreError::Closed)
}
