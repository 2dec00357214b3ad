//! What a sender may ask for: cancel, resend, delete.

use super::{Ask, Flags, HubState, Outcome, Ownership, Verdict};

impl Ownership {
    pub(super) fn cancel_asked(&mut self) -> Outcome {
        let verdict = match self.state {
            HubState::Waiting => {
                self.end_unsent(HubState::Cancelled);
                match self.state {
                    HubState::Cancelled => Verdict::Cancelled,
                    _ => Verdict::NotCancellable,
                }
            }
            HubState::Exposed | HubState::OnPhone | HubState::Retrying | HubState::Submitting => {
                self.flags.set(Flags::CANCEL_ASKED);
                Verdict::Asked
            }
            HubState::Cancelled => Verdict::Cancelled,
            HubState::Unknown
            | HubState::Sent
            | HubState::Failed
            | HubState::NotDelivered
            | HubState::Delivered
            | HubState::Expired => Verdict::NotCancellable,
        };
        let ask = match verdict {
            Verdict::Asked => Some(Ask::Cancel),
            _ => None,
        };
        Outcome {
            ask,
            verdict: Some(verdict),
            ..Outcome::default()
        }
    }

    pub(super) fn resend_asked(&mut self, new_route: bool) -> Outcome {
        match self.state {
            HubState::Waiting => Outcome {
                verdict: Some(Verdict::RouteOnly),
                ..Outcome::default()
            },
            HubState::Exposed | HubState::OnPhone | HubState::Retrying | HubState::Submitting => {
                if new_route {
                    self.flags.set(Flags::REVOKE_ASKED);
                }
                Outcome {
                    ask: new_route.then_some(Ask::Revoke),
                    verdict: Some(Verdict::RouteOnly),
                    ..Outcome::default()
                }
            }
            HubState::Unknown | HubState::Failed | HubState::Cancelled | HubState::Expired => {
                self.start_over()
            }
            HubState::Sent | HubState::NotDelivered | HubState::Delivered => Outcome {
                verdict: Some(Verdict::NewMessage),
                ..Outcome::default()
            },
        }
    }

    /// The sender's R4: the same message is sent again, as a new exposure.
    fn start_over(&mut self) -> Outcome {
        if self.state == HubState::Unknown || self.flags.has(Flags::NO_PROOF) {
            self.flags.set(Flags::EARLIER_UNKNOWN);
        }
        for told in [
            Flags::CANCEL_ASKED,
            Flags::REVOKE_ASKED,
            Flags::TOLD_UNKNOWN,
            Flags::NEVER_SENT,
            Flags::PARTIAL,
            Flags::NO_PROOF,
        ] {
            self.flags.clear(told);
        }
        let mut outcome = self.queue_again();
        outcome.verdict = Some(Verdict::Requeued);
        outcome
    }

    pub(super) fn delete_asked(&mut self) -> Outcome {
        self.flags.set(Flags::DELETED);
        let mut outcome = self.cancel_asked();
        outcome.verdict = None;
        outcome
    }
}
