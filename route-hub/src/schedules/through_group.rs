//! Schedules on their way through a group, in steps that a restart neither loses nor repeats.

use super::fire::planned;
use crate::api::messages::{Planned, Unsent};
use crate::dispatch::effects::Effects;
use crate::dispatch::settle::Work;
use crate::hub::Hub;
use hub_domain::Project;
use hub_store::contacts::{self, Touches, by};
use hub_store::list::{Filter, ListQuery, Op, Operand, Sort};
use hub_store::schedule_runs::{self, ScheduleRun};
use hub_store::{StoreError, Tx, groups};
use postrider_model::{ContactId, Now};

/// Most contacts of one step.
const STEP: u32 = 200;
/// Most runs that are read at once.
const RUNS: u32 = 64;

/// Takes each run under way one step further and returns how many moved.
///
/// # Errors
/// What the database says.
pub async fn step_all(hub: &Hub, now: Now) -> Result<usize, StoreError> {
    let (mut above, mut moved) = (0, 0);
    loop {
        let runs = hub
            .store
            .read(move |tx| schedule_runs::under_way(tx, above, RUNS))
            .await?;
        let Some(last) = runs.last() else {
            return Ok(moved);
        };
        above = last.key;
        for run in runs {
            moved += usize::from(step(hub, run, now).await?);
        }
    }
}

/// Takes one run a step further; says whether it moved.
async fn step(hub: &Hub, run: ScheduleRun, now: Now) -> Result<bool, StoreError> {
    let project = hub.cache.project(&hub.store, run.project_id).await?;
    let Some(project) = project.filter(|project| !project.stopped) else {
        return Ok(false);
    };
    let looked = run.clone();
    let members = hub.store.read(move |tx| next_members(tx, &looked)).await?;
    let room = hub.queue_caps.admit(hub, &project, members.len(), now);
    if room.await.is_err() {
        return Ok(false);
    }
    let planned = match planned(hub, &project, &run.message, now).await {
        None => return Ok(false),
        Some(Ok(planned)) => Some(planned.scheduled_by(run.scheduled_id)),
        Some(Err(_)) => None,
    };
    let inside = hub.clone();
    let job =
        move |tx: &mut Tx<'_>| send(&inside, tx, &project, &run, planned.as_ref(), &members, now);
    let effects = hub.store.write(job).await?;
    effects.perform(hub);
    Ok(true)
}

/// Returns the contacts of a step: those who were there when the run began.
fn next_members(tx: &mut Tx<'_>, run: &ScheduleRun) -> Result<Vec<ContactId>, StoreError> {
    let group = groups::get(tx, run.project_id, run.group_id)?;
    if group.is_none_or(|group| !group.allow_sending) {
        return Ok(Vec::new());
    }
    let query = ListQuery {
        filters: vec![
            Filter::within(by::GROUP, run.group_id.get()),
            Filter::new(by::ID, Op::Gt, Operand::Int(run.done_up_to)),
            Filter::new(by::ID, Op::Lt, Operand::Int(run.key)),
        ],
        sort: Sort::BY_ID,
        page_size: STEP,
        ..ListQuery::default()
    };
    let page = contacts::list(tx, run.project_id, &query)?;
    Ok(page.rows.into_iter().map(|contact| contact.id).collect())
}

/// Sends to a step's contacts, unless somebody else has; a run that cannot send ends.
fn send(
    hub: &Hub,
    tx: &mut Tx<'_>,
    project: &Project,
    run: &ScheduleRun,
    planned: Option<&Planned>,
    members: &[ContactId],
    now: Now,
) -> Result<Effects, StoreError> {
    let (Some(planned), Some(last)) = (planned, members.last()) else {
        schedule_runs::end(tx, run)?;
        return Ok(Effects::default());
    };
    if !schedule_runs::advance(tx, run, last.get())? {
        return Ok(Effects::default());
    }
    let mut work = Work::new(hub, project, now);
    let mut touches = Touches::default();
    for member in members {
        match planned.store_to_member(&mut work, tx, *member, &mut touches)? {
            Ok(()) | Err(Unsent::Blocked) => {}
            Err(Unsent::Refused(_)) => tracing::debug!(
                schedule = %run.scheduled_id, contact = %member,
                "a contact of a group was left out"
            ),
        }
    }
    contacts::touch(tx, &touches)?;
    work.finish(tx)
}
