//! Relative schedules: each contact's own schedule follows its date and its groups.
//!
//! Whoever changes a contact or its groups notes the contact, in the same transaction; whoever
//! makes, changes or deletes a relative schedule has all its contacts walked to. Both are taken up
//! here within seconds, in steps that a restart neither loses nor repeats.

use crate::damage;
use crate::hub::Hub;
use crate::transaction::run_by_hub;
use crate::unit_of_work::UnitOfWork;
use hub_domain::{Contact, RelativeSchedule, Schedule, ScheduledTo};
use hub_store::damaged::Found;
use hub_store::{StoreError, Tx, campaigns, contacts, groups, relative_schedules, schedules};
use postrider_model::{
    ContactId, GroupId, Now, ProjectId, RelativeScheduledId, ScheduledId, UnixMs,
};
use std::collections::{BTreeMap, BTreeSet};

/// Most contacts of one step.
const STEP: u32 = 200;
/// Most pairs of a contact and a relative schedule that a step over noted contacts looks at.
const FOLLOWED_MAX: usize = 1_000;
/// How long a moment may have passed when it is first known, and still be sent.
const JUST_PASSED_MS: i64 = 60_000;

/// Takes every walk and each project's noted contacts one step further; returns how much was done.
///
/// Each step is a job of its project's own: one that fails holds up no other.
pub async fn step_all(hub: &Hub, now: Now) -> Result<usize, StoreError> {
    Ok(look_at_all_noted(hub, now).await? + walk_all(hub, now).await?)
}

async fn look_at_all_noted(hub: &Hub, now: Now) -> Result<usize, StoreError> {
    let (mut above, mut done) = (0, 0);
    loop {
        let next = hub
            .store
            .read(move |tx| relative_schedules::noted_project(tx, above));
        let Some(project) = next.await? else {
            return Ok(done);
        };
        above = project.get();
        if !hub.works_for(project) {
            continue;
        }
        let looked = run_by_hub(hub, project, now, look_at_noted);
        done += or_tell(hub, project, looked.await, now).await.unwrap_or(0);
    }
}

async fn walk_all(hub: &Hub, now: Now) -> Result<usize, StoreError> {
    let (mut above, mut done) = (0, 0);
    loop {
        let walking = hub
            .store
            .read(move |tx| relative_schedules::walking(tx, above, STEP));
        let walking = walking.await?;
        if walking.is_empty() {
            return Ok(done);
        }
        for found in walking {
            let (id, project) = match &found {
                Found::Row(relative) => (relative.id.get(), Some(relative.project_id)),
                Found::Damaged(damaged) => (damaged.id, damaged.project_id),
            };
            above = id;
            let Some(project) = project.filter(|id| hub.works_for(*id)) else {
                continue;
            };
            let walked = run_by_hub(hub, project, now, move |work| match &found {
                Found::Row(relative) => walk(work, relative),
                Found::Damaged(damaged) => {
                    damage::set_aside(work, damaged)?;
                    Ok(true)
                }
            });
            let moved = or_tell(hub, project, walked.await, now).await;
            done += usize::from(moved.unwrap_or(false));
        }
    }
}

/// Says in the log, and to the project, that a step of it failed.
async fn or_tell<T>(
    hub: &Hub,
    project: ProjectId,
    done: Result<T, StoreError>,
    now: Now,
) -> Option<T> {
    match done {
        Ok(done) => Some(done),
        Err(error) => {
            hub_store::failed!(error, error, %project, "relative schedules could not be followed");
            damage::tell(hub, project, &error, now).await;
            None
        }
    }
}

fn look_at_noted(work: &mut UnitOfWork<'_, '_>) -> Result<usize, StoreError> {
    let project = work.project.id;
    let noted = relative_schedules::noted(work.tx, project, STEP)?;
    let relatives = relative_schedules::of_project(work.tx, project)?;
    let relatives = damage::readable(work, relatives)?;
    let mut by_number = BTreeSet::new();
    let (mut looked_at, mut followed) = (0, 0);
    for contact in noted {
        if looked_at > 0 && followed + relatives.len() > FOLLOWED_MAX {
            break;
        }
        let known = Known::read(work, contact)?;
        for relative in &relatives {
            match relative.to {
                // Whose number it is may have changed by this contact: all of it are looked at.
                ScheduledTo::Number(_) => drop(by_number.insert(relative.id)),
                ScheduledTo::Group(_) | ScheduledTo::Contact(_) | ScheduledTo::Filter(_) => {
                    known.follow(work, relative)?;
                }
            }
        }
        relative_schedules::looked_at(work.tx, contact)?;
        looked_at += 1;
        followed += relatives.len();
    }
    for relative in by_number {
        relative_schedules::walk_again(work.tx, relative)?;
    }
    Ok(looked_at)
}

/// Takes one walk a step further; says whether it moved.
fn walk(work: &mut UnitOfWork<'_, '_>, relative: &RelativeSchedule) -> Result<bool, StoreError> {
    if relative.removed {
        let gone = schedules::delete_of_relative(work.tx, relative.id, STEP)?;
        let is_end = gone < STEP as usize;
        return if is_end {
            relative_schedules::walked(work.tx, relative, None)
        } else {
            Ok(true)
        };
    }
    let contacts = next_contacts(work.tx, relative)?;
    for contact in &contacts {
        let known = Known::read(work, *contact)?;
        known.follow(work, relative)?;
    }
    let is_end = contacts.len() < STEP as usize;
    let up_to = contacts.last().map(|last| last.get());
    relative_schedules::walked(work.tx, relative, up_to.filter(|_| !is_end))
}

/// Returns the contacts that are next: those that it is for, and those that it has schedules for.
fn next_contacts(
    tx: &mut Tx<'_>,
    relative: &RelativeSchedule,
) -> Result<Vec<ContactId>, StoreError> {
    let after = relative.walked_up_to.unwrap_or(0);
    let mut next = schedules::contacts_of_relative(tx, relative.id, after, STEP)?;
    next.extend(match &relative.to {
        ScheduledTo::Group(group) => groups::members_after(tx, *group, after, STEP)?,
        ScheduledTo::Contact(id) => vec![*id],
        // Only what is sent at one moment goes by a filter.
        ScheduledTo::Filter(_) => Vec::new(),
        ScheduledTo::Number(number) => {
            let found = contacts::find_by_number(tx, relative.project_id, number)?;
            found.map(|contact| contact.id).into_iter().collect()
        }
    });
    next.retain(|contact| contact.get() > after);
    next.sort_unstable();
    next.dedup();
    next.truncate(STEP as usize);
    Ok(next)
}

/// What is known of a contact, read once for all relative schedules.
struct Known {
    id: ContactId,
    /// `None`: it is gone.
    contact: Option<Contact>,
    groups: Vec<GroupId>,
    /// The schedules that relative ones made for it.
    made: BTreeMap<RelativeScheduledId, Schedule>,
}

/// What a contact's date stands for.
struct Times {
    start: UnixMs,
    rrule: String,
}

impl Known {
    fn read(work: &mut UnitOfWork<'_, '_>, id: ContactId) -> Result<Self, StoreError> {
        let made = schedules::made_for(work.tx, id)?;
        let made = damage::readable(work, made)?;
        let made = made
            .into_iter()
            .filter_map(|one| Some((one.relative_id?, one)));
        Ok(Self {
            id,
            contact: contacts::get(work.tx, work.project.id, id)?,
            groups: groups::of_contact(work.tx, id)?,
            made: made.collect(),
        })
    }

    /// Makes, changes or removes the contact's schedule, as its date and groups are now.
    fn follow(
        &self,
        work: &mut UnitOfWork<'_, '_>,
        relative: &RelativeSchedule,
    ) -> Result<(), StoreError> {
        let now = work.now.unix;
        let times = self.times(work.tx, relative)?;
        match (self.made.get(&relative.id), times) {
            (None, None) => Ok(()),
            (None, Some(times)) => {
                let mut schedule = new_schedule(work.id(), relative, self.id, times, now);
                plan(&mut schedule, now);
                if is_sent(work.tx, relative, &schedule)? {
                    schedule.prev_time = schedule.next_time;
                    plan(&mut schedule, now);
                }
                match schedule.next_time {
                    Some(_) => schedules::insert(work.tx, &schedule),
                    None => Ok(()),
                }
            }
            (Some(made), None) => self.end(work.tx, made, now),
            (Some(made), Some(times)) => change(work.tx, relative, made, times, now),
        }
    }

    /// Removes a schedule that is not for the contact any more. One that has sent stays, and ends
    /// now: when it is for the contact again, it is planned anew and sends no moment twice.
    fn end(&self, tx: &mut Tx<'_>, made: &Schedule, now: UnixMs) -> Result<(), StoreError> {
        if made.prev_time.is_none() || self.contact.is_none() {
            return schedules::delete(tx, made.project_id, made.id).map(|_| ());
        }
        let has_ended = made.end_time.is_some_and(|end| end <= now);
        if made.next_time.is_none() && has_ended {
            return Ok(());
        }
        let over = Schedule {
            next_time: None,
            end_time: Some(now),
            ..made.clone()
        };
        schedules::update(tx, &over).map(|_| ())
    }

    /// Returns what the contact's date stands for, if the relative schedule is for it.
    fn times(
        &self,
        tx: &mut Tx<'_>,
        relative: &RelativeSchedule,
    ) -> Result<Option<Times>, StoreError> {
        let value = self.contact.as_ref();
        let value = value.and_then(|contact| contact.vars.get(&relative.date_variable));
        let times = value.and_then(|value| {
            let start = relative.start(value)?;
            let rrule = relative.rule(value, start);
            Some(Times { start, rrule })
        });
        let Some(times) = times else {
            return Ok(None);
        };
        let is_for_it = match &relative.to {
            ScheduledTo::Group(group) => self.groups.contains(group),
            ScheduledTo::Contact(id) => *id == self.id,
            ScheduledTo::Filter(_) => false,
            ScheduledTo::Number(number) => {
                let found = contacts::find_by_number(tx, relative.project_id, number)?;
                found.is_some_and(|found| found.id == self.id)
            }
        };
        Ok(Some(times).filter(|_| is_for_it))
    }
}

fn change(
    tx: &mut Tx<'_>,
    relative: &RelativeSchedule,
    existing: &Schedule,
    times: Times,
    now: UnixMs,
) -> Result<(), StoreError> {
    let mut schedule = existing.clone();
    schedule.message.clone_from(&relative.message);
    schedule.rrule = times.rrule;
    schedule.timezone_id.clone_from(&relative.timezone_id);
    schedule.end_time = relative.end_time;
    schedule.start_time = times.start;
    // What it passed over it does not plan again: only another time, or a new beginning, does.
    if !schedule.has_times_of(existing) {
        plan(&mut schedule, now);
    }
    if schedule == *existing {
        return Ok(());
    }
    if schedule.next_time.is_none() && schedule.prev_time.is_none() {
        return schedules::delete(tx, schedule.project_id, schedule.id).map(|_| ());
    }
    schedules::update(tx, &schedule).map(|_| ())
}

/// Looks for the next moment; a date that has passed is not made up for.
fn plan(schedule: &mut Schedule, now: UnixMs) {
    schedule.plan(now);
    let bound = now.plus_ms(-JUST_PASSED_MS);
    schedule.next_time = schedule.next_time.filter(|next| *next >= bound);
}

/// Says whether a new schedule's next moment was sent before its campaign was taken back and sent again.
fn is_sent(
    tx: &mut Tx<'_>,
    relative: &RelativeSchedule,
    schedule: &Schedule,
) -> Result<bool, StoreError> {
    let began = relative.time_created;
    let passed = schedule.next_time.filter(|next| *next < began);
    match (relative.campaign_id, passed, schedule.listed_contact_id) {
        (Some(campaign), Some(passed), Some(contact)) => {
            campaigns::has_sent(tx, campaign, contact, (passed, began))
        }
        _ => Ok(false),
    }
}

fn new_schedule(
    id: ScheduledId,
    relative: &RelativeSchedule,
    contact: ContactId,
    times: Times,
    now: UnixMs,
) -> Schedule {
    Schedule {
        id,
        project_id: relative.project_id,
        relative_id: Some(relative.id),
        message_type: relative.message_type,
        message: relative.message.clone(),
        to: ScheduledTo::Contact(contact),
        listed_contact_id: Some(contact),
        rrule: times.rrule,
        timezone_id: relative.timezone_id.clone(),
        start_time: times.start,
        end_time: relative.end_time,
        prev_time: None,
        next_time: None,
        instance: 1,
        occurrences: 0,
        problem: None,
        revision: 0,
        time_created: now,
    }
}
