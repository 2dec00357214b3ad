//! The simulated radio: logs hand-overs, keeps its own sent messages, and answers by its profile.

use crate::{
    calls::Calls,
    clock::VirtualClock,
    delayed::Delayed,
    inbox::Inbox,
    profile::{Answer, Plan, Profile, plan},
    provider::Provider,
    radio_log::{HandOver, RadioLog},
    reports::{ExpectedReport, HandedOver, Reports},
    seen::{Seen, Watcher},
    world::{LIMIT_EXCEEDED, World},
};
use postrider_agent::{
    Body, CallState, Clock, DialUssd, Log, LogPage, PlaceCall, Radio, RadioFact, RadioFacts,
    ReportStatus, ScanMark, Seeded, SendParts, SendToken, SentRowAsked,
};
use postrider_link::frame::Address;
use postrider_model::{MessageText, PhoneId, SimSlot, UnixMs};
use std::{
    collections::{BTreeMap, BTreeSet},
    io,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// The platform's code for "no memory": tried again later, and nothing went on the air.
const NO_MEMORY: i32 = 13;
/// How long changes of a log are collected before the platform reports them, in milliseconds.
const GATHERED_MS: u64 = 200;

/// A radio without an antenna.
pub(crate) struct VirtualRadio {
    pub(crate) clock: Arc<VirtualClock>,
    pub(crate) profile: Profile,
    pub(crate) dice: Mutex<Seeded>,
    pub(crate) log: Option<Arc<RadioLog>>,
    pub(crate) provider: Arc<Provider>,
    pub(crate) inbox: Inbox,
    pub(crate) calls: Calls,
    pub(crate) reports: Arc<Reports>,
    pub(crate) world: Mutex<World>,
    pub(crate) phones: BTreeMap<SimSlot, PhoneId>,
    pub(crate) facts: RadioFacts,
    pub(crate) delayed: Delayed<RadioFact>,
    /// Logs with a change that is about to be reported.
    pub(crate) changed: Arc<Mutex<BTreeSet<Log>>>,
    pub(crate) watcher: Option<Watcher>,
}

impl Radio for VirtualRadio {
    /// The radio log is written before the sent message's row: a phone that dies in between has
    /// sent a message without knowing it, but never believes in one that was not sent. The
    /// reports to come are written in between, so that a message with a row always has its report.
    fn send_parts(&self, task: &SendParts) {
        let parts = match &task.body {
            Body::Text(text) => postrider_text::divide(text.as_str()).len(),
            Body::Data(_) => 1,
        };
        let parts = u8::try_from(parts).unwrap_or(u8::MAX).max(1);
        let mut plan = self.plan(task, parts);
        if plan.on_air && self.log_parts(task, parts).is_err() {
            tracing::error!(message = %task.token, "the radio log cannot be written");
            plan = Plan::refusal(parts, NO_MEMORY);
        }
        self.keep_reports(task.token, &plan);
        self.keep_row(task, &plan);
        self.show(task, parts, &plan);
        for (delay_ms, answer) in plan.answers {
            self.tell(delay_ms, fact_of(task, parts, answer));
        }
    }

    fn dial_ussd(&self, task: &DialUssd) {
        self.dial(task);
    }

    fn place_call(&self, task: &PlaceCall) {
        self.call(task);
    }

    /// Reads the file off the phone's task, because it may be long.
    fn read_sent_row(&self, asked: &SentRowAsked) {
        let (provider, facts, asked) = (self.provider.clone(), self.facts.clone(), asked.clone());
        tokio::task::spawn_blocking(move || {
            let token = asked.token;
            match provider.find(&asked) {
                Ok(rows) => {
                    // If the phone has stopped, it asks again at its next start.
                    let _is_on = facts.tell(RadioFact::SentRowRead { token, rows });
                }
                // Without an answer the machine asks again or gives up; a guess could be wrong.
                Err(_) => tracing::warn!(message = %token, "the sent messages cannot be read"),
            }
        });
    }

    fn read_log(&self, log: Log, from: ScanMark) {
        let read = match log {
            Log::Sms => self.inbox.sms(from),
            Log::Mms => self.inbox.mms(from),
            Log::Calls => self.calls.page(from, self.clock.now().unix),
        };
        let (page, complete) = read.unwrap_or_else(|_| {
            tracing::warn!("a log cannot be read");
            (empty_page(log), true)
        });
        self.tell(0, RadioFact::LogRead { page, complete });
    }

    fn confirm_received(&self, receipt: u64) {
        if self.inbox.confirm(receipt).is_err() {
            tracing::warn!("a confirmed message cannot be marked");
        }
    }
}

impl VirtualRadio {
    fn plan(&self, task: &SendParts, parts: u8) -> Plan {
        let refusal = {
            let mut world = self.world();
            let limited = self.profile == Profile::Limit;
            let now = self.clock.now().boot;
            world.obstacle(task.sim).or_else(|| {
                (limited && !world.is_within_limit(parts, now)).then_some(LIMIT_EXCEEDED)
            })
        };
        match refusal {
            Some(code) => Plan::refusal(parts, code),
            None => plan(self.profile, &mut self.dice(), parts, task.report),
        }
    }

    fn log_parts(&self, task: &SendParts, parts: u8) -> io::Result<()> {
        let nothing = MessageText::new("");
        let (text, kind, data) = match &task.body {
            Body::Text(text) => (text, None, None),
            Body::Data(data) => (&nothing, Some("data"), Some(data)),
        };
        self.log_line(&HandOver {
            text,
            parts,
            kind,
            data,
            ..self.blank_line(task.sim, task.token, &task.to, &nothing)
        })
    }

    /// Logs a hand-over of another kind than a message.
    pub(crate) fn log_other(
        &self,
        kind: &'static str,
        sim: SimSlot,
        token: SendToken,
        to: &Address,
    ) -> io::Result<()> {
        let nothing = MessageText::new("");
        self.log_line(&HandOver {
            kind: Some(kind),
            ..self.blank_line(sim, token, to, &nothing)
        })
    }

    fn blank_line<'a>(
        &self,
        sim: SimSlot,
        token: SendToken,
        to: &'a Address,
        text: &'a MessageText,
    ) -> HandOver<'a> {
        HandOver {
            at_ms: self.clock.now().unix.0,
            phone_id: self.phones.get(&sim).copied(),
            message_id: token.message.id,
            exposure: token.message.ep,
            to,
            text,
            parts: 1,
            kind: None,
            data: None,
        }
    }

    fn log_line(&self, line: &HandOver<'_>) -> io::Result<()> {
        match &self.log {
            Some(log) => log.append(line),
            None => Ok(()),
        }
    }

    /// The platform keeps no row of a data message.
    fn keep_row(&self, task: &SendParts, plan: &Plan) {
        let Some(text) = task.body.text().filter(|_| plan.row) else {
            return;
        };
        let now = self.clock.now().unix;
        let written = self.provider.append(now, task.sim, &task.to, text);
        if written.is_err() {
            tracing::warn!(message = %task.token, "the sent message's row cannot be written");
        }
    }

    /// Makes the reports of a plan survive this process.
    fn keep_reports(&self, token: SendToken, plan: &Plan) {
        let now = self.clock.now().unix;
        let reports: Vec<_> = plan.reports().map(|it| expected_report(it, now)).collect();
        if reports.is_empty() {
            return;
        }
        if self
            .reports
            .keep(HandedOver::of(token), reports, now)
            .is_err()
        {
            tracing::warn!(message = %token, "the expected reports cannot be stored");
        }
    }

    /// Delivers what the network and the platform kept while the phone was off: reports, if its
    /// profile has any, and unconfirmed data messages.
    pub(crate) fn deliver_stored(&self) -> io::Result<()> {
        let now = self.clock.now().unix;
        let expected = self.reports.restart(now)?;
        for row in self.inbox.unconfirmed()? {
            self.tell(0, row.broadcast());
        }
        for sim in &self.world().sims {
            self.tell(0, idle(sim.slot));
        }
        if !self.profile.has_reports() {
            return Ok(());
        }
        for (of, reports) in expected {
            for report in reports {
                let delay_ms = u64::try_from(report.told_ms - now.0).unwrap_or(0);
                let fact = report_fact(of.token(), report.part, report.tp_status, None);
                self.delayed.after(delay_ms, fact);
            }
        }
        Ok(())
    }

    /// Deletes what the platform would have deleted by now.
    pub(crate) fn tidy_up(&self) -> io::Result<()> {
        let now = self.clock.now().unix;
        self.inbox.tidy_up(now)?;
        self.calls.tidy_up(now)?;
        let provider = self.provider.clone();
        tokio::task::spawn_blocking(move || {
            if provider.tidy_up(now).is_err() {
                tracing::warn!("the sent messages cannot be tidied up");
            }
        });
        Ok(())
    }

    /// Reports a fact, now or later; returns false when the phone has stopped.
    pub(crate) fn tell(&self, delay_ms: u64, fact: RadioFact) -> bool {
        if delay_ms > 0 {
            self.delayed.after(delay_ms, fact);
            return true;
        }
        // If the phone has stopped, it finds the fact in the rows at its next start.
        self.facts.tell(fact)
    }

    /// Reports that a log has changed, together with changes in the meantime.
    pub(crate) fn tell_changed(&self, log: Log) {
        let mut changed = self.changed.lock().unwrap_or_else(PoisonError::into_inner);
        if changed.insert(log) {
            self.delayed.after(GATHERED_MS, RadioFact::LogChanged(log));
        }
    }

    pub(crate) fn world(&self) -> MutexGuard<'_, World> {
        self.world.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn dice(&self) -> MutexGuard<'_, Seeded> {
        self.dice.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn watch(&self, seen: &Seen<'_>) {
        if let Some(watcher) = &self.watcher {
            watcher(seen);
        }
    }

    fn show(&self, task: &SendParts, parts: u8, plan: &Plan) {
        let (sim, to) = (task.sim, &task.to);
        match (plan.refused_with(), &task.body) {
            (Some(code), _) => self.watch(&Seen::Refused { to, code }),
            (None, Body::Text(text)) => self.watch(&Seen::Sent {
                sim,
                to,
                text,
                parts,
            }),
            (None, Body::Data(data)) => self.watch(&Seen::SentData { sim, to, data }),
        }
    }
}

/// Reports that a SIM's line is idle.
fn idle(sim: SimSlot) -> RadioFact {
    RadioFact::CallState {
        sim,
        state: CallState::Idle,
        number: None,
        incoming: None,
    }
}

fn empty_page(log: Log) -> LogPage {
    match log {
        Log::Sms => LogPage::Sms(Vec::new()),
        Log::Mms => LogPage::Mms(Vec::new()),
        Log::Calls => LogPage::Calls(Vec::new()),
    }
}

fn expected_report((delay_ms, part, tp_status): (u64, u8, u8), now: UnixMs) -> ExpectedReport {
    let due_ms = now.0.saturating_add_unsigned(delay_ms);
    ExpectedReport {
        due_ms,
        told_ms: due_ms,
        part,
        tp_status,
    }
}

fn report_fact(token: SendToken, part: u8, tp_status: u8, recipient: Option<Address>) -> RadioFact {
    RadioFact::ReportArrived {
        token,
        part,
        status: ReportStatus::Gsm(tp_status),
        recipient,
    }
}

fn fact_of(task: &SendParts, of: u8, answer: Answer) -> RadioFact {
    let token = task.token;
    match answer {
        Answer::Result { part, code } => RadioFact::PartSent {
            token,
            part,
            of,
            code,
            cause: None,
        },
        Answer::Report { part, tp_status } => {
            report_fact(token, part, tp_status, Some(task.to.clone()))
        }
        Answer::ServiceBack => RadioFact::ServiceChanged {
            sim: task.sim,
            in_service: true,
        },
    }
}
