//! One exposure in memory: its row, and what its parts lead to.

use super::{queue::Place, refusals};
use crate::{
    change::{Change, MessageRow},
    effect::Body,
    parts::{Delivery, Verdict},
    token::SendToken,
};
use postrider_link::{
    frame::Event,
    ownership::phone::{Claim, Step},
};
use postrider_model::{BootMs, Now, WireState};
use postrider_text::{
    result_code::{self, Action},
    rp_cause,
};
use std::cmp::Reverse;

/// An exposure that is not over yet.
#[derive(Debug)]
pub(super) struct Message {
    pub(super) row: MessageRow,
    /// The network's cause of the last failure.
    pub(super) cause: Option<i32>,
    /// The last status report.
    pub(super) reported: Option<(&'static str, &'static str)>,
    /// Whether the last fact is acked.
    pub(super) acked: bool,
    /// Since when its SIM is held, if this message found that out.
    pub(super) held_since: Option<BootMs>,
}

/// What the parts of a submitted message call for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Judgement {
    /// Nothing yet, or nothing new.
    Wait,
    /// Every part was accepted, and perhaps reported.
    Reached(Step),
    /// The radio holds the SIM; the message keeps its place.
    HoldSim { code: i32, halve: bool },
    /// This message waits for its own retry.
    Retry { code: i32 },
    /// It failed for good.
    Failed { code: i32, step: Step },
}

impl Message {
    pub(super) fn new(row: MessageRow) -> Self {
        Self {
            row,
            cause: None,
            reported: None,
            acked: false,
            held_since: None,
        }
    }

    pub(super) fn state(&self) -> WireState {
        self.row.progress.state
    }

    pub(super) fn token(&self) -> SendToken {
        SendToken {
            message: self.row.message,
            attempt: self.row.progress.attempt,
        }
    }

    pub(super) fn place(&self) -> Place {
        Place {
            priority: Reverse(self.row.priority),
            arrived: self.row.arrived,
            message: self.row.message,
        }
    }

    /// Returns what it hands to the radio.
    pub(super) fn body(&self) -> Body {
        match &self.row.data {
            Some(data) => Body::Data(data.clone()),
            None => Body::Text(self.row.text.clone().unwrap_or_default()),
        }
    }

    /// Returns the exposure as the ownership rules see it.
    pub(super) fn claim(&self) -> Claim {
        Claim {
            ep: self.row.message.ep,
            state: self.state(),
            partial: self.row.progress.partial,
            unsent: self.row.progress.unsent,
        }
    }

    /// Writes what the ownership rules made of the exposure.
    pub(super) fn set_claim(&mut self, claim: Claim) {
        self.row.progress.state = claim.state;
        self.row.progress.partial = claim.partial;
        self.row.progress.unsent = claim.unsent;
    }

    /// Tells whether nothing more can be learnt about it; `window_over` says that reports are no
    /// longer awaited.
    pub(super) fn is_settled(&self, window_over: bool) -> bool {
        match self.state() {
            WireState::Delivered
            | WireState::NotDelivered
            | WireState::Revoked
            | WireState::Cancelled
            | WireState::Expired => true,
            WireState::Failed => self.row.progress.unsent || window_over,
            WireState::Sent => !self.row.report || window_over,
            WireState::Unknown => window_over,
            WireState::OnPhone | WireState::Retrying | WireState::Submitting => false,
        }
    }

    /// Returns what its parts call for in its present state.
    pub(super) fn judge(&self) -> Judgement {
        let parts = &self.row.progress.parts;
        match (self.state(), parts.verdict()) {
            (WireState::Submitting | WireState::Unknown, Verdict::AwaitingSent) => Judgement::Wait,
            (WireState::Submitting, Verdict::NeverSent { code }) => {
                match result_code::look_up(code).action {
                    Action::HoldSim => Judgement::HoldSim { code, halve: false },
                    Action::HoldSimAndHalvePace => Judgement::HoldSim { code, halve: true },
                    Action::RetryMessage => Judgement::Retry { code },
                    Action::FailWithProof | Action::FailAmbiguous | Action::Accept => {
                        Judgement::failed(code, false, true)
                    }
                }
            }
            (WireState::Unknown, Verdict::NeverSent { code }) => {
                Judgement::failed(code, false, true)
            }
            (WireState::Submitting | WireState::Unknown, Verdict::Ambiguous { code }) => {
                Judgement::failed(code, false, false)
            }
            (WireState::Submitting | WireState::Unknown, Verdict::Partial { code }) => {
                Judgement::failed(code, true, false)
            }
            (WireState::Submitting | WireState::Unknown, Verdict::Sent) => match parts.delivery() {
                Delivery::Delivered => Judgement::Reached(Step::Delivered),
                Delivery::NotDelivered => Judgement::Reached(Step::NotDelivered),
                Delivery::Awaiting => Judgement::Reached(Step::Sent),
            },
            (WireState::Sent | WireState::NotDelivered | WireState::Failed, _) => {
                match parts.delivery() {
                    Delivery::Delivered => Judgement::Reached(Step::Delivered),
                    Delivery::NotDelivered => Judgement::Reached(Step::NotDelivered),
                    Delivery::Awaiting => Judgement::Wait,
                }
            }
            (
                WireState::OnPhone
                | WireState::Retrying
                | WireState::Delivered
                | WireState::Revoked
                | WireState::Cancelled
                | WireState::Expired,
                _,
            ) => Judgement::Wait,
        }
    }

    /// Returns the code with which its last hand-over met the platform's limit, if it did.
    pub(super) fn limit_code(&self) -> Option<i32> {
        let code = self.row.progress.code.as_ref()?.parse().ok()?;
        let is_limit = result_code::look_up(code).action == Action::HoldSimAndHalvePace;
        is_limit.then_some(code)
    }

    /// Returns the fact with its present state; the link names the boot.
    pub(super) fn fact(&self, now: Now) -> Event {
        let progress = &self.row.progress;
        let (code, detail) = self.reason();
        Event {
            s: 0,
            id: self.row.message.id,
            ep: self.row.message.ep,
            state: progress.state,
            part: None,
            of: Some(u16::from(progress.parts.count())).filter(|of| *of > 0),
            code,
            detail,
            partial: progress.partial,
            unsent: progress.unsent,
            duration_s: progress.call.map(|call| call.duration_s),
            ring_s: progress.call.map(|call| call.ring_s),
            wall: now.unix.0,
            mono: now.boot.0,
            boot: None,
        }
    }

    fn reason(&self) -> (Option<String>, Option<String>) {
        match self.state() {
            WireState::Failed | WireState::Retrying => {
                let code = self.row.progress.code.clone();
                let detail = code.as_deref().map(|code| self.detail(code).to_owned());
                (code, detail)
            }
            WireState::NotDelivered | WireState::Delivered => match self.reported {
                Some((code, detail)) => (Some(code.to_owned()), Some(detail.to_owned())),
                None => (None, None),
            },
            WireState::OnPhone
            | WireState::Submitting
            | WireState::Unknown
            | WireState::Sent
            | WireState::Revoked
            | WireState::Cancelled
            | WireState::Expired => (None, None),
        }
    }

    fn detail(&self, code: &str) -> &'static str {
        match (code.parse(), self.cause) {
            (Ok(code), None) => result_code::look_up(code).detail,
            (Ok(_), Some(cause)) => rp_cause::explain(cause).detail,
            (Err(_), _) => refusals::detail(code),
        }
    }

    /// Returns the change that writes its progress.
    pub(super) fn moved(&self) -> Change {
        Change::MessageMoved {
            message: self.row.message,
            progress: self.row.progress.clone(),
        }
    }
}

impl Judgement {
    fn failed(code: i32, partial: bool, unsent: bool) -> Self {
        Self::Failed {
            code,
            step: Step::Failed { partial, unsent },
        }
    }
}
