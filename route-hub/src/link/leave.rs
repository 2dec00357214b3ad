//! What is stored when a connection ends.

use crate::hub::Hub;
use crate::link::fence::Fence;
use hub_store::{StoreError, devices};

/// Stores since when a device is offline, and the acks that no commit took along; nothing when it
/// has a newer connection.
///
/// # Errors
/// What the database says.
pub async fn store(hub: &Hub, fence: Fence, acked: Option<u64>) -> Result<(), StoreError> {
    let now = hub.now().unix;
    hub.store
        .write(move |tx| {
            let stored = devices::get(tx, fence.device)?;
            let Some(stored) = stored.filter(|stored| fence.admits(stored)) else {
                return Ok(());
            };
            if let Some(mut link) = super::identify::link_of(&stored) {
                link.down_acked = link.down_acked.max(acked.unwrap_or(0)).min(link.down_sent);
                devices::update_link(tx, fence.device, &super::identify::counters(&link))?;
            }
            devices::update_presence(tx, fence.device, now, Some(now))
        })
        .await
}
