//! Exposures that are over and only on disk: before a frame about one is handled, the journal is
//! asked.
//!
//! A frame that names a message waits here, with everything behind it, until the journal's rows of
//! that message are loaded. Until then it does not count as received: nothing acks it, and if its
//! connection ends, it is dropped and comes again. If memory has everything, nothing waits.

use crate::{agent::Agent, change::EndedRow, effect::Effect, token::MessageRef};
use postrider_link::frame::{HeldRow, HubFrame};
use postrider_model::{MessageId, Now};
use std::collections::{BTreeSet, VecDeque};

/// Most messages of one question; the rest is asked next.
pub(crate) const ASKED_MAX: usize = 256;

/// Which ended exposures to read from the journal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EndedAsked {
    /// Those of these messages.
    Of(BTreeSet<MessageId>),
    /// Those that came by a frame above `down`, were reported by a fact above `up`, or are of an
    /// older generation: what a hub that went back may have forgotten.
    Above {
        /// The highest downward number that the hub remembers.
        down: u64,
        /// The highest fact that the hub remembers.
        up: u64,
    },
}

/// Frames that wait for the journal, each with its connection.
///
/// There are never more than the ring takes in one turn, because the answer comes at the end of the
/// turn.
#[derive(Debug, Default)]
pub(crate) struct FrameGate {
    frames: VecDeque<(u64, HubFrame)>,
    is_asked: bool,
}

impl Agent {
    /// Accepts the ended exposures that `LoadEnded` asked for.
    pub fn handle_ended_loaded(&mut self, asked: EndedAsked, rows: Vec<EndedRow>, now: Now) {
        match asked {
            EndedAsked::Of(ids) => {
                self.outbound.recall_ended(ids, rows);
                self.frame_gate.is_asked = false;
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
        self.frame_gate
            .frames
            .push_back((self.session.conn(), frame));
        self.take_frames(now);
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

    fn take_frames(&mut self, now: Now) {
        while let Some((conn, frame)) = self.frame_gate.frames.pop_front() {
            let is_known = named(&frame).is_none_or(|id| self.outbound.has_all_ended_of(id));
            if !is_known && conn == self.session.conn() {
                self.frame_gate.frames.push_front((conn, frame));
                return self.ask();
            }
            self.session.handle_frame(conn, frame, now);
        }
    }

    fn ask(&mut self) {
        if self.frame_gate.is_asked {
            return;
        }
        self.frame_gate.is_asked = true;
        let frames = self.frame_gate.frames.iter();
        let ids = frames.filter_map(|(_, frame)| named(frame)).take(ASKED_MAX);
        let effect = Effect::LoadEnded(EndedAsked::Of(ids.collect()));
        self.pending.effects.push(effect);
    }
}

/// Returns the message that a frame is about.
fn named(frame: &HubFrame) -> Option<MessageId> {
    match frame {
        HubFrame::Send(send) => Some(send.id),
        HubFrame::Revoke(revoke) => Some(revoke.id),
        HubFrame::Cancel(cancel) => Some(cancel.id),
        _ => None,
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
