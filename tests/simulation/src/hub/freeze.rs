//! A hub that went backwards: what waits, and for whose word.

use super::{
    DeviceState,
    apply::{Detail, Effects},
    rows::Freeze,
};
use crate::world::World;
use postrider_link::{
    frame::Hello,
    ownership::hub::{Fact, HubState},
    session::hub::{Admission, DeviceLink},
};
use postrider_model::{DeviceId, MessageId};

/// Says whether a hello shows what a hub that kept its rows cannot have forgotten, and no freeze
/// expects.
pub(super) fn is_evidence(
    hello: &Hello,
    is_frozen: bool,
    row: &DeviceLink,
    found: &Admission,
) -> bool {
    if found.reconcile.is_none() || found.lost_install.is_some() || is_frozen {
        return false;
    }
    let numbering = hello.generation == row.generation;
    let shows_more = hello.down > row.down_sent || hello.up_lo > row.up.saturating_add(1);
    let is_ahead = row.generation > 0 && hello.generation > row.generation;
    found.raise_generation.is_some() || is_ahead || (numbering && shows_more)
}

impl World {
    /// Freezes everything: each phone until it has answered to the generation.
    pub(crate) fn freeze_all(&mut self) {
        let generation = self.hub.rows.generation;
        let rows = &mut self.hub.rows;
        let behind = rows.devices.values_mut().filter(|device| {
            device.link.generation < generation && device.state != DeviceState::Revoked
        });
        behind.for_each(|device| device.frozen = true);
        rows.witness = None;
        if self.any_frozen() {
            let of = self.hub.rows.messages.keys().copied().collect();
            self.hub.rows.freeze = Some(Freeze { whole: true, of });
            self.coverage.mark("link", "everything is frozen", "");
        }
    }

    fn any_frozen(&self) -> bool {
        let mut devices = self.hub.rows.devices.values();
        devices.any(|device| device.frozen && device.state == DeviceState::Active)
    }

    /// A phone has shown that the hub went backwards: it waits for its own word, and with a second
    /// one all of them do.
    pub(super) fn went_backwards(&mut self, device: DeviceId) {
        let rows = &mut self.hub.rows;
        if rows.witness.is_some_and(|witness| witness != device) {
            return self.freeze_all();
        }
        rows.witness = Some(device);
        if let Some(row) = rows.devices.get_mut(&device) {
            row.frozen = true;
        }
        let whole = rows.freeze.as_ref().is_some_and(|freeze| freeze.whole);
        let of = rows.messages.keys().copied().collect();
        rows.freeze = Some(Freeze { whole, of });
        self.coverage.mark("link", "one phone is frozen", "");
    }

    /// A phone has shown all that it holds, or was never given anything.
    pub(super) fn answered(&mut self, device: DeviceId, effects: &mut Effects) {
        if let Some(row) = self.hub.rows.devices.get_mut(&device) {
            row.frozen = false;
        }
        if self.hub.rows.freeze.is_some() && !self.any_frozen() {
            self.hub.rows.freeze = None;
            self.coverage.mark("link", "a freeze has ended", "");
            let slots: Vec<_> = self.hub.rows.sims.keys().copied().collect();
            slots.into_iter().for_each(|slot| effects.settings(slot));
        }
    }

    /// A phone will never say what it holds: what it was given is unknown, and while it is frozen
    /// so is what waits for it.
    pub(crate) fn device_gone(&mut self, device: DeviceId) -> Effects {
        let mut effects = Effects::default();
        for id in self.hub.rows.held(device) {
            self.apply(id, Fact::HolderLost, Detail::default(), &mut effects);
        }
        let is_frozen = self
            .hub
            .rows
            .devices
            .get(&device)
            .is_some_and(|row| row.frozen);
        if !is_frozen {
            return effects;
        }
        if let Some(freeze) = self.hub.rows.freeze.clone() {
            let messages = self.hub.rows.messages.values();
            let waits = messages.filter(|message| {
                message.owner.state == HubState::Waiting
                    && message.route.0 == device
                    && freeze.of.contains(&message.id)
            });
            let ids: Vec<MessageId> = waits.map(|message| message.id).collect();
            for id in ids {
                self.apply(id, Fact::ExposureForgotten, Detail::default(), &mut effects);
            }
        }
        self.answered(device, &mut effects);
        effects
    }

    /// Says whether a message that waits may be on a phone that has not answered.
    pub(super) fn may_be_out(&self, id: MessageId) -> bool {
        let rows = &self.hub.rows;
        let Some(freeze) = &rows.freeze else {
            return false;
        };
        let Some(message) = rows.messages.get(&id).filter(|_| freeze.of.contains(&id)) else {
            return false;
        };
        freeze.whole
            || rows
                .devices
                .get(&message.route.0)
                .is_some_and(|device| device.frozen)
    }
}
