//! A hub that went backwards: what waits, and for whose word.

use super::{
    DeviceState,
    apply::{Detail, Effects},
    rows::Freeze,
};
use crate::{world::World, wrong::Wrong};
use postrider_link::{
    ownership::hub::{Fact, HubState},
    session::hub::Admission,
};
use postrider_model::{DeviceId, MessageId};

/// Says whether a hello shows what a hub that kept its rows cannot have forgotten, and no freeze
/// expects.
pub(super) fn is_evidence(is_frozen: bool, found: &Admission) -> bool {
    found.raise_generation.is_some() && found.lost_install.is_none() && !is_frozen
}

impl World {
    /// Freezes everything: each phone until it has answered to the generation. What the rows have
    /// out of service may have been paired again since they were written, so it is frozen, too; but
    /// nobody waits for it beyond what is queued for it.
    pub(crate) fn freeze_all(&mut self) {
        let generation = self.hub.rows.generation;
        let rows = &mut self.hub.rows;
        let given_up = rows.freeze.as_ref().is_some_and(|freeze| freeze.given_up);
        for device in rows.devices.values_mut() {
            let seen = device.link.generation;
            // Whoever has not answered yet is asked already.
            if seen >= generation.max(device.own_generation) {
                device.own_generation = seen + 1;
            }
            device.frozen = true;
            device.alone = false;
        }
        if self.any_frozen() {
            let of = self.hub.rows.messages.keys().copied().collect();
            let whole = self.any_waited_for();
            self.hub.rows.freeze = Some(Freeze {
                whole,
                given_up,
                of,
            });
            self.coverage.mark("link", "everything is frozen", "");
        }
    }

    fn any_frozen(&self) -> bool {
        let mut devices = self.hub.rows.devices.values();
        devices.any(|device| device.frozen)
    }

    fn any_waited_for(&self) -> bool {
        let mut devices = self.hub.rows.devices.values();
        devices.any(|device| device.frozen && device.state == DeviceState::Active)
    }

    /// A phone's numbers show that the hub went backwards: it waits for its own word, and nobody
    /// else does.
    pub(super) fn went_backwards(&mut self, device: DeviceId) {
        let rows = &mut self.hub.rows;
        if let Some(row) = rows.devices.get_mut(&device) {
            row.frozen = true;
            row.alone = true;
        }
        let (whole, given_up) = match &rows.freeze {
            Some(freeze) => (freeze.whole, freeze.given_up),
            None => (false, false),
        };
        let of = rows.messages.keys().copied().collect();
        rows.freeze = Some(Freeze {
            whole,
            given_up,
            of,
        });
        self.coverage.mark("link", "one phone is frozen", "");
    }

    /// A phone that was frozen by its numbers has shown an exposure that the hub made and does not
    /// know: everything is frozen.
    pub(super) fn proven(&mut self, device: DeviceId) {
        let row = self.hub.rows.devices.get(&device);
        if row.is_some_and(|row| row.alone) {
            self.hub.proof_came = true;
            if self.has(Wrong::HubIgnoresProofs) {
                return;
            }
            self.coverage.mark("link", "a proven row freezes all", "");
            self.freeze_all();
            let sockets: Vec<u64> = self.hub.links.keys().copied().collect();
            for socket in sockets {
                self.look_again(socket);
            }
        }
    }

    /// A message is given to a device. Of what went to another one before its earlier holder came back
    /// nothing can be promised, as long as nobody has proven that the rows went back; nor of what a
    /// lying phone is given.
    pub(super) fn given(&mut self, id: MessageId, to: DeviceId) {
        let others = self.hub.awaited.get(&id);
        let is_early = others.is_some_and(|others| others.iter().any(|other| *other != to));
        if is_early && !self.hub.proof_came {
            self.coverage
                .mark("link", "given away before its holder came back", "");
            self.model.taint_messages(vec![id]);
        }
        if self.is_liar(to) {
            self.model.taint_messages(vec![id]);
        }
    }

    /// A device is paired or installed anew before it came back: of what its successor is given then nothing can be
    /// promised, as long as nobody has proven that the rows went back.
    pub(crate) fn succeeds(&mut self, device: DeviceId) {
        if self.hub.proof_came {
            return;
        }
        let awaited = self.hub.awaited.iter();
        let of_it = awaited.filter(|(_, others)| others.contains(&device));
        let ids = of_it.map(|(id, _)| *id).collect();
        self.model.taint_messages(ids);
    }

    /// A device has come back since the rows were put back.
    pub(super) fn came_back(&mut self, device: DeviceId) {
        for others in self.hub.awaited.values_mut() {
            others.remove(&device);
        }
    }

    /// Has a link look at its settings, and so notice that it is frozen.
    fn look_again(&mut self, socket: u64) {
        if let Some(link) = self.hub.links.get_mut(&socket) {
            link.turn.settings = true;
            self.begin_commit(socket);
        }
    }

    /// A phone has shown all that it holds, or was never given anything.
    pub(super) fn answered(&mut self, device: DeviceId, effects: &mut Effects) {
        if let Some(row) = self.hub.rows.devices.get_mut(&device) {
            row.frozen = false;
            row.alone = false;
        }
        let Some(freeze) = self.hub.rows.freeze.clone() else {
            return;
        };
        if freeze.whole && !self.any_waited_for() {
            self.hub.rows.freeze = Some(Freeze {
                whole: false,
                given_up: false,
                ..freeze
            });
            self.coverage.mark("link", "a freeze has ended", "");
            let slots: Vec<_> = self.hub.rows.sims.keys().copied().collect();
            slots.into_iter().for_each(|slot| effects.settings(slot));
        }
        if !self.any_frozen() {
            self.hub.rows.freeze = None;
            self.coverage.mark("link", "a freeze has ended", "");
            let slots: Vec<_> = self.hub.rows.sims.keys().copied().collect();
            slots.into_iter().for_each(|slot| effects.settings(slot));
        }
    }

    /// A phone will never say what it holds: what it was given is unknown. So is, while it is
    /// frozen, what waits and may have been given to it: what is queued for it, and all that is
    /// queued where everything waits for its word.
    pub(crate) fn device_gone(&mut self, device: DeviceId, was: DeviceState) -> Effects {
        let mut effects = Effects::default();
        for id in self.hub.rows.held(device) {
            self.apply(id, Fact::HolderLost, Detail::default(), &mut effects);
        }
        let row = self.hub.rows.devices.get(&device);
        if !row.is_some_and(|row| row.frozen) {
            return effects;
        }
        let is_waited_for = was == DeviceState::Active;
        if let Some(freeze) = self.hub.rows.freeze.as_mut() {
            let of_all = freeze.whole && is_waited_for;
            freeze.given_up |= of_all;
            let freeze = freeze.clone();
            let only = (!of_all).then_some(device);
            self.forget_exposures(&freeze, only, &mut effects);
        }
        self.answered(device, &mut effects);
        effects
    }

    /// A phone has proven that it did not send a message, after another one was given up that all
    /// of them waited for: it may have been moved to that one.
    pub(super) fn freed(&mut self, id: MessageId, effects: &mut Effects) {
        let freeze = self.hub.rows.freeze.as_ref();
        let is_lost = freeze.is_some_and(|freeze| freeze.given_up && freeze.of.contains(&id));
        if is_lost {
            self.coverage.mark(
                "link",
                "given back, and perhaps given to one that is lost",
                "",
            );
            self.apply(id, Fact::ExposureForgotten, Detail::default(), effects);
        }
    }

    /// Nobody can know what became of what waits, perhaps only for one device.
    fn forget_exposures(&mut self, freeze: &Freeze, only: Option<DeviceId>, effects: &mut Effects) {
        let messages = self.hub.rows.messages.values();
        let waits = messages.filter(|message| {
            message.owner.state == HubState::Waiting
                && only.is_none_or(|device| message.route.0 == device)
                && freeze.of.contains(&message.id)
        });
        let ids: Vec<MessageId> = waits.map(|message| message.id).collect();
        for id in ids {
            self.apply(id, Fact::ExposureForgotten, Detail::default(), effects);
        }
    }

    /// Says whether its own phone, frozen and waited for by nobody else, may have a message that
    /// waits: then it goes to another one by its sender's choice alone.
    pub(super) fn may_be_with_its_phone(&self, id: MessageId) -> bool {
        let rows = &self.hub.rows;
        let Some(message) = rows.messages.get(&id).filter(|_| self.may_be_out(id)) else {
            return false;
        };
        let whole = rows.freeze.as_ref().is_some_and(|freeze| freeze.whole);
        rows.devices
            .get(&message.route.0)
            .is_some_and(|device| device.frozen && !(whole && device.state == DeviceState::Active))
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
