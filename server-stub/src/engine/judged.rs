//! What a verdict is made of.

use super::{Ended, Engine};
use crate::verdict::{MessageVerdict, RuleVerdict, Verdict};
use crate::watch::{HandOver, Rule};
use postrider_model::{MessageId, Now};

impl Engine {
    /// Returns the verdict as of `now`, with what the radio was given if that is known.
    pub fn verdict(&self, radio: Option<&[HandOver]>, now: Now) -> Verdict {
        let mut watch = self.watch.clone();
        let settled = self.is_settled() && self.steps.is_empty();
        watch.finish(settled, radio, now);
        if self.ended == Some(Ended::TimeOver) {
            let told = self.scenario.end.when == crate::scenario::EndWhen::Told;
            let text = self.what_is_missing();
            watch.finished(Rule::Settled, told, &text, now);
        } else if self.ended.is_some() {
            watch.finished(Rule::Settled, true, "", now);
        }
        let faults = self.faults.seen();
        if self.ended.is_some() {
            for fault in faults.iter().filter(|fault| fault.expected) {
                let text = format!("fault {} ({}) never acted", fault.number, fault.deed);
                watch.finished(Rule::Faults, fault.hits > 0, &text, now);
            }
        }
        let rules = watch
            .findings()
            .all()
            .map(|(rule, judged, on)| RuleVerdict {
                rule: rule.name(),
                says: rule.says(),
                judged: on,
                held: judged.broken == 0,
                checks: judged.checks,
                broken: judged.broken,
                findings: judged.findings.clone(),
            });
        Verdict {
            name: self.scenario.name.clone(),
            held: watch.findings().held(),
            ended: self.ended.map(Ended::as_str),
            took_ms: now.boot.since_ms(self.began.boot),
            dials: self.counts.dials,
            connected: self.counts.connected,
            facts: self.counts.facts,
            inbound: self.counts.inbound,
            radio_log: radio.is_some(),
            rules: rules.collect(),
            messages: self
                .made
                .keys()
                .map(|id| self.message_verdict(*id))
                .collect(),
            faults,
        }
    }

    fn message_verdict(&self, id: MessageId) -> MessageVerdict {
        let view = self.message_view(id);
        MessageVerdict {
            settled: self.message_is_settled(id),
            exposures: self.watch.exposures().of(id).count() as u64,
            view,
        }
    }

    fn what_is_missing(&self) -> String {
        if self.device.is_none() {
            return "no phone joined".to_owned();
        }
        if !self.steps.is_empty() {
            return format!("{} steps were not done", self.steps.len());
        }
        let open = |id: &&MessageId| !self.message_is_settled(**id);
        let count = self.made.keys().filter(open).count();
        format!("{count} messages have no result")
    }
}
