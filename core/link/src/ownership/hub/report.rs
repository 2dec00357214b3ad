//! What a phone's reports do: results, late results and shown rows.

use super::{
    Ask, Flags, Holder, HubState, Outcome, Ownership, Refused, Report, Rules, Standing, Whose,
};
use crate::mistake;
use postrider_model::WireState;

impl Ownership {
    pub(super) fn reported(
        &mut self,
        ep: u32,
        by: &Holder,
        report: Report,
        rules: Rules,
    ) -> Result<Outcome, Refused> {
        match self.whose(ep, by) {
            Whose::Present => Ok(self.present_reported(report, rules)),
            Whose::LookUpPast => Err(Refused::NotHolder),
            Whose::Stranger => Err(Refused::NoSuchExposure),
        }
    }

    fn present_reported(&mut self, report: Report, rules: Rules) -> Outcome {
        if report.state.rank().is_none_or(|rank| rank >= UNKNOWN_RANK) {
            self.flags.clear(Flags::REVOKE_ASKED);
        }
        match self.state {
            HubState::Exposed | HubState::OnPhone | HubState::Retrying | HubState::Submitting => {
                self.open_reported(report, rules)
            }
            HubState::Unknown => self.unknown_reported(report),
            HubState::Waiting => self.waiting_reported(report),
            HubState::Sent | HubState::Failed | HubState::NotDelivered | HubState::Delivered => {
                self.ended_reported(report)
            }
            HubState::Cancelled | HubState::Expired => self.truth(report.state),
        }
    }

    fn open_reported(&mut self, report: Report, rules: Rules) -> Outcome {
        match report.state {
            WireState::Retrying if mistake::is("retrying_is_proof") => self.free(rules),
            WireState::OnPhone | WireState::Retrying | WireState::Submitting => {
                self.raise(report.state)
            }
            WireState::Unknown => self.outcome_unknown(rules),
            WireState::Sent | WireState::NotDelivered | WireState::Delivered => {
                self.truth(report.state)
            }
            WireState::Failed => self.failed(report, rules),
            WireState::Revoked => self.free(rules),
            WireState::Cancelled => {
                self.end_unsent(HubState::Cancelled);
                Outcome::default()
            }
            WireState::Expired => {
                self.end_unsent(HubState::Expired);
                Outcome::default()
            }
        }
    }

    /// R3 frees the message for another phone, if there is one; everything else is final.
    fn failed(&mut self, report: Report, rules: Rules) -> Outcome {
        let unsent = report.unsent || mistake::is("ambiguous_is_proof");
        let proven = unsent && !report.partial;
        if proven && rules.other_route && rules.life_left {
            return self.free(rules);
        }
        if proven {
            self.end_unsent(HubState::Failed);
        } else {
            self.end_failed(report.partial);
        }
        Outcome::default()
    }

    const fn end_failed(&mut self, partial: bool) {
        self.state = HubState::Failed;
        self.flags.set(Flags::NO_PROOF);
        if partial {
            self.flags.set(Flags::PARTIAL);
        }
    }

    /// A reported unknown stays; proof corrects it, and a phone that still has it does not.
    fn unknown_reported(&mut self, report: Report) -> Outcome {
        match report.state {
            WireState::OnPhone
            | WireState::Retrying
            | WireState::Submitting
            | WireState::Unknown => Outcome::default(),
            WireState::Sent if mistake::is("unknown_for_ever") => Outcome::default(),
            WireState::Sent | WireState::NotDelivered | WireState::Delivered => {
                self.truth(report.state)
            }
            WireState::Failed if report.unsent && !report.partial => self.prove_never_sent(),
            WireState::Failed => {
                self.end_failed(report.partial);
                Outcome::default()
            }
            WireState::Revoked | WireState::Cancelled | WireState::Expired => {
                self.prove_never_sent()
            }
        }
    }

    /// The exposure was freed. Only a report that it was sent counts, and after R4 (its outcome
    /// was unknown then) that some parts may have been.
    fn waiting_reported(&mut self, report: Report) -> Outcome {
        let ambiguous = report.state == WireState::Failed && !report.unsent;
        if ambiguous && self.flags.has(Flags::EARLIER_UNKNOWN) {
            self.end_failed(report.partial);
            return Outcome::default();
        }
        self.truth(report.state)
    }

    /// With a result, states only rise. If the result is an earlier exposure's, only a delivery of
    /// the present one counts.
    fn ended_reported(&mut self, report: Report) -> Outcome {
        let earlier_won = self.flags.has(Flags::EARLIER_WON);
        match HubState::of_wire(report.state) {
            Some(HubState::Delivered) => self.truth(WireState::Delivered),
            Some(state) if state > self.state && !earlier_won => {
                self.state = state;
                if state == HubState::Failed {
                    self.end_failed(report.partial);
                }
                if state.went_out() {
                    self.correct();
                }
                Outcome::default()
            }
            Some(_) | None => Outcome::default(),
        }
    }

    pub(super) fn past_reported(&mut self, ep: u32, report: Report) -> Result<Outcome, Refused> {
        if ep > self.ep {
            return Err(Refused::NoSuchExposure);
        }
        if mistake::is("older_truth_ignored") {
            return Ok(Outcome::default());
        }
        Ok(self.past_truth(report.state))
    }

    /// `sent` or higher of an earlier exposure wins, and a newer open one is taken back.
    fn past_truth(&mut self, state: WireState) -> Outcome {
        let here = HubState::of_wire(state).filter(|state| state.went_out());
        let Some(here) = here else {
            return Outcome::default();
        };
        let was_open = self.state.is_open();
        let rises = if self.state.went_out() {
            let of_earlier = self.flags.has(Flags::EARLIER_WON) || here == HubState::Delivered;
            here > self.state && of_earlier
        } else {
            self.flags.set(Flags::EARLIER_WON);
            true
        };
        if rises {
            self.state = here;
            self.correct();
        }
        if !was_open || mistake::is("newer_left_out") {
            return Outcome::default();
        }
        self.flags.set(Flags::REVOKE_ASKED);
        Outcome {
            ask: Some(Ask::Revoke),
            ..Outcome::default()
        }
    }

    /// Applies a row that a phone showed.
    ///
    /// A row in hello only says how far an open exposure got: a fact that follows reports its end,
    /// with details. A row of a page may be all that is left of an exposure.
    pub(super) fn was_shown(
        &mut self,
        ep: u32,
        by: &Holder,
        state: WireState,
        page: Option<Standing>,
        rules: Rules,
    ) -> Result<Outcome, Refused> {
        let report = Report {
            state,
            partial: false,
            unsent: false,
        };
        let mut outcome = match (self.whose(ep, by), page) {
            (Whose::Present, Some(_)) => self.present_reported(report, rules),
            (Whose::Present, None) if self.state.is_open() => self.raise(state),
            (Whose::Present | Whose::LookUpPast, None) => Outcome::default(),
            (Whose::Stranger, None) => return Err(Refused::NoSuchExposure),
            (Whose::LookUpPast, Some(standing)) => return self.past_shown(state, standing),
            (Whose::Stranger, Some(standing)) => {
                return self.stranger_shown(ep, by, report, standing, rules);
            }
        };
        outcome.ask = outcome.ask.or(self.asks());
        Ok(outcome)
    }

    /// A page shows an exposure before the present one: it counts if it was this phone's.
    fn past_shown(&mut self, state: WireState, standing: Standing) -> Result<Outcome, Refused> {
        if standing < Standing::Held && !mistake::is("past_of_anybody") {
            return Err(Refused::NotHolder);
        }
        Ok(self.past_truth(state))
    }

    /// A page shows an exposure that this hub does not know. The hub's own proof shows that it was
    /// forgotten. Without proof, a phone may speak of what was routed to it, as long as no other
    /// phone holds it or held it last; otherwise it only casts doubt on a give-back by that phone.
    fn stranger_shown(
        &mut self,
        ep: u32,
        by: &Holder,
        report: Report,
        standing: Standing,
        rules: Rules,
    ) -> Result<Outcome, Refused> {
        let held_by = |device| self.holder.as_ref().map(|holder| holder.device) == Some(device);
        let elsewhere = self.holder.is_some() && !held_by(by.device);
        let is_out = self.state != HubState::Waiting;
        let believed = match standing {
            _ if mistake::is("pages_ignored") => return Err(Refused::NoSuchExposure),
            Standing::Proven => !mistake::is("proof_ignored"),
            _ if mistake::is("pages_believed") => true,
            Standing::Nothing if !held_by(by.device) => false,
            _ if mistake::is("claims_of_held") => true,
            _ => !(elsewhere && is_out),
        };
        if believed {
            return Ok(self.adopt(ep, by, report, rules));
        }
        if standing == Standing::Nothing || !self.state.is_open() {
            return Err(Refused::NoSuchExposure);
        }
        self.flags.set(Flags::CLAIMED);
        self.flags.set(Flags::EARLIER_UNKNOWN);
        Ok(Outcome::default())
    }

    /// Takes over an exposure that this hub made and forgot.
    fn adopt(&mut self, ep: u32, by: &Holder, report: Report, rules: Rules) -> Outcome {
        // How the one before it ended is forgotten, too: only a remembered proof counts.
        let is_open = self.state.is_open() || self.state == HubState::Unknown;
        if is_open || self.flags.has(Flags::NO_PROOF) {
            self.flags.set(Flags::EARLIER_UNKNOWN);
        }
        let replaced = self.take_present(ep, by.clone(), None);
        let ended = !self.state.is_open() && self.state != HubState::Waiting;
        let still_there = matches!(
            report.state,
            WireState::OnPhone | WireState::Retrying | WireState::Submitting
        );
        let mut outcome = if ended && still_there {
            self.flags.set(Flags::REVOKE_ASKED);
            let says_unsent = !self.state.went_out() && !self.flags.has(Flags::NO_PROOF);
            if report.state == WireState::Submitting && says_unsent {
                // The radio may have had it, so it is no longer proven that it was not sent.
                self.disprove();
                self.tell_unknown();
            }
            Outcome::default()
        } else if ended && !self.state.went_out() && report.state == WireState::Unknown {
            self.disprove();
            self.tell_unknown();
            Outcome::default()
        } else if ended && !self.state.went_out() && report.state == WireState::Failed {
            self.disprove();
            self.end_failed(report.partial);
            Outcome::default()
        } else if ended {
            self.truth(report.state)
        } else {
            self.state = HubState::Exposed;
            self.open_reported(report, rules)
        };
        outcome.replaced = replaced;
        outcome.ask = outcome.ask.or(self.asks());
        outcome
    }

    fn raise(&mut self, state: WireState) -> Outcome {
        if let Some(state) = HubState::of_wire(state)
            && state > self.state
            && state.is_open()
        {
            self.state = state;
        }
        Outcome::default()
    }

    /// It was sent, whatever was reported before.
    fn truth(&mut self, state: WireState) -> Outcome {
        if let Some(state) = HubState::of_wire(state)
            && state.went_out()
        {
            self.state = state;
            self.correct();
        }
        Outcome::default()
    }

    /// Drops the proof that it was not sent: a forgotten exposure may have been.
    const fn disprove(&mut self) {
        self.flags.clear(Flags::NEVER_SENT);
    }

    /// Drops what a later result disproves.
    const fn correct(&mut self) {
        self.disprove();
        self.flags.clear(Flags::PARTIAL);
        self.flags.clear(Flags::NO_PROOF);
    }
}

/// From this rank on a phone can no longer give an exposure back.
const UNKNOWN_RANK: u8 = 50;
