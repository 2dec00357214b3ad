//! The downward sequence: numbers, credit, order and resume.

use super::{HubOutput, HubSession, Phase};
use crate::{
    close::CloseCode,
    frame::{Ack, HubFrame, PhoneFrame, Send, Void},
    limits::CONTROL_FRAMES_OVER_CREDIT,
    mistake,
};
use postrider_model::{BootMs, Now};
use std::collections::BTreeMap;

/// One connection's view of the downward sequence.
#[derive(Debug)]
pub(super) struct Downlink {
    acked: u64,
    written: u64,
    assigned: u64,
    limit: u64,
    /// Committed frames that wait for the commit of a lower number; at most what is assigned.
    waiting: BTreeMap<u64, HubFrame>,
}

impl Downlink {
    /// Starts above what the phone has, with everything committed so far assigned.
    pub(super) const fn new(down: u64, down_sent: u64, limit: u64) -> Self {
        Self {
            acked: down,
            written: down,
            assigned: down_sent,
            limit,
            waiting: BTreeMap::new(),
        }
    }

    /// Returns the frames for every number that the phone lacks: what is still wanted, else
    /// `void`.
    pub(super) fn resume(&mut self, wanted: Vec<Send>) -> Vec<HubFrame> {
        let mut wanted: BTreeMap<u64, Send> =
            wanted.into_iter().map(|send| (send.s, send)).collect();
        let frames = (self.written + 1..=self.assigned)
            .filter_map(|s| match wanted.remove(&s) {
                Some(send) => Some(HubFrame::Send(send)),
                None if mistake::is("no_void") => None,
                None => Some(HubFrame::Void(Void { s })),
            })
            .collect();
        self.written = self.written.max(self.assigned);
        frames
    }

    fn assign(&mut self, over: u64) -> Option<u64> {
        let s = self.assigned + 1;
        if s > self.limit.saturating_add(over) {
            return None;
        }
        self.assigned = s;
        Some(s)
    }

    /// Accepts a committed frame and returns what can be written now.
    fn committed(&mut self, frame: HubFrame) -> Option<Vec<HubFrame>> {
        let s = frame.s()?;
        if s <= self.written || s > self.assigned || self.waiting.contains_key(&s) {
            return None;
        }
        self.waiting.insert(s, frame);
        let mut ready = Vec::new();
        while let Some(frame) = self.waiting.remove(&(self.written + 1)) {
            self.written += 1;
            ready.push(frame);
        }
        Some(ready)
    }

    fn acked(&mut self, ack: Ack) -> Option<bool> {
        if ack.a > self.written {
            return None;
        }
        self.limit = self.limit.max(ack.limit);
        let more = ack.a > self.acked;
        self.acked = self.acked.max(ack.a);
        Some(more)
    }
}

impl HubSession {
    /// Returns how many `send` frames the phone's credit allows now.
    pub fn send_credit(&self) -> u64 {
        match &self.phase {
            Phase::Open(open) if open.drain_until.is_none() => {
                open.down.limit.saturating_sub(open.down.assigned)
            }
            _ => 0,
        }
    }

    /// Takes the next downward number for a `send`; `None` when the session is not open, is
    /// drained, or the phone's credit is used up.
    ///
    /// A number that was taken must be committed, or the connection closed with 1011.
    pub fn assign_send(&mut self) -> Option<u64> {
        self.assign(0)
    }

    /// Takes the next downward number for `revoke`, `cancel` or `config`, which may exceed the
    /// credit by [`CONTROL_FRAMES_OVER_CREDIT`]; otherwise as [`HubSession::assign_send`].
    pub fn assign_control(&mut self) -> Option<u64> {
        self.assign(CONTROL_FRAMES_OVER_CREDIT)
    }

    fn assign(&mut self, over: u64) -> Option<u64> {
        match &mut self.phase {
            Phase::Open(open) if open.drain_until.is_none() => open.down.assign(over),
            _ => None,
        }
    }

    /// Says that the commit behind a downward frame is done: `down_sent` covers its number.
    ///
    /// The frame is written as soon as every lower number was. Call it with
    /// [`HubFrame::Void`] when the transaction found the message no longer wanted.
    pub fn down_committed(&mut self, frame: HubFrame) {
        let Phase::Open(open) = &mut self.phase else {
            return;
        };
        let Some(ready) = open.down.committed(frame) else {
            return self.close(CloseCode::Internal);
        };
        for frame in ready {
            self.write(frame);
        }
    }

    pub(super) fn handle_ack(&mut self, ack: Ack, now: Now) {
        self.learn(BootMs(ack.mono), now);
        let Phase::Open(open) = &mut self.phase else {
            return self.unexpected(&PhoneFrame::Ack(ack));
        };
        match open.down.acked(ack) {
            None => self.close(CloseCode::ProtocolError),
            Some(true) => self.outputs.push_back(HubOutput::Acked { down: ack.a }),
            Some(false) => {}
        }
    }
}
