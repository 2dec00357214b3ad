//! Held pages: what a phone shows after the hub went backwards or was restored.

use super::{
    Answer,
    apply::{Detail, Effects, is_requeued},
    link::Fence,
};
use crate::world::World;
use postrider_link::{
    close::CloseCode,
    frame::HeldRow,
    ownership::hub::{Fact, Holder},
    session::hub::DeviceLink,
};
use postrider_model::WireState;

impl World {
    /// Commits what one page shows.
    pub(crate) fn store_page(&mut self, socket: u64, rows: Vec<HeldRow>) -> Answer {
        let Some(by) = self.newest(socket) else {
            return Answer::Close(CloseCode::Internal);
        };
        let mut effects = Effects::default();
        for row in rows {
            let fact = Fact::Shown {
                ep: row.ep,
                by: &by,
                state: row.state,
                page: true,
            };
            let applied = self.apply(row.id, fact, Detail::default(), &mut effects);
            if row.state == WireState::Revoked && is_requeued(applied) {
                self.freed(row.id, &mut effects);
            }
        }
        self.wake(effects);
        Answer::Stored
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
