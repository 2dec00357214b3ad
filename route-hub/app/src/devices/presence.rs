//! Whether a phone is connected to the hub, to this process or another one: its device's row says so.

use crate::hub::Hub;
use hub_domain::Phone;
use hub_store::{StoreError, Tx, devices};

/// Most devices of one step.
const STEP: u32 = 1_000;

/// Says whether a phone's link is open, in whichever process. One of this process is known at once.
pub(crate) fn is_connected(hub: &Hub, tx: &mut Tx<'_>, phone: &Phone) -> Result<bool, StoreError> {
    match phone.device_id {
        _ if hub.bus.is_heard(phone.id) => Ok(true),
        Some(device) => Ok(hub.cache.connected_to_in(tx, device)?.is_some()),
        None => Ok(false),
    }
}

/// Notes that no device is connected to a process any more: that process has ended, or this one takes
/// its number. Nobody saw those devices leave, so they are offline from now on.
pub async fn process_ended(hub: &Hub, process: u8) -> Result<(), StoreError> {
    let now = hub.now().unix;
    let connected = move |tx: &mut Tx<'_>| devices::projects_connected_to(tx, process);
    for project in hub.store.read(connected).await? {
        let step = move |tx: &mut Tx<'_>| devices::process_ended(tx, project, process, now, STEP);
        while hub.store.of(project).write(step).await? > 0 {}
        hub.cache.forget_rows_of(project);
    }
    Ok(())
}
