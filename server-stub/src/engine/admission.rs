//! A hello, and what follows from it.

use super::link::Link;
use super::memory::Standing;
use super::{Engine, proof, signed};
use postrider_link::close::CloseCode;
use postrider_link::frame::{HeldRow, Hello, Send};
use postrider_link::ownership::hub::{self, Fact, Holder};
use postrider_link::session::hub::{Admission, Circumstances, Decision, DeviceLink, decide};
use postrider_model::{MessageId, Now};
use std::convert::Infallible;

/// Where a row was shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shown {
    InHello,
    InPage,
}

impl Engine {
    /// Decides about a hello, as the real hub does in one transaction.
    pub(super) fn identify(&mut self, link: &mut Link, hello: &Hello, now: Now) {
        let ours = |device: &&super::Device| device.id == hello.phone;
        let Some(device) = self.device.as_ref().filter(ours) else {
            return link.session.refused(CloseCode::NotKnown);
        };
        let is_signed = signed::is_signed(hello, link.session.nonce(), device, self.host());
        self.watch.signature(link.dial, is_signed, now);
        let code = match device.standing {
            Standing::Joined if is_signed => None,
            Standing::MustPairAgain if is_signed => Some(CloseCode::JournalWentBack),
            Standing::Removed if is_signed => Some(CloseCode::NotPaired),
            _ => Some(CloseCode::NotKnown),
        };
        if let Some(code) = code {
            return link.session.refused(code);
        }
        let row = match &self.memory.link {
            Some(row) => row.clone(),
            None => DeviceLink::new(device.install.clone()),
        };
        let accepted_at = link.session.accepted_at();
        let around = Circumstances {
            generation: self.memory.generation,
            own_generation: 0,
            overtaken: self.admitted_at.is_some_and(|at| at >= accepted_at),
            install_is_lost: self.memory.lost.contains(&hello.install),
        };
        match decide(hello, &row, around) {
            Decision::Admit(admission) => self.admit(link, hello, *admission, now),
            Decision::WentBack => {
                if let Some(device) = &mut self.device {
                    device.standing = Standing::MustPairAgain;
                }
                self.holder_lost(now);
                link.session.refused(CloseCode::JournalWentBack);
            }
            Decision::Refuse(code) => link.session.refused(code),
        }
    }

    fn admit(&mut self, link: &mut Link, hello: &Hello, admission: Admission, now: Now) {
        for older in self.links.values_mut() {
            older.close(CloseCode::Replaced.code(), now);
        }
        if let Some(lost) = admission.lost_install.clone() {
            self.memory.lost.insert(lost);
            self.holder_lost(now);
        }
        if let Some(generation) = admission.raise_generation {
            self.memory.generation = generation;
        }
        let row = admission.link.clone();
        if let Some(device) = &mut self.device {
            device.install = row.install.clone();
        }
        self.memory.link = Some(row);
        self.admitted_at = Some(now.boot);
        self.show(&hello.held, Shown::InHello, now);
        let resume = match admission.never_received_above {
            Some(down) => self.resume(down, admission.resumes, now),
            None => Vec::new(),
        };
        let opens = admission.reconcile.is_none();
        let resume = if opens { resume } else { Vec::new() };
        link.session.admitted(admission, resume, now);
        if opens {
            self.counts.connected += 1;
        }
    }

    pub(super) fn take_page(&mut self, rows: &[HeldRow], now: Now) {
        self.show(rows, Shown::InPage, now);
    }

    /// Takes in that every page came.
    pub(super) fn reconciled(
        &mut self,
        link: &mut Link,
        row: DeviceLink,
        restarts: bool,
        now: Now,
    ) {
        self.memory.link = Some(row);
        let resume = if restarts {
            self.apply_to_all(|_, _| true, |_| Fact::Renumbered, now);
            Vec::new()
        } else {
            self.resume(0, true, now)
        };
        link.session.reconciled(resume, now);
        self.counts.connected += 1;
    }

    fn show(&mut self, rows: &[HeldRow], shown: Shown, now: Now) {
        let Some(by) = self.holder() else {
            return;
        };
        for row in rows {
            let is_proven = row.proof == Some(proof::of(&by, row.id, row.ep));
            // There is but one phone: each message was routed to it.
            let Ok(standing) = hub::Standing::of::<Infallible>(is_proven, false, || Ok(true));
            let fact = Fact::Shown {
                ep: row.ep,
                by: &by,
                state: row.state,
                page: (shown == Shown::InPage).then_some(standing),
            };
            self.apply(row.id, fact, now);
        }
    }

    /// Returns what goes out again with its number; what does not is proven to be free.
    fn resume(&mut self, down: u64, resumes: bool, now: Now) -> Vec<Send> {
        let Some(by) = self.holder() else {
            return Vec::new();
        };
        let here = |id: &MessageId| {
            let owned = &self.memory.messages.get(id)?.owned;
            let s = owned.s.filter(|s| *s > down)?;
            (owned.holder.as_ref() == Some(&by)).then_some(s)
        };
        let unreceived: Vec<(MessageId, u64)> = self
            .memory
            .messages
            .keys()
            .filter_map(|id| here(id).map(|s| (*id, s)))
            .collect();
        let mut resume = Vec::new();
        for (id, s) in unreceived {
            let Some(message) = self.memory.messages.get(&id) else {
                continue;
            };
            let wanted = message.owned.is_wanted_again(message.life_left(now));
            if wanted && resumes {
                resume.push(message.frame(s, now));
            } else {
                self.apply(id, Fact::NeverReceived { by: &by, down }, now);
            }
        }
        resume
    }

    /// Ends what the phone that is gone had.
    pub(super) fn holder_lost(&mut self, now: Now) {
        self.apply_to_all(|_, message| message.is_out(), |_| Fact::HolderLost, now);
    }

    /// Returns who holds what is exposed now.
    pub(super) fn holder(&self) -> Option<Holder> {
        let install = match &self.memory.link {
            Some(row) => row.install.clone(),
            None => self.device.as_ref()?.install.clone(),
        };
        Some(Holder {
            device: self.device_id,
            install,
        })
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
