//! Handed-over messages that may still get a delivery report, or a late result after they failed or
//! became unknown.
//!
//! Each such exposure stays in memory until its report window is over. Their number is
//! bounded: when it is exceeded, the window of the oldest one closes early.
//! Its state then is final, unless a late result corrects it from the journal
//! ([`late_results`](crate::late_results)).

use super::{Cx, Message, Outbound};
use crate::{
    change::MessageRow,
    timers::{Subject, Timer},
    token::MessageRef,
};
use postrider_link::ownership::phone::Step;
use postrider_model::BootMs;
use std::collections::BTreeSet;

/// Most exposures that only wait for reports or a late result; when full, the report
/// window of the oldest closes early.
///
/// On a network that never reports, at 1,500 an hour, this is the last six and a half hours.
pub const REPORTS_AWAITED_MAX: usize = 10_000;

/// The open report windows, in order of their ends.
#[derive(Debug, Default)]
pub(super) struct ReportWindows(BTreeSet<(BootMs, MessageRef)>);

impl ReportWindows {
    fn open(&mut self, ends: BootMs, message: MessageRef) {
        self.0.insert((ends, message));
    }

    fn close(&mut self, ends: BootMs, message: MessageRef) {
        self.0.remove(&(ends, message));
    }

    /// Returns the one that ends first, if there are too many.
    fn surplus(&self) -> Option<MessageRef> {
        if self.0.len() <= REPORTS_AWAITED_MAX {
            return None;
        }
        self.0.first().map(|(_, message)| *message)
    }

    /// Removes and returns one whose time is over.
    fn take_over(&mut self, now: BootMs) -> Option<MessageRef> {
        let (ends, message) = self.0.first().copied()?;
        (ends <= now && self.0.remove(&(ends, message))).then_some(message)
    }
}

impl Outbound {
    /// Waits for reports, or for a late result, while the report window is open.
    pub(super) fn watch_report_window(&mut self, message: MessageRef, cx: &mut Cx<'_>) {
        let Some(live) = self
            .live
            .get(&message)
            .filter(|live| !live.is_settled(false))
        else {
            return;
        };
        let submitted = live.row.progress.submitted.as_ref();
        let since = submitted.unwrap_or(&live.row.received);
        let window_ms = self.waits_of(live.row.sim).report_window_ms;
        if since.age_ms(&self.boot_id, cx.now) >= window_ms {
            return;
        }
        let ends = since.due_after(window_ms, &self.boot_id, cx.now);
        self.forget_report_window(message, cx);
        self.report_windows.open(ends, message);
        cx.timers
            .set(Timer::ReportWindow, Subject::Message(message), ends);
        while let Some(oldest) = self.report_windows.surplus() {
            self.forget_report_window(oldest, cx);
            self.end_if_over(oldest, cx);
        }
    }

    /// Handles the end of a report window.
    pub(super) fn report_window_over(&mut self, cx: &mut Cx<'_>) {
        while let Some(message) = self.report_windows.take_over(cx.now.boot) {
            cx.timers
                .stop(Timer::ReportWindow, Subject::Message(message));
            self.end_if_over(message, cx);
        }
    }

    /// Tells whether a result may still be new to an exposure that is over.
    pub(crate) fn may_revive_by_result(&self, message: MessageRef) -> bool {
        self.may_revive(message, Step::Sent)
    }

    /// Tells whether a delivery report may still be new to an exposure that is over.
    pub(crate) fn may_revive_by_report(&self, message: MessageRef) -> bool {
        self.may_revive(message, Step::Delivered)
    }

    fn may_revive(&self, message: MessageRef, by: Step) -> bool {
        if self.live.contains_key(&message) {
            return false;
        }
        match self.ended.get(message) {
            Some(row) => row.claim().after(by).is_ok(),
            None => !self.ended.has_all_of(message.id),
        }
    }

    /// Continues with an exposure that was over, because something new came. Returns whether it was
    /// over.
    pub(crate) fn revive(&mut self, row: MessageRow) -> bool {
        let message = row.message;
        if self.live.contains_key(&message) {
            return false;
        }
        let mut live = Message::new(row);
        live.row.progress.ended = None;
        (live.row.text, live.row.data) = (None, None);
        live.acked = true;
        self.live.insert(message, live);
        true
    }

    /// Leaves an exposure as it was when it was over: nothing new came.
    pub(crate) fn leave_over(&mut self, message: MessageRef) {
        self.live.remove(&message);
    }

    /// Stops waiting for reports of an exposure.
    pub(super) fn forget_report_window(&mut self, message: MessageRef, cx: &mut Cx<'_>) {
        let subject = Subject::Message(message);
        if let Some(ends) = cx.timers.get(Timer::ReportWindow, subject) {
            self.report_windows.close(ends, message);
            cx.timers.stop(Timer::ReportWindow, subject);
        }
    }
}
