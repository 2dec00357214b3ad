//! The simulated radio: logs what it takes, keeps its own sent messages, answers by its profile.

use crate::{
    later::Later,
    profile::{Answer, Plan, Profile, plan},
    provider::{Provider, SentRow},
    radio_log::{HandOver, RadioLog},
    reports::{KeptReport, Reports},
    seen::{Seen, Watcher},
};
use postrider_agent::{Clock, Radio, RadioFacts, Seeded, SentRowAsked};
use postrider_link::frame::Address;
use postrider_machine::{RadioFact, ReportStatus, SendParts, SendToken};
use postrider_model::{MessageText, PhoneId, SimSlot, UnixMs};
use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};

/// The platform's code for "no memory": tried again later, and nothing went on the air.
const NO_MEMORY: i32 = 13;

/// A radio without an antenna.
pub(crate) struct VirtualRadio {
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) profile: Profile,
    pub(crate) dice: Mutex<Seeded>,
    pub(crate) log: Option<Arc<RadioLog>>,
    pub(crate) provider: Provider,
    pub(crate) reports: Arc<Reports>,
    pub(crate) phones: BTreeMap<SimSlot, PhoneId>,
    pub(crate) facts: RadioFacts,
    pub(crate) later: Later<RadioFact>,
    pub(crate) watcher: Option<Watcher>,
}

impl Radio for VirtualRadio {
    /// The log comes before the sent message's row: a phone that dies in between has a message on
    /// the air of which it cannot know, never one that it only believes to have sent. The
    /// reports to come stand in between: a message with a row is never without its report.
    fn send_parts(&self, task: &SendParts) {
        let text = text_of(task);
        let parts = u8::try_from(postrider_text::divide(text.as_str()).len()).unwrap_or(u8::MAX);
        let parts = parts.max(1);
        let mut plan = self.plan(parts, task.report);
        if plan.on_air && self.log_hand_over(task, parts).is_err() {
            tracing::error!(message = %task.token, "the radio log cannot be written");
            plan = Plan::refusal(parts, NO_MEMORY);
        }
        self.keep_reports(task.token, &plan);
        if plan.row && self.provider.append(SentRow::of(task.token)).is_err() {
            tracing::warn!(message = %task.token, "the sent message's row cannot be written");
        }
        self.show(task, parts, &plan);
        for (delay_ms, answer) in plan.answers {
            self.tell(delay_ms, fact_of(task, parts, answer));
        }
    }

    fn read_sent_row(&self, asked: &SentRowAsked) {
        let token = asked.token;
        match self.provider.has(SentRow::of(token)) {
            Ok(found) => self.tell(0, RadioFact::SentRowRead { token, found }),
            // Without an answer the machine asks again or gives up; a guess would be a lie.
            Err(_) => tracing::warn!(message = %token, "the sent messages cannot be read"),
        }
    }

    fn confirm_received(&self, _receipt: u64) {
        // What comes in here is told once by its source and kept nowhere else.
    }
}

impl VirtualRadio {
    fn plan(&self, parts: u8, report: bool) -> Plan {
        match self.dice.lock() {
            Ok(mut dice) => plan(self.profile, &mut dice, parts, report),
            Err(_) => Plan::refusal(parts, NO_MEMORY),
        }
    }

    fn log_hand_over(&self, task: &SendParts, parts: u8) -> std::io::Result<()> {
        let Some(log) = &self.log else {
            return Ok(());
        };
        log.append(&HandOver {
            at_ms: self.clock.now().unix.0,
            phone_id: self.phones.get(&task.sim).copied(),
            message_id: task.token.message.id,
            exposure: task.token.message.ep,
            to: &task.to,
            text: &text_of(task),
            parts,
        })
    }

    /// Sees to it that the reports of a plan outlive this process.
    fn keep_reports(&self, token: SendToken, plan: &Plan) {
        let now = self.clock.now().unix;
        let reports: Vec<_> = plan.reports().map(|it| kept(it, now)).collect();
        if reports.is_empty() {
            return;
        }
        if self.reports.keep(SentRow::of(token), reports, now).is_err() {
            tracing::warn!(message = %token, "the reports to come cannot be kept");
        }
    }

    /// Gives what the network kept while the phone was off, if its profile has reports at all.
    pub(crate) fn give_kept_reports(&self) -> std::io::Result<()> {
        let now = self.clock.now().unix;
        let kept = self.reports.restart(now)?;
        if !self.profile.has_reports() {
            return Ok(());
        }
        for (of, reports) in kept {
            for report in reports {
                let delay_ms = u64::try_from(report.due_ms - now.0).unwrap_or(0);
                let fact = report_fact(of.token(), report.part, report.tp_status, None);
                self.later.after(delay_ms, fact);
            }
        }
        Ok(())
    }

    fn tell(&self, delay_ms: u64, fact: RadioFact) {
        if delay_ms > 0 {
            return self.later.after(delay_ms, fact);
        }
        // A phone that has stopped finds out at its next start, from the rows.
        let _is_on = self.facts.tell(fact);
    }

    fn show(&self, task: &SendParts, parts: u8, plan: &Plan) {
        let Some(watcher) = &self.watcher else {
            return;
        };
        let to = &task.to;
        match plan.refused_with() {
            Some(code) => watcher(&Seen::Refused { to, code }),
            None => watcher(&Seen::Sent {
                sim: task.sim,
                to,
                text: &text_of(task),
                parts,
            }),
        }
    }
}

fn kept((delay_ms, part, tp_status): (u64, u8, u8), now: UnixMs) -> KeptReport {
    KeptReport {
        due_ms: now.0.saturating_add_unsigned(delay_ms),
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

fn text_of(task: &SendParts) -> MessageText {
    task.body.text().cloned().unwrap_or_default()
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
