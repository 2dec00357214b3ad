//! What a job asks to be done after its commit.

use crate::hub::Hub;
use postrider_model::{MessageId, PhoneId};
use std::collections::BTreeSet;

/// Wake-ups that follow a commit; hints, every one of them.
#[derive(Debug, Clone, Default)]
pub struct Effects {
    changed: Vec<MessageId>,
    queued: BTreeSet<PhoneId>,
    asked: BTreeSet<PhoneId>,
    simulated: bool,
    settings: BTreeSet<PhoneId>,
    webhooks: bool,
    broadcasts: bool,
    everything: bool,
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

    /// Phones, devices or keys changed in a way that every listener must look at.
    pub fn everything(&mut self) {
        self.everything = true;
    }

    /// Adds what another piece of the same job asks for.
    pub fn merge(&mut self, other: Self) {
        self.changed.extend(other.changed);
        self.queued.extend(other.queued);
        self.asked.extend(other.asked);
        self.settings.extend(other.settings);
        self.simulated |= other.simulated;
        self.webhooks |= other.webhooks;
        self.broadcasts |= other.broadcasts;
        self.everything |= other.everything;
    }

    /// Tells everybody concerned; called after the commit.
    pub fn perform(self, hub: &Hub) {
        for message in self.changed {
            hub.bus.message_changed(message);
        }
        for phone in self.queued {
            hub.bus.wake_phone(phone);
        }
        if self.simulated {
            hub.bus.wake_simulated();
        }
        for phone in self.asked {
            hub.bus.wake_asked(phone);
        }
        for phone in self.settings {
            hub.bus.phone_changed(phone);
        }
        if self.everything {
            hub.rows_changed();
        }
        if self.webhooks {
            hub.bus.wake_webhooks();
        }
        if self.broadcasts {
            hub.bus.wake_broadcasts();
        }
    }
}
