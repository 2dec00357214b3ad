//! A hello, and what follows from it, by the rules of the real hub.

use super::dispatch::Rows;
use super::link::Link;
use super::{Engine, proof, signed};
use postrider_link::close::CloseCode;
use postrider_link::dispatch::freeze::{Device, Freeze};
use postrider_link::dispatch::held;
use postrider_link::dispatch::hello::{self, Service};
use postrider_link::dispatch::newest::{Fence, Place};
use postrider_link::frame::{HeldRow, Hello, InstallId, Send, SimInfo};
use postrider_link::ownership::hub::{Fact, Holder, Outcome, Ownership};
use postrider_link::session::hub::{Admission, Circumstances, Decision, DeviceLink};
use postrider_model::{MessageId, Now};
use std::convert::Infallible;

impl Engine {
    /// Decides about a hello, as the real hub does in one transaction.
    pub(super) fn identify(&mut self, link: &mut Link, hello: &Hello, now: Now) {
        let session = &mut link.of.session;
        let ours = |device: &&super::Device| device.id == hello.phone;
        let Some(device) = self.device.as_ref().filter(ours) else {
            return session.refused(CloseCode::NotKnown);
        };
        let is_signed = signed::is_signed(hello, session.nonce(), device, self.host());
        self.watch.signature(link.dial, is_signed, now);
        if !is_signed {
            return session.refused(CloseCode::NotKnown);
        }
        let row = match &self.memory.link {
            Some(row) => row.clone(),
            None => DeviceLink::new(device.install.clone()),
        };
        let newest = Fence::of(hello.phone, &row);
        self.newest.learn(&newest, now.boot);
        let around = Circumstances {
            generation: self.memory.generation,
            own_generation: 0,
            overtaken: self.newest.has_overtaken(&newest, session.accepted_at()),
            install_is_lost: self.memory.lost.contains(&hello.install),
        };
        match hello::decide(hello, device.service, &row, row.down_acked, around) {
            Decision::Admit(admission) => self.admit(link, hello, &row, *admission, now),
            Decision::WentBack => {
                if let Some(device) = &mut self.device {
                    device.service = Service::NeedsPairing;
                }
                self.holder_lost(now);
                session.refused(CloseCode::JournalWentBack);
            }
            Decision::Refuse(code) => session.refused(code),
        }
    }

    fn admit(
        &mut self,
        link: &mut Link,
        hello: &Hello,
        row: &DeviceLink,
        admission: Admission,
        now: Now,
    ) {
        if let Some(generation) = admission.raise_generation {
            self.memory.generation = generation;
        }
        let fence = Fence::of(hello.phone, &admission.link);
        let place = self.newest.admit(fence.clone(), now.boot, link.dial);
        if let Place::Newest(Some(older)) = place
            && let Some(older) = self.links.get_mut(&older)
        {
            older.close(CloseCode::Replaced.code(), now);
        }
        let device = Device {
            id: hello.phone,
            frozen: false,
            in_service: true,
            gen_seen: row.generation,
            gen_own: 0,
        };
        let (opens, by) = (admission.reconcile.is_none(), fence.holder());
        let mut rows = self.rows(&by, now);
        let Ok(resume) = hello::admit(&mut rows, device, hello, &admission);
        link.of.admitted(fence, admission, resume, now);
        self.counts.connected += u64::from(opens);
    }

    pub(super) fn take_page(&mut self, link: &Link, shown: &[HeldRow], now: Now) {
        if let Some(by) = link.of.fence().map(Fence::holder) {
            let Ok(_) = held::in_page(&mut self.rows(&by, now), &by, shown);
        }
    }

    /// Takes in that every page came.
    pub(super) fn reconciled(
        &mut self,
        link: &mut Link,
        row: DeviceLink,
        restarts: bool,
        now: Now,
    ) {
        let Some(by) = link.of.fence().map(Fence::holder) else {
            return;
        };
        self.memory.link = Some(row);
        let Ok(resume) = held::all_came(&mut self.rows(&by, now), &by, restarts);
        link.of.reconciled(resume, now);
        self.counts.connected += 1;
    }

    fn rows<'a>(&'a mut self, by: &'a Holder, now: Now) -> Rows<'a> {
        Rows {
            engine: self,
            by,
            now,
        }
    }

    /// Ends what the phone that is gone had.
    pub(super) fn holder_lost(&mut self, now: Now) {
        self.apply_to_all(|_, message| message.is_out(), |_| Fact::HolderLost, now);
    }

    /// Returns the name that hello signs.
    pub(super) fn host(&self) -> &str {
        self.scenario
            .hub
            .host
            .as_deref()
            .unwrap_or(&self.setting.host)
    }
}

impl held::Rows for Rows<'_> {
    type Error = Infallible;
    type Message = MessageId;

    fn message(&mut self, id: MessageId) -> Result<Option<MessageId>, Infallible> {
        let is_there = self.engine.memory.messages.contains_key(&id);
        Ok(is_there.then_some(id))
    }

    fn placed_above(&mut self, down: u64) -> Result<Vec<MessageId>, Infallible> {
        let messages = self.engine.memory.messages.iter();
        let place = |(id, message): (&MessageId, &super::memory::Message)| {
            let s = message.owned.s.filter(|s| *s > down)?;
            Some((s, *id))
        };
        let mut placed: Vec<_> = messages.filter_map(place).collect();
        placed.sort_unstable();
        Ok(placed.into_iter().map(|(_, id)| id).collect())
    }

    fn owned(&self, id: &MessageId) -> Result<Ownership, Infallible> {
        Ok(self.engine.memory.messages[id].owned.clone())
    }

    fn is_alive(&self, id: &MessageId) -> bool {
        self.engine.memory.messages[id].life_left(self.now)
    }

    fn apply(&mut self, id: &mut MessageId, fact: Fact<'_>) -> Result<Option<Outcome>, Infallible> {
        let applied = self.engine.apply(*id, fact, self.now);
        Ok(applied.and_then(Result::ok))
    }

    fn frame_again(&mut self, id: &MessageId, s: u64) -> Result<Option<Send>, Infallible> {
        Ok(Some(self.engine.memory.messages[id].frame(s, self.now)))
    }

    fn freeze(&mut self) -> Result<Option<Freeze>, Infallible> {
        Ok(None)
    }

    fn key(&self, id: &MessageId) -> i64 {
        id.get()
    }
}

impl held::PageRows for Rows<'_> {
    fn is_proven(&self, row: &HeldRow) -> bool {
        row.proof == Some(proof::of(self.by, row.id, row.ep))
    }

    fn was_held(&mut self, row: &HeldRow) -> Result<bool, Infallible> {
        Ok(self.engine.memory.was_held(row.id, row.ep, self.by))
    }

    /// There is but one phone: each message was routed to it.
    fn is_concerned(&mut self, _: &MessageId) -> Result<bool, Infallible> {
        Ok(true)
    }
}

/// One phone waits for nobody, and its SIMs are not looked at.
impl hello::Rows for Rows<'_> {
    fn lose(&mut self, install: &InstallId) -> Result<(), Infallible> {
        self.engine.memory.lost.insert(install.clone());
        self.engine.holder_lost(self.now);
        Ok(())
    }

    fn answered(&mut self) -> Result<(), Infallible> {
        Ok(())
    }

    fn went_backwards(&mut self) -> Result<(), Infallible> {
        Ok(())
    }

    fn admit(&mut self, link: &DeviceLink, _: u64) -> Result<(), Infallible> {
        if let Some(device) = &mut self.engine.device {
            device.install = link.install.clone();
        }
        self.engine.memory.link = Some(link.clone());
        Ok(())
    }

    fn sync_sims(&mut self, _: &[SimInfo]) -> Result<(), Infallible> {
        Ok(())
    }
}
