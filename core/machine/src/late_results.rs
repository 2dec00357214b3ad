//! Late results of exposures that are over: a report after its window, a result after days.
//!
//! Of such an exposure, memory has at most name and state. If the result may still raise the
//! state, it waits until the journal has loaded the row, and counts as if the exposure had never
//! been over; then the exposure is over again.

use crate::{agent::Agent, change::MessageRow, effect::Effect, fact::RadioFact, token::MessageRef};
use postrider_model::Now;
use std::collections::VecDeque;

/// Most facts that wait for the rows of their exposures; when full, further ones count as stray.
pub const LATE_MAX: usize = 64;

/// Facts whose exposures are being read from the journal.
#[derive(Debug, Default)]
pub(crate) struct LateResults(VecDeque<RadioFact>);

impl Agent {
    /// Accepts the exposure that `LoadMessage` asked for; `None` when the journal no longer has it.
    pub fn handle_message_loaded(
        &mut self,
        message: MessageRef,
        row: Option<MessageRow>,
        now: Now,
    ) {
        let is_revived = row.is_some_and(|row| self.outbound.revive(row));
        let (news, others) = std::mem::take(&mut self.late_results.0)
            .into_iter()
            .partition(|fact| named(fact) == Some(message));
        self.late_results.0 = others;
        let news: VecDeque<RadioFact> = news;
        for fact in news {
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
        if self.late_results.0.len() >= LATE_MAX {
            return Some(fact);
        }
        if !self
            .late_results
            .0
            .iter()
            .any(|fact| named(fact) == Some(message))
        {
            self.pending.effects.push(Effect::LoadMessage(message));
        }
        self.late_results.0.push_back(fact);
        None
    }
}

/// Returns the exposure that a result or a report is about.
fn named(fact: &RadioFact) -> Option<MessageRef> {
    match fact {
        RadioFact::PartSent { token, .. } | RadioFact::ReportArrived { token, .. } => {
            Some(token.message)
        }
        _ => None,
    }
}
