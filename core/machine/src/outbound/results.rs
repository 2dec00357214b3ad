//! What the radio, the network and the provider report about hand-overs.

use super::{Cx, Message, Outbound, message::Judgement};
use crate::{
    change::Change,
    effect::Effect,
    event::Event,
    fact::{ReportStatus, SentRow},
    inbound::Fingerprint,
    timers::{Subject, Timer},
    token::{MessageRef, SendToken},
};
use postrider_link::{
    frame::{Address, Kind},
    ownership::phone::Step,
};
use postrider_model::{SimSlot, WireState};
use postrider_text::result_code::{RESULT_OK, retry_delay_ms};

/// After a reboot, how long to wait for the provider until the message is unknown, in milliseconds.
pub(super) const PROVIDER_MS_MAX: u64 = 60_000;
/// Last digits in which a report's recipient must agree with the message's.
const RECIPIENT_DIGITS: usize = 7;

impl Outbound {
    /// Handles the sent result of a part.
    pub(crate) fn part_sent(
        &mut self,
        token: SendToken,
        part: u8,
        of: u8,
        (code, cause): (i32, Option<i32>),
        cx: &mut Cx<'_>,
    ) {
        if self.is_trial(token) {
            return self.test_part_sent(part, of, code, cx);
        }
        let message = token.message;
        let Some(live) = self.live.get_mut(&message) else {
            cx.pending.events.push(Event::StrayResult { token });
            return;
        };
        let is_stale = token.attempt != live.row.progress.attempt || live.claim().is_waiting();
        if is_stale && !(code == RESULT_OK && self.refute(token, cx)) {
            return;
        }
        let Some(live) = self.live.get_mut(&message) else {
            return;
        };
        let count = live.row.progress.parts.count();
        // A report may come before the first result, so that the message is already sent.
        let may_grow = matches!(live.state(), WireState::Unknown | WireState::Sent) && of > count;
        let is_new = live.state() == WireState::Submitting || may_grow;
        if of > 0 && count > 0 && of != count && is_new {
            self.resize(message, of, cx);
        }
        let Some(live) = self.live.get_mut(&message) else {
            return;
        };
        if !live.row.progress.parts.sent(part, code) {
            return;
        }
        live.cause = cause.or(live.cause);
        cx.pending.dirty.insert(message);
        if code == RESULT_OK {
            live.held_since = None;
        }
        let sim = live.row.sim;
        self.radio_answered(sim, code, cx);
        self.judge(message, cx);
    }

    /// Handles a status report of a part.
    pub(crate) fn report_arrived(
        &mut self,
        token: SendToken,
        part: u8,
        status: ReportStatus,
        recipient: Option<&Address>,
        cx: &mut Cx<'_>,
    ) {
        if self.is_trial(token) {
            return self.test_reported(part, status, recipient, cx);
        }
        let Some(live) = self.live.get_mut(&token.message) else {
            cx.pending.events.push(Event::StrayResult { token });
            return;
        };
        if recipient.is_some_and(|recipient| !is_same(recipient, &live.row.to)) {
            cx.pending.events.push(Event::ReportMismatched { token });
            return;
        }
        let is_stale = token.attempt != live.row.progress.attempt || live.claim().is_waiting();
        if is_stale && !self.refute(token, cx) {
            return;
        }
        let Some(live) = self.live.get_mut(&token.message) else {
            return;
        };
        let report = status.decode();
        if !live.row.progress.parts.reported(part, report.outcome) {
            return;
        }
        if report.outcome.is_final() {
            live.reported = Some((report.code, report.detail));
        }
        cx.pending.dirty.insert(token.message);
        self.judge(token.message, cx);
    }

    /// Handles the provider's answer about a hand-over.
    pub(crate) fn sent_row_read(&mut self, token: SendToken, rows: &[SentRow], cx: &mut Cx<'_>) {
        let message = token.message;
        let Some(live) = self.live.get_mut(&message) else {
            return;
        };
        if live.token() != token || live.state() != WireState::Submitting {
            return;
        }
        let submitted = live.row.progress.submitted.as_ref();
        let same_boot = submitted.is_some_and(|at| at.is_of(&self.boot_id));
        let since = submitted.map_or(cx.now.unix, |at| at.unix);
        let alike = live.row.text.as_ref();
        let alike = alike.map(|text| Fingerprint::of_sent(&live.row.to, text));
        if let Some(claim) = self.claims.claim(rows, alike, since, cx.now.unix) {
            cx.pending.changes.push(claim);
            live.row.progress.parts.all_accepted();
            cx.pending.dirty.insert(message);
            self.judge(message, cx);
        } else if !same_boot {
            self.give_up(message, cx);
        }
    }

    /// Stops submitting on the SIM of a message without a result, and asks the provider.
    pub(super) fn fall_silent(&mut self, message: MessageRef, cx: &mut Cx<'_>) {
        let Some(live) = self.live.get(&message) else {
            return;
        };
        let sim = live.row.sim;
        if let Some(queue) = self.sims.get_mut(&sim) {
            queue.silent.insert(message);
        }
        cx.pending.events.push(Event::LookAtPhone { sim });
        self.ask_provider(message, cx);
    }

    /// The radio's result will not come.
    pub(super) fn give_up(&mut self, message: MessageRef, cx: &mut Cx<'_>) {
        self.reach(message, Step::Lost, cx);
    }

    /// Continues with a message that was with the radio when the process ended.
    pub(super) fn resume_submitting(&mut self, message: MessageRef, cx: &mut Cx<'_>) {
        let Some(live) = self.live.get(&message) else {
            return;
        };
        match live.row.kind {
            Kind::Ussd => return self.reach(message, Step::Lost, cx),
            Kind::Call => return self.resume_call(message, cx),
            Kind::Sms | Kind::DataSms | Kind::Mms | Kind::Other(_) => {}
        }
        let waits = self.waits_of(live.row.sim);
        let queue = self.sims.entry(live.row.sim).or_default();
        queue.flying.insert(message);
        let subject = Subject::Message(message);
        let since = live
            .row
            .progress
            .submitted
            .as_ref()
            .unwrap_or(&live.row.received);
        if since.is_of(&self.boot_id) {
            let due = |wait_ms| since.due_after(wait_ms, &self.boot_id, cx.now);
            let (silent, unknown) = (due(waits.silence_ms), due(waits.unknown_ms));
            cx.timers.set(Timer::Silence, subject, silent);
            cx.timers.set(Timer::GiveUpOnResult, subject, unknown);
        } else if live.row.kind == Kind::DataSms {
            self.reach(message, Step::Lost, cx);
        } else {
            let at = cx.now.boot.plus_ms(PROVIDER_MS_MAX);
            cx.timers.set(Timer::GiveUpOnResult, subject, at);
            self.ask_provider(message, cx);
        }
    }

    /// The platform keeps no row of a data message.
    fn ask_provider(&mut self, message: MessageRef, cx: &mut Cx<'_>) {
        let is_kept = |live: &&Message| live.row.kind == Kind::Sms;
        let Some(live) = self.live.get(&message).filter(is_kept) else {
            return;
        };
        let since = live.row.progress.submitted.as_ref();
        cx.pending.effects.push(Effect::ReadSentRow {
            token: live.token(),
            sim: live.row.sim,
            to: live.row.to.clone(),
            text: live.row.text.clone().unwrap_or_default(),
            since: since.map_or(cx.now.unix, |at| at.unix),
        });
    }

    /// Does what the parts of a message call for.
    fn judge(&mut self, message: MessageRef, cx: &mut Cx<'_>) {
        let Some(live) = self.live.get_mut(&message) else {
            return;
        };
        match live.judge() {
            Judgement::Wait => {}
            Judgement::Reached(step) => self.reach(message, step, cx),
            Judgement::Failed { code, step } => {
                live.row.progress.code = Some(code.to_string());
                self.give_back(message, cx);
                self.reach(message, step, cx);
            }
            Judgement::HoldSim { code, halve } => {
                live.row.progress.code = Some(code.to_string());
                self.give_back(message, cx);
                self.leave_radio(message, cx);
                self.hold_sim(message, code, cx);
                if halve {
                    self.halve_pace(cx);
                }
            }
            Judgement::Retry { code } => {
                live.row.progress.code = Some(code.to_string());
                self.give_back(message, cx);
                self.retry(message, cx);
            }
        }
    }

    pub(super) fn reach(&mut self, message: MessageRef, step: Step, cx: &mut Cx<'_>) {
        let was = self.live.get(&message).map(|live| live.state());
        if !self.step(message, step, cx) {
            return;
        }
        if was == Some(WireState::Submitting) {
            self.leave_radio(message, cx);
        }
        if let Some(live) = self.live.get_mut(&message) {
            (live.row.text, live.row.data) = (None, None);
        }
        self.watch_report_window(message, cx);
        self.tell(message, cx);
    }

    /// Tries a message again later, or ends it if that would be too often or too late.
    fn retry(&mut self, message: MessageRef, cx: &mut Cx<'_>) {
        self.leave_radio(message, cx);
        let stamp = self.stamp(cx.now);
        let Some(live) = self.live.get_mut(&message) else {
            return;
        };
        live.row.progress.tries += 1;
        let delay_ms = retry_delay_ms(live.row.progress.tries);
        let too_long = |delay_ms: &u64| live.row.movable && *delay_ms > super::submit::HAND_BACK_MS;
        match delay_ms.filter(|delay_ms| !too_long(delay_ms)) {
            None => {
                let step = Step::Failed {
                    partial: false,
                    unsent: true,
                };
                self.reach(message, step, cx);
            }
            Some(delay_ms) => {
                live.row.progress.retry = Some((stamp, delay_ms));
                if self.step(message, Step::Retry, cx) {
                    self.tell(message, cx);
                    self.resume_waiting(message, cx);
                }
            }
        }
    }

    /// Removes a message from the radio: its result is in, or is given up.
    fn leave_radio(&mut self, message: MessageRef, cx: &mut Cx<'_>) {
        let subject = Subject::Message(message);
        cx.timers.stop(Timer::Silence, subject);
        cx.timers.stop(Timer::GiveUpOnResult, subject);
        cx.timers.stop(Timer::LineSilent, subject);
        self.ussd.closed(message);
        self.calls.closed(message);
        let Some(live) = self.live.get(&message) else {
            return;
        };
        if let Some(queue) = self.sims.get_mut(&live.row.sim) {
            queue.landed(message);
        }
    }

    /// Releases a SIM that was silent, and after an accepted part one that was held.
    pub(super) fn radio_answered(&mut self, sim: SimSlot, code: i32, cx: &mut Cx<'_>) {
        let Some(queue) = self.sims.get_mut(&sim) else {
            return;
        };
        queue.silent.clear();
        if code == RESULT_OK && queue.hold.is_some() {
            self.lift_hold(sim, cx);
        }
    }

    /// Stops counting parts that provably were not sent; the guard still counts them.
    fn give_back(&mut self, message: MessageRef, cx: &mut Cx<'_>) {
        let Some(live) = self.live.get(&message) else {
            return;
        };
        let parts = &live.row.progress.parts;
        let counts = (parts.may_have_left(), parts.count());
        if let Some(no) = live.row.progress.spent {
            self.recount(no, live.row.sim, counts, cx);
        }
    }

    /// Counts the parts of a hand-over that may have been sent; the guard counts all of them.
    pub(super) fn recount(
        &mut self,
        no: u64,
        sim: SimSlot,
        (left, all): (u8, u8),
        cx: &mut Cx<'_>,
    ) {
        let (parts, guard_parts) = (u32::from(left), u32::from(all));
        self.pacer.recount(no, sim, parts, guard_parts);
        cx.pending.changes.push(Change::SpentMoved {
            no,
            parts,
            guard_parts,
        });
    }

    /// Sets the platform's number of parts.
    fn resize(&mut self, message: MessageRef, of: u8, cx: &mut Cx<'_>) {
        let Some(live) = self.live.get_mut(&message) else {
            return;
        };
        live.row.progress.parts.resize(of);
        cx.pending.dirty.insert(message);
        self.give_back(message, cx);
    }

    /// An attempt that had failed with proof was sent after all: the message must not be tried
    /// again. Returns whether the fact counts for its parts.
    fn refute(&mut self, token: SendToken, cx: &mut Cx<'_>) -> bool {
        cx.pending.events.push(Event::StrayResult { token });
        let message = token.message;
        let Some(live) = self.live.get(&message) else {
            return false;
        };
        let is_known = (1..=live.row.progress.attempt).contains(&token.attempt);
        if !is_known || !live.claim().is_waiting() {
            return false;
        }
        self.leave_queue(message, cx);
        self.step(message, Step::Submit, cx)
    }
}

/// Tells whether two addresses agree as far as their spellings allow; an erased one never
/// does.
pub(super) fn is_same(one: &Address, other: &Address) -> bool {
    if other.as_str().is_empty() {
        return false;
    }
    let digits = |address: &Address| -> Vec<char> {
        let digits = address.as_str().chars().rev();
        digits
            .filter(char::is_ascii_digit)
            .take(RECIPIENT_DIGITS)
            .collect()
    };
    let (one, other) = (digits(one), digits(other));
    let shared = one.len().min(other.len());
    one[..shared] == other[..shared]
}
