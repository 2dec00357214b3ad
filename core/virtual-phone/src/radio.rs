//! The simulated radio: logs what it takes, keeps its own sent messages, answers by its profile.

use crate::{
    later::Later,
    profile::{Answer, Plan, Profile, plan},
    provider::{Provider, SentRow},
    radio_log::{HandOver, RadioLog},
    seen::{Seen, Watcher},
};
use postrider_agent::{Clock, Radio, RadioFacts, Seeded, SentRowAsked};
use postrider_machine::{RadioFact, ReportStatus, SendParts, SendToken};
use postrider_model::{PhoneId, SimSlot};
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
    pub(crate) phones: BTreeMap<SimSlot, PhoneId>,
    pub(crate) facts: RadioFacts,
    pub(crate) later: Later<RadioFact>,
    pub(crate) watcher: Option<Watcher>,
}

impl Radio for VirtualRadio {
    /// The log comes before the sent message's row: a phone that dies in between has a message on
    /// the air of which it cannot know, never one that it only believes to have sent.
    fn send_parts(&self, task: &SendParts) {
        let parts =
            u8::try_from(postrider_text::divide(task.text.as_str()).len()).unwrap_or(u8::MAX);
        let parts = parts.max(1);
        let mut plan = self.plan(parts, task.report);
        if plan.on_air && self.log_hand_over(task, parts).is_err() {
            tracing::error!(message = %task.token, "the radio log cannot be written");
            plan = Plan::refusal(parts, NO_MEMORY);
        }
        if plan.row && self.provider.append(row_of(task.token)).is_err() {
            tracing::warn!(message = %task.token, "the sent message's row cannot be written");
        }
        self.show(task, parts, &plan);
        for (delay_ms, answer) in plan.answers {
            self.tell(delay_ms, fact_of(task, parts, answer));
        }
    }

    fn read_sent_row(&self, asked: &SentRowAsked) {
        let token = asked.token;
        match self.provider.has(row_of(token)) {
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
            text: &task.text,
            parts,
        })
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
                text: &task.text,
                parts,
            }),
        }
    }
}

fn row_of(token: SendToken) -> SentRow {
    SentRow {
        message_id: token.message.id,
        exposure: token.message.ep,
        attempt: token.attempt,
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
        Answer::Report { part, tp_status } => RadioFact::ReportArrived {
            token,
            part,
            status: ReportStatus::Gsm(tp_status),
            recipient: Some(task.to.clone()),
        },
        Answer::ServiceBack => RadioFact::ServiceChanged {
            sim: task.sim,
            in_service: true,
        },
    }
}
