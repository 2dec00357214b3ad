//! Scheduled messages as their time comes.
//!
//! [`fire`] looks every few seconds for schedules whose moment has come. The moment passes in the
//! transaction that makes its message, so that a hub that is killed at any point has either done
//! both or neither. A message to a group becomes a broadcast.

pub mod fire;
pub mod follow;
pub mod forgotten;

use crate::damage::Resting;
use crate::hub::Hub;
use std::time::Duration;

/// How often schedules are looked at; far below the 15 s that they may be late.
const LOOK_EVERY: Duration = Duration::from_secs(3);

/// Looks after schedules until it is dropped.
pub async fn run(hub: Hub) {
    tokio::join!(firing(&hub), following(&hub));
}

async fn firing(hub: &Hub) {
    let mut resting = Resting::default();
    loop {
        if let Err(error) = fire::all_due_but(hub, &mut resting, hub.now()).await {
            tracing::error!(%error, "due schedules could not be looked for");
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
