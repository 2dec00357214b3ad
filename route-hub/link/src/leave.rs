//! What is stored when a connection ends.

use crate::turn::{self, Connection, Ended, Turn};
use hub_app::devices::{project_of, removal};
use hub_app::hub::Hub;
use hub_app::hub::links::Fence;
use hub_app::unit_of_work::Effects;
use hub_app::unit_of_work::UnitOfWork;
use hub_domain::{Device, DeviceState};
use hub_store::{StoreError, Tx, devices};

/// Stores since when a device is offline, and the acks that no commit took along; nothing when it
/// has a newer connection.
pub async fn store(hub: &Hub, fence: Fence, acked: Option<u64>) -> Result<(), StoreError> {
    let now = hub.now().unix;
    hub.store
        .of(fence.project)
        .write(move |tx| {
            let stored = devices::get(tx, fence.device)?;
            let Some(stored) = stored.filter(|stored| fence.admits(stored)) else {
                return Ok(());
            };
            if let Some(mut link) = crate::identify::link_of(&stored) {
                link.down_acked = link.down_acked.max(acked.unwrap_or(0)).min(link.down_sent);
                devices::update_link(tx, fence.device, &crate::identify::counters(&link))?;
            }
            devices::update_presence(tx, fence.device, now, Some(now))
        })
        .await
}

/// Stores the last facts of a phone that its owner unpaired, and in the same commit that its device
/// is out of service; nothing when it has a newer connection.
pub async fn unpaired(
    hub: &Hub,
    fence: Fence,
    connection: Option<Connection>,
    said: Turn,
) -> Result<(), StoreError> {
    let (worker, now, project) = (hub.clone(), hub.now(), fence.project);
    let last = Turn {
        facts: said.facts,
        acked: said.acked,
        ..Turn::default()
    };
    let job = move |tx: &mut Tx<'_>| {
        let mut effects = Effects::default();
        if let Some(connection) = connection.clone()
            && let Ended::Done(done) = turn::run(&worker, tx, &last, connection, now)?
        {
            effects.merge(done.effects);
        }
        let stored = devices::get(tx, fence.device)?;
        let paired = |device: &Device| fence.admits(device) && device.state == DeviceState::Active;
        if let Some(device) = stored.filter(paired) {
            let project = project_of(tx, &device)?;
            let mut work = UnitOfWork::new(&worker, tx, &project, now);
            removal::unpair(&mut work, &device)?;
            effects.merge(work.finish()?);
        }
        Ok(effects)
    };
    hub.store.of(project).write_whole(job).await?.perform(hub);
    Ok(())
}
