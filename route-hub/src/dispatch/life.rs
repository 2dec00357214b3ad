//! Ends of lives: what was not sent in time ends as expired, what a phone kept silent about as
//! unknown.

use super::settle::{Detail, Work};
use crate::hub::Hub;
use crate::link::freeze;
use hub_domain::{Message, OwnershipRow, Project};
use hub_store::{StoreError, Tx, messages, projects};
use postrider_link::ownership::hub::Fact;
use postrider_model::{Now, ProjectId};
use std::collections::BTreeMap;
use std::time::Duration;

/// How often ends of lives are looked for.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// Most messages ended in one unit of work; the rest follow at once.
const BATCH: u32 = 256;
/// How much later than its life an exposed message's outcome is called unknown.
const UNKNOWN_AFTER_MS: i64 = postrider_link::limits::UNKNOWN_AFTER_LIFE_MS.cast_signed();

/// Looks for ends of lives until it is dropped.
pub async fn run(hub: Hub) {
    loop {
        match sweep(&hub).await {
            Ok(ended) if ended >= BATCH as usize => {}
            Ok(_) => tokio::time::sleep(LOOK_EVERY).await,
            Err(error) => {
                tracing::error!(%error, "ends of lives could not be looked for");
                tokio::time::sleep(LOOK_EVERY).await;
            }
        }
    }
}

/// Ends what is due, at most one batch, and returns how many messages it looked at.
///
/// # Errors
/// What the database says.
pub async fn sweep(hub: &Hub) -> Result<usize, StoreError> {
    let now = hub.now();
    if !hub.store.read(move |tx| anything_due(tx, now)).await? {
        return Ok(0);
    }
    let worker = hub.clone();
    let (effects, ended) = hub
        .store
        .write(move |tx| end_lives(&worker, tx, now))
        .await?;
    for effects in effects {
        effects.perform(hub);
    }
    Ok(ended)
}

fn anything_due(tx: &mut Tx<'_>, now: Now) -> Result<bool, StoreError> {
    Ok(!due(tx, now, 1)?.is_empty())
}

fn due(tx: &mut Tx<'_>, now: Now, limit: u32) -> Result<Vec<Message>, StoreError> {
    messages::life_ended(tx, now.unix, now.unix.plus_ms(-UNKNOWN_AFTER_MS), limit)
}

fn end_lives(
    hub: &Hub,
    tx: &mut Tx<'_>,
    now: Now,
) -> Result<(Vec<super::effects::Effects>, usize), StoreError> {
    let due = due(tx, now, BATCH)?;
    let ended = due.len();
    let mut by_project: BTreeMap<ProjectId, Vec<Message>> = BTreeMap::new();
    for message in due {
        by_project
            .entry(message.project_id)
            .or_default()
            .push(message);
    }
    let mut effects = Vec::new();
    for (project_id, due) in by_project {
        let Some(project) = projects::get(tx, project_id)? else {
            continue;
        };
        effects.push(end_lives_of(hub, tx, &project, now, due)?);
    }
    Ok((effects, ended))
}

fn end_lives_of(
    hub: &Hub,
    tx: &mut Tx<'_>,
    project: &Project,
    now: Now,
    due: Vec<Message>,
) -> Result<super::effects::Effects, StoreError> {
    let mut work = Work::new(hub, project, now);
    for mut message in due {
        let end = message.life_end.unwrap_or(now.unix);
        let ago_ms = u64::try_from(now.unix.0 - end.0).unwrap_or(0);
        // After a restore it may have been sent by a phone that has not answered yet.
        let fact = match freeze::may_be_out(tx, &message)? {
            true if message.ownership.state == OwnershipRow::WAITING => Fact::ExposureForgotten,
            _ => Fact::LifeEnded { ago_ms },
        };
        drop(work.apply(tx, &mut message, fact, &Detail::default())?);
        work.effects.settings(message.phone_id);
    }
    work.finish(tx)
}
