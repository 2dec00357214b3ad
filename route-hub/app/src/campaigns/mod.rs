//! Campaigns: what is prepared for a group, and sent to it once or by a date of each contact.
//!
//! Whether somebody sends one or its time has come, one transaction makes its broadcast and says so in its row
//! (`going_out`), so that a hub that is killed at any point has either done both or neither. One by the
//! dates of contacts becomes a relative schedule for each of its items (`series`).

mod check;
mod due;
mod edit;
mod existing;
mod going_out;
mod patch;
mod send;
mod series;
#[cfg(test)]
mod tests;

pub use crate::commands::campaign_items::CampaignItem;
pub use due::all_due;
pub use edit::{create, delete, update};
pub use existing::{get, list};
pub use patch::CampaignPatch;
pub use send::{send, unschedule};

use crate::damage::Resting;
use crate::holds::LOOK_EVERY;
use crate::hub::Hub;
use crate::worker::{self, Next, Worker};
use hub_domain::Permission;
use hub_store::StoreError;
use hub_view::Refusal;
use std::time::Duration;

/// Whoever makes, changes, sends or removes campaigns needs it.
pub const PERMISSION: Permission = Permission::SendMessages;
/// Whoever looks at campaigns needs it.
pub const VIEW: Permission = Permission::ViewMessages;

/// Sends campaigns whose time has come until it is dropped.
pub async fn run(hub: Hub) {
    let resting = Resting::default();
    worker::run(Campaigns { hub, resting }).await;
}

struct Campaigns {
    hub: Hub,
    resting: Resting,
}

impl Worker for Campaigns {
    const FAILURE: &'static str = "due campaigns could not be looked for";
    const BACKOFF: Duration = LOOK_EVERY;

    async fn step(&mut self) -> Result<Next, StoreError> {
        let now = self.hub.now();
        due::all_due_but(&self.hub, &mut self.resting, now).await?;
        Ok(Next::Within(LOOK_EVERY))
    }
}

/// A campaign of another project is none.
fn found<T>(campaign: Option<T>) -> Result<T, Refusal> {
    campaign.ok_or_else(|| Refusal::not_found("campaign"))
}
