//! What holds up broadcasts, campaigns, scheduled messages and tasks: one reason for all of them, and when they are
//! tried again.
//!
//! It is found when somebody looks, from what the workers look at, and looked up once for a page.

#[cfg(test)]
mod tests;

use crate::actor::Actor;
use crate::commands::stored_message::StoredMessage;
use crate::hub::Hub;
use crate::plan::{self, Room};
use crate::unit_of_work::UnitOfWork;
use hub_domain::{
    Broadcast, BroadcastStage, Campaign, CampaignStatus, PhoneType, Project, RouteId, Schedule,
    ScheduledTo, WaitingFor,
};
use hub_store::{StoreError, Tx, devices, messages, organizations, phones};
use hub_view::ObjectWriter;
use postrider_model::{Now, PhoneId, UnixMs};
use std::collections::BTreeMap;
use std::time::Duration;

/// How often the hub tries again what waits, and looks for what is due: far below the 15 s that it may be late.
pub(crate) const LOOK_EVERY: Duration = Duration::from_millis(LOOK_EVERY_MS.unsigned_abs());
const LOOK_EVERY_MS: i64 = 3_000;

/// Why something waits, and when it is tried again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hold {
    /// The reason.
    pub reason: WaitingFor,
    /// When the hub tries again. Where nothing but time can end it, that is when it ends.
    pub next_try_time: UnixMs,
}

/// Writes why something waits; `None`: nothing holds it up.
pub(crate) fn write(out: &mut ObjectWriter<'_>, hold: Option<Hold>) {
    out.put("waiting_for", &hold.map(|hold| hold.reason.as_str()));
    let next_try_time = hold.map(|hold| hold.next_try_time.seconds());
    out.put("next_try_time", &next_try_time);
}

/// What something needs before it can go on. Each needs what stands before it, too.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Need {
    /// A project that is not stopped.
    Project,
    /// A database that has forgotten nothing.
    Memory,
    /// Room in the project's queue.
    Queue,
    /// A plan that is not suspended: what is sent counts in no limit.
    Sending,
    /// Room within the plan's limit of messages.
    Room,
}

/// Finds what holds things up in a project, and remembers what it has looked up.
pub(crate) struct Holds<'a> {
    hub: &'a Hub,
    project: &'a Project,
    now: Now,
    may_count: bool,
    is_full: Option<bool>,
    used_up_until: Option<Option<UnixMs>>,
    are_test_phones: BTreeMap<PhoneId, bool>,
}

impl<'a> Holds<'a> {
    /// Begins for whoever looks, in a job that reads.
    pub(crate) fn for_reader(actor: &'a Actor) -> Self {
        Self::new(&actor.hub, &actor.project, actor.now, true)
    }

    /// Begins within a job that writes: it counts no queue while others wait for the writer, and takes one for full
    /// that was found so.
    pub(crate) fn within(work: &UnitOfWork<'a, '_>) -> Self {
        Self::new(work.hub, work.project, work.now, false)
    }

    fn new(hub: &'a Hub, project: &'a Project, now: Now, may_count: bool) -> Self {
        Self {
            hub,
            project,
            now,
            may_count,
            is_full: None,
            used_up_until: None,
            are_test_phones: BTreeMap::new(),
        }
    }

    /// Returns what keeps a broadcast from making its messages.
    pub(crate) fn of_broadcast(
        &mut self,
        tx: &mut Tx<'_>,
        broadcast: &Broadcast,
        message: &StoredMessage,
    ) -> Result<Option<Hold>, StoreError> {
        match broadcast.stage {
            BroadcastStage::Queuing => self.of_messages(tx, message),
            BroadcastStage::Cancelling | BroadcastStage::Queued | BroadcastStage::Cancelled => {
                Ok(None)
            }
        }
    }

    /// Returns what keeps a campaign whose time has come from going out, or its broadcast from making its messages.
    pub(crate) fn of_campaign(
        &mut self,
        tx: &mut Tx<'_>,
        campaign: &Campaign,
        broadcast: Option<&Broadcast>,
        message: &StoredMessage,
    ) -> Result<Option<Hold>, StoreError> {
        let is_due = campaign.status == CampaignStatus::Scheduled
            && campaign.campaign_type.is_broadcast()
            && campaign.is_due(self.now.unix);
        match broadcast {
            Some(broadcast) => self.of_broadcast(tx, broadcast, message),
            None if is_due => self.find(tx, Need::Memory),
            None => Ok(None),
        }
    }

    /// Returns what keeps a schedule from sending whose time has come. To many it makes a broadcast, which then waits
    /// itself.
    pub(crate) fn of_schedule(
        &mut self,
        tx: &mut Tx<'_>,
        schedule: &Schedule,
        message: &StoredMessage,
    ) -> Result<Option<Hold>, StoreError> {
        if schedule.next_time.is_none_or(|next| self.now.unix < next) {
            return Ok(None);
        }
        match schedule.to {
            ScheduledTo::Group(_) | ScheduledTo::Filter(_) => self.find(tx, Need::Queue),
            ScheduledTo::Contact(_) | ScheduledTo::Number(_) => self.of_messages(tx, message),
        }
    }

    /// Returns what keeps a message from being made for those whom it is for.
    fn of_messages(
        &mut self,
        tx: &mut Tx<'_>,
        message: &StoredMessage,
    ) -> Result<Option<Hold>, StoreError> {
        match self.find(tx, Need::Room)? {
            Some(hold) if hold.reason == WaitingFor::PlanLimit && self.is_test(tx, message)? => {
                self.find(tx, Need::Sending)
            }
            hold => Ok(hold),
        }
    }

    /// Returns what holds up something that needs this; what only somebody can end comes first.
    pub(crate) fn find(&mut self, tx: &mut Tx<'_>, need: Need) -> Result<Option<Hold>, StoreError> {
        let soon = self.now.unix.plus_ms(LOOK_EVERY_MS);
        let until = |reason, next_try_time| {
            Ok(Some(Hold {
                reason,
                next_try_time,
            }))
        };
        match halt(self.project, self.now.unix) {
            Some(WaitingFor::PlanSuspended) if need < Need::Sending => {}
            Some(reason) => return until(reason, soon),
            None => {}
        }
        if need >= Need::Room
            && let Some(ends) = self.used_up_until(tx)?
        {
            return until(WaitingFor::PlanLimit, ends);
        }
        if need >= Need::Queue && self.is_full(tx)? {
            let is_frozen = devices::any_frozen(tx, self.project.id)?;
            let reason = if is_frozen {
                WaitingFor::Frozen
            } else {
                WaitingFor::Queue
            };
            return until(reason, soon);
        }
        if need >= Need::Memory && !tx.may_expose() {
            return until(WaitingFor::Frozen, soon);
        }
        Ok(None)
    }

    /// Returns when the plan's limit is looked at again, where it is used up.
    fn used_up_until(&mut self, tx: &mut Tx<'_>) -> Result<Option<UnixMs>, StoreError> {
        if let Some(known) = self.used_up_until {
            return Ok(known);
        }
        let now = self.now.unix;
        let found = match organizations::get(tx, self.project.organization_id)? {
            Some(organization) if plan::room_in(tx, &organization, now)? == Room::Only(0) => {
                let ends = plan::next_room_time(&organization, now);
                Some(ends.unwrap_or_else(|| now.plus_ms(LOOK_EVERY_MS)))
            }
            _ => None,
        };
        self.used_up_until = Some(found);
        Ok(found)
    }

    fn is_full(&mut self, tx: &mut Tx<'_>) -> Result<bool, StoreError> {
        let project = self.project;
        let known = self.hub.queue_caps.is_full(project, self.now.boot);
        if let Some(known) = self.is_full.or(known) {
            return Ok(known);
        }
        if !self.may_count {
            return Ok(false);
        }
        let most = project.queue_cap;
        let is_full = messages::count_queued(tx, project.id, most)? >= most;
        self.is_full = Some(is_full);
        Ok(is_full)
    }

    /// Says whether what a message is made of makes tests alone, whoever gets it.
    fn is_test(&mut self, tx: &mut Tx<'_>, message: &StoredMessage) -> Result<bool, StoreError> {
        let options = &message.options;
        let sender = options.sender.as_ref().map(|sender| sender.value);
        let Some(RouteId::Phone(id)) = sender.filter(|_| !options.simulated) else {
            return Ok(options.simulated);
        };
        if let Some(known) = self.are_test_phones.get(&id) {
            return Ok(*known);
        }
        let phone = phones::get(tx, self.project.id, id)?;
        let is_test = phone.is_some_and(|phone| phone.phone_type == PhoneType::Simulated);
        self.are_test_phones.insert(id, is_test);
        Ok(is_test)
    }
}

/// Returns why nothing of a project is sent, if nothing is.
pub(crate) fn halt(project: &Project, now: UnixMs) -> Option<WaitingFor> {
    if project.stopped {
        Some(WaitingFor::ProjectStopped)
    } else {
        project.is_halted(now).then_some(WaitingFor::PlanSuspended)
    }
}
