//! Rows that nobody needs any more are removed, a few at a time.

use crate::api::fields::clearing;
use crate::hub::Hub;
use hub_store::{
    StoreError, Tx, facts_aside, idempotency, messages, pairings, projects, webhook_log,
};
use postrider_model::{ProjectId, UnixMs};
use std::time::Duration;

/// How often old rows are looked for.
const LOOK_EVERY: Duration = Duration::from_secs(600);
/// The pause between two batches, so that requests are not held up.
const PAUSE: Duration = Duration::from_millis(50);
/// Most rows of a kind removed in one unit of work.
const BATCH: u32 = 500;
/// How long attempts of webhooks, facts set aside, and deleted messages that are final, are kept.
const KEPT_MS: i64 = 30 * 24 * 3_600_000;

/// Removes old rows until it is dropped.
pub async fn run(hub: Hub) {
    loop {
        let pause = match tidy(&hub).await {
            Ok(removed) if removed >= BATCH as usize => PAUSE,
            Ok(_) => LOOK_EVERY,
            Err(error) => {
                tracing::error!(%error, "old rows could not be removed");
                LOOK_EVERY
            }
        };
        tokio::time::sleep(pause).await;
    }
}

/// Removes one batch of each kind and returns how many rows of the largest went.
///
/// # Errors
/// What the database says.
pub async fn tidy(hub: &Hub) -> Result<usize, StoreError> {
    let now = hub.now().unix;
    clearing::finish(hub).await?;
    let projects = hub.store.read(projects::all).await?;
    let mut most = hub.store.write(move |tx| tidy_all(tx, now)).await?;
    for project in projects {
        let id = project.id;
        let removed = hub.store.write(move |tx| tidy_project(tx, id, now)).await?;
        most = most.max(removed);
    }
    Ok(most)
}

fn tidy_all(tx: &mut Tx<'_>, now: UnixMs) -> Result<usize, StoreError> {
    pairings::purge(tx, now.plus_ms(-crate::pairing::open::KEPT_MS))?;
    facts_aside::purge(tx, now.plus_ms(-KEPT_MS))?;
    idempotency::purge(tx, now, BATCH)
}

fn tidy_project(tx: &mut Tx<'_>, id: ProjectId, now: UnixMs) -> Result<usize, StoreError> {
    let before = now.plus_ms(-KEPT_MS);
    messages::purge_hidden(tx, id, before)?;
    webhook_log::purge(tx, id, before, BATCH)
}
