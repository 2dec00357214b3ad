//! Messages whose time is over: one that was not sent ends as expired, one that its phone said nothing
//! about as unknown.
//!
//! The messages of each project end in jobs of its own. A message that cannot be read is set aside,
//! and one that cannot be ended is left alone for a while. Neither holds up another one.

use crate::damage::{self, Resting};
use crate::dispatch::freeze;
use crate::dispatch::transitions::Detail;
use crate::hub::Hub;
use crate::transaction;
use crate::unit_of_work::UnitOfWork;
use crate::worker::{self, Next, Worker};
use hub_domain::Message;
use hub_store::damaged::{Found, Place};
use hub_store::{StoreError, messages};
use postrider_link::ownership::hub::Fact;
use postrider_model::{Now, ProjectId, UnixMs};
use std::collections::BTreeMap;
use std::time::Duration;

/// How often expired messages are looked for.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// Most messages that are looked for at once.
const PAGE: u32 = 256;
/// Most messages that end in one unit of work.
const STEP: usize = 64;
/// After so many failures of single messages, the rest of a project's waits.
const FAILURES_MAX: usize = 8;
/// How long after its time a message's outcome is called unknown, when a phone has it.
const UNKNOWN_AFTER_MS: i64 = postrider_link::limits::UNKNOWN_AFTER_LIFE_MS.cast_signed();

/// Ends expired messages until it is dropped.
pub async fn run(hub: Hub) {
    let resting = Resting::default();
    worker::run(Expiry { hub, resting }).await;
}

struct Expiry {
    hub: Hub,
    resting: Resting,
}

impl Worker for Expiry {
    const FAILURE: &'static str = "expired messages could not be looked for";
    const BACKOFF: Duration = LOOK_EVERY;

    async fn step(&mut self) -> Result<Next, StoreError> {
        sweep_but(&self.hub, &mut self.resting).await?;
        Ok(Next::Within(LOOK_EVERY))
    }
}

/// Ends everything that is due, and returns how many messages that were.
pub async fn sweep(hub: &Hub) -> Result<usize, StoreError> {
    sweep_but(hub, &mut Resting::default()).await
}

async fn sweep_but(hub: &Hub, resting: &mut Resting) -> Result<usize, StoreError> {
    let now = hub.now();
    let mut after = (UnixMs(i64::MIN), 0);
    let mut ended = 0;
    loop {
        let held_end = now.unix.plus_ms(-UNKNOWN_AFTER_MS);
        let page = hub
            .store
            .read(move |tx| messages::life_ended(tx, now.unix, held_end, after, PAGE));
        let page = page.await?;
        let Some(last) = page.last() else {
            return Ok(ended);
        };
        after = (last.at, last.id);
        let is_last = page.len() < PAGE as usize;
        for (project, ids) in by_project(hub, page, resting, now.unix) {
            ended += end_all_of(hub, project, ids, resting, now).await;
        }
        if is_last {
            return Ok(ended);
        }
    }
}

/// Sorts rows by project. A row whose project cannot be read is left out, and so are those of projects
/// that another process works for.
fn by_project(
    hub: &Hub,
    page: Vec<Place>,
    resting: &Resting,
    now: UnixMs,
) -> BTreeMap<ProjectId, Vec<i64>> {
    let mut by_project: BTreeMap<ProjectId, Vec<i64>> = BTreeMap::new();
    for place in page {
        let Some(project) = place.project_id.filter(|id| hub.works_for(*id)) else {
            continue;
        };
        if !resting.has(place.id, now) && !resting.has(project.get(), now) {
            by_project.entry(project).or_default().push(place.id);
        }
    }
    by_project
}

/// Ends messages of one project; where a step fails, its messages are ended one by one.
async fn end_all_of(
    hub: &Hub,
    project: ProjectId,
    ids: Vec<i64>,
    resting: &mut Resting,
    now: Now,
) -> usize {
    let (mut ended, mut failures) = (0, 0);
    for step in ids.chunks(STEP) {
        match end_step(hub, project, step.to_vec(), now).await {
            Ok(count) => {
                ended += count;
                continue;
            }
            Err(error) if error.is_passing() => return ended,
            Err(error) => damage::tell(hub, project, &error, now).await,
        }
        for id in step {
            let Err(error) = end_step(hub, project, vec![*id], now).await else {
                ended += 1;
                continue;
            };
            hub_store::failed!(error, error, %project, message = id, "an expired message could not be ended");
            resting.add(*id, now.unix);
            failures += 1;
            if failures >= FAILURES_MAX {
                resting.add(project.get(), now.unix);
                return ended;
            }
        }
    }
    ended
}

async fn end_step(
    hub: &Hub,
    project: ProjectId,
    ids: Vec<i64>,
    now: Now,
) -> Result<usize, StoreError> {
    let step = move |work: &mut UnitOfWork<'_, '_>| end_all(work, &ids);
    transaction::run_by_hub(hub, project, now, step).await
}

fn end_all(work: &mut UnitOfWork<'_, '_>, ids: &[i64]) -> Result<usize, StoreError> {
    let mut ended = 0;
    for id in ids {
        match messages::found(work.tx, *id)? {
            None => {}
            Some(Found::Damaged(damaged)) => damage::set_aside(work, &damaged)?,
            Some(Found::Row(message)) => ended += usize::from(end(work, message)?),
        }
    }
    Ok(ended)
}

/// Ends a message, if its time is still over.
fn end(work: &mut UnitOfWork<'_, '_>, mut message: Message) -> Result<bool, StoreError> {
    let Some(over) = message.life_end.filter(|over| *over <= work.now.unix) else {
        return Ok(false);
    };
    let ago_ms = u64::try_from(work.now.unix.0 - over.0).unwrap_or(0);
    // After a restore, a phone that has not answered yet may have sent it.
    let Some(state) = message.state() else {
        return Ok(false);
    };
    let fact = Fact::life_over(state, ago_ms, || freeze::may_be_out(work.tx, &message))?;
    work.apply(&mut message, fact, &Detail::default())?;
    work.effects.settings(message.phone_id);
    Ok(true)
}
