//! Removing rows in small steps, so that requests are not held up.

use crate::hub::Hub;
use crate::steps;
use hub_store::purge::Purged;
use hub_store::{Gate, StoreError, Tx, leftovers};

/// Removes what a request left behind of what it deleted, without holding up its answer.
pub(crate) fn leftovers_soon(hub: &Hub) {
    let hub = hub.clone();
    tokio::spawn(async move {
        if let Err(error) = all_of(&hub, Gate::Hub, leftovers::purge).await {
            hub_store::failed!(
                warn,
                error,
                "what is left of something deleted is removed at the next look"
            );
        }
    });
}

/// Takes steps of a purge while it has more to do.
///
/// What is nobody's any more goes behind the hub's gate, whosever it was.
pub(crate) async fn all_of(
    hub: &Hub,
    gate: Gate,
    step: impl Fn(&mut Tx<'_>) -> Result<Purged, StoreError> + Clone + Send + 'static,
) -> Result<u32, StoreError> {
    let mut rows = 0;
    loop {
        let began = hub.now().boot;
        let purged = hub.store.hub_at(gate).write(step.clone()).await?;
        rows += purged.rows;
        if !purged.more {
            return Ok(rows);
        }
        steps::pause(hub.now().boot.since_ms(began)).await;
    }
}
