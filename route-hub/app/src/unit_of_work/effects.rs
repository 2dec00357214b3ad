//! What follows the commit of a job.

use crate::hub::Hub;
use crate::hub::bus::Bus;
use hub_store::changes::{self, Scope};
use hub_store::hints::{Hint, Hints};
use hub_store::{StoreError, Tx};
use postrider_model::{DeviceId, MessageId, OrganizationId, PhoneId, ProjectId};
use std::collections::BTreeSet;

/// Wake-ups that follow a commit. Each of them is a hint: losing one costs time and nothing else.
#[derive(Debug, Clone, Default)]
pub struct Effects {
    changed: Vec<MessageId>,
    queued: BTreeSet<PhoneId>,
    asked: BTreeSet<PhoneId>,
    simulated: bool,
    settings: BTreeSet<PhoneId>,
    webhooks: bool,
    broadcasts: bool,
    blocked: bool,
    rows: BTreeSet<ProjectId>,
    projects: BTreeSet<ProjectId>,
    devices: BTreeSet<(ProjectId, DeviceId)>,
    keys: BTreeSet<OrganizationId>,
}

impl Effects {
    /// A message's row changed.
    pub fn changed(&mut self, message: MessageId) {
        self.changed.push(message);
    }

    /// A phone has a message in its queue.
    pub fn queued(&mut self, phone: PhoneId) {
        self.queued.insert(phone);
    }

    /// The test route has a message to play.
    pub fn simulated(&mut self) {
        self.simulated = true;
    }

    /// A phone is asked for an exposure.
    pub fn asked(&mut self, phone: PhoneId) {
        self.asked.insert(phone);
    }

    /// A phone's settings, or what it holds, changed.
    pub fn settings(&mut self, phone: PhoneId) {
        self.settings.insert(phone);
    }

    /// Outbox rows were written.
    pub fn webhooks(&mut self) {
        self.webhooks = true;
    }

    /// A broadcast was made or cancelled.
    pub fn broadcasts(&mut self) {
        self.broadcasts = true;
    }

    /// Messages of blocked contacts are still to be looked at.
    pub fn blocked(&mut self) {
        self.blocked = true;
    }

    /// A project's phones changed, but nothing that a link must look at.
    pub fn rows(&mut self, project: ProjectId) {
        self.rows.insert(project);
    }

    /// A project changed, and each of its links must look.
    pub fn project(&mut self, project: ProjectId) {
        self.projects.insert(project);
    }

    /// A device's right to be connected changed.
    pub fn device(&mut self, project: ProjectId, device: DeviceId) {
        self.devices.insert((project, device));
    }

    /// An organization's API keys changed.
    pub fn keys(&mut self, organization: OrganizationId) {
        self.keys.insert(organization);
    }

    /// Notes in the database whose links the job concerns, for a hub that runs beside this process. The
    /// rows that it keeps in memory are told of where they are stored.
    pub fn note(&self, tx: &mut Tx<'_>) -> Result<(), StoreError> {
        let phones = self.queued.iter().chain(&self.asked);
        let scopes: BTreeSet<Scope> = phones.copied().map(Scope::Phone).collect();
        for scope in scopes {
            changes::raise(tx, scope)?;
        }
        self.note_settings(tx)
    }

    /// As [`Self::note`], but for messages, which the other hubs on a server look for themselves.
    pub(super) fn note_settings(&self, tx: &mut Tx<'_>) -> Result<(), StoreError> {
        let projects = self.projects.iter().copied().map(Scope::Project);
        for scope in projects.chain(self.settings.iter().copied().map(Scope::Phone)) {
            changes::raise(tx, scope)?;
        }
        Ok(())
    }

    /// Hints at what concerns every process.
    fn hint(&self, hints: &Hints) {
        let nothing = self.rows.is_empty()
            && self.projects.is_empty()
            && self.devices.is_empty()
            && self.keys.is_empty()
            && self.settings.is_empty();
        let hinted = [
            (!nothing, Hint::Changed),
            (self.webhooks, Hint::Webhooks),
            (self.broadcasts, Hint::Broadcasts),
            (self.simulated, Hint::Simulated),
        ];
        for (_, hint) in hinted.into_iter().filter(|(is_so, _)| *is_so) {
            hints.tell(hint);
        }
    }

    /// Adds what follows from another piece of the same job.
    pub fn merge(&mut self, other: Self) {
        self.changed.extend(other.changed);
        self.queued.extend(other.queued);
        self.asked.extend(other.asked);
        self.settings.extend(other.settings);
        self.simulated |= other.simulated;
        self.webhooks |= other.webhooks;
        self.broadcasts |= other.broadcasts;
        self.blocked |= other.blocked;
        self.rows.extend(other.rows);
        self.projects.extend(other.projects);
        self.devices.extend(other.devices);
        self.keys.extend(other.keys);
    }

    /// Wakes everybody concerned, after the commit; those of other processes by hints.
    pub fn perform(self, hub: &Hub) {
        if let Some(hints) = hub.store.hints() {
            self.hint(hints);
        }
        for message in self.changed {
            hub.bus.message_changed(message);
        }
        for phone in self.queued {
            wake(hub, phone, Hint::Queued, Bus::wake_phone);
        }
        if self.simulated {
            hub.bus.wake_simulated();
        }
        for phone in self.asked {
            wake(hub, phone, Hint::Asked, Bus::wake_asked);
        }
        for phone in self.settings {
            hub.bus.phone_changed(phone);
        }
        for project in self.rows {
            hub.cache.forget_rows_of(project);
        }
        for project in self.projects {
            hub.project_changed(project);
        }
        for (project, device) in self.devices {
            hub.bus.device_changed(project, device);
        }
        for organization in self.keys {
            hub.cache.forget_organization(organization);
        }
        if self.webhooks {
            hub.bus.wake_webhooks();
        }
        if self.broadcasts {
            hub.bus.wake_broadcasts();
        }
        if self.blocked {
            hub.bus.wake_blocked();
        }
    }
}

/// Wakes who listens for a phone: here, or elsewhere by a hint.
fn wake(hub: &Hub, phone: PhoneId, hint: fn(PhoneId) -> Hint, here: fn(&Bus, PhoneId) -> bool) {
    let is_here = here(&hub.bus, phone);
    if let Some(hints) = hub.store.hints().filter(|_| !is_here) {
        hints.tell(hint(phone));
    }
}
