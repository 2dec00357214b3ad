//! Tasks: one operation on many things.
//!
//! A task is stored with its filter, and the hub that works for its project takes it through its rows in
//! steps (`step`). A step is one transaction, which also says how far the task came, so that a hub that is killed
//! at any point has neither left out a row nor dealt with one twice. What a type of task does stands in a file
//! of its own (`types`) and is what the operation on a single thing does.
//!
//! Projects take turns, a step each, some of them at once (`steps`); the tasks of a project go one after the other.

mod create;
mod current;
mod existing;
mod export;
mod filter;
mod hold;
mod import;
mod params;
mod parts;
mod step;
mod steps;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod types;

pub use crate::views::task::TaskView;
pub use create::{NewTask, Through, create};
pub use existing::{cancel, get, list};
pub use export::COLUMNS_MAX;
pub use filter::{Found, IDS_MAX};
pub use import::ROWS_MAX;
pub use params::{ColumnRef, TaskParams};

use crate::holds::LOOK_EVERY;
use crate::hub::Hub;
use crate::worker::{self, Next, Worker};
use hub_domain::Permission;
use hub_store::StoreError;
use hub_view::Refusal;
use postrider_model::Now;
use std::time::Duration;
use steps::Steps;

/// Whoever looks at tasks needs it, and whoever makes or cancels one, besides the permission of the single
/// operation.
pub const VIEW: Permission = Permission::ViewContacts;

/// Takes tasks through their rows until it is dropped.
pub async fn run(hub: Hub) {
    let steps = Steps::default();
    worker::run(Tasks { hub, steps }).await;
}

struct Tasks {
    hub: Hub,
    steps: Steps,
}

impl Worker for Tasks {
    const FAILURE: &'static str = "tasks could not go on";
    const BACKOFF: Duration = LOOK_EVERY;

    async fn step(&mut self) -> Result<Next, StoreError> {
        self.steps.start(&self.hub, self.hub.now()).await?;
        Ok(Next::Within(LOOK_EVERY))
    }

    async fn woken(&mut self) {
        tokio::select! {
            () = self.steps.free() => {}
            () = self.hub.bus.tasks_woken() => {}
        }
    }
}

/// Takes the oldest task of each project a step further, waits for all of them, and returns how many moved.
pub async fn round(hub: &Hub, now: Now) -> Result<usize, StoreError> {
    let (mut steps, mut moved) = (Steps::default(), 0);
    loop {
        steps.start(hub, now).await?;
        while let Some(stepped) = steps.next().await {
            moved += usize::from(stepped);
        }
        if steps.is_round() {
            return Ok(moved);
        }
    }
}

/// A task of another project is none.
fn found<T>(task: Option<T>) -> Result<T, Refusal> {
    task.ok_or_else(|| Refusal::not_found("task"))
}
