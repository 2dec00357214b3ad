//! One unit of work in a project: what handlers and workers get within a transaction.

mod effects;

pub use effects::Effects;

use crate::actor::{Actor, Who};
use crate::audit;
use crate::hub::Hub;
use crate::hub::files::Addresses;
use hub_domain::routing::Ability;
use hub_domain::{Message, Phone, Project, ShortLink, UsageType};
use hub_store::broadcasts::{self, Tallies};
use hub_store::contacts;
use hub_store::{StoreError, Tx, messages, phones, short_links, statistics, usage};
use postrider_model::{BroadcastId, ContactId, GroupId, Id, Key, MessageId, Now, PhoneId};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fmt;
use std::sync::Arc;

/// One unit of work in a project, and what it gathers until its end.
pub struct UnitOfWork<'w, 't> {
    /// The hub.
    pub hub: &'w Hub,
    /// The transaction that it is written in.
    pub tx: &'w mut Tx<'t>,
    /// Who does it.
    pub who: Who,
    /// The project that it is in.
    pub project: &'w Project,
    /// When it began.
    pub now: Now,
    /// What follows the commit.
    pub effects: Effects,
    /// Exposures that got their result: the phone's window has room again.
    pub closed: Vec<Closed>,
    /// Phones that were looked up for custom routes.
    pub known: KnownPhones,
    /// Which dynamic groups contacts are in, as was asked for custom routes.
    pub groups: KnownGroups,
    /// Contacts that were looked up together.
    pub contacts: contacts::Known,
    /// What its messages do to the counts of their broadcasts.
    pub tallies: Tallies,
    made: Vec<Message>,
    links: Vec<ShortLink>,
    called_off: BTreeMap<BroadcastId, Option<i64>>,
    sent: BTreeMap<PhoneId, u64>,
    senders: BTreeMap<PhoneId, Option<Phone>>,
}

/// An exposure that got its result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Closed {
    /// The phone that held it.
    pub phone_id: PhoneId,
    /// The message's priority.
    pub priority: u8,
    /// Whether a custom route gave it to the phone.
    pub routed: bool,
}

/// A phone that a unit of work has looked up for its routes.
#[derive(Debug, Clone)]
pub struct Known {
    pub(crate) phone: Arc<Phone>,
    pub(crate) ability: Ability,
    pub(crate) queue: Option<u64>,
}

/// Phones that a unit of work has looked up; `None` for one that is gone.
pub type KnownPhones = BTreeMap<PhoneId, Option<Known>>;

/// Whether contacts are in dynamic groups, as a unit of work has seen it.
pub type KnownGroups = BTreeMap<(ContactId, GroupId), bool>;

impl<'w, 't> UnitOfWork<'w, 't> {
    /// Begins what the hub does by itself.
    pub fn new(hub: &'w Hub, tx: &'w mut Tx<'t>, project: &'w Project, now: Now) -> Self {
        Self {
            hub,
            tx,
            who: Who::Hub,
            project,
            now,
            effects: Effects::default(),
            closed: Vec::new(),
            known: KnownPhones::new(),
            groups: KnownGroups::new(),
            contacts: contacts::Known::default(),
            tallies: Tallies::default(),
            made: Vec::new(),
            links: Vec::new(),
            called_off: BTreeMap::new(),
            sent: BTreeMap::new(),
            senders: BTreeMap::new(),
        }
    }

    /// Begins what somebody does.
    pub fn of(actor: &'w Actor, tx: &'w mut Tx<'t>) -> Self {
        Self {
            who: actor.who.clone(),
            ..Self::new(&actor.hub, tx, &actor.project, actor.now)
        }
    }

    /// Returns who gives the addresses of files.
    pub fn addresses(&self) -> Addresses {
        self.hub.files.addresses(self.now.unix)
    }

    /// Makes the id of a new row; a job that runs again makes another.
    pub fn id<K>(&mut self) -> Id<K> {
        self.tx.id(self.now.unix)
    }

    /// As [`Self::id`], for rows whose key has no type of its own.
    pub(crate) fn key(&mut self) -> Key {
        self.tx.key(self.now.unix)
    }

    /// Writes down in the audit log what was done, and to what.
    pub fn note(
        &mut self,
        action: &'static str,
        target: impl fmt::Display,
    ) -> Result<(), StoreError> {
        let line = audit::Line {
            organization_id: self.project.organization_id,
            project_id: Some(self.project.id),
            action,
            target: target.to_string(),
        };
        audit::write(self.tx, &self.who, line, self.now)
    }

    /// Wakes the sender of a waiting message after the commit.
    pub fn wake(&mut self, message: &Message) {
        if message.simulated {
            self.effects.simulated();
        } else {
            self.effects.queued(message.phone_id);
        }
    }

    /// Takes a new message with its short links; they are stored with the others at the end, or before
    /// somebody counts them.
    pub(crate) fn make(&mut self, message: &Message, links: &[ShortLink]) {
        self.made.push(message.clone());
        self.links.extend_from_slice(links);
        self.tallies.made(message);
    }

    /// Checks that there is room for one more message than were made, within the limits that the job is
    /// held to.
    ///
    /// # Errors
    /// [`StoreError::Beyond`] where there is not.
    pub(crate) fn check_room(&mut self, message: &Message) -> Result<(), StoreError> {
        let count = |made: usize| i64::try_from(made).unwrap_or(i64::MAX).saturating_add(1);
        usage::check(self.tx, UsageType::StoredMessages, count(self.made.len()))?;
        if message.simulated {
            return Ok(());
        }
        let external = self.made.iter().filter(|made| !made.simulated).count();
        usage::check(self.tx, UsageType::ExternalMessagesDay, count(external))
    }

    /// Returns the short links of a message that is not stored yet.
    pub(crate) fn links_of_new(&self, id: MessageId) -> Vec<ShortLink> {
        let own = self.links.iter().filter(|link| link.message_id == id);
        own.cloned().collect()
    }

    /// Stores the messages that were made so far, and their short links.
    pub(crate) fn write_made(&mut self) -> Result<(), StoreError> {
        let (made, links) = (
            std::mem::take(&mut self.made),
            std::mem::take(&mut self.links),
        );
        messages::insert_all(self.tx, &made)?;
        short_links::insert_all(self.tx, &links)?;
        statistics::count_links(self.tx, &made, &links)
    }

    /// Counts a message that was sent on a phone.
    pub fn count_sent(&mut self, phone: PhoneId) {
        *self.sent.entry(phone).or_default() += 1;
    }

    /// Returns how many messages this unit of work has seen sent on a phone, which its row does not
    /// count yet.
    pub fn sent_on(&self, phone: PhoneId) -> u64 {
        self.sent.get(&phone).copied().unwrap_or(0)
    }

    /// Returns a phone that has just sent something, as it was when this unit of work asked first.
    pub(crate) fn phone_that_sent(&mut self, id: PhoneId) -> Result<Option<&Phone>, StoreError> {
        let phone = match self.senders.entry(id) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => new.insert(phones::by_key(self.tx, id)?),
        };
        Ok(phone.as_ref())
    }

    /// Says whether a message is not to be sent, since its broadcast was cancelled.
    pub fn is_called_off(&mut self, message: &Message) -> Result<bool, StoreError> {
        let Some(id) = message.broadcast_id else {
            return Ok(false);
        };
        let walked_up_to = match self.called_off.get(&id) {
            Some(known) => *known,
            None => broadcasts::called_off(self.tx, id)?,
        };
        self.called_off.insert(id, walked_up_to);
        Ok(walked_up_to.is_some_and(|up_to| message.id.get() > up_to))
    }

    /// Stores what was counted of broadcasts so far, for whoever shows one before the end.
    pub fn write_tallies(&mut self) -> Result<(), StoreError> {
        std::mem::take(&mut self.tallies).write(self.tx)
    }

    /// Ends the unit of work: stores its messages, counts what was sent on each phone, and what
    /// became of broadcasts.
    pub fn finish(&mut self) -> Result<Effects, StoreError> {
        self.write_made()?;
        self.write_tallies()?;
        for (phone_id, sent) in std::mem::take(&mut self.sent) {
            let known = self.senders.remove(&phone_id);
            let found = known.map_or_else(|| phones::by_key(self.tx, phone_id), Ok)?;
            let Some(mut phone) = found else {
                continue;
            };
            let paused = phone.send_paused;
            phone.count_sent(sent);
            phone.last_active_time = Some(self.now.unix);
            phones::update_sent_count(self.tx, &phone)?;
            if paused != phone.send_paused {
                self.effects.settings(phone_id);
            }
        }
        if self.tx.is_shared() {
            self.effects.note_settings(self.tx)?;
        }
        Ok(std::mem::take(&mut self.effects))
    }
}
