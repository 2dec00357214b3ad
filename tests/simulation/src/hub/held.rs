//! What a phone shows that it holds, by the rules of [`held`]: the rows behind them.

use super::{
    Answer,
    apply::{Detail, Effects},
    proof,
};
use crate::world::World;
use postrider_link::{
    close::CloseCode,
    dispatch::{
        freeze::Freeze,
        held::{self, PageRows, Rows},
    },
    frame::{HeldRow, Send},
    ownership::hub::{Fact, Holder, HubState, Outcome, Ownership},
    session::hub::DeviceLink,
};
use postrider_model::MessageId;
use std::convert::Infallible;

/// The messages that one phone may hold.
pub(super) struct Held<'a> {
    pub world: &'a mut World,
    pub by: Holder,
    pub effects: &'a mut Effects,
}

impl Rows for Held<'_> {
    type Error = Infallible;
    type Message = MessageId;

    fn message(&mut self, id: MessageId) -> Result<Option<MessageId>, Infallible> {
        let is_there = self.world.hub.rows.messages.contains_key(&id);
        Ok(is_there.then_some(id))
    }

    fn placed_above(&mut self, down: u64) -> Result<Vec<MessageId>, Infallible> {
        Ok(self.world.hub.rows.on_device(self.by.device, down))
    }

    fn owned(&self, id: &MessageId) -> Result<Ownership, Infallible> {
        Ok(self.world.hub.rows.messages[id].owner.clone())
    }

    fn is_alive(&self, id: &MessageId) -> bool {
        self.world.hub_now().unix.0 < self.world.hub.rows.messages[id].life_end
    }

    fn apply(&mut self, id: &mut MessageId, fact: Fact<'_>) -> Result<Option<Outcome>, Infallible> {
        let is_forgotten = fact == Fact::ExposureForgotten;
        let applied = self.world.apply(*id, fact, Detail::default(), self.effects);
        if is_forgotten {
            let word = "given back, and perhaps given to one that is lost";
            self.world.coverage.mark("link", word, "");
        }
        Ok(applied.and_then(Result::ok))
    }

    fn frame_again(&mut self, id: &MessageId, s: u64) -> Result<Option<Send>, Infallible> {
        let rows = &self.world.hub.rows;
        let sim = rows.sims.get(&rows.messages[id].route);
        let may_send = sim.is_some_and(|sim| !sim.paused && !sim.sim_changed);
        Ok(may_send.then(|| self.world.frame(*id, s)).flatten())
    }

    fn freeze(&mut self) -> Result<Option<Freeze>, Infallible> {
        Ok(self.world.hub.rows.freeze)
    }

    fn key(&self, id: &MessageId) -> i64 {
        self.world.hub.rows.messages[id].place
    }
}

impl PageRows for Held<'_> {
    fn is_proven(&self, row: &HeldRow) -> bool {
        row.proof == Some(proof::of(&self.by, row.id, row.ep))
    }

    fn was_held(&mut self, row: &HeldRow) -> Result<bool, Infallible> {
        Ok(self.world.hub.rows.was_held(row.id, row.ep, &self.by))
    }

    fn is_concerned(&mut self, id: &MessageId) -> Result<bool, Infallible> {
        Ok(self.world.hub.rows.is_concerned(*id, self.by.device))
    }
}

impl World {
    /// Commits what one page shows.
    pub(crate) fn store_page(&mut self, socket: u64, shown: &[HeldRow]) -> Answer {
        let Some(by) = self.newest(socket) else {
            return Answer::Close(CloseCode::Internal);
        };
        self.taint_claims(&by, shown);
        let (device, mut effects) = (by.device, Effects::default());
        let mut rows = Held {
            world: self,
            by: by.clone(),
            effects: &mut effects,
        };
        let Ok(page) = held::in_page(&mut rows, &by, shown);
        self.hub.rows.aside += (page.nowhere.len() + page.refused.len()) as u64;
        if !page.refused.is_empty() {
            self.coverage.mark("link", "a row is set aside", "");
        }
        if page.proves_forgotten {
            self.proven(device);
        }
        self.wake(effects);
        Answer::Stored
    }

    /// What goes or went to a lying phone is its own affair.
    fn taint_claims(&mut self, by: &Holder, shown: &[HeldRow]) {
        if !self.is_liar(by.device) {
            return;
        }
        for row in shown {
            let Some(message) = self.hub.rows.messages.get(&row.id) else {
                continue;
            };
            let owner = &message.owner;
            let holder = owner.holder.as_ref().map(|holder| holder.device);
            let is_out = owner.state != HubState::Waiting;
            let is_elsewhere = is_out && holder.is_some_and(|it| it != by.device);
            if !is_elsewhere && self.hub.rows.is_concerned(row.id, by.device) {
                self.model.taint_messages(vec![row.id]);
            }
        }
    }

    /// Commits the reconciled row, and returns what goes out again with its number.
    pub(crate) fn finish_pages(&mut self, socket: u64, link: DeviceLink, restarts: bool) -> Answer {
        let Some(by) = self.newest(socket) else {
            return Answer::Close(CloseCode::Internal);
        };
        let mut effects = Effects::default();
        let mut rows = Held {
            world: self,
            by: by.clone(),
            effects: &mut effects,
        };
        let Ok(resume) = held::all_came(&mut rows, &by, restarts);
        if let Some(device) = self.hub.rows.devices.get_mut(&by.device) {
            device.link = link;
        }
        self.answered(by.device, &mut effects);
        self.came_back(by.device);
        let word = if restarts { "anew" } else { "again" };
        self.coverage.mark("link", "reconciled", word);
        self.wake(effects);
        Answer::Finished(resume)
    }

    /// Returns who holds what a connection speaks of, unless the phone has a newer one.
    fn newest(&self, socket: u64) -> Option<Holder> {
        let fence = self.hub.links.get(&socket)?.of.fence()?;
        let device = self.hub.rows.devices.get(&fence.device)?;
        fence.admits(&device.link).then(|| fence.holder())
    }
}
