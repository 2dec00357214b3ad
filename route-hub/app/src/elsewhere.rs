//! What another process has changed, such as an admin command: the rows that it concerns are read
//! again, and no others.
//!
//! A hint from the store makes this fast. A hint may be lost, so the numbers of the changes are looked
//! at every few seconds, too.

use crate::hub::Hub;
use hub_store::changes::{self, Mark, Scope};
use hub_store::{StoreError, devices, meta};
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::sleep;

/// How long a change may stay unseen when the hint of it is lost: a revoked key is dead within 5 s.
pub const LOOK_EVERY: Duration = Duration::from_secs(3);
/// The same where several hubs work on one server: a revoked key is dead within 1 s.
pub const LOOK_EVERY_AMONG_HUBS: Duration = Duration::from_millis(500);
/// How long to wait before what was changed is asked for again, after an error.
const AFTER_ERROR: Duration = Duration::from_millis(100);

/// Wakes everybody concerned by what other processes change, until it is dropped.
///
/// `hints` come with their commits, `seen` is the newest change that was there before anything was
/// read, and `every` is how often changes are looked for without a hint.
pub async fn watch(hub: Hub, mut hints: watch::Receiver<u64>, mut seen: Mark, every: Duration) {
    loop {
        let hint = tokio::select! {
            changed = hints.changed() => match changed {
                Ok(()) => true,
                Err(_) => return,
            },
            () = hub.bus.elsewhere() => false,
            () = sleep(every) => false,
        };
        let (changed, newest) = loop {
            match take_in(&hub, seen.clone(), hint).await {
                Ok(taken) => break taken,
                Err(error) => {
                    hub_store::failed!(
                        warn,
                        error,
                        "what another process changed could not be read"
                    );
                    sleep(AFTER_ERROR).await;
                }
            }
        };
        if hint || changed {
            hub.bus.wake_webhooks();
            hub.bus.wake_simulated();
        }
        seen = newest;
    }
}

/// Tells everybody concerned by the changes after `seen`; returns whether there were any, and the mark
/// of the newest.
///
/// A commit (`hint`) that names nobody was made by hand, or changes nothing that a link goes by: what
/// is kept in memory is read again.
///
/// # Errors
/// When the database fails; then nobody has been told.
async fn take_in(hub: &Hub, seen: Mark, hint: bool) -> Result<(bool, Mark), StoreError> {
    let changed = hub.store.read(move |tx| {
        let mut changed = Vec::new();
        for scope in changes::since(tx, &seen)? {
            let device = match scope {
                Scope::Device(id) => devices::get(tx, id)?,
                _ => None,
            };
            changed.push((scope, device.map(|device| device.project_id)));
        }
        // It rises with a change of everything.
        let generation = if changed.iter().any(|(scope, _)| *scope == Scope::Hub) {
            meta::generation(tx)?
        } else {
            0
        };
        Ok((changed, generation, changes::newest(tx)?))
    });
    let (changed, generation, newest) = changed.await?;
    hub.raise_generation(generation);
    if changed.is_empty() && hint {
        hub.cache.forget_everything();
    }
    let any = !changed.is_empty();
    for (scope, project) in changed {
        match (scope, project) {
            (Scope::Hub, _) => hub.rows_changed(),
            (Scope::Keys(id), _) => hub.cache.forget_organization(id),
            (Scope::Rows(id), _) => hub.cache.forget_rows_of(id),
            (Scope::Project(id), _) => hub.project_changed(id),
            (Scope::Device(id), Some(project)) => {
                hub.cache.forget_connection(id);
                hub.bus.device_changed(project, id);
            }
            (Scope::Device(_), None) => {}
            (Scope::Presence(id), _) => hub.cache.forget_connection(id),
            (Scope::Phone(id), _) => {
                hub.cache.forget_phone(id);
                hub.bus.phone_changed_elsewhere(id);
            }
        }
    }
    Ok((any, newest))
}
