//! Scheduled messages as their time comes.
//!
//! [`fire`] looks every few seconds for schedules whose moment has come. The moment passes in the
//! transaction that makes its message, so that a hub that is killed at any point has either done
//! both or neither. A message to a group becomes a broadcast.

pub mod after_restore;
pub mod create;
pub mod existing;
pub mod fire;
pub mod recipient;
pub mod relative;
pub mod timing;
pub mod update;

#[cfg(test)]
mod tests;

use crate::damage::Resting;
use crate::failure::Failure;
use crate::holds::LOOK_EVERY;
use crate::hub::Hub;
use crate::schedules::relative::follow;
use crate::worker::{self, Next, Worker};
use hub_domain::Permission;
use hub_store::{StoreError, Tx, schedules};
use hub_view::Refusal;
use postrider_model::{ProjectId, ScheduledId};
use std::time::Duration;

/// Whoever makes, changes or cancels schedules needs it.
pub const PERMISSION: Permission = Permission::SendMessages;
/// Whoever looks at schedules needs it.
pub const VIEW: Permission = Permission::ViewMessages;

/// How often a change is tried that another one came before. Of many at the same moment one is made
/// each time.
const CHANGE_TRIES_MAX: usize = 100;

/// Looks after schedules until it is dropped.
pub async fn run(hub: Hub) {
    let firing = Firing {
        hub: hub.clone(),
        resting: Resting::default(),
    };
    tokio::join!(worker::run(firing), worker::run(Following { hub }));
}

/// Sends what is due.
struct Firing {
    hub: Hub,
    resting: Resting,
}

impl Worker for Firing {
    const FAILURE: &'static str = "due schedules could not be looked for";
    const BACKOFF: Duration = LOOK_EVERY;

    async fn step(&mut self) -> Result<Next, StoreError> {
        fire::all_due_but(&self.hub, &mut self.resting, self.hub.now()).await?;
        Ok(Next::Within(LOOK_EVERY))
    }
}

/// Keeps the schedules of relative ones in step with contacts.
struct Following {
    hub: Hub,
}

impl Worker for Following {
    const FAILURE: &'static str = "relative schedules could not be followed";
    const BACKOFF: Duration = LOOK_EVERY;

    async fn step(&mut self) -> Result<Next, StoreError> {
        let done = follow::step_all(&self.hub, self.hub.now()).await?;
        Ok(Next::now_if(done > 0, LOOK_EVERY))
    }

    async fn woken(&mut self) {
        self.hub.bus.followers_woken().await;
    }
}

/// Refuses to change by itself what a campaign scheduled for a contact.
fn refuse_item(tx: &mut Tx<'_>, project: ProjectId, id: ScheduledId) -> Result<(), Failure> {
    if !schedules::is_of_campaign(tx, project, id)? {
        return Ok(());
    }
    let rule = "is of a campaign: change or unschedule that";
    Err(Refusal::invalid_param("scheduled_id", rule).into())
}

/// A scheduled message of another project is none.
fn found<T>(schedule: Option<T>) -> Result<T, Refusal> {
    schedule.ok_or_else(|| Refusal::not_found("scheduled message"))
}
