//! What other hub processes hint at, and the look that finds what a lost hint would have told.

use crate::hub::Hub;
use hub_store::hints::Hint;
use hub_store::{StoreError, Tx, messages};
use postrider_link::mistake;
use postrider_model::{DeviceId, PhoneId, ProjectId};
use std::time::Duration;

/// How often the queues of this process's phones and test routes are looked at.
const LOOK_EVERY: Duration = Duration::from_secs(5);
/// The same while hints do not arrive.
const LOOK_EVERY_WITHOUT: Duration = Duration::from_millis(500);
/// Most phones or devices of one statement.
const AT_ONCE: usize = 200;

/// The pause after hints of others: what they say meanwhile is merged, so that a flood of them costs
/// a look at each thing now and then.
const PAUSE: Duration = Duration::from_millis(5);

/// Wakes whom other processes hint at: for ever where there are none.
pub async fn run(hub: Hub) {
    let Some(mut heard) = hub.store.take_heard() else {
        return std::future::pending().await;
    };
    while let Some(hints) = heard.next().await {
        hints.into_iter().for_each(|hint| wake(&hub, hint));
        tokio::time::sleep(PAUSE).await;
    }
}

fn wake(hub: &Hub, hint: Hint) {
    match hint {
        Hint::Changed => hub.bus.changed_elsewhere(),
        Hint::Queued(phone) => drop(hub.bus.wake_phone(phone)),
        Hint::Asked(phone) => drop(hub.bus.wake_asked(phone)),
        Hint::Webhooks => hub.bus.wake_webhooks(),
        Hint::Broadcasts => hub.bus.wake_broadcasts(),
        Hint::Simulated => hub.bus.wake_simulated(),
    }
}

/// Looks at what waits for the phones and test routes of this process: for ever where it is alone on its database.
pub async fn look(hub: Hub) {
    let Some(hints) = hub.store.hints() else {
        return std::future::pending().await;
    };
    loop {
        let every = if hints.are_cut() {
            LOOK_EVERY_WITHOUT
        } else {
            LOOK_EVERY
        };
        tokio::time::sleep(every).await;
        if let Err(error) = look_once(&hub).await {
            hub_store::failed!(warn, error, "the queues of phones could not be looked at");
        }
    }
}

/// Looks once, and wakes those for whom something waits.
pub async fn look_once(hub: &Hub) -> Result<(), StoreError> {
    if mistake::is("hints_alone") {
        return Ok(());
    }
    hub.bus.wake_simulated();
    for phones in hub.bus.heard_phones().chunks(AT_ONCE) {
        let phones: Vec<PhoneId> = phones.to_vec();
        let look = move |tx: &mut Tx<'_>| messages::with_queue(tx, &phones);
        for phone in hub.store.read::<_, StoreError, _>(look).await? {
            hub.bus.wake_phone(phone);
        }
    }
    for linked in hub.bus.linked_devices().chunks(AT_ONCE) {
        let devices: Vec<DeviceId> = linked.iter().map(|(_, device)| *device).collect();
        let look = move |tx: &mut Tx<'_>| messages::with_requests(tx, &devices);
        let asked = hub.store.read::<_, StoreError, _>(look).await?;
        let asked = |(_, device): &&(ProjectId, DeviceId)| asked.contains(device);
        for (project, device) in linked.iter().filter(asked) {
            hub.bus.wake_asked_of(*project, *device);
        }
    }
    Ok(())
}
