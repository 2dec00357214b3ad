//! Scheduled messages as their time comes.
//!
//! [`fire`] looks every few seconds for schedules whose moment has come. The moment passes in the
//! transaction that makes its message, so that a hub that is killed at any point has either done
//! both or neither. A message to a group becomes a run, which [`through_group`] takes through the
//! group's contacts in steps, each a transaction that also says how far it came.

pub mod fire;
pub mod follow;
pub mod through_group;

use crate::hub::Hub;
use std::time::Duration;

/// How often schedules are looked at; far below the 15 s that they may be late.
const LOOK_EVERY: Duration = Duration::from_secs(3);

/// Looks after schedules until it is dropped.
pub async fn run(hub: Hub) {
    tokio::join!(firing(&hub), going_through_groups(&hub), following(&hub));
}

async fn firing(hub: &Hub) {
    loop {
        match fire::all_due(hub, hub.now()).await {
            Ok(fired) if fired > 0 => hub.bus.wake_schedule_runs(),
            Ok(_) => {}
            Err(error) => tracing::error!(%error, "due schedules could not be looked for"),
        }
        tokio::time::sleep(LOOK_EVERY).await;
    }
}

async fn following(hub: &Hub) {
    loop {
        match follow::step_all(hub, hub.now()).await {
            Ok(done) if done > 0 => continue,
            Ok(_) => {}
            Err(error) => tracing::error!(%error, "relative schedules could not be followed"),
        }
        let _ = tokio::time::timeout(LOOK_EVERY, hub.bus.followers_woken()).await;
    }
}

async fn going_through_groups(hub: &Hub) {
    loop {
        let moved = through_group::step_all(hub, hub.now()).await;
        match moved {
            Ok(moved) if moved > 0 => continue,
            Ok(_) => {}
            Err(error) => tracing::error!(%error, "schedules could not go on through groups"),
        }
        // A full queue or a restart is waited for; what is new wakes it.
        let _ = tokio::time::timeout(LOOK_EVERY, hub.bus.schedule_runs_woken()).await;
    }
}
