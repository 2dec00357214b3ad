//! Held pages: what a phone shows after the hub went backwards or was restored.

use super::{
    Answer,
    apply::{Detail, Effects, is_requeued},
    link::Fence,
    proof,
};
use crate::{world::World, wrong::Wrong};
use postrider_link::{
    close::CloseCode,
    frame::HeldRow,
    ownership::hub::{Fact, Holder, HubState, Standing, Whose},
    session::hub::DeviceLink,
};
use postrider_model::{DeviceId, MessageId, WireState};
use std::convert::Infallible;

impl World {
    /// Commits what one page shows.
    pub(crate) fn store_page(&mut self, socket: u64, rows: Vec<HeldRow>) -> Answer {
        let Some(by) = self.newest(socket) else {
            return Answer::Close(CloseCode::Internal);
        };
        let (mut effects, mut has_proof) = (Effects::default(), false);
        for row in rows {
            has_proof |= self.store_row(&by, &row, &mut effects);
        }
        if has_proof {
            self.proven(by.device);
        }
        self.wake(effects);
        Answer::Stored
    }

    /// Takes in a row; says whether it proves an exposure that the hub does not know.
    fn store_row(&mut self, by: &Holder, row: &HeldRow, effects: &mut Effects) -> bool {
        let proven = row.proof == Some(proof::of(by, row.id, row.ep));
        let Some(message) = self.hub.rows.messages.get(&row.id) else {
            self.hub.rows.aside += 1;
            return proven;
        };
        let past = (row.id, row.ep, by.device, by.install.clone());
        let is_known = match message.owner.whose(row.ep, by) {
            Whose::Present => true,
            Whose::LookUpPast => self.hub.rows.past.contains(&past),
            Whose::Stranger => false,
        };
        let of_device =
            |past: &&(MessageId, u32, DeviceId, _)| (past.0, past.2) == (row.id, by.device);
        let is_concerned = message.route.0 == by.device
            || message.movable
            || self.hub.rows.past.iter().any(|past| of_device(&past));
        let owner = &message.owner;
        let holder = owner.holder.as_ref().map(|holder| holder.device);
        let is_elsewhere =
            owner.state != HubState::Waiting && holder.is_some_and(|it| it != by.device);
        if is_concerned && !is_elsewhere && self.is_liar(by.device) {
            // It may go or went to this phone: what it says of it is its own affair.
            self.model.taint_messages(vec![row.id]);
        }
        let is_believed = is_concerned || self.has(Wrong::HubBelievesPages);
        let Ok(standing) = Standing::of::<Infallible>(proven, is_known, || Ok(is_believed));
        let fact = Fact::Shown {
            ep: row.ep,
            by,
            state: row.state,
            page: Some(standing),
        };
        let applied = self.apply(row.id, fact, Detail::default(), effects);
        if applied.as_ref().is_none_or(Result::is_err) {
            self.hub.rows.aside += 1;
            self.coverage.mark("link", "a row is set aside", "");
            return false;
        }
        if row.state == WireState::Revoked && is_requeued(applied) {
            self.freed(row.id, effects);
        }
        proven && !is_known
    }

    /// Commits the reconciled row, and returns what goes out again with its number.
    pub(crate) fn finish_pages(&mut self, socket: u64, link: DeviceLink, restarts: bool) -> Answer {
        let Some(by) = self.newest(socket) else {
            return Answer::Close(CloseCode::Internal);
        };
        let (mut resume, mut effects) = (Vec::new(), Effects::default());
        for id in self.hub.rows.on_device(by.device, 0) {
            if restarts {
                self.apply(id, Fact::Renumbered, Detail::default(), &mut effects);
                continue;
            }
            if self.hub.rows.messages[&id].owner.holder.as_ref() != Some(&by) {
                continue;
            }
            match self.wanted_again(id) {
                Some(frame) => resume.push(frame),
                None => {
                    let fact = Fact::NeverReceived { by: &by, down: 0 };
                    let applied = self.apply(id, fact, Detail::default(), &mut effects);
                    if is_requeued(applied) {
                        self.freed(id, &mut effects);
                    }
                }
            }
        }
        if let Some(device) = self.hub.rows.devices.get_mut(&by.device) {
            device.link = link;
        }
        self.answered(by.device, &mut effects);
        self.came_back(by.device);
        self.coverage.mark(
            "link",
            "reconciled",
            if restarts { "anew" } else { "again" },
        );
        self.wake(effects);
        Answer::Finished(resume)
    }

    /// Returns who holds what a connection speaks of, unless the phone has a newer one.
    fn newest(&self, socket: u64) -> Option<Holder> {
        let link = self.hub.links.get(&socket)?;
        let fence: &Fence = &link.joined.as_ref()?.fence;
        let device = self.hub.rows.devices.get(&fence.device)?;
        let is_newest = device.link.admits(fence.conn) && device.link.install == fence.install;
        is_newest.then(|| Holder {
            device: fence.device,
            install: fence.install.clone(),
        })
    }
}
