//! Late results of exposures that are over: a report after its window, a result after days.
//!
//! Of such an exposure, memory has at most name and state. If the result may still raise the
//! state, it waits until the journal has loaded the row, and counts as if the exposure had never
//! been over; then the exposure is over again.

use crate::{fact::RadioFact, token::MessageRef};
use std::collections::VecDeque;

/// Most facts that wait for the rows of their exposures; when full, further ones count as stray.
pub const LATE_MAX: usize = 64;

/// Facts whose exposures are being read from the journal.
#[derive(Debug, Default)]
pub(crate) struct LateResults(VecDeque<RadioFact>);

impl LateResults {
    /// Removes the facts about an exposure, and returns them in their order.
    pub(crate) fn remove(&mut self, message: MessageRef) -> VecDeque<RadioFact> {
        let (taken, others) = std::mem::take(&mut self.0)
            .into_iter()
            .partition(|fact| named(fact) == Some(message));
        self.0 = others;
        taken
    }

    /// Tells whether a further fact counts as stray.
    pub(crate) fn is_full(&self) -> bool {
        self.0.len() >= LATE_MAX
    }

    /// Tells whether a fact about an exposure waits.
    pub(crate) fn has(&self, message: MessageRef) -> bool {
        self.0.iter().any(|fact| named(fact) == Some(message))
    }

    /// Adds a fact to those that wait.
    pub(crate) fn add(&mut self, fact: RadioFact) {
        self.0.push_back(fact);
    }
}

/// Returns the exposure that a result or a report is about.
pub(crate) fn named(fact: &RadioFact) -> Option<MessageRef> {
    match fact {
        RadioFact::PartSent { token, .. } | RadioFact::ReportArrived { token, .. } => {
            Some(token.message)
        }
        _ => None,
    }
}
