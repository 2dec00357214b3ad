//! Quiet hours as time goes by: links renew what they told their phones, and test routes go on when
//! their quiet hours end.

use crate::hub::Hub;
use crate::worker::{self, Next, Worker};
use hub_domain::PhoneType;
use hub_store::{StoreError, phones};
use std::time::Duration;

/// How often ends of quiet hours are looked for.
const LOOK_EVERY: Duration = Duration::from_secs(5);
/// How many looks go by until links see whether quiet hours are to be renewed: an hour. What was
/// told lasts for days.
const LOOKS_TO_RENEW: u32 = 720;

/// Looks after quiet hours until it is dropped.
pub async fn run(hub: Hub) {
    tokio::time::sleep(LOOK_EVERY).await;
    worker::run(QuietHours { hub, looks: 0 }).await;
}

struct QuietHours {
    hub: Hub,
    looks: u32,
}

impl Worker for QuietHours {
    const FAILURE: &'static str = "quiet hours could not be looked for";
    const BACKOFF: Duration = LOOK_EVERY;

    async fn step(&mut self) -> Result<Next, StoreError> {
        self.looks = (self.looks + 1) % LOOKS_TO_RENEW;
        look(&self.hub, self.looks == 0).await?;
        Ok(Next::Within(LOOK_EVERY))
    }
}

/// Has the test route look at what waits, and with `renew` each link at what it told its phones.
pub async fn look(hub: &Hub, renew: bool) -> Result<(), StoreError> {
    let of = |phone_type| {
        hub.store
            .read(move |tx| phones::with_quiet_hours(tx, phone_type))
    };
    let routes = of(PhoneType::Simulated).await?;
    if routes.iter().any(|route| hub.works_for(route.project_id)) {
        hub.bus.wake_simulated();
    }
    if renew {
        for phone in of(PhoneType::Android).await? {
            hub.bus.phone_changed(phone.id);
        }
    }
    Ok(())
}
