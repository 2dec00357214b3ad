//! What another process has changed, such as an admin command: what that concerns is read again
//! here, and nobody else hears of it.

use crate::hub::Hub;
use hub_store::changes::{self, Scope};
use hub_store::{StoreError, devices};
use std::time::Duration;

/// How long to wait before what was changed is asked for again, after an error.
const AFTER_ERROR: Duration = Duration::from_millis(100);

/// Has everybody concerned look at what other processes change, until it is dropped; `seen` is the
/// newest change that was there before anything was read.
pub async fn watch(hub: Hub, mut seen: i64) {
    let mut commits = hub.store.changed_elsewhere();
    while commits.changed().await.is_ok() {
        loop {
            match take_in(&hub, seen).await {
                Ok(newest) => {
                    seen = newest;
                    break;
                }
                Err(error) => {
                    tracing::warn!(%error, "what another process changed could not be read");
                    tokio::time::sleep(AFTER_ERROR).await;
                }
            }
        }
        hub.bus.wake_webhooks();
        hub.bus.wake_simulated();
    }
}

/// Tells everybody concerned by the changes after `seen`, and returns the number of the newest.
///
/// A commit that names nobody was made by hand, or changes nothing that a link goes by: what is
/// kept in memory is read again.
///
/// # Errors
/// What the database says; then nobody has been told.
pub async fn take_in(hub: &Hub, seen: i64) -> Result<i64, StoreError> {
    let changed = hub.store.read(move |tx| {
        let mut changed = Vec::new();
        for (scope, version) in changes::since(tx, seen)? {
            let device = match scope {
                Scope::Device(id) => devices::get(tx, id)?,
                _ => None,
            };
            changed.push((scope, device.map(|device| device.project_id), version));
        }
        Ok(changed)
    });
    let changed = changed.await?;
    if changed.is_empty() {
        hub.cache.forget_everything();
    }
    let mut newest = seen;
    for (scope, project, version) in changed {
        newest = newest.max(version);
        match (scope, project) {
            (Scope::Hub, _) => hub.rows_changed(),
            (Scope::Keys(id), _) => hub.cache.forget_keys_of(id),
            (Scope::Rows(id), _) => hub.cache.forget_rows_of(id),
            (Scope::Project(id), _) => hub.project_changed(id),
            (Scope::Device(id), Some(project)) => hub.bus.device_changed(project, id),
            (Scope::Device(_), None) => {}
            (Scope::Phone(id), _) => {
                hub.cache.forget_phone(id);
                hub.bus.phone_changed_elsewhere(id);
            }
        }
    }
    Ok(newest)
}
