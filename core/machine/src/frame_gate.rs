//! Exposures that are over and only on disk: before a frame about one is handled, the journal is
//! asked.
//!
//! A frame that names a message waits here, with everything behind it, until the journal's rows of
//! that message are loaded. Until then it does not count as received: nothing acks it, and if its
//! connection ends, it is dropped and comes again. If memory has everything, nothing waits.

use crate::effect::EndedAsked;
use postrider_link::frame::HubFrame;
use postrider_model::MessageId;
use std::collections::VecDeque;

/// Most messages of one question; the rest is asked next.
const ASKED_MAX: usize = 256;

/// Frames that wait for the journal, each with its connection.
///
/// There are never more than the ring takes in one turn, because the answer comes at the end of the
/// turn.
#[derive(Debug, Default)]
pub(crate) struct FrameGate {
    frames: VecDeque<(u64, HubFrame)>,
    is_asked: bool,
}

impl FrameGate {
    /// Adds a frame to those that wait.
    pub(crate) fn add(&mut self, conn: u64, frame: HubFrame) {
        self.frames.push_back((conn, frame));
    }

    /// Takes the next frame, unless it is of the present connection and about a message that
    /// memory does not have.
    pub(crate) fn next(
        &mut self,
        present: u64,
        is_known: impl Fn(MessageId) -> bool,
    ) -> Option<(u64, HubFrame)> {
        let (conn, frame) = self.frames.front()?;
        let waits = *conn == present && !named(frame).is_none_or(is_known);
        if waits {
            return None;
        }
        self.frames.pop_front()
    }

    /// Returns what to ask the journal; `None` if no frame waits, or it is asked already.
    pub(crate) fn question(&mut self) -> Option<EndedAsked> {
        if self.frames.is_empty() || self.is_asked {
            return None;
        }
        self.is_asked = true;
        let ids = self.frames.iter().filter_map(|(_, frame)| named(frame));
        Some(EndedAsked::Of(ids.take(ASKED_MAX).collect()))
    }

    /// Notes that the journal has answered.
    pub(crate) fn answered(&mut self) {
        self.is_asked = false;
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
