//! A hello: who it is, whether it may come in, and what its journal proves.

use super::{
    Answer, DeviceState, Sim,
    apply::{Detail, Effects, is_requeued},
    link::Fence,
    proof,
};
use crate::{
    log::{Line, Who},
    world::World,
};
use postrider_link::{
    close::CloseCode,
    frame::{Hello, Send, SimInfo},
    ownership::hub::{Fact, Holder},
    session::hub::{Admission, Circumstances, Decision, DeviceLink, decide},
};
use postrider_model::{DeviceId, MessageId};

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

impl World {
    /// Decides about a hello, and commits what follows.
    pub(crate) fn identify(&mut self, hello: &Hello, overtaken: bool) -> Answer {
        self.step();
        let Some(device) = self.hub.rows.devices.get(&hello.phone).cloned() else {
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
        match device.state {
            DeviceState::Active => {}
            DeviceState::NeedsPairing => return Answer::Refused(CloseCode::JournalWentBack),
            DeviceState::Revoked => return Answer::Refused(CloseCode::NotPaired),
        }
        let mut row = device.link.clone();
        row.down_acked = self.acked(hello.phone, &row).max(row.down_acked);
        let around = Circumstances {
            generation: self.hub.rows.generation,
            own_generation: device.own_generation,
            overtaken,
            install_is_lost: self.hub.rows.is_lost(hello.phone, &hello.install),
        };
        match decide(hello, &row, around) {
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
        match former.is_some_and(|key| hello.sig.0 == key) {
            true => CloseCode::NotPaired,
            false => CloseCode::NotKnown,
        }
    }

    /// Returns what was acked on the newest connection: a second phone of this identity must have
    /// it, though no commit stored it yet.
    fn acked(&self, id: DeviceId, row: &DeviceLink) -> u64 {
        let links = self.hub.links.values();
        let newest = links.filter(|link| {
            let fence = link.joined.as_ref().map(|joined| &joined.fence);
            fence.is_some_and(|fence| {
                fence.device == id && row.admits(fence.conn) && row.install == fence.install
            })
        });
        let acked = newest.map(|link| link.acked).max();
        acked.unwrap_or(0).min(row.down_sent)
    }

    fn went_back(&mut self, hello: &Hello) {
        self.coverage
            .mark("link", "a journal went back or was copied", "");
        self.note(Line::new(Who::Hub, "a journal went back or was copied"));
        if let Some(device) = self.hub.rows.devices.get_mut(&hello.phone) {
            device.state = DeviceState::NeedsPairing;
        }
        let effects = self.device_gone(hello.phone, DeviceState::Active);
        self.wake(effects);
        let is_sound = self.model.is_suspect(hello.phone);
        if !is_sound {
            let text = format!("{} was sound, and is refused: {hello:?}", hello.phone);
            self.fail("a sound journal is never refused", None, text);
        }
    }

    fn admits(&mut self, hello: &Hello, admission: Admission) -> Answer {
        let mut effects = Effects::default();
        let id = hello.phone;
        let row = &self.hub.rows.devices[&id];
        let (is_frozen, is_new) = (row.frozen, row.link.generation == 0);
        let shows = admission.shows_that_hub_went_back(is_frozen);
        if let Some(lost) = admission.lost_install.clone() {
            self.coverage.mark("link", "another installation", "");
            let key = self.hub.rows.devices[&id].key;
            self.hub.rows.lost.insert((id, lost), key);
            effects = self.device_gone(id, DeviceState::Active);
        } else if is_new && admission.reconcile.is_none() {
            self.answered(id, &mut effects);
        }
        if shows {
            self.note(Line::new(Who::Hub, "finds that it went back"));
            self.went_backwards(id);
        }
        if let Some(device) = self.hub.rows.devices.get_mut(&id) {
            device.link = admission.link.clone();
            if let Some(raised) = admission.raise_generation {
                device.own_generation = raised;
            } else if admission.reconcile.is_none() {
                device.own_generation = admission.link.generation;
            }
        }
        if admission.raise_generation.is_some() {
            self.coverage
                .mark("link", "a device gets a generation of its own", "");
        }
        if admission.reconcile.is_some() {
            self.coverage.mark("link", "held pages are asked for", "");
        }
        if admission.reconcile.is_none() && admission.lost_install.is_none() {
            self.came_back(id);
        }
        self.sync_sims(id, &hello.sims);
        let resume = self.resume(hello, &admission, &mut effects);
        self.wake(effects);
        let fence = Fence {
            device: id,
            install: admission.link.install.clone(),
            conn: admission.link.conn,
        };
        Answer::Admitted(Box::new(Admitted {
            admission,
            resume,
            fence,
        }))
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

    fn resume(&mut self, hello: &Hello, admission: &Admission, effects: &mut Effects) -> Vec<Send> {
        let by = Holder {
            device: hello.phone,
            install: admission.link.install.clone(),
        };
        for row in &hello.held {
            let fact = Fact::Shown {
                ep: row.ep,
                by: &by,
                state: row.state,
                page: None,
            };
            self.apply(row.id, fact, Detail::default(), effects);
        }
        let Some(down) = admission.never_received_above else {
            return Vec::new();
        };
        let mut resume = Vec::new();
        for id in self.hub.rows.on_device(by.device, down) {
            let holder = &self.hub.rows.messages[&id].owner.holder;
            if holder.as_ref() != Some(&by) {
                continue;
            }
            match self.wanted_again(id) {
                Some(frame) if admission.resumes => resume.push(frame),
                _ => {
                    let fact = Fact::NeverReceived { by: &by, down };
                    let applied = self.apply(id, fact, Detail::default(), effects);
                    if is_requeued(applied) {
                        self.freed(id, effects);
                    }
                }
            }
        }
        if !resume.is_empty() {
            self.coverage
                .mark("link", "exposures go out again with their numbers", "");
        }
        resume
    }

    /// Returns the frame of an exposure that the phone has not received, if it shall still go
    /// there.
    pub(crate) fn wanted_again(&self, id: MessageId) -> Option<Send> {
        let message = self.hub.rows.messages.get(&id)?;
        let now = self.hub_now().unix;
        let owner = &message.owner;
        let wanted = owner.is_wanted_again(now.0 < message.life_end);
        let sim = self.hub.rows.sims.get(&message.route)?;
        let held_back = sim.paused || sim.sim_changed;
        let s = owner.s?;
        (wanted && !held_back).then(|| self.frame(id, s))?
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
