//! A hello: who it is, by the rules of [`hello`], and the rows that an admission stores.

use super::{Answer, Sim, apply::Effects, held::Held, proof};
use crate::{
    log::{Line, Who},
    world::World,
};
use postrider_link::{
    close::CloseCode,
    dispatch::{
        hello::{self, Service},
        newest::Fence,
    },
    frame::{Hello, InstallId, Send, SimInfo},
    session::hub::{Admission, Circumstances, Decision, DeviceLink},
};
use postrider_model::{BootMs, DeviceId, MessageId};
use std::convert::Infallible;

/// A phone that came in, as committed.
#[derive(Debug)]
pub struct Admitted {
    /// How it is admitted.
    pub admission: Admission,
    /// Exposures that it has not received and that are still wanted.
    pub resume: Vec<Send>,
    /// Which connection it is.
    pub fence: Fence,
}

/// A year: the longest life that a frame names.
const TTL_MS_MAX: i64 = 366 * 24 * 3_600_000;

impl hello::Rows for Held<'_> {
    fn lose(&mut self, install: &InstallId) -> Result<(), Infallible> {
        let device = self.by.device;
        let rows = &mut self.world.hub.rows;
        let key = rows.devices[&device].key;
        rows.lost.insert((device, install.clone()), key);
        self.world.gives_up(device, Service::Open, self.effects);
        Ok(())
    }

    fn answered(&mut self) -> Result<(), Infallible> {
        self.world.answered(self.by.device, self.effects);
        Ok(())
    }

    fn went_backwards(&mut self) -> Result<(), Infallible> {
        self.world
            .note(Line::new(Who::Hub, "finds that it went back"));
        self.world.went_backwards(self.by.device);
        Ok(())
    }

    fn admit(&mut self, link: &DeviceLink, gen_own: u64) -> Result<(), Infallible> {
        if let Some(device) = self.world.hub.rows.devices.get_mut(&self.by.device) {
            (device.link, device.own_generation) = (link.clone(), gen_own);
        }
        Ok(())
    }

    fn sync_sims(&mut self, sims: &[SimInfo]) -> Result<(), Infallible> {
        self.world.sync_sims(self.by.device, sims);
        Ok(())
    }
}

impl World {
    /// Decides about a hello on a socket accepted at `accepted`, and commits what follows.
    pub(crate) fn identify(&mut self, hello: &Hello, accepted: BootMs) -> Answer {
        self.step();
        let (id, now) = (hello.phone, self.hub_now());
        let Some(device) = self.hub.rows.devices.get(&id) else {
            self.coverage
                .mark("link", "a phone of no row is not known", "");
            return Answer::Refused(CloseCode::NotKnown);
        };
        if self.hub.wrong_name_until > self.at {
            return Answer::Refused(CloseCode::NotKnown);
        }
        if hello.sig.0 != device.key.to_be_bytes() {
            return Answer::Refused(self.of_replaced(hello));
        }
        let row = &device.link;
        let newest = Fence::of(id, row);
        self.hub.newest.learn(&newest, now.boot);
        let around = Circumstances {
            generation: self.hub.rows.generation,
            own_generation: device.own_generation,
            overtaken: self.hub.newest.has_overtaken(&newest, accepted),
            install_is_lost: self.hub.rows.is_lost(id, &hello.install),
        };
        let acked = self.hub.newest.acked_on(&newest);
        match hello::decide(hello, device.state, row, acked, around) {
            Decision::Admit(admission) => self.admits(hello, *admission),
            Decision::WentBack => {
                self.went_back(hello);
                Answer::Refused(CloseCode::JournalWentBack)
            }
            Decision::Refuse(code) => Answer::Refused(code),
        }
    }

    /// Returns what a phone hears that does not have the device's key: that it was replaced, when it
    /// shows the key of that time.
    fn of_replaced(&self, hello: &Hello) -> CloseCode {
        let name = (hello.phone, hello.install.clone());
        let former = self.hub.rows.lost.get(&name).map(|key| key.to_be_bytes());
        if former.is_some_and(|key| hello.sig.0 == key) {
            CloseCode::NotPaired
        } else {
            CloseCode::NotKnown
        }
    }

    fn went_back(&mut self, hello: &Hello) {
        self.coverage
            .mark("link", "a journal went back or was copied", "");
        self.note(Line::new(Who::Hub, "a journal went back or was copied"));
        if let Some(device) = self.hub.rows.devices.get_mut(&hello.phone) {
            device.state = Service::NeedsPairing;
        }
        let effects = self.device_gone(hello.phone, Service::Open);
        self.wake(effects);
        let is_sound = self.model.is_suspect(hello.phone);
        if !is_sound {
            let text = format!("{} was sound, and is refused: {hello:?}", hello.phone);
            self.fail("a sound journal is never refused", None, text);
        }
    }

    fn admits(&mut self, hello: &Hello, admission: Admission) -> Answer {
        let fence = Fence::of(hello.phone, &admission.link);
        let Some(device) = self.hub.rows.freezable(fence.device) else {
            return Answer::Refused(CloseCode::NotKnown);
        };
        self.mark_admission(&admission);
        let mut effects = Effects::default();
        let mut rows = Held {
            world: self,
            by: fence.holder(),
            effects: &mut effects,
        };
        let Ok(resume) = hello::admit(&mut rows, device, hello, &admission);
        if admission.reconcile.is_none() && admission.lost_install.is_none() {
            self.came_back(fence.device);
        }
        if !resume.is_empty() {
            self.coverage
                .mark("link", "exposures go out again with their numbers", "");
        }
        self.wake(effects);
        Answer::Admitted(Box::new(Admitted {
            admission,
            resume,
            fence,
        }))
    }

    fn mark_admission(&mut self, admission: &Admission) {
        let met = [
            (admission.lost_install.is_some(), "another installation"),
            (
                admission.raise_generation.is_some(),
                "a device gets a generation of its own",
            ),
            (admission.reconcile.is_some(), "held pages are asked for"),
        ];
        for (_, word) in met.into_iter().filter(|(is_so, _)| *is_so) {
            self.coverage.mark("link", word, "");
        }
    }

    /// Takes in which SIMs a device has: another one pauses its slot.
    pub(crate) fn sync_sims(&mut self, device: DeviceId, sims: &[SimInfo]) {
        let mut changed = false;
        for info in sims {
            let sim: &mut Sim = self.hub.rows.sims.entry((device, info.slot)).or_default();
            let Some(seen) = &info.fingerprint else {
                continue;
            };
            match &sim.fingerprint {
                Some(known) => {
                    changed |= !sim.sim_changed && known != seen;
                    sim.sim_changed = known != seen;
                }
                None => sim.fingerprint = Some(seen.clone()),
            }
        }
        if changed {
            self.coverage
                .mark("dispatch", "another SIM pauses its slot", "");
        }
    }

    /// Makes the frame of an exposure.
    pub(crate) fn frame(&self, id: MessageId, s: u64) -> Option<Send> {
        let message = self.hub.rows.messages.get(&id)?;
        let left = (message.life_end - self.hub_now().unix.0).clamp(0, TTL_MS_MAX);
        Some(Send {
            s,
            id,
            ep: message.owner.ep,
            proof: message
                .owner
                .holder
                .as_ref()
                .map(|by| proof::of(by, id, message.owner.ep)),
            kind: message.kind.clone(),
            to: message.to.clone(),
            text: message.text.clone(),
            data: message.data.clone(),
            sim: message.route.1,
            parts_max: None,
            ttl_ms: left.unsigned_abs(),
            report: true,
            priority: i64::from(message.priority),
            movable: message.movable,
            media: Vec::new(),
        })
    }
}
