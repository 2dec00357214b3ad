//! Messages from before there were counters are counted in the background.

use crate::hub::Hub;
use crate::steps;
use crate::worker::{self, Next, Worker};
use hub_store::{Gate, StoreError};
use hub_store::{messages, statistics};
use postrider_model::ProjectId;
use std::time::Duration;

/// How often is looked for projects that came to this process.
const LOOK_EVERY: Duration = Duration::from_secs(60);
/// Messages that are counted in one step.
const STEP: u32 = 200;

/// Counts what no counter has yet, until it is dropped.
pub(super) async fn run(hub: Hub) {
    worker::run(Counting { hub }).await;
}

struct Counting {
    hub: Hub,
}

impl Worker for Counting {
    const FAILURE: &'static str = "messages could not be counted for statistics";
    const BACKOFF: Duration = LOOK_EVERY;

    async fn step(&mut self) -> Result<Next, StoreError> {
        if count_up(&self.hub).await? {
            Ok(Next::Woken)
        } else {
            Ok(Next::Within(LOOK_EVERY))
        }
    }
}

/// Counts what the projects of this process have, and says whether none of the others has anything
/// left. Projects take turns, and after each step others may work as long as it took.
pub(crate) async fn count_up(hub: &Hub) -> Result<bool, StoreError> {
    loop {
        let uncounted = hub.store.read(statistics::uncounted).await?;
        let own = uncounted.iter().filter(|id| hub.works_for(**id));
        let own: Vec<ProjectId> = own.copied().collect();
        if own.is_empty() {
            return Ok(uncounted.is_empty());
        }
        for id in own {
            let began = hub.now().boot;
            let share = hub.store.hub_at(Gate::Project(id));
            let step = share.write(move |tx| messages::count_some(tx, id, STEP));
            step.await?;
            steps::pause(hub.now().boot.since_ms(began)).await;
        }
    }
}
