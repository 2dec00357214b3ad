//! Broadcasts on their way through their recipients.
//!
//! A broadcast is stored at once, whatever its size. Here its messages are made in steps
//! (`expand`), each a transaction that also says how far it came, so that a hub that is killed at
//! any point has neither lost nor repeated a recipient; one that was cancelled is walked through
//! likewise ([`cancel`]).
//!
//! Everybody waits for a step at most: projects take turns, and the broadcasts of a project among
//! themselves, a step each.

pub mod batch;
pub mod cancel;
pub mod create;
pub mod existing;
pub(crate) mod expand;
pub mod multi;
pub mod new_broadcast;

use crate::holds::LOOK_EVERY;
use crate::hub::Hub;
use crate::worker::{self, Next, Worker};
use hub_domain::{Broadcast, BroadcastStage, Permission};
use hub_store::{StoreError, broadcasts};
use hub_view::Refusal;
use postrider_model::{Now, ProjectId};
use std::collections::BTreeMap;
use std::time::Duration;

/// Whoever makes or cancels broadcasts needs it.
pub const PERMISSION: Permission = Permission::SendMessages;
/// Whoever looks at broadcasts needs it.
pub const VIEW: Permission = Permission::ViewMessages;

/// Which broadcast of each project had the last turn.
#[derive(Debug, Default)]
pub struct Turns(BTreeMap<ProjectId, i64>);

/// Takes broadcasts through their recipients until it is dropped.
pub async fn run(hub: Hub) {
    let turns = Turns::default();
    worker::run(Broadcasts { hub, turns }).await;
}

struct Broadcasts {
    hub: Hub,
    turns: Turns,
}

impl Worker for Broadcasts {
    const FAILURE: &'static str = "broadcasts could not go on";
    const BACKOFF: Duration = LOOK_EVERY;

    async fn step(&mut self) -> Result<Next, StoreError> {
        let moved = round(&self.hub, &mut self.turns, self.hub.now()).await?;
        Ok(Next::now_if(moved > 0, LOOK_EVERY))
    }

    async fn woken(&mut self) {
        self.hub.bus.broadcasts_woken().await;
    }
}

/// Takes one broadcast of each project a step further and returns how many moved.
pub async fn round(hub: &Hub, turns: &mut Turns, now: Now) -> Result<usize, StoreError> {
    let last = std::mem::take(&mut turns.0);
    let (mut above, mut moved) = (0, 0);
    loop {
        let before = last.clone();
        let reading = hub.store.read(move |tx| {
            let last = |project| before.get(&project).copied().unwrap_or(0);
            broadcasts::next_after(tx, above, last)
        });
        let Some(broadcast) = reading.await? else {
            return Ok(moved);
        };
        above = broadcast.project_id.get();
        if !hub.works_for(broadcast.project_id) {
            continue;
        }
        turns.0.insert(broadcast.project_id, broadcast.id.get());
        let id = broadcast.id;
        match step(hub, broadcast, now).await {
            Ok(stepped) => moved += usize::from(stepped),
            // Another process changed something meanwhile: it is taken again at once.
            Err(StoreError::Stale) => moved += 1,
            Err(error) => {
                hub_store::failed!(error, error, broadcast = %id, "a broadcast could not go on")
            }
        }
    }
}

async fn step(hub: &Hub, broadcast: Broadcast, now: Now) -> Result<bool, StoreError> {
    match broadcast.stage {
        BroadcastStage::Queuing => expand::step(hub, broadcast, now).await,
        BroadcastStage::Cancelling => cancel::step(hub, broadcast, now).await,
        BroadcastStage::Queued | BroadcastStage::Cancelled => Ok(false),
    }
}

/// A broadcast of another project is none.
fn found<T>(broadcast: Option<T>) -> Result<T, Refusal> {
    broadcast.ok_or_else(|| Refusal::not_found("broadcast"))
}
