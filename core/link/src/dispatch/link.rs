//! One connection of one phone: what it commits next, and what follows a commit.
//!
//! At most one commit is under way; the next one takes all that comes in meanwhile. Frames are written
//! only after the commit that numbered them, and facts are acked only after the commit that stored
//! them. Both happen only in [`Link::committed`].

#[cfg(test)]
mod tests;

use super::turn::{Connection, Turn, Woken};
use crate::{
    close::CloseCode,
    frame::{HubFrame, PhoneFrame, Send},
    mistake,
    session::hub::{Admission, HubSession},
};
use postrider_model::Now;
use std::sync::Arc;

/// One connection. `F`, `T` and `S` are those of [`Connection`].
#[derive(Debug)]
pub struct Link<F, T, S> {
    /// Its session. Whoever drives the link does its outputs in order.
    pub session: HubSession,
    turn: Turn,
    under_way: Option<Arc<Turn>>,
    fence: Option<F>,
    connection: Option<Connection<F, T, S>>,
}

/// What a commit stored.
#[derive(Debug)]
pub struct Stored<F, T, S> {
    /// The highest fact, when there was one.
    pub up: Option<u64>,
    /// Frames to write, numbered in this order above everything written before.
    pub frames: Vec<HubFrame>,
    /// The connection's knowledge from now on.
    pub connection: Connection<F, T, S>,
}

impl<F: Clone, T: Clone + Default, S: Copy + Ord> Link<F, T, S> {
    /// Makes the link of a session that was just begun.
    pub fn new(session: HubSession) -> Self {
        Self {
            session,
            turn: Turn::default(),
            under_way: None,
            fence: None,
            connection: None,
        }
    }

    /// Returns which connection it is, once the phone is admitted.
    pub fn fence(&self) -> Option<&F> {
        self.fence.as_ref()
    }

    /// Returns what is known when it commits, once its session was opened.
    pub fn connection(&self) -> Option<&Connection<F, T, S>> {
        self.connection.as_ref()
    }

    /// The admission of the phone is committed.
    pub fn admitted(&mut self, fence: F, admission: Admission, resume: Vec<Send>, now: Now) {
        self.fence = Some(fence);
        self.session.admitted(admission, resume, now);
        self.opened();
    }

    /// The reconciled row is committed.
    pub fn reconciled(&mut self, resume: Vec<Send>, now: Now) {
        self.session.reconciled(resume, now);
        self.opened();
    }

    /// Looks for work as soon as the session is open.
    fn opened(&mut self) {
        let (Some(clock), Some(fence)) = (self.session.phone_clock(), &self.fence) else {
            return;
        };
        self.connection = Some(Connection::new(fence.clone(), clock));
        self.woken(Woken::ALL);
    }

    /// Something may have changed for the phone.
    pub fn woken(&mut self, woken: Woken) {
        self.turn.look_for(woken);
    }

    /// The session has a fact for the next commit.
    pub fn fact(&mut self, fact: PhoneFrame) {
        if self.under_way.is_none() || !mistake::is("facts_lost") {
            self.turn.facts.push(fact);
        }
    }

    /// The phone acked downward frames.
    pub fn acked(&mut self, down: u64) {
        self.turn.acked = Some(down);
        self.go_on();
    }

    /// Returns how many facts wait for a commit.
    pub fn facts_waiting(&self) -> usize {
        self.turn.facts.len()
    }

    /// Returns whether acks wait for a commit that takes them along.
    pub fn acks_wait(&self) -> bool {
        self.turn.acked.is_some() && !self.turn.acks
    }

    /// Stores acks that have waited long enough, with nothing else if need be.
    pub fn store_acks(&mut self) {
        self.turn.acks = self.turn.acked.is_some();
    }

    /// Returns what the phone acked and no commit stored.
    pub fn acked_last(&self) -> Option<u64> {
        self.turn.acked
    }

    /// Returns whether a commit is under way.
    pub fn is_committing(&self) -> bool {
        self.under_way.is_some()
    }

    /// Returns whether there is something to commit, and no commit under way.
    pub fn is_due(&self) -> bool {
        self.under_way.is_none() && self.turn.is_due()
    }

    /// Begins the next commit with the first `facts` of those that wait; `None` when there is
    /// nothing to do.
    pub fn begin(&mut self, facts: usize) -> Option<(Arc<Turn>, Connection<F, T, S>)> {
        if !self.is_due() || (facts == 0 && !self.turn.is_due_without_facts()) {
            return None;
        }
        let connection = self.connection.as_mut()?;
        connection.credit = self.session.send_credit();
        connection.clock = self.session.phone_clock().unwrap_or(connection.clock);
        let connection = connection.clone();
        let mut turn = std::mem::take(&mut self.turn);
        self.turn.facts = turn.facts.split_off(facts.min(turn.facts.len()));
        turn.expose &= self.session.is_open();
        let turn = Arc::new(turn);
        self.under_way = Some(Arc::clone(&turn));
        Some((turn, connection))
    }

    /// The commit is on disk: writes what it numbered, acks what it stored, and fills the room that it
    /// made. Facts that it did not come to go first in the next one.
    pub fn committed(&mut self, stored: Stored<F, T, S>, now: Now) {
        if let (Some(turn), Some(up)) = (self.under_way.take(), stored.up) {
            self.turn.go_first(turn.facts_above(up));
        }
        for frame in stored.frames {
            let number = match &frame {
                HubFrame::Send(_) => self.session.assign_send(),
                _ => self.session.assign_control(),
            };
            // A session that began to drain meanwhile numbers nothing: the next connection resumes.
            if number == frame.s() {
                self.session.down_committed(frame);
            } else if self.session.is_open() {
                return self.session.close(CloseCode::Internal);
            }
        }
        if let Some(up) = stored.up {
            self.session.facts_committed(up, now);
        }
        let before = self.connection.as_ref();
        self.turn.fill_room(before, &stored.connection);
        self.connection = Some(stored.connection);
        self.go_on();
    }

    /// The commit found nothing to store.
    pub fn was_idle(&mut self) {
        if let Some(turn) = self.under_way.take() {
            let acked = turn.acked;
            self.turn.go_first(Turn {
                acked,
                ..Turn::default()
            });
        }
    }

    /// The commit was not made: its turn goes first in the next one.
    pub fn was_put_off(&mut self) {
        if let Some(turn) = self.under_way.take() {
            self.turn.go_first(Arc::unwrap_or_clone(turn));
        }
    }

    /// The commit was refused or failed: the connection ends.
    pub fn failed(&mut self, code: CloseCode) {
        self.under_way = None;
        self.session.close(code);
    }

    /// Takes the last commit of a phone that its owner unpaired, after the one that is under way:
    /// its facts and acks, and nothing more is sent to it.
    pub fn last_words(&mut self) -> Option<(Turn, Connection<F, T, S>)> {
        let said = std::mem::take(&mut self.turn);
        let last = Turn {
            facts: said.facts,
            acked: said.acked,
            ..Turn::default()
        };
        Some((last, self.connection.clone()?))
    }

    fn go_on(&mut self) {
        let credit = self.session.send_credit();
        if let Some(connection) = &self.connection {
            self.turn.go_on(connection, credit);
        }
    }
}
