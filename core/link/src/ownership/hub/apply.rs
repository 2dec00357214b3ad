//! One fact, one transition.

use super::{
    Ask, ErrorCode, Fact, Flags, Holder, HubState, OnUnknown, Outcome, Ownership, Published,
    Refused, Rules, Verdict,
};
use crate::{limits::UNKNOWN_AFTER_LIFE_MS, mistake};
use postrider_model::MessageStatus;

impl Ownership {
    /// Applies a fact: the row becomes what must be stored, the outcome says what else to do.
    ///
    /// # Errors
    /// [`Refused`] when the fact cannot concern this row; then nothing has changed.
    pub fn apply(&mut self, fact: Fact<'_>, rules: Rules) -> Result<Outcome, Refused> {
        let before = self.shown();
        let had_gone_out = self.state.went_out();
        let was_open = self.state.is_open();
        let was_asked_back = self.flags.has(Flags::REVOKE_ASKED);
        let waited_for_cancel = self.flags.has(Flags::CANCEL_ASKED) && self.state.is_open();
        let mut outcome = self.transition(fact, rules)?;
        outcome.publish = self.published(before, had_gone_out);
        outcome.closed = was_open && !self.state.is_open();
        let is_asked_back = self.flags.has(Flags::REVOKE_ASKED);
        outcome.stays = was_asked_back && !is_asked_back && !outcome.requeued;
        if waited_for_cancel && outcome.verdict.is_none() {
            outcome.verdict = self.cancel_verdict();
        }
        Ok(outcome)
    }

    fn transition(&mut self, fact: Fact<'_>, rules: Rules) -> Result<Outcome, Refused> {
        match fact {
            Fact::Exposed { holder, s } => self.expose(holder, s, rules),
            Fact::Reported { ep, by, report } => self.reported(ep, by, report, rules),
            Fact::PastReported { ep, report } => self.past_reported(ep, report),
            Fact::Shown {
                ep,
                by,
                state,
                page,
            } => self.was_shown(ep, by, state, page, rules),
            Fact::NeverReceived { by, down } => self.never_received(by, down, rules),
            Fact::Renumbered => {
                self.s = None;
                Ok(Outcome::default())
            }
            Fact::LifeEnded { ago_ms } => Ok(self.life_ended(ago_ms)),
            Fact::HolderLost => Ok(self.holder_lost(rules)),
            Fact::ExposureForgotten => Ok(self.exposure_forgotten(rules)),
            Fact::RevokeWanted => Ok(self.revoke_wanted()),
            Fact::CancelAsked => Ok(self.cancel_asked()),
            Fact::ResendAsked { new_route } => Ok(self.resend_asked(new_route)),
            Fact::DeleteAsked => Ok(self.delete_asked()),
        }
    }

    fn expose(&mut self, holder: Holder, s: u64, rules: Rules) -> Result<Outcome, Refused> {
        if !self.can_expose(rules.life_left) {
            return Err(Refused::NotExposable);
        }
        let ep = self.ep.checked_add(1).ok_or(Refused::NotExposable)?;
        let replaced = self.take_present(ep, holder, Some(s));
        self.state = HubState::Exposed;
        if mistake::is("write_before_commit") {
            self.state = HubState::Waiting;
        }
        Ok(Outcome {
            replaced,
            ..Outcome::default()
        })
    }

    /// Makes `ep` the present exposure and returns the replaced one.
    pub(super) fn take_present(
        &mut self,
        ep: u32,
        holder: Holder,
        s: Option<u64>,
    ) -> Option<(u32, Holder)> {
        let replaced = self.holder.replace(holder).map(|holder| (self.ep, holder));
        self.ep = ep;
        self.s = s;
        self.send_attempts = self.send_attempts.saturating_add(1);
        self.flags.clear(Flags::REVOKE_ASKED);
        self.flags.clear(Flags::PARTIAL);
        self.flags.clear(Flags::CLAIMED);
        replaced
    }

    fn never_received(&mut self, by: &Holder, down: u64, rules: Rules) -> Result<Outcome, Refused> {
        let fenced_off = self.s.is_some_and(|s| s > down);
        if !self.is_held_by(by) || !fenced_off {
            return Err(Refused::NotHolder);
        }
        self.flags.clear(Flags::REVOKE_ASKED);
        Ok(match self.state {
            HubState::Exposed => self.free(rules),
            // The phone has reported on it: only a journal that went back can deny it now.
            HubState::OnPhone | HubState::Retrying | HubState::Submitting => {
                self.outcome_unknown(rules)
            }
            HubState::Unknown => self.prove_never_sent(),
            _ => Outcome::default(),
        })
    }

    fn life_ended(&mut self, ago_ms: u64) -> Outcome {
        let expires_exposed = mistake::is("exposed_expires") && self.state.is_open();
        if self.state == HubState::Waiting || expires_exposed {
            self.end_unsent(HubState::Expired);
        } else if self.state.is_open() && ago_ms >= UNKNOWN_AFTER_LIFE_MS {
            self.tell_unknown();
        }
        Outcome::default()
    }

    fn holder_lost(&mut self, rules: Rules) -> Outcome {
        self.flags.clear(Flags::REVOKE_ASKED);
        if self.state.is_open() && mistake::is("reinstall_as_empty") {
            self.free(rules)
        } else if self.state.is_open() {
            self.outcome_unknown(rules)
        } else {
            Outcome::default()
        }
    }

    /// A waiting message may have been exposed by what this hub has forgotten.
    fn exposure_forgotten(&mut self, rules: Rules) -> Outcome {
        if self.state == HubState::Waiting {
            self.outcome_unknown(rules)
        } else {
            Outcome::default()
        }
    }

    fn revoke_wanted(&mut self) -> Outcome {
        if !self.state.is_open() {
            return Outcome::default();
        }
        if mistake::is("hub_timeout_resend") {
            return self.queue_again();
        }
        self.flags.set(Flags::REVOKE_ASKED);
        Outcome {
            ask: Some(Ask::Revoke),
            ..Outcome::default()
        }
    }

    /// Ends an exposure with proof that it was not sent, and queues the message again, unless it
    /// was cancelled, deleted or has expired.
    pub(super) fn free(&mut self, rules: Rules) -> Outcome {
        self.s = None;
        self.flags.clear(Flags::REVOKE_ASKED);
        if self.flags.has(Flags::CLAIMED) {
            return self.outcome_unknown(rules);
        }
        let unwanted = self.flags.has(Flags::CANCEL_ASKED) || self.flags.has(Flags::DELETED);
        if unwanted && !mistake::is("cancel_forgotten") {
            self.end_unsent(HubState::Cancelled);
        } else if rules.life_left {
            return self.queue_again();
        } else {
            self.end_unsent(HubState::Expired);
        }
        Outcome::default()
    }

    pub(crate) fn queue_again(&mut self) -> Outcome {
        self.state = HubState::Waiting;
        self.s = None;
        Outcome {
            requeued: true,
            ..Outcome::default()
        }
    }

    /// Ends the message as not sent, unless an earlier exposure's
    /// outcome is unknown: then that is all that can be said.
    pub(super) fn end_unsent(&mut self, end: HubState) {
        if self.flags.has(Flags::EARLIER_UNKNOWN) && !mistake::is("earlier_unknown_forgotten") {
            self.tell_unknown();
        } else {
            self.state = end;
        }
    }

    pub(super) const fn tell_unknown(&mut self) {
        self.state = HubState::Unknown;
        self.flags.set(Flags::TOLD_UNKNOWN);
    }

    /// The present exposure's outcome cannot be known: R4 if the sender chose it, else report it.
    pub(super) fn outcome_unknown(&mut self, rules: Rules) -> Outcome {
        let wanted = !self.flags.has(Flags::CANCEL_ASKED) && !self.flags.has(Flags::DELETED);
        let first = !self.flags.has(Flags::RESENT_FOR_UNKNOWN) || mistake::is("resent_again");
        let alive = rules.life_left || mistake::is("resent_after_life");
        if rules.on_unknown == OnUnknown::Resend && alive && wanted && first {
            self.flags.set(Flags::RESENT_FOR_UNKNOWN);
            self.flags.set(Flags::EARLIER_UNKNOWN);
            return self.queue_again();
        }
        self.tell_unknown();
        Outcome::default()
    }

    /// Corrects a reported unknown: it was not sent, and is not queued again.
    pub(super) fn prove_never_sent(&mut self) -> Outcome {
        if mistake::is("requeue_after_unknown") {
            return self.queue_again();
        }
        if !self.flags.has(Flags::EARLIER_UNKNOWN) {
            self.state = HubState::Failed;
            self.flags.set(Flags::NEVER_SENT);
        }
        Outcome::default()
    }

    fn published(
        &self,
        before: (MessageStatus, Option<ErrorCode>),
        had_gone_out: bool,
    ) -> Option<Published> {
        let (status, error) = self.shown();
        ((status, error) != before).then(|| Published {
            status,
            error,
            sets_time_sent: self.state.went_out() && !had_gone_out,
            webhook: !self.flags.has(Flags::DELETED) || mistake::is("deleted_tells"),
        })
    }

    /// Answers a waiting cancel: `None` while the phone may still agree.
    const fn cancel_verdict(&self) -> Option<Verdict> {
        match self.state {
            HubState::Cancelled => Some(Verdict::Cancelled),
            HubState::Waiting | HubState::Exposed | HubState::OnPhone | HubState::Retrying => None,
            HubState::Submitting
            | HubState::Unknown
            | HubState::Sent
            | HubState::Failed
            | HubState::NotDelivered
            | HubState::Delivered
            | HubState::Expired => Some(Verdict::NotCancellable),
        }
    }
}
