//! Tasks: one operation on many things.
//!
//! A task is stored with its filter, and the hub that works for its project takes it through its rows in
//! steps (`step`). A step is one transaction, which also says how far the task came, so that a hub that is killed
//! at any point has neither left out a row nor dealt with one twice. What a type of task does stands in a file
//! of its own (`types`) and is what the operation on a single thing does.
//!
//! Projects take turns, a step each; the tasks of a project go one after the other.

mod create;
mod current;
mod existing;
mod export;
mod filter;
mod import;
mod params;
mod parts;
mod step;
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

use crate::hub::Hub;
use crate::worker::{self, Next, Worker};
use hub_domain::Permission;
use hub_store::{StoreError, tasks};
use hub_view::Refusal;
use postrider_model::Now;
use std::time::Duration;

/// Whoever looks at tasks needs it, and whoever makes or cancels one, besides the permission of the single
/// operation.
pub const VIEW: Permission = Permission::ViewContacts;

/// How often tasks are looked for that another process has made.
const LOOK_EVERY: Duration = Duration::from_secs(3);

/// Takes tasks through their rows until it is dropped.
pub async fn run(hub: Hub) {
    worker::run(Tasks { hub }).await;
}

struct Tasks {
    hub: Hub,
}

impl Worker for Tasks {
    const FAILURE: &'static str = "tasks could not go on";
    const BACKOFF: Duration = LOOK_EVERY;

    async fn step(&mut self) -> Result<Next, StoreError> {
        let moved = round(&self.hub, self.hub.now()).await?;
        Ok(Next::now_if(moved > 0, LOOK_EVERY))
    }

    async fn woken(&self) {
        self.hub.bus.tasks_woken().await;
    }
}

/// Takes the oldest task of each project a step further and returns how many moved.
pub async fn round(hub: &Hub, now: Now) -> Result<usize, StoreError> {
    let (mut above, mut moved) = (0, 0);
    loop {
        let reading = hub.store.read(move |tx| tasks::next_after(tx, above));
        let Some(task) = reading.await? else {
            return Ok(moved);
        };
        above = task.project_id.get();
        if !hub.works_for(task.project_id) {
            continue;
        }
        let id = task.id;
        match step::step(hub, task, now).await {
            Ok(stepped) => moved += usize::from(stepped),
            // Another process changed something meanwhile: it is taken again at once.
            Err(StoreError::Stale) => moved += 1,
            Err(error) => tracing::error!(%error, task = %id, "a task could not go on"),
        }
    }
}

/// A task of another project is none.
fn found<T>(task: Option<T>) -> Result<T, Refusal> {
    task.ok_or_else(|| Refusal::not_found("task"))
}
