//! Quiet hours as time goes by: links renew what they told their phones, and the test route, which
//! no phone keeps quiet, goes on when they end.

use crate::hub::Hub;
use hub_domain::{Phone, PhoneType};
use hub_store::{StoreError, Tx, phones, projects};
use postrider_model::{PhoneId, UnixMs};
use std::time::Duration;

/// How often ends of quiet hours are looked for.
const LOOK_EVERY: Duration = Duration::from_secs(5);
/// How many looks go by until links see whether quiet hours are to be renewed: an hour. What was
/// told lasts for days.
const LOOKS_TO_RENEW: u32 = 720;
/// Most test routes that are kept quiet at once; more than that are an operator's mistake.
const TEST_ROUTES_MAX: usize = 1_000;

/// Looks after quiet hours until it is dropped.
pub async fn run(hub: Hub) {
    let mut looks = 0;
    loop {
        tokio::time::sleep(LOOK_EVERY).await;
        looks = (looks + 1) % LOOKS_TO_RENEW;
        match hub.store.read(phones::with_quiet_hours).await {
            Ok(phones) => tell(&hub, &phones, looks == 0),
            Err(error) => tracing::error!(%error, "quiet hours could not be looked for"),
        }
    }
}

fn tell(hub: &Hub, phones: &[Phone], renew: bool) {
    for phone in phones {
        match phone.phone_type {
            PhoneType::Simulated => hub.bus.wake_simulated(),
            PhoneType::Android if renew => hub.bus.phone_changed(phone.id),
            PhoneType::Android => {}
        }
    }
}

/// Returns the test routes that are quiet now.
///
/// # Errors
/// What the database says.
pub fn test_routes(tx: &mut Tx<'_>, now: UnixMs) -> Result<Vec<PhoneId>, StoreError> {
    let mut quiet = Vec::new();
    for phone in phones::with_quiet_hours(tx)? {
        if phone.phone_type != PhoneType::Simulated || quiet.len() == TEST_ROUTES_MAX {
            continue;
        }
        let Some(project) = projects::get(tx, phone.project_id)? else {
            continue;
        };
        if phone.quiet_until(&project.timezone_id, now).is_some() {
            quiet.push(phone.id);
        }
    }
    Ok(quiet)
}
