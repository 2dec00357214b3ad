//! What was found: how often each rule was looked at, and where it was broken.

use super::Rule;
use postrider_model::{BootMs, MessageId, Now};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// Most findings that are kept of one rule; more are only counted.
const KEPT_MAX: usize = 50;

/// One place where a rule was broken.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// Milliseconds since the run began.
    pub at_ms: u64,
    /// The dial whose connection it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub connection: Option<u64>,
    /// The message that it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<MessageId>,
    /// What was wrong: never a number of a phone or a text.
    pub text: String,
}

/// What is known of one rule.
#[derive(Debug, Clone, Default)]
pub struct Judged {
    /// How often it was looked at.
    pub checks: u64,
    /// How often it was broken.
    pub broken: u64,
    /// The first places.
    pub findings: Vec<Finding>,
}

/// All rules.
#[derive(Debug, Clone)]
pub struct Findings {
    began: BootMs,
    off: BTreeSet<Rule>,
    rules: BTreeMap<Rule, Judged>,
}

/// Where something is found.
#[derive(Debug, Clone, Copy)]
pub(super) struct At {
    pub(super) now: Now,
    pub(super) connection: Option<u64>,
}

impl Findings {
    pub(super) fn new(off: BTreeSet<Rule>, now: Now) -> Self {
        Self {
            began: now.boot,
            off,
            rules: Rule::ALL
                .iter()
                .map(|rule| (*rule, Judged::default()))
                .collect(),
        }
    }

    /// Looks at a rule: when `holds` is false, it is broken as `text` says.
    pub(super) fn check(
        &mut self,
        rule: Rule,
        at: At,
        message: Option<MessageId>,
        holds: bool,
        text: impl FnOnce() -> String,
    ) {
        if self.off.contains(&rule) {
            return;
        }
        let judged = self.rules.entry(rule).or_default();
        judged.checks += 1;
        if holds {
            return;
        }
        judged.broken += 1;
        if judged.findings.len() < KEPT_MAX {
            judged.findings.push(Finding {
                at_ms: at.now.boot.since_ms(self.began),
                connection: at.connection,
                message,
                text: text(),
            });
        }
    }

    /// Returns every rule with what is known of it, and whether it is judged at all.
    pub fn all(&self) -> impl Iterator<Item = (Rule, &Judged, bool)> {
        let judged = |(rule, judged): (&Rule, _)| (*rule, judged);
        let rules = self.rules.iter().map(judged);
        rules.map(|(rule, judged)| (rule, judged, !self.off.contains(&rule)))
    }

    /// Returns whether no rule was broken.
    pub fn held(&self) -> bool {
        self.rules.values().all(|judged| judged.broken == 0)
    }
}
