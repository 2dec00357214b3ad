//! Schedules whose moment has come.

use crate::api::broadcasts::{Given, Recipients};
use crate::api::messages::{Planned, Unsent};
use crate::api::scheduled::message::Message;
use crate::dispatch::effects::Effects;
use crate::dispatch::settle::Work;
use crate::hub::Hub;
use hub_domain::{MessageSource, Project, RelativeSchedule, Schedule, ScheduledTo};
use hub_store::contacts::{self, Touches};
use hub_store::{StoreError, Tx, groups, relative_schedules, schedules};
use postrider_model::{GroupId, Now, ProjectId, UnixMs};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Most schedules that pass in one unit of work; the rest follow at once.
const BATCH: u32 = 256;

/// A schedule with what it sends, or why it cannot.
#[derive(Clone)]
struct Ready {
    schedule: Schedule,
    planned: Result<Box<Planned>, String>,
}

type ByProject = BTreeMap<ProjectId, (Arc<Project>, Vec<Ready>)>;

/// Has every schedule send whose moment has come, and returns how many did.
///
/// Those of a stopped project, or of one whose queue is full, wait until that is over.
///
/// # Errors
/// What the database says.
pub async fn all_due(hub: &Hub, now: Now) -> Result<usize, StoreError> {
    let mut after = (UnixMs(i64::MIN), 0);
    let mut fired = 0;
    loop {
        let due = hub
            .store
            .read(move |tx| schedules::due(tx, now.unix, after, BATCH))
            .await?;
        let Some(last) = due.last() else {
            return Ok(fired);
        };
        after = (last.next_time.unwrap_or(now.unix), last.id.get());
        let ready = prepare(hub, due, now).await?;
        if !ready.is_empty() {
            fired += commit(hub, ready, now).await?;
        }
    }
}

/// Reads what each is to send, off the thread that writes.
async fn prepare(hub: &Hub, due: Vec<Schedule>, now: Now) -> Result<ByProject, StoreError> {
    let mut by_project = ByProject::new();
    for schedule in due {
        let project = hub.cache.project(&hub.store, schedule.project_id).await?;
        let Some(project) = project.filter(|project| !project.stopped) else {
            continue;
        };
        if hub.queue_caps.admit(hub, &project, 1, now).await.is_err() {
            continue;
        }
        let mut message = Message::stored(&schedule.message);
        let Some(planned) = message.ready(hub, &project, now).await else {
            continue;
        };
        let scheduled_by = |planned: Planned| Box::new(planned.scheduled_by(schedule.id));
        let planned = planned.map(scheduled_by);
        let (_, list) = by_project
            .entry(project.id)
            .or_insert_with(|| (Arc::clone(&project), Vec::new()));
        list.push(Ready { schedule, planned });
    }
    Ok(by_project)
}

async fn commit(hub: &Hub, ready: ByProject, now: Now) -> Result<usize, StoreError> {
    let inside = hub.clone();
    let job = move |tx: &mut Tx<'_>| {
        let mut effects = Effects::default();
        let mut fired = 0;
        for (project, list) in ready.values() {
            let mut work = Work::new(&inside, project, now);
            let mut touches = Touches::default();
            for one in list {
                fired += usize::from(pass(&mut work, tx, one, &mut touches)?);
            }
            contacts::touch(tx, &touches)?;
            effects.merge(work.finish(tx)?);
        }
        Ok((effects, fired))
    };
    let (effects, fired) = hub.store.write(job).await?;
    effects.perform(hub);
    Ok(fired)
}

/// Has one schedule send and its moment pass, unless it was changed since it was read.
fn pass(
    work: &mut Work<'_, '_>,
    tx: &mut Tx<'_>,
    ready: &Ready,
    touches: &mut Touches,
) -> Result<bool, StoreError> {
    if !schedules::is_current(tx, &ready.schedule)? {
        return Ok(false);
    }
    let mut stopped = None;
    if let Some(relative) = ready.schedule.relative_id {
        let Some(relative) = relative_schedules::get(tx, work.project.id, relative)? else {
            // Its relative schedule was deleted; its own row goes as that one's are walked to.
            return Ok(false);
        };
        if is_behind(tx, &relative, &ready.schedule)? {
            return Ok(false);
        }
        stopped = group_stops(tx, &relative)?;
    }
    let mut schedule = ready.schedule.clone();
    schedule.problem = match (&ready.planned, stopped) {
        (_, Some(stopped)) => Some(stopped.to_owned()),
        (Err(problem), None) => Some(problem.clone()),
        (Ok(planned), None) => match &schedule.to {
            ScheduledTo::Group(group) => broadcast(work, tx, &schedule, *group)?,
            to => match planned.store(work, tx, to, touches)? {
                Ok(()) => None,
                Err(Unsent::Blocked) => Some("the contact is blocked".to_owned()),
                Err(Unsent::Refused(rule)) => Some(rule),
            },
        },
    };
    schedule.pass(work.now.unix);
    schedules::pass(tx, &schedule)
}

/// Says whether a contact, or the relative schedule, changed and the contact's schedule has still to
/// follow: it sends by what is true then.
fn is_behind(
    tx: &mut Tx<'_>,
    relative: &RelativeSchedule,
    schedule: &Schedule,
) -> Result<bool, StoreError> {
    let ScheduledTo::Contact(contact) = schedule.to else {
        return Ok(false);
    };
    let is_to_come = |walked_up_to| contact.get() > walked_up_to;
    let is_walked_to = relative.walked_up_to.is_some_and(is_to_come);
    Ok(is_walked_to || relative_schedules::is_noted(tx, contact)?)
}

/// Says why nothing may be sent to the group of a relative schedule.
fn group_stops(
    tx: &mut Tx<'_>,
    relative: &RelativeSchedule,
) -> Result<Option<&'static str>, StoreError> {
    let ScheduledTo::Group(group) = &relative.to else {
        return Ok(None);
    };
    let group = groups::get(tx, relative.project_id, *group)?;
    Ok(group
        .filter(|group| !group.allow_sending)
        .map(|_| NOT_ALLOWED))
}

/// What a group says that nothing may be sent to.
const NOT_ALLOWED: &str = "sending to the group is not allowed";

/// Makes a broadcast to a group, or says why that cannot be.
fn broadcast(
    work: &mut Work<'_, '_>,
    tx: &mut Tx<'_>,
    schedule: &Schedule,
    group_id: GroupId,
) -> Result<Option<String>, StoreError> {
    let problem = match groups::get(tx, schedule.project_id, group_id)? {
        None => "the group is gone",
        Some(group) if !group.allow_sending => NOT_ALLOWED,
        Some(group) => {
            let given = Given {
                id: work.hub.id(work.now),
                source: MessageSource::Scheduled,
                scheduled_id: Some(schedule.id),
                message_type: schedule.message_type,
                message: Message::stored(&schedule.message),
                title: None,
                recipients: Recipients::group(&group),
            };
            given.store(work, tx)?;
            return Ok(None);
        }
    };
    Ok(Some(problem.to_owned()))
}
