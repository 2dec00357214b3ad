//! A hub that went backwards: what waits, and for whose word.

use super::{
    apply::{Detail, Effects},
    rows::{Message, Slot},
};
use crate::world::World;
use postrider_link::{
    dispatch::{
        freeze::{self, Freeze, Frozen, Queues, Rows},
        hello::Service,
        turn::Woken,
    },
    mistake,
    ownership::hub::{Fact, HubState},
};
use postrider_model::{DeviceId, MessageId};
use std::convert::Infallible;

/// The hub's rows, as the rules of a freeze read and write them.
struct Freezing<'a> {
    world: &'a mut World,
    effects: &'a mut Effects,
}

impl Rows for Freezing<'_> {
    type Error = Infallible;

    fn generation(&mut self) -> Result<u64, Infallible> {
        Ok(self.world.hub.rows.generation)
    }

    fn newest_key(&mut self) -> Result<i64, Infallible> {
        Ok(self.world.hub.rows.places)
    }

    fn freeze(&mut self) -> Result<Option<Freeze>, Infallible> {
        Ok(self.world.hub.rows.freeze)
    }

    fn put_freeze(&mut self, freeze: Option<Freeze>) -> Result<(), Infallible> {
        self.world.hub.rows.freeze = freeze;
        Ok(())
    }

    fn devices(&mut self) -> Result<Vec<freeze::Device>, Infallible> {
        let rows = &self.world.hub.rows;
        let devices = rows.devices.keys();
        Ok(devices.filter_map(|id| rows.freezable(*id)).collect())
    }

    fn frozen(&mut self) -> Result<Frozen, Infallible> {
        let devices = self.devices()?;
        let mut frozen = devices.iter().filter(|device| device.frozen).peekable();
        Ok(Frozen {
            any: frozen.peek().is_some(),
            waits: frozen.any(|device| device.in_service),
        })
    }

    fn freeze_device(&mut self, id: DeviceId, gen_own: u64) -> Result<(), Infallible> {
        if let Some(device) = self.world.hub.rows.devices.get_mut(&id) {
            (device.frozen, device.own_generation) = (true, gen_own);
        }
        Ok(())
    }

    fn thaw_device(&mut self, id: DeviceId) -> Result<(), Infallible> {
        if let Some(device) = self.world.hub.rows.devices.get_mut(&id) {
            device.frozen = false;
        }
        Ok(())
    }

    fn put_alone(&mut self, id: DeviceId, alone: bool) -> Result<(), Infallible> {
        if let Some(device) = self.world.hub.rows.devices.get_mut(&id) {
            device.alone = alone;
        }
        Ok(())
    }

    fn forget_exposures(&mut self, of: Queues, up_to: i64) -> Result<(), Infallible> {
        let is_of = |slot: Slot| match of {
            Queues::OfProject => true,
            Queues::OfDevice(device) => slot.0 == device,
        };
        let waits = |message: &&Message| {
            let is_waiting = message.owner.state == HubState::Waiting;
            is_waiting && is_of(message.route) && message.place <= up_to
        };
        let messages = self.world.hub.rows.messages.values().filter(waits);
        let ids: Vec<MessageId> = messages.map(|message| message.id).collect();
        for id in ids {
            let fact = Fact::ExposureForgotten;
            self.world.apply(id, fact, Detail::default(), self.effects);
        }
        Ok(())
    }
}

impl World {
    /// Freezes everything: each phone until it has answered to the generation.
    pub(crate) fn freeze_all(&mut self) {
        let effects = &mut Effects::default();
        let Ok(_) = freeze::freeze_all(&mut Freezing {
            world: self,
            effects,
        });
        if self.hub.rows.freeze.is_some() {
            self.coverage.mark("link", "everything is frozen", "");
        }
    }

    /// A phone's numbers show that the hub went backwards: it waits for its own word, and nobody
    /// else does.
    pub(super) fn went_backwards(&mut self, device: DeviceId) {
        let Some(device) = self.hub.rows.freezable(device) else {
            return;
        };
        let effects = &mut Effects::default();
        let mut rows = Freezing {
            world: self,
            effects,
        };
        let Ok(()) = freeze::freeze_alone(&mut rows, device);
        self.coverage.mark("link", "one phone is frozen", "");
    }

    /// A phone that was frozen by its numbers has shown an exposure that the hub made and does not
    /// know: everything is frozen.
    pub(super) fn proven(&mut self, device: DeviceId) {
        let row = self.hub.rows.devices.get(&device);
        if row.is_some_and(|row| row.alone) {
            self.hub.proof_came = true;
            if mistake::is("hub_ignores_proofs") {
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
            link.of.woken(Woken {
                changed: true,
                ..Woken::default()
            });
            self.begin_commit(socket);
        }
    }

    /// A phone has shown all that it holds, or was never given anything.
    pub(super) fn answered(&mut self, device: DeviceId, effects: &mut Effects) {
        let Some(device) = self.hub.rows.freezable(device) else {
            return;
        };
        let world = &mut *self;
        let Ok(ended) = freeze::answered(&mut Freezing { world, effects }, device);
        self.thawed(ended, effects);
    }

    fn thawed(&mut self, ended: bool, effects: &mut Effects) {
        if ended {
            self.coverage.mark("link", "a freeze has ended", "");
            let slots = self.hub.rows.sims.keys();
            slots.for_each(|slot| effects.settings(*slot));
        }
    }

    /// A phone will never say what it holds: what it was given is unknown, and what else a freeze
    /// says. `was` is whether it might connect until then.
    pub(crate) fn device_gone(&mut self, device: DeviceId, was: Service) -> Effects {
        let mut effects = Effects::default();
        self.gives_up(device, was, &mut effects);
        effects
    }

    /// The same, in a commit that does more.
    pub(super) fn gives_up(&mut self, device: DeviceId, was: Service, effects: &mut Effects) {
        for id in self.hub.rows.held(device) {
            self.apply(id, Fact::HolderLost, Detail::default(), effects);
        }
        if let Some(row) = self.hub.rows.freezable(device) {
            let world = &mut *self;
            let in_service = was == Service::Open;
            let device = freeze::Device { in_service, ..row };
            let Ok(ended) = freeze::gone(&mut Freezing { world, effects }, device);
            self.thawed(ended, effects);
        }
    }

    /// Returns whether its own phone, frozen and waited for by nobody else, may have a message that
    /// waits: then it goes to another one by its sender's choice alone.
    pub(super) fn may_be_with_its_phone(&self, id: MessageId) -> bool {
        let rows = &self.hub.rows;
        let (Some(message), Some(freeze)) = (rows.messages.get(&id), rows.freeze) else {
            return false;
        };
        let own = rows.freezable(message.route.0);
        own.is_some_and(|own| freeze.may_be_with_its_phone(message.place, own))
    }

    /// Returns whether a message that waits may be on a phone that has not answered.
    pub(super) fn may_be_out(&self, id: MessageId) -> bool {
        let rows = &self.hub.rows;
        let (Some(message), Some(freeze)) = (rows.messages.get(&id), rows.freeze) else {
            return false;
        };
        let own = rows.freezable(message.route.0);
        let is_own_frozen = || Ok(own.is_some_and(|own| own.frozen));
        let Ok(may_be) = freeze.may_be_out::<Infallible>(message.place, is_own_frozen);
        may_be
    }
}
