//! What the agent reads from its journal while it runs: exposures that are over, before a frame or
//! a late result about one is handled.

use crate::{
    agent::Agent,
    change::{EndedRow, MessageRow},
    effect::{Effect, EndedAsked},
    fact::RadioFact,
    late_results::named,
    token::MessageRef,
};
use postrider_link::frame::{HeldRow, HubFrame};
use postrider_model::Now;
use std::collections::BTreeSet;

impl Agent {
    /// Accepts the ended exposures that `LoadEnded` asked for.
    pub fn handle_ended_loaded(&mut self, asked: EndedAsked, rows: Vec<EndedRow>, now: Now) {
        match asked {
            EndedAsked::Of(ids) => {
                self.outbound.recall_ended(ids, rows);
                self.frame_gate.answered();
                self.take_frames(now);
            }
            EndedAsked::Above { down, up } => {
                let mut held = self.outbound.held_above(down, up);
                let known: BTreeSet<_> = held.iter().map(|row| (row.id, row.ep)).collect();
                let is_new = |row: &HeldRow| !known.contains(&(row.id, row.ep));
                held.extend(rows.iter().map(held_row).filter(is_new));
                self.session.held_loaded(&held, now);
            }
        }
        self.after_call(now);
    }

    /// Adds a frame of the present connection to those that wait, and handles those that need not
    /// wait.
    pub(crate) fn queue_frame(&mut self, frame: HubFrame, now: Now) {
        self.frame_gate.add(self.session.conn(), frame);
        self.take_frames(now);
    }

    fn take_frames(&mut self, now: Now) {
        let outbound = &self.outbound;
        let is_known = |id| outbound.has_all_ended_of(id);
        while let Some((conn, frame)) = self.frame_gate.next(self.session.conn(), is_known) {
            self.session.handle_frame(conn, frame, now);
        }
        if let Some(asked) = self.frame_gate.question() {
            self.pending.effects.push(Effect::LoadEnded(asked));
        }
    }

    /// Answers the request of a hub that went back, or asks the journal first.
    pub(crate) fn load_held(&mut self, down: u64, up: u64) -> Option<Effect> {
        if !self.outbound.has_all_ended() {
            return Some(Effect::LoadEnded(EndedAsked::Above { down, up }));
        }
        let rows = self.outbound.held_above(down, up);
        self.session.held_loaded(&rows, self.now);
        None
    }

    /// Accepts the exposure that `LoadMessage` asked for; `None` when the journal no longer has it.
    pub fn handle_message_loaded(
        &mut self,
        message: MessageRef,
        row: Option<MessageRow>,
        now: Now,
    ) {
        let is_revived = row.is_some_and(|row| self.outbound.revive(row));
        for fact in self.late_results.remove(message) {
            self.take_radio(fact, now);
        }
        let is_news = self.pending.dirty.contains(&message);
        let (outbound, mut cx) = self.outbound_cx(now);
        if is_revived && !is_news {
            outbound.leave_over(message)
        } else {
            outbound.end_if_over(message, &mut cx)
        }
        self.after_call(now);
    }

    /// Puts aside a fact that may concern an exposure that is over; returns every other.
    pub(crate) fn put_late_aside(&mut self, fact: RadioFact) -> Option<RadioFact> {
        let is_late = |message: &MessageRef| match &fact {
            RadioFact::PartSent { .. } => self.outbound.may_revive_by_result(*message),
            _ => self.outbound.may_revive_by_report(*message),
        };
        let Some(message) = named(&fact).filter(is_late) else {
            return Some(fact);
        };
        if self.late_results.is_full() {
            return Some(fact);
        }
        if !self.late_results.has(message) {
            self.pending.effects.push(Effect::LoadMessage(message));
        }
        self.late_results.add(fact);
        None
    }
}

fn held_row(row: &EndedRow) -> HeldRow {
    let MessageRef { id, ep } = row.message;
    HeldRow {
        id,
        ep,
        state: row.state,
        proof: row.proof,
    }
}
