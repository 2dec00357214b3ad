//! Schedules whose moment has come.

use crate::actor::Actor;
use crate::broadcasts::new_broadcast::{NewBroadcast, Recipients};
use crate::commands::stored_message::StoredMessage;
use crate::damage::{self, Resting};
use crate::hub::Hub;
use crate::messages::planned::{Planned, Unsent};
use crate::messages::ready::Ready;
use crate::plan;
use crate::transaction;
use crate::unit_of_work::UnitOfWork;
use hub_domain::{MessageSource, Project, RelativeSchedule, Schedule, ScheduledTo};
use hub_store::contacts::{self, Touches};
use hub_store::damaged::Found;
use hub_store::{StoreError, Tx, campaigns, groups, relative_schedules, schedules};
use postrider_model::{CampaignId, GroupId, Now, ProjectId, UnixMs};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Most schedules that are looked for at once.
const PAGE: u32 = 256;
/// Most schedules that pass in one unit of work; the rest follow at once.
const STEP: usize = 64;
/// How often those are prepared again whose project another process changed meanwhile; then they wait
/// for the next look.
const ROUNDS_MAX: usize = 5;

/// A schedule with what it sends, or why it cannot.
#[derive(Clone)]
struct Due {
    schedule: Schedule,
    planned: Result<Box<Planned>, String>,
    ready: Ready,
}

/// Has every schedule send whose moment has come, and returns how many did.
///
/// Each project's send in jobs of its own, and what fails in one holds up no other. Those of a
/// stopped project, or of one whose queue is full, wait until that is over.
pub async fn all_due(hub: &Hub, now: Now) -> Result<usize, StoreError> {
    all_due_but(hub, &mut Resting::default(), now).await
}

/// As [`all_due`], but for what failed lately.
pub async fn all_due_but(hub: &Hub, resting: &mut Resting, now: Now) -> Result<usize, StoreError> {
    let mut fired = 0;
    for _ in 0..ROUNDS_MAX {
        let (count, is_stale) = round(hub, resting, now).await?;
        fired += count;
        if !is_stale {
            break;
        }
    }
    Ok(fired)
}

/// Has every schedule send once; returns how many did, and whether some were prepared on what another
/// process has changed.
async fn round(hub: &Hub, resting: &mut Resting, now: Now) -> Result<(usize, bool), StoreError> {
    let mut after = (UnixMs(i64::MIN), 0);
    let (mut fired, mut is_stale) = (0, false);
    loop {
        let due = hub
            .store
            .read(move |tx| schedules::due(tx, now.unix, after, PAGE))
            .await?;
        let Some(last) = due.last() else {
            return Ok((fired, is_stale));
        };
        after = (last.at, last.id);
        let mut by_project: BTreeMap<ProjectId, Vec<i64>> = BTreeMap::new();
        for place in due {
            let project = place
                .project_id
                .filter(|id| hub.works_for(*id) && !resting.has(place.id, now.unix));
            if let Some(project) = project {
                by_project.entry(project).or_default().push(place.id);
            }
        }
        for (project, ids) in by_project {
            match of_project(hub, project, ids, resting, now).await {
                Ok(count) => fired += count,
                Err(StoreError::Stale) => is_stale = true,
                Err(error) => {
                    hub_store::failed!(error, error, %project, "a project's schedules could not send");
                    damage::tell(hub, project, &error, now).await;
                }
            }
        }
    }
}

async fn of_project(
    hub: &Hub,
    project: ProjectId,
    ids: Vec<i64>,
    resting: &mut Resting,
    now: Now,
) -> Result<usize, StoreError> {
    let basis = hub.store.basis();
    let project = hub.cache.project(&hub.store, project).await?;
    let Some(project) = project.filter(|project| !project.stopped) else {
        return Ok(0);
    };
    let reading = hub.store.read(move |tx| {
        let found = ids
            .iter()
            .map(|id| schedules::found(tx, *id, StoredMessage::is_readable));
        found.collect::<Result<Vec<_>, StoreError>>()
    });
    let (mut due, mut damaged) = (Vec::new(), Vec::new());
    for found in reading.await?.into_iter().flatten() {
        match found {
            Found::Row(schedule) => due.push(schedule),
            Found::Damaged(row) => damaged.push(row),
        }
    }
    damage::set_all_aside(hub, &project, damaged, now).await?;
    let ready = prepare(hub, &project, due, now).await?;
    let actor = Actor::system(hub, &project, basis, now);
    let mut fired = 0;
    for step in ready.chunks(STEP) {
        match commit(&actor, step.to_vec()).await {
            Ok(count) => fired += count,
            Err(error) if error.is_passing() => return Err(error),
            Err(error) => {
                damage::tell(hub, project.id, &error, now).await;
                fired += one_by_one(&actor, step, resting).await;
            }
        }
    }
    Ok(fired)
}

/// Has schedules send each in a job of its own, since one of them failed; that one is left alone
/// for a while.
async fn one_by_one(actor: &Actor, step: &[Due], resting: &mut Resting) -> usize {
    let mut fired = 0;
    for due in step {
        match commit(actor, vec![due.clone()]).await {
            Ok(count) => fired += count,
            // It is due still.
            Err(StoreError::Stale) => {}
            Err(error) => {
                let id = due.schedule.id;
                hub_store::failed!(error, error, schedule = %id, "a schedule could not send");
                resting.add(id.get(), actor.now.unix);
            }
        }
    }
    fired
}

/// Reads what each is to send, off the thread that writes.
async fn prepare(
    hub: &Hub,
    project: &Arc<Project>,
    due: Vec<Schedule>,
    now: Now,
) -> Result<Vec<Due>, StoreError> {
    let mut prepared = Vec::new();
    for schedule in due {
        if hub
            .queue_caps
            .admit(&hub.store, project, 1, now)
            .await
            .is_err()
        {
            continue;
        }
        let Ok(mut message) = StoredMessage::read(&schedule.message) else {
            continue;
        };
        let Some(planned) = message.ready(hub, project, now).await else {
            continue;
        };
        if waits(hub, project, &planned, &schedule.to, now).await? {
            continue;
        }
        let scheduled_by = |planned: Planned| Box::new(planned.scheduled_by(schedule.id));
        let planned = planned.map(scheduled_by);
        let ready = match (&planned, &schedule.to) {
            (Err(_), _) | (_, ScheduledTo::Group(_) | ScheduledTo::Filter(_)) => Ready::default(),
            (Ok(planned), to) => planned.ready(hub, project, [to], now).await,
        };
        prepared.push(Due {
            schedule,
            planned,
            ready,
        });
    }
    Ok(prepared)
}

/// Says whether a schedule waits for the next day, or as long as the plan is suspended. Those to many
/// become broadcasts, which wait themselves.
async fn waits(
    hub: &Hub,
    project: &Project,
    planned: &Result<Planned, String>,
    to: &ScheduledTo,
    now: Now,
) -> Result<bool, StoreError> {
    match (planned, to) {
        (Err(_), _) | (_, ScheduledTo::Group(_) | ScheduledTo::Filter(_)) => Ok(false),
        (Ok(planned), ScheduledTo::Contact(_) | ScheduledTo::Number(_)) => {
            let room = plan::room(hub, project.organization_id, planned.is_test(), now).await?;
            Ok(room.of(1).is_none())
        }
    }
}

async fn commit(actor: &Actor, due: Vec<Due>) -> Result<usize, StoreError> {
    let step = move |work: &mut UnitOfWork<'_, '_>| {
        if !work.tx.may_expose() {
            return Err(StoreError::Busy);
        }
        let (mut fired, mut touches) = (0, Touches::default());
        for one in &due {
            fired += usize::from(pass(work, one, &mut touches)?);
        }
        contacts::touch(work.tx, &touches)?;
        Ok(fired)
    };
    transaction::run(actor, step).await
}

/// Has one schedule send and its moment pass, unless it was changed since it was read.
fn pass(
    work: &mut UnitOfWork<'_, '_>,
    due: &Due,
    touches: &mut Touches,
) -> Result<bool, StoreError> {
    if !schedules::is_current(work.tx, &due.schedule)? {
        return Ok(false);
    }
    let (mut stopped, mut campaign_id) = (None, None);
    if let Some(relative) = due.schedule.relative_id {
        let Some(relative) = relative_schedules::get(work.tx, work.project.id, relative)? else {
            // Its relative schedule was deleted; its own row goes as that one's are walked to.
            return Ok(false);
        };
        if is_behind(work.tx, &relative, &due.schedule)? {
            return Ok(false);
        }
        stopped = group_stops(work.tx, &relative)?;
        campaign_id = relative.campaign_id;
        if stopped.is_none() {
            stopped = campaign_stops(work.tx, &relative, &due.schedule)?;
        }
    }
    let mut schedule = due.schedule.clone();
    schedule.problem = match (&due.planned, stopped) {
        (_, Some(stopped)) => Some(stopped.to_owned()),
        (Err(problem), None) => Some(problem.clone()),
        (Ok(planned), None) => match &schedule.to {
            ScheduledTo::Group(group) => broadcast(work, &schedule, *group)?,
            ScheduledTo::Filter(filter) => {
                make(work, &schedule, Recipients::filter(filter.clone()))?;
                None
            }
            to => {
                due.ready.begin(work);
                let sent = match campaign_id {
                    None => planned.store(work, to, (&due.ready, 0), touches),
                    Some(id) => {
                        let planned = planned.as_ref().clone().of_campaign(id);
                        planned.store(work, to, (&due.ready, 0), touches)
                    }
                };
                match sent {
                    Ok(()) => {
                        count_sent(work.tx, campaign_id)?;
                        None
                    }
                    Err(Unsent::Blocked) => Some("the contact is blocked".to_owned()),
                    Err(Unsent::Refused(rule) | Unsent::Beyond(rule)) => Some(rule),
                    // It stays due.
                    Err(Unsent::Tomorrow) => return Ok(false),
                    Err(Unsent::Store(error)) => return Err(error),
                }
            }
        },
    };
    match schedule.problem {
        None => schedule.pass(work.now.unix),
        Some(_) => schedule.skip(work.now.unix),
    }
    schedules::pass(work.tx, &schedule)
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

/// Says why the campaign of a relative schedule sends nothing to a contact.
fn campaign_stops(
    tx: &mut Tx<'_>,
    relative: &RelativeSchedule,
    schedule: &Schedule,
) -> Result<Option<&'static str>, StoreError> {
    let (Some(id), ScheduledTo::Contact(contact)) = (relative.campaign_id, &schedule.to) else {
        return Ok(None);
    };
    let campaign = campaigns::get(tx, relative.project_id, id)?;
    let Some(excluded) = campaign.and_then(|campaign| campaign.exclude_group_id) else {
        return Ok(None);
    };
    Ok(match groups::get(tx, relative.project_id, excluded)? {
        None => Some("the group that the campaign leaves out is gone"),
        Some(group) if contacts::is_in(tx, &group, *contact)? => {
            Some("the campaign leaves the contact out")
        }
        Some(_) => None,
    })
}

fn count_sent(tx: &mut Tx<'_>, campaign: Option<CampaignId>) -> Result<(), StoreError> {
    campaign.map_or(Ok(()), |id| campaigns::count_sent(tx, id, 1))
}

/// What a group says that nothing may be sent to.
const NOT_ALLOWED: &str = "sending to the group is not allowed";

/// Makes a broadcast to a group, or says why that cannot be.
fn broadcast(
    work: &mut UnitOfWork<'_, '_>,
    schedule: &Schedule,
    group_id: GroupId,
) -> Result<Option<String>, StoreError> {
    let problem = match groups::get(work.tx, schedule.project_id, group_id)? {
        None => "the group is gone",
        Some(group) if !group.allow_sending => NOT_ALLOWED,
        Some(group) => {
            make(work, schedule, Recipients::group(&group))?;
            return Ok(None);
        }
    };
    Ok(Some(problem.to_owned()))
}

fn make(
    work: &mut UnitOfWork<'_, '_>,
    schedule: &Schedule,
    recipients: Recipients,
) -> Result<(), StoreError> {
    let message = StoredMessage::read(&schedule.message);
    let given = NewBroadcast {
        source: MessageSource::Scheduled,
        scheduled_id: Some(schedule.id),
        campaign_id: None,
        message_type: schedule.message_type,
        message: message.map_err(|unreadable| unreadable.in_column(schedules::MESSAGE))?,
        title: None,
        recipients,
    };
    given.store(work).map(drop)
}
