//! The owner's test message: it goes to the radio now or not at all, and the hub is not told of it.
//!
//! ```text
//!  SendTest -> Submitting -- results --> Sent -- reports --> Delivered, NotDelivered
//!                   |    \------------> Failed
//!                   +-- silence ------> Unknown -- late --^
//! ```
//!
//! It is paced and counted like any message, and its results say as much about its SIM as any
//! message's. The owner's pause and quiet hours do not stop it, and nothing waits for it. The
//! journal has no row of it: after a restart, its later results are stray. Two things are on disk
//! before the radio has it: that it counts, and that the platform's row of it counts for no message
//! of the hub with the same number and text ([`claims`](super::claims)).

use super::{Cx, Outbound, kinds::callable, results::is_same};
use crate::{
    change::Change,
    command::Refused,
    effect::{Body, Effect, SendParts},
    event::Event,
    fact::ReportStatus,
    pacer::Slot,
    parts::{Delivery, Parts, Verdict},
    timers::{Subject, Timer},
    token::{MessageRef, SendToken},
};
use postrider_link::frame::Address;
use postrider_model::{Key, MessageId, MessageText, Now, SimSlot, WireState};
use postrider_text::{
    PARTS_MAX_DEFAULT,
    parts::count_within,
    result_code::{Action, look_up},
};

/// The id of every test; the hub's ids are made from the time and never equal it.
const TEST: MessageId = MessageId::new(Key::first_of_ms(0));

/// The last test that was handed over.
#[derive(Debug)]
pub(super) struct Trial {
    token: SendToken,
    sim: SimSlot,
    to: Address,
    parts: Parts,
    /// The row that counts it.
    spent: Option<u64>,
    state: WireState,
}

impl Trial {
    /// Tells whether the radio has it and its outcome is not known yet.
    pub(super) fn is_with_radio(&self) -> bool {
        self.state == WireState::Submitting
    }

    /// Returns what its parts amount to now, with the code of a failure.
    fn verdict(&self) -> (WireState, Option<i32>) {
        match self.parts.verdict() {
            Verdict::AwaitingSent => (self.state, None),
            Verdict::Sent => match self.parts.delivery() {
                Delivery::Awaiting => (WireState::Sent, None),
                Delivery::Delivered => (WireState::Delivered, None),
                Delivery::NotDelivered => (WireState::NotDelivered, None),
            },
            Verdict::NeverSent { code }
            | Verdict::Ambiguous { code }
            | Verdict::Partial { code } => (WireState::Failed, Some(code)),
        }
    }
}

impl Outbound {
    /// Hands a test to the radio, or says why not.
    pub(crate) fn send_test(
        &mut self,
        sim: SimSlot,
        to: Address,
        text: MessageText,
        cx: &mut Cx<'_>,
    ) -> Result<(), Refused> {
        let parts = self.examine_test(sim, &to, &text, cx.now)?;
        let spent = self
            .pacer
            .spend(sim, u32::from(parts), &self.boot_id, cx.now);
        let trial = Trial {
            token: self.next_test(cx.now),
            sim,
            to: to.clone(),
            parts: Parts::awaiting(parts),
            spent: spent.as_ref().map(|row| row.no),
            state: WireState::Submitting,
        };
        let disowned = self.claims.disown(&to, &text, cx.now.unix);
        cx.pending.changes.push(disowned);
        cx.pending.changes.extend(spent.map(Change::SpentAdded));
        let at = cx.now.boot.plus_ms(self.waits_of(sim).unknown_ms);
        cx.timers.set(Timer::TestGivenUp, Subject::Agent, at);
        cx.pending.effects.push(Effect::SendParts(SendParts {
            token: trial.token,
            sim,
            to,
            body: Body::Text(text),
            parts,
            report: self.rules.reports.get(&sim).copied().unwrap_or(true),
        }));
        show(&trial, None, cx);
        self.trial = Some(trial);
        Ok(())
    }

    /// Tells whether a result or report is about the last test.
    pub(super) fn is_trial(&self, token: SendToken) -> bool {
        let trial = self.trial.as_ref();
        trial.is_some_and(|trial| trial.token == token)
    }

    /// Handles the sent result of a part of the test.
    pub(super) fn test_part_sent(&mut self, part: u8, of: u8, code: i32, cx: &mut Cx<'_>) {
        let Some(trial) = &mut self.trial else {
            return;
        };
        if of > 0 && of != trial.parts.count() && trial.is_with_radio() {
            trial.parts.resize(of);
            self.recount_test(cx);
        }
        let Some(trial) = &mut self.trial else {
            return;
        };
        if trial.parts.sent(part, code) {
            let sim = trial.sim;
            self.radio_answered(sim, code, cx);
            self.judge_test(cx);
        }
    }

    /// Handles a status report of a part of the test.
    pub(super) fn test_reported(
        &mut self,
        part: u8,
        status: ReportStatus,
        recipient: Option<&Address>,
        cx: &mut Cx<'_>,
    ) {
        let Some(trial) = &mut self.trial else {
            return;
        };
        let token = trial.token;
        if recipient.is_some_and(|recipient| !is_same(recipient, &trial.to)) {
            cx.pending.events.push(Event::ReportMismatched { token });
        } else if trial.parts.reported(part, status.decode().outcome) {
            self.judge_test(cx);
        }
    }

    /// The radio's result of the test will not come.
    pub(super) fn give_up_test(&mut self, cx: &mut Cx<'_>) {
        if let Some(trial) = self.trial.as_mut().filter(|trial| trial.is_with_radio()) {
            trial.state = WireState::Unknown;
            show(trial, None, cx);
        }
    }

    /// Returns how many parts a test has, if it may be sent now.
    fn examine_test(
        &self,
        sim: SimSlot,
        to: &Address,
        text: &MessageText,
        now: Now,
    ) -> Result<u8, Refused> {
        if !self.has_sim(sim) {
            return Err(Refused::NoSuchSim(sim));
        }
        if self.rules.changed.contains(&sim) {
            return Err(Refused::SimChanged(sim));
        }
        callable(to).map_err(|_| Refused::InvalidRecipient)?;
        if text.as_str().is_empty() {
            return Err(Refused::NoText);
        }
        let languages = self.rules.languages(sim);
        let counted = count_within(text.as_str(), &languages, PARTS_MAX_DEFAULT);
        let parts = counted.map_err(|_| Refused::TooManyParts)?.parts;
        if self.trial.as_ref().is_some_and(Trial::is_with_radio) {
            return Err(Refused::TestUnderway);
        }
        let gap_ms = self.rules.of(sim).send_delay_ms;
        match self.pacer.slot(sim, parts, gap_ms, now) {
            Slot::Free => Ok(u8::try_from(parts).unwrap_or(u8::MAX)),
            Slot::At { at, rule } => Err(Refused::NoSlot {
                in_ms: at.since_ms(now.boot),
                rule,
            }),
        }
    }

    /// Names a test by its second, so that a later process never mistakes results of an earlier
    /// test for its own.
    fn next_test(&self, now: Now) -> SendToken {
        let second = u32::try_from(now.unix.0 / 1_000).unwrap_or(1);
        let last = self.trial.as_ref().map_or(0, |last| last.token.message.ep);
        let ep = second.max(last.saturating_add(1));
        let message = MessageRef { id: TEST, ep };
        SendToken {
            message,
            attempt: 1,
        }
    }

    /// Shows what the parts of the test amount to, and applies what a refusal proves about its SIM.
    fn judge_test(&mut self, cx: &mut Cx<'_>) {
        let Some(trial) = &mut self.trial else {
            return;
        };
        let (state, code) = trial.verdict();
        if state == trial.state {
            return;
        }
        trial.state = state;
        cx.timers.stop(Timer::TestGivenUp, Subject::Agent);
        show(trial, code, cx);
        let sim = trial.sim;
        let Verdict::NeverSent { code } = trial.parts.verdict() else {
            return self.recount_test(cx);
        };
        self.recount_test(cx);
        match look_up(code).action {
            Action::HoldSim => self.hold_idle(sim, code, cx),
            Action::HoldSimAndHalvePace => {
                self.hold_idle(sim, code, cx);
                self.halve_pace(cx);
            }
            Action::RetryMessage
            | Action::FailWithProof
            | Action::FailAmbiguous
            | Action::Accept => {}
        }
    }

    /// Stops counting parts that provably were not sent.
    fn recount_test(&mut self, cx: &mut Cx<'_>) {
        if let Some(trial) = &self.trial
            && let Some(no) = trial.spent
        {
            let counts = (trial.parts.may_have_left(), trial.parts.count());
            self.recount(no, trial.sim, counts, cx);
        }
    }
}

fn show(trial: &Trial, code: Option<i32>, cx: &mut Cx<'_>) {
    cx.pending.events.push(Event::TestMoved {
        token: trial.token,
        state: trial.state,
        code,
    });
}
