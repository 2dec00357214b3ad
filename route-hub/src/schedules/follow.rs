//! Relative schedules: each contact's own schedule follows its date and its groups.
//!
//! Whoever changes a contact or its groups notes the contact, in the same transaction; whoever
//! makes, changes or deletes a relative schedule has all its contacts walked to. Both are taken up
//! here within seconds, in steps that a restart neither loses nor repeats.

use crate::hub::Hub;
use hub_domain::{Contact, RelativeSchedule, Schedule, ScheduledTo};
use hub_store::{StoreError, Tx, contacts, groups, relative_schedules, schedules};
use postrider_model::{ContactId, GroupId, Now, ProjectId, RelativeScheduledId, UnixMs};
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

/// Most contacts of one step.
const STEP: u32 = 200;
/// Most pairs of a contact and a relative schedule that a step over noted contacts looks at.
const FOLLOWED_MAX: usize = 1_000;
/// How long a moment may have passed when it is first known, and still be sent.
const JUST_PASSED_MS: i64 = 60_000;

/// Takes every walk and the noted contacts one step further; returns how much was done.
///
/// # Errors
/// What the database says.
pub async fn step_all(hub: &Hub, now: Now) -> Result<usize, StoreError> {
    let inside = hub.clone();
    let anything = hub.store.read(|tx| {
        let noted = relative_schedules::noted(tx, 1)?;
        Ok(!noted.is_empty() || !relative_schedules::walking(tx, 0, 1)?.is_empty())
    });
    if !anything.await? {
        return Ok(0);
    }
    let noted = hub.store.write(move |tx| look_at_noted(&inside, tx, now));
    let mut done = noted.await?;
    let mut above = 0;
    loop {
        let walking = hub
            .store
            .read(move |tx| relative_schedules::walking(tx, above, STEP));
        let walking = walking.await?;
        let Some(last) = walking.last() else {
            return Ok(done);
        };
        above = last.id.get();
        for relative in walking {
            let inside = hub.clone();
            let step = hub.store.write(move |tx| walk(&inside, tx, &relative, now));
            done += usize::from(step.await?);
        }
    }
}

fn look_at_noted(hub: &Hub, tx: &mut Tx<'_>, now: Now) -> Result<usize, StoreError> {
    let noted = relative_schedules::noted(tx, STEP)?;
    let mut by_project: BTreeMap<ProjectId, Vec<RelativeSchedule>> = BTreeMap::new();
    let mut by_number = BTreeSet::new();
    let (mut looked_at, mut followed) = (0, 0);
    for (contact, project) in noted {
        let relatives = match by_project.entry(project) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(place) => place.insert(relative_schedules::of_project(tx, project)?),
        };
        if looked_at > 0 && followed + relatives.len() > FOLLOWED_MAX {
            break;
        }
        let known = Known::read(tx, project, contact)?;
        for relative in &*relatives {
            match relative.to {
                // Whose number it is may have changed by this contact: all of it are looked at.
                ScheduledTo::Number(_) => drop(by_number.insert(relative.id)),
                ScheduledTo::Group(_) | ScheduledTo::Contact(_) => {
                    known.follow(hub, tx, relative, now)?;
                }
            }
        }
        relative_schedules::looked_at(tx, contact)?;
        looked_at += 1;
        followed += relatives.len();
    }
    for relative in by_number {
        relative_schedules::walk_again(tx, relative)?;
    }
    Ok(looked_at)
}

/// Takes one walk a step further; says whether it moved.
fn walk(
    hub: &Hub,
    tx: &mut Tx<'_>,
    relative: &RelativeSchedule,
    now: Now,
) -> Result<bool, StoreError> {
    if relative.removed {
        let gone = schedules::delete_of_relative(tx, relative.id, STEP)?;
        let is_end = gone < STEP as usize;
        return match is_end {
            true => relative_schedules::walked(tx, relative, None),
            false => Ok(true),
        };
    }
    let contacts = next_contacts(tx, relative)?;
    for contact in &contacts {
        let known = Known::read(tx, relative.project_id, *contact)?;
        known.follow(hub, tx, relative, now)?;
    }
    let is_end = contacts.len() < STEP as usize;
    let up_to = contacts.last().map(|last| last.get());
    relative_schedules::walked(tx, relative, up_to.filter(|_| !is_end))
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

impl Known {
    fn read(tx: &mut Tx<'_>, project: ProjectId, id: ContactId) -> Result<Self, StoreError> {
        let made = schedules::made_for(tx, id)?;
        let made = made
            .into_iter()
            .filter_map(|one| Some((one.relative_id?, one)));
        Ok(Self {
            id,
            contact: contacts::get(tx, project, id)?,
            groups: groups::of_contact(tx, id)?,
            made: made.collect(),
        })
    }

    /// Makes, changes or removes the contact's schedule, as its date and groups are now.
    fn follow(
        &self,
        hub: &Hub,
        tx: &mut Tx<'_>,
        relative: &RelativeSchedule,
        now: Now,
    ) -> Result<(), StoreError> {
        let start = self.start(tx, relative)?;
        match (self.made.get(&relative.id), start) {
            (None, None) => Ok(()),
            (None, Some(start)) => {
                let mut schedule = new_schedule(hub, relative, self.id, start, now);
                plan(&mut schedule, now.unix);
                match schedule.next_time {
                    Some(_) => schedules::insert(tx, &schedule),
                    None => Ok(()),
                }
            }
            (Some(made), None) => self.end(tx, made),
            (Some(made), Some(start)) => change(tx, relative, made, start, now.unix),
        }
    }

    /// Removes a schedule that is not for the contact any more. One that has sent stays, and is over:
    /// when it is for the contact again, it sends no moment twice.
    fn end(&self, tx: &mut Tx<'_>, made: &Schedule) -> Result<(), StoreError> {
        if made.prev_time.is_none() || self.contact.is_none() {
            return schedules::delete(tx, made.project_id, made.id).map(|_| ());
        }
        if made.next_time.is_none() {
            return Ok(());
        }
        let over = Schedule {
            next_time: None,
            ..made.clone()
        };
        schedules::update(tx, &over).map(|_| ())
    }

    /// Returns the moment that the contact's date stands for, if the relative schedule is for it.
    fn start(
        &self,
        tx: &mut Tx<'_>,
        relative: &RelativeSchedule,
    ) -> Result<Option<UnixMs>, StoreError> {
        let value = self.contact.as_ref();
        let value = value.and_then(|contact| contact.vars.get(&relative.date_variable));
        let Some(start) = value.and_then(|value| relative.start(value)) else {
            return Ok(None);
        };
        let is_for_it = match &relative.to {
            ScheduledTo::Group(group) => self.groups.contains(group),
            ScheduledTo::Contact(id) => *id == self.id,
            ScheduledTo::Number(number) => {
                let found = contacts::find_by_number(tx, relative.project_id, number)?;
                found.is_some_and(|found| found.id == self.id)
            }
        };
        Ok(Some(start).filter(|_| is_for_it))
    }
}

fn change(
    tx: &mut Tx<'_>,
    relative: &RelativeSchedule,
    existing: &Schedule,
    start: UnixMs,
    now: UnixMs,
) -> Result<(), StoreError> {
    let mut schedule = existing.clone();
    schedule.message.clone_from(&relative.message);
    schedule.rrule.clone_from(&relative.rrule);
    schedule.timezone_id.clone_from(&relative.timezone_id);
    schedule.end_time = relative.end_time;
    schedule.start_time = start;
    let same_times = schedule.start_time == existing.start_time
        && schedule.rrule == existing.rrule
        && schedule.timezone_id == existing.timezone_id
        && schedule.end_time == existing.end_time;
    if !same_times || existing.next_time.is_none() {
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

fn new_schedule(
    hub: &Hub,
    relative: &RelativeSchedule,
    contact: ContactId,
    start: UnixMs,
    now: Now,
) -> Schedule {
    Schedule {
        id: hub.id(now),
        project_id: relative.project_id,
        relative_id: Some(relative.id),
        message_type: relative.message_type,
        message: relative.message.clone(),
        to: ScheduledTo::Contact(contact),
        listed_contact_id: Some(contact),
        rrule: relative.rrule.clone(),
        timezone_id: relative.timezone_id.clone(),
        start_time: start,
        end_time: relative.end_time,
        prev_time: None,
        next_time: None,
        instance: 1,
        occurrences: 0,
        problem: None,
        revision: 0,
        time_created: now.unix,
    }
}
