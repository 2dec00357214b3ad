//! Making the messages of a broadcast, in steps that a restart neither loses nor repeats.

use crate::commands::stored_message::StoredMessage;
use crate::damage;
use crate::hub::Hub;
use crate::messages::planned::{Planned, Unsent};
use crate::messages::ready::Ready;
use crate::plan;
use crate::steps;
use crate::unit_of_work::Effects;
use crate::unit_of_work::UnitOfWork;
use hub_domain::{Broadcast, BroadcastTo, ContactFilter, Group, Project, ScheduledTo};
use hub_store::contacts::{self, Touches, by};
use hub_store::list::{Filter, ListQuery, Op, Operand, Sort};
use hub_store::{StoreError, Tx, broadcasts, groups};
use postrider_model::{ContactId, Now, UnixMs};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Most recipients of one step: what single sends wait for at most.
const STEP: u32 = 100;
/// By what a step is divided for which the queue has no room.
const SMALLER: usize = 4;

/// The recipients of a step.
#[derive(Clone)]
struct Next {
    /// Each with its place: the key of a contact, or the number of a number.
    to: Vec<(i64, ScheduledTo)>,
    /// The place up to which they are, for the next step.
    done_up_to: i64,
    /// Whether nobody follows.
    is_end: bool,
}

/// Takes a broadcast one step further; says whether it moved.
///
/// That of a stopped project, or of one whose queue is full, waits until that is over.
pub(crate) async fn step(hub: &Hub, broadcast: Broadcast, now: Now) -> Result<bool, StoreError> {
    let basis = hub.store.basis();
    let project = hub.cache.project(&hub.store, broadcast.project_id).await?;
    let Some(project) = project.filter(|project| !project.stopped) else {
        return Ok(false);
    };
    let mut message = match StoredMessage::read(&broadcast.message) {
        Ok(message) => message,
        Err(unreadable) => {
            let error = unreadable.in_column(broadcasts::MESSAGE);
            damage::tell(hub, project.id, &error, now).await;
            return end(hub, &broadcast, "its message cannot be read").await;
        }
    };
    let looked = broadcast.clone();
    let reading = hub
        .store
        .of(broadcast.project_id)
        .read(move |tx| next(tx, &looked));
    let next = match reading.await {
        Ok(next) => next,
        Err(Stuck::Ended(problem)) => return end(hub, &broadcast, problem).await,
        Err(Stuck::Store(StoreError::TooSlow)) => {
            return end(hub, &broadcast, "finding its recipients takes too long").await;
        }
        Err(Stuck::Store(error)) => return Err(error),
    };
    let planned = match message.ready(hub, &project, now).await {
        None => return Ok(false),
        Some(Err(problem)) => return end(hub, &broadcast, &problem).await,
        Some(Ok(planned)) => planned.part_of(&broadcast),
    };
    let room = plan::room(hub, project.organization_id, planned.is_test(), now).await?;
    let next = match room.of(next.to.len()) {
        Some(count) => next.first(count),
        None => return Ok(false),
    };
    let Some(next) = admitted(hub, &project, next, now).await else {
        return Ok(false);
    };
    let limits = plan::limits(hub, project.organization_id, now).await?;
    let recipients = next.to.iter().map(|(_, to)| to);
    let ready = planned.ready(hub, &project, recipients, now).await;
    let sending = Arc::new((project, broadcast, planned, ready));
    let effects = steps::fitting(STEP, |most| {
        let (inside, sending) = (hub.clone(), Arc::clone(&sending));
        let next = next.clone().first(most as usize);
        let share = hub.store.of(sending.0.id);
        let share = plan::gated(share, limits.as_ref());
        let share = share.prepared_on(basis, sending.0.organization_id);
        let limits = limits.clone();
        let job = move |tx: &mut Tx<'_>| {
            plan::hold(tx, limits.as_ref());
            if !tx.may_expose() {
                return Err(StoreError::Busy);
            }
            let (project, broadcast, planned, ready) = &*sending;
            let mut work = UnitOfWork::new(&inside, tx, project, now);
            send(&mut work, broadcast, (planned, ready), &next)
        };
        share.write(job)
    });
    effects.await?.perform(hub);
    Ok(true)
}

/// Returns as many of a step's recipients as the project's queue has room for; `None` when it is
/// full.
async fn admitted(hub: &Hub, project: &Project, next: Next, now: Now) -> Option<Next> {
    let mut count = next.to.len();
    loop {
        if hub
            .queue_caps
            .admit(&hub.store, project, count, now)
            .await
            .is_ok()
        {
            return Some(next.first(count));
        }
        if count <= 1 {
            return None;
        }
        count = count.div_ceil(SMALLER);
    }
}

/// Ends a broadcast that cannot go on.
async fn end(hub: &Hub, broadcast: &Broadcast, problem: &str) -> Result<bool, StoreError> {
    let (id, problem) = (broadcast.id, problem.to_owned());
    let job = move |tx: &mut Tx<'_>| broadcasts::end(tx, id, &problem);
    hub.store.of(broadcast.project_id).write(job).await?;
    Ok(true)
}

/// Why a broadcast has nobody next.
enum Stuck {
    /// It cannot go on, for this reason.
    Ended(&'static str),
    /// The database could not say.
    Store(StoreError),
}

impl From<StoreError> for Stuck {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

/// Looks up who is next.
fn next(tx: &mut Tx<'_>, broadcast: &Broadcast) -> Result<Next, Stuck> {
    let group = match &broadcast.to {
        BroadcastTo::Group(id) => groups::get(tx, broadcast.project_id, *id)?,
        BroadcastTo::Filter(filter) => return next_found(tx, broadcast, filter),
        BroadcastTo::Numbers => return Ok(next_numbers(tx, broadcast)?),
        BroadcastTo::Requests => return Ok(Next::of(Vec::new(), broadcast.done_up_to)),
    };
    match group {
        None => Err(Stuck::Ended("the group is gone")),
        Some(group) if !group.allow_sending => {
            Err(Stuck::Ended("sending to the group is not allowed"))
        }
        Some(group) => Ok(next_members(tx, broadcast, &group)?),
    }
}

impl Next {
    /// Makes a step of everybody after the place `above`.
    fn of(to: Vec<(i64, ScheduledTo)>, above: i64) -> Self {
        Self {
            is_end: to.len() < STEP as usize,
            done_up_to: to.last().map_or(above, |(place, _)| *place),
            to,
        }
    }

    /// Returns the step of the first so many of them.
    fn first(mut self, count: usize) -> Self {
        if count < self.to.len() {
            self.to.truncate(count);
            self.is_end = false;
            self.done_up_to = self.to.last().map_or(self.done_up_to, |(place, _)| *place);
        }
        self
    }
}

fn next_numbers(tx: &mut Tx<'_>, broadcast: &Broadcast) -> Result<Next, StoreError> {
    let done = usize::try_from(broadcast.done_up_to).unwrap_or(usize::MAX);
    let numbers = broadcasts::numbers(tx, broadcast.id)?.into_iter();
    let to = (1..).zip(numbers.map(ScheduledTo::Number));
    let to = to.skip(done).take(STEP as usize);
    Ok(Next::of(to.collect(), broadcast.done_up_to))
}

fn next_members(tx: &mut Tx<'_>, broadcast: &Broadcast, group: &Group) -> Result<Next, StoreError> {
    // By its key's own moment, which never goes back as a clock may.
    let made = UnixMs(broadcast.id.key().made_at_ms());
    let above = broadcast.done_up_to;
    let members = match group.filters {
        None => groups::members_since(tx, group.id, made, above, STEP)?,
        Some(_) => {
            let within = Filter::within(by::GROUP, group.id.get());
            matching(tx, broadcast, vec![within])?
        }
    };
    let to = members.into_iter();
    let to = to.map(|id| (id.get(), ScheduledTo::Contact(id)));
    let mut next = Next::of(to.collect(), above);
    if let Some(excluded) = broadcast.exclude_contact_id {
        next.to.retain(|(place, _)| *place != excluded.get());
    }
    Ok(next)
}

/// Looks up who is next of those whom a filter finds.
fn next_found(
    tx: &mut Tx<'_>,
    broadcast: &Broadcast,
    filter: &ContactFilter,
) -> Result<Next, Stuck> {
    let Ok(filters) = contacts::NAMES.read(&filter.filters) else {
        return Err(Stuck::Ended("its filter cannot be read"));
    };
    let found = matching(tx, broadcast, filters)?.into_iter();
    let to = found.map(|id| (id.get(), ScheduledTo::Contact(id)));
    Ok(Next::of(to.collect(), broadcast.done_up_to))
}

/// Returns contacts that were there when the broadcast was made and meet conditions now.
fn matching(
    tx: &mut Tx<'_>,
    broadcast: &Broadcast,
    mut filters: Vec<Filter>,
) -> Result<Vec<ContactId>, StoreError> {
    let within = |op, key| Filter::new(by::ID, op, Operand::Int(key));
    filters.push(within(Op::Gt, broadcast.done_up_to));
    filters.push(within(Op::Lt, broadcast.id.get()));
    let query = ListQuery {
        filters,
        sort: Sort::BY_ID,
        page_size: STEP,
        ..ListQuery::default()
    };
    let page = contacts::list(tx, broadcast.project_id, &query)?;
    Ok(page.rows.into_iter().map(|contact| contact.id).collect())
}

/// Sends to a step's recipients, unless somebody else has, or the broadcast was cancelled.
fn send(
    work: &mut UnitOfWork<'_, '_>,
    broadcast: &Broadcast,
    (planned, ready): (&Planned, &Ready),
    next: &Next,
) -> Result<Effects, StoreError> {
    let excluded = match excluded(work, broadcast, next)? {
        Ok(excluded) => excluded,
        Err(problem) => {
            broadcasts::end(work.tx, broadcast.id, problem)?;
            return Ok(Effects::default());
        }
    };
    let reached = i64::try_from(next.to.len()).unwrap_or(i64::MAX);
    if !broadcasts::advance(work.tx, broadcast, next.done_up_to, reached, next.is_end)? {
        return Ok(Effects::default());
    }
    ready.begin(work);
    planned.look_up(work, next.to.iter().map(|(_, to)| to))?;
    let (mut touches, mut left_out) = (Touches::default(), None);
    for (place, (_, to)) in next.to.iter().enumerate() {
        if excluded.contains(&place) {
            continue;
        }
        match planned.store(work, to, (ready, place), &mut touches) {
            Ok(()) | Err(Unsent::Blocked) => {}
            Err(Unsent::Refused(rule) | Unsent::Beyond(rule)) => left_out = Some(rule),
            // The step is taken again, for as many as there is room for.
            Err(Unsent::Tomorrow) => return Err(StoreError::Stale),
            Err(Unsent::Store(error)) => return Err(error),
        }
    }
    if let Some(rule) = left_out {
        let problem = format!("recipients were left out: {rule}");
        broadcasts::note_problem(work.tx, broadcast.id, &problem)?;
    }
    contacts::touch(work.tx, &touches)?;
    work.finish()
}

/// Returns the places of those who are in the group that the broadcast leaves out, or why that cannot be
/// told.
fn excluded(
    work: &mut UnitOfWork<'_, '_>,
    broadcast: &Broadcast,
    next: &Next,
) -> Result<Result<BTreeSet<usize>, &'static str>, StoreError> {
    let mut excluded = BTreeSet::new();
    let Some(id) = broadcast.exclude_group_id else {
        return Ok(Ok(excluded));
    };
    let Some(group) = groups::get(work.tx, broadcast.project_id, id)? else {
        return Ok(Err("the group that it leaves out is gone"));
    };
    for (place, (_, to)) in next.to.iter().enumerate() {
        if let ScheduledTo::Contact(contact) = to
            && contacts::is_in(work.tx, &group, *contact)?
        {
            excluded.insert(place);
        }
    }
    Ok(Ok(excluded))
}
