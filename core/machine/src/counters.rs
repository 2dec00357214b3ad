//! How often something happened that should be rare, since the start of the process.

use crate::event::Event;

/// Helps to find a fault; it says nothing of any one message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counters {
    /// Results and reports that name no hand-over of this journal, or one that is over.
    pub stray_results: u64,
    /// Status reports that name a different recipient.
    pub mismatched_reports: u64,
    /// Hand-overs whose result did not come in time.
    pub silences: u64,
    /// Times that a SIM was held by its radio.
    pub holds: u64,
    /// Times that the platform's limit was reached.
    pub halvings: u64,
}

impl Counters {
    /// Counts what happened.
    pub(crate) fn count(&mut self, event: &Event) {
        let counter = match event {
            Event::StrayResult { .. } => &mut self.stray_results,
            Event::ReportMismatched { .. } => &mut self.mismatched_reports,
            Event::LookAtPhone { .. } => &mut self.silences,
            Event::SimHeld { .. } => &mut self.holds,
            Event::PaceHalved { .. } => &mut self.halvings,
            _ => return,
        };
        *counter += 1;
    }
}
