//! What is stored when a connection ends.

use crate::held::{counters, link_of};
use crate::turn::{self, Connection, Ended, Turn};
use hub_app::devices::{project_of, removal};
use hub_app::hub::Hub;
use hub_app::unit_of_work::{Effects, UnitOfWork};
use hub_domain::DeviceState;
use hub_store::{Gate, StoreError, Tx, devices, projects};
use postrider_link::dispatch::newest::Fence;
use postrider_model::ProjectId;

/// Stores that a device is offline, and the acks that no commit took along; nothing when it
/// has a newer connection.
pub(crate) async fn store(
    hub: &Hub,
    project: ProjectId,
    fence: Fence,
    acked: Option<u64>,
) -> Result<(), StoreError> {
    let now = hub.now().unix;
    hub.store
        .of(project)
        .write(move |tx| {
            let row = devices::get(tx, fence.device)?.as_ref().and_then(link_of);
            let Some(mut row) = row.filter(|row| fence.admits(row)) else {
                return Ok(());
            };
            row.acks(acked.unwrap_or(0));
            devices::update_link(tx, fence.device, &counters(&row))?;
            devices::left(tx, fence.device, now)
        })
        .await
}

/// Stores the last facts of a phone that its owner unpaired, and in the same commit that its device
/// is out of service; nothing when it has a newer connection.
pub(crate) async fn unpaired(
    hub: &Hub,
    project: ProjectId,
    (last, connection): (Turn, Connection),
) -> Result<(), StoreError> {
    let (worker, now) = (hub.clone(), hub.now());
    let job = move |tx: &mut Tx<'_>| {
        let mut effects = Effects::default();
        let fence = connection.fence.clone();
        // Whole: what the phone said last it never says again.
        let until = (now, u64::MAX);
        if let Ended::Done(done) = turn::run(&worker, tx, &last, connection.clone(), until)? {
            effects.merge(done.effects);
        }
        let Some(device) = devices::get(tx, fence.device)? else {
            return Ok(effects);
        };
        let is_newest = link_of(&device).is_some_and(|row| fence.admits(&row));
        if is_newest && device.state == DeviceState::Active {
            let project = project_of(tx, &device)?;
            let mut work = UnitOfWork::new(&worker, tx, &project, now);
            removal::unpair(&mut work, &device)?;
            effects.merge(work.finish()?);
        }
        Ok(effects)
    };
    let mut share = hub.store.of(project);
    // The audit log tells of it.
    if let Some(row) = hub.store.read(move |tx| projects::get(tx, project)).await? {
        share = share.and(Gate::Organization(row.organization_id));
    }
    share.write_whole(job).await?.perform(hub);
    Ok(())
}
