//! Incoming things, from the platform's report to the fact for the hub.
//!
//! Whatever the source, something counts once, is on disk before the platform is told that it is
//! safe, and goes to the hub unless the owner forbids that; then it is still remembered.
//! The answer to a USSD code is not a message from outside: it always goes to the hub that asked.

use crate::{
    agent::Agent,
    calls::{NextLook, Ring},
    effect::Effect,
    event::Event,
    fact::{CallState, LogPage, ReceivedData, ReceivedMms, ReceivedSms},
    inbound::{Fingerprint, Heard, Hearing, Source, bounded_address, bounded_text, sane_time},
    log::{CallKind, CallLogRow, Log, ScanMark},
    timers::{Subject, Timer},
    token::SendToken,
};
use postrider_link::{
    frame::{self, Address},
    session::phone::PhoneFact,
};
use postrider_model::{MessageText, Now, SimSlot, UnixMs};

/// The boot id of what came in before the present boot.
const EARLIER_BOOT: &str = "earlier";

impl Agent {
    pub(crate) fn receive_sms(&mut self, sms: ReceivedSms, now: Now) {
        let heard = Heard {
            source: Source::Sms,
            fingerprint: Fingerprint::of(&sms),
            row: sms.row,
            dated: sms.received_at,
        };
        let blank = self.blank(Source::Sms, sms.sim, sms.from, sms.received_at, now);
        let fact = frame::Inbound {
            to: sms.to.map(bounded_address),
            text: Some(bounded_text(sms.text)),
            parts: Some(u16::from(sms.parts)),
            sent_at: sane_time(sms.sent_at),
            ..blank
        };
        self.arrive(heard, fact, now);
    }

    pub(crate) fn receive_data(&mut self, data: ReceivedData, now: Now) {
        let heard = Heard {
            source: Source::DataSms,
            fingerprint: Fingerprint::of_data(&data),
            row: None,
            dated: None,
        };
        let blank = self.blank(Source::DataSms, data.sim, data.from, None, now);
        let fact = frame::Inbound {
            data: Some(data.data),
            parts: Some(1),
            sent_at: sane_time(data.sent_at),
            ..blank
        };
        self.arrive(heard, fact, now);
    }

    pub(crate) fn receive_mms(&mut self, mms: ReceivedMms, now: Now) {
        let heard = Heard {
            source: Source::Mms,
            fingerprint: Fingerprint::of_mms(&mms),
            row: Some(mms.row),
            dated: Some(mms.received_at),
        };
        let text = [mms.subject, mms.text].map(|text| text.map(MessageText::into_string));
        let text: Vec<_> = text.into_iter().flatten().collect();
        let blank = self.blank(Source::Mms, mms.sim, mms.from, Some(mms.received_at), now);
        let fact = frame::Inbound {
            to: mms.to.map(bounded_address),
            text: Some(bounded_text(MessageText::new(text.join("\n")))),
            sent_at: sane_time(mms.sent_at),
            ..blank
        };
        self.arrive(heard, fact, now);
    }

    /// Tells the platform that something is safe, once its row is on disk.
    pub(crate) fn confirm(&mut self, receipt: u64) {
        self.pending
            .effects
            .push(Effect::ConfirmReceived { receipt });
    }

    pub(crate) fn ussd_answered(&mut self, token: SendToken, text: MessageText, now: Now) {
        let (outbound, mut cx) = self.outbound_cx(now);
        let Some((sim, code)) = outbound.ussd_answered(token, &mut cx) else {
            return;
        };
        let heard = Heard {
            source: Source::Ussd,
            fingerprint: Fingerprint::of_answer(token),
            row: None,
            dated: None,
        };
        let blank = self.blank(Source::Ussd, sim, code, None, now);
        let fact = frame::Inbound {
            text: Some(bounded_text(text)),
            ..blank
        };
        self.arrive(heard, fact, now);
    }

    pub(crate) fn call_state(
        &mut self,
        (sim, state): (SimSlot, CallState),
        number: Option<&Address>,
        incoming: Option<bool>,
        now: Now,
    ) {
        let was_busy = self.line.is_busy();
        self.line.changed(sim, state, number, incoming, now);
        let is_busy = self.line.is_busy();
        match (was_busy, is_busy) {
            (false, true) => {
                let at = now.boot.plus_ms(crate::calls::CALL_MS_MAX);
                self.timers.set(Timer::LineStuck, Subject::Agent, at);
            }
            (true, false) => {
                self.timers.stop(Timer::LineStuck, Subject::Agent);
                self.look_anew(now);
            }
            (true, true) | (false, false) => {}
        }
        let (outbound, mut cx) = self.outbound_cx(now);
        outbound.line_changed(sim, state, is_busy, &mut cx);
    }

    /// Treats a line as free that has been busy for too long.
    pub(crate) fn free_line(&mut self, now: Now) {
        self.line.all_free(now);
        self.look_anew(now);
        for sim in self.line.sims() {
            let (outbound, mut cx) = self.outbound_cx(now);
            outbound.line_changed(sim, CallState::Idle, false, &mut cx);
        }
    }

    /// Asks the log about calls that ended, as long as some are missing there.
    pub(crate) fn watch_call_log(&mut self, now: Now) {
        if !self.awaits_call_log() {
            self.looks.stop(&mut self.timers);
        } else if self.looks.begin(&mut self.timers, now) {
            self.read_log(Log::Calls, now);
        }
    }

    pub(crate) fn look_again(&mut self, now: Now) {
        match self.looks.next(&mut self.timers) {
            None => {}
            Some(NextLook::Ask) => self.read_log(Log::Calls, now),
            Some(NextLook::GiveUp) => self.give_up_on_call_log(now),
        }
    }

    pub(crate) fn read_log(&mut self, log: Log, now: Now) {
        let effect = self.scans.read(log, &mut self.timers, now);
        self.pending.effects.extend(effect);
    }

    /// Handles a page of a log, and asks for the next.
    pub(crate) fn log_read(&mut self, page: LogPage, complete: bool, now: Now) {
        let (log, last) = (page.log(), page.last());
        let floor = self.scans.floor(log, now.unix);
        match page {
            LogPage::Sms(rows) => {
                let told = rows.into_iter();
                let told = told.filter(|sms| sms.received_at.is_none_or(|at| at > floor));
                told.for_each(|sms| self.receive_sms(sms, now));
            }
            LogPage::Mms(rows) => {
                let told = rows.into_iter().filter(|mms| mms.received_at > floor);
                told.for_each(|mms| self.receive_mms(mms, now));
            }
            LogPage::Calls(rows) => {
                let told = rows.into_iter().filter(|call| call.started_at > floor);
                told.for_each(|call| self.call_logged(call, now));
            }
        }
        let (change, effect) = self.scans.heard(log, last, complete, &mut self.timers, now);
        self.pending.changes.extend(change);
        self.pending.effects.extend(effect);
    }

    fn look_anew(&mut self, now: Now) {
        self.looks.stop(&mut self.timers);
        self.read_log(Log::Calls, now);
    }

    fn awaits_call_log(&self) -> bool {
        self.line.awaits_log() || self.outbound.awaits_call_log()
    }

    fn give_up_on_call_log(&mut self, now: Now) {
        for ring in self.line.take_unlogged() {
            self.call_rang(ring, now);
        }
        let (outbound, mut cx) = self.outbound_cx(now);
        outbound.call_not_logged(&mut cx);
    }

    /// Reports a call without a row in the log; should the row come later, it is not reported
    /// again.
    fn call_rang(&mut self, ring: Ring, now: Now) {
        let (duration_s, ring_s) = (ring.duration_s(), ring.ring_s());
        let began = ring.since.unix;
        let over = ring.over.map_or(began, |over| over.unix);
        self.pending
            .changes
            .extend(self.scans.raise_floor(Log::Calls, over));
        let row = CallLogRow {
            row: 0,
            sim: ring.sim,
            number: ring.number,
            kind: CallKind::Incoming,
            started_at: began,
            duration_s,
        };
        self.tell_call(row, duration_s, ring_s, now);
    }

    fn call_logged(&mut self, row: CallLogRow, now: Now) {
        let fingerprint = Fingerprint::of_call(&row);
        if self.inbound.knows(fingerprint, row.row) {
            return;
        }
        let duration_s = match row.kind {
            CallKind::Outgoing => {
                let (outbound, mut cx) = self.outbound_cx(now);
                if outbound.call_logged(&row, &mut cx) {
                    self.remember(heard_call(&row), now);
                }
                return;
            }
            CallKind::Incoming => row.duration_s.max(0),
            CallKind::Missed | CallKind::Rejected | CallKind::Blocked | CallKind::Voicemail => -1,
        };
        let ring = self.line.take_ring(&row, now);
        let ring_s = ring.map_or(-1, |ring| ring.ring_s());
        self.tell_call(row, duration_s, ring_s, now);
    }

    fn tell_call(&mut self, row: CallLogRow, duration_s: i64, ring_s: i64, now: Now) {
        let heard = heard_call(&row);
        let from = row.number.unwrap_or_else(|| Address::new(""));
        let blank = self.blank(Source::Call, row.sim, from, Some(row.started_at), now);
        let fact = frame::Inbound {
            duration_s: Some(duration_s),
            ring_s: Some(ring_s),
            ..blank
        };
        self.arrive(heard, fact, now);
    }

    fn arrive(&mut self, heard: Heard, fact: frame::Inbound, now: Now) {
        if self.remember(heard, now) == Hearing::Again {
            return;
        }
        let (source, sim) = (heard.source, fact.sim);
        self.pending
            .events
            .push(Event::MessageReceived { source, sim });
        let is_forwarded = self.health.condition().forwarding != Some(false);
        if is_forwarded || source == Source::Ussd {
            let n = self.inbound.last_no();
            let fact = frame::Inbound { n, ..fact };
            self.session.put(PhoneFact::Inbound(fact));
        }
    }

    fn remember(&mut self, heard: Heard, now: Now) -> Hearing {
        let (hearing, change) = self.inbound.hear(heard, now);
        self.pending.changes.extend(change);
        if self.inbound.is_over_full() {
            self.forget_heard(now);
        }
        hearing
    }

    /// Forgets old reports; from now on rows of that age are not reported.
    pub(crate) fn forget_heard(&mut self, now: Now) {
        let Some(forgotten) = self.inbound.forget(now) else {
            return;
        };
        let below = forgotten.below;
        self.pending
            .changes
            .push(crate::Change::SeenForgotten { below });
        for (log, floor) in forgotten.floors {
            let raised = self.scans.raise_floor(log, floor);
            self.pending.changes.extend(raised);
        }
    }

    /// Makes a fact without content, dated by the platform's log or, without that, now.
    fn blank(
        &self,
        source: Source,
        sim: SimSlot,
        from: Address,
        dated: Option<UnixMs>,
        now: Now,
    ) -> frame::Inbound {
        let wall = sane_time(dated).map_or(now.unix, UnixMs).min(now.unix);
        let age_ms = now.unix.0.abs_diff(wall.0);
        let is_of_this_boot = age_ms <= now.boot.0;
        let boot = if is_of_this_boot {
            self.boot_id.as_str()
        } else {
            EARLIER_BOOT
        };
        frame::Inbound {
            s: 0,
            n: 0,
            install: None,
            kind: source.kind(),
            sim,
            from: bounded_address(from),
            to: None,
            text: None,
            data: None,
            parts: None,
            sent_at: None,
            duration_s: None,
            ring_s: None,
            wall: wall.0,
            mono: now.boot.0.saturating_sub(age_ms),
            boot: Some(boot.to_owned()),
        }
    }
}

fn heard_call(row: &CallLogRow) -> Heard {
    Heard {
        source: Source::Call,
        fingerprint: Fingerprint::of_call(row),
        row: Some(row.row),
        dated: Some(row.started_at),
    }
}

impl LogPage {
    const fn log(&self) -> Log {
        match self {
            Self::Sms(_) => Log::Sms,
            Self::Mms(_) => Log::Mms,
            Self::Calls(_) => Log::Calls,
        }
    }

    /// Returns the position of the page's last row.
    fn last(&self) -> Option<ScanMark> {
        let sms = |sms: &ReceivedSms| Some((sms.received_at?, sms.row?));
        let (date, row) = match self {
            Self::Sms(rows) => rows.iter().filter_map(sms).max(),
            Self::Mms(rows) => rows.iter().map(|mms| (mms.received_at, mms.row)).max(),
            Self::Calls(rows) => rows.iter().map(|call| (call.started_at, call.row)).max(),
        }?;
        Some(ScanMark { date, row })
    }
}
