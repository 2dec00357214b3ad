//! The verdict of a run: for people as a table, for programs as JSON.

use crate::engine::{FaultSeen, MessageView};
use crate::watch::Finding;
use serde::Serialize;
use std::fmt;

/// Most messages that the table lists; the JSON has all.
const LISTED_MAX: usize = 50;

/// What became of a run.
#[derive(Debug, Clone, Serialize)]
pub struct Verdict {
    /// The scenario's name.
    pub name: String,
    /// Whether every rule held.
    pub held: bool,
    /// How the run ended; absent while it goes on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended: Option<&'static str>,
    /// How long it took, in milliseconds.
    pub took_ms: u64,
    /// How often the phone dialled since it joined.
    pub dials: u64,
    /// How often it was connected.
    pub connected: u64,
    /// How many facts were stored.
    pub facts: u64,
    /// How many of them were messages and calls that came in.
    pub inbound: u64,
    /// Whether a radio log was compared.
    pub radio_log: bool,
    /// Each rule.
    pub rules: Vec<RuleVerdict>,
    /// Each message.
    pub messages: Vec<MessageVerdict>,
    /// Each fault.
    pub faults: Vec<FaultSeen>,
}

/// What became of one rule.
#[derive(Debug, Clone, Serialize)]
pub struct RuleVerdict {
    /// Its name.
    pub rule: &'static str,
    /// What it demands.
    pub says: &'static str,
    /// Whether it was judged at all.
    pub judged: bool,
    /// Whether it held.
    pub held: bool,
    /// How often it was looked at.
    pub checks: u64,
    /// How often it was broken.
    pub broken: u64,
    /// The first places where it was.
    pub findings: Vec<Finding>,
}

/// What became of one message.
#[derive(Debug, Clone, Serialize)]
pub struct MessageVerdict {
    /// What is known of it.
    #[serde(flatten)]
    pub view: MessageView,
    /// Whether nothing more is to come of it.
    pub settled: bool,
    /// How many exposures of it were written.
    pub exposures: u64,
}

impl Verdict {
    /// Returns whether a rule held; false for one that there is not.
    pub fn holds(&self, rule: &str) -> bool {
        self.rules.iter().any(|it| it.rule == rule && it.held)
    }

    /// Returns the names of the rules that were broken.
    pub fn broken(&self) -> Vec<&'static str> {
        let broken = self.rules.iter().filter(|rule| !rule.held);
        broken.map(|rule| rule.rule).collect()
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = if self.name.is_empty() {
            "run"
        } else {
            &self.name
        };
        let ended = self.ended.unwrap_or("still going on");
        let seconds = self.took_ms / 1_000;
        writeln!(
            f,
            "{name}: {ended} after {seconds} s, {} dials, {} connections, {} facts",
            self.dials, self.connected, self.facts
        )?;
        self.write_rules(f)?;
        self.write_messages(f)?;
        for fault in &self.faults {
            writeln!(
                f,
                "  fault {:<3} {:<10} acted {} times",
                fault.number, fault.deed, fault.hits
            )?;
        }
        writeln!(f, "verdict: {}", if self.held { "held" } else { "broken" })
    }
}

impl Verdict {
    fn write_rules(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for rule in &self.rules {
            let word = match (rule.judged, rule.held, rule.checks) {
                (false, ..) => "off",
                (_, false, _) => "BROKEN",
                (_, true, 0) => "-",
                (_, true, _) => "held",
            };
            writeln!(
                f,
                "  {:<10} {:<7} {:>7}  {}",
                rule.rule, word, rule.checks, rule.says
            )?;
            for finding in &rule.findings {
                write!(f, "             at {} ms", finding.at_ms)?;
                if let Some(connection) = finding.connection {
                    write!(f, ", connection {connection}")?;
                }
                if let Some(message) = finding.message {
                    write!(f, ", {message}")?;
                }
                writeln!(f, ": {}", finding.text)?;
            }
        }
        Ok(())
    }

    fn write_messages(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for message in self.messages.iter().take(LISTED_MAX) {
            let view = &message.view;
            let states = view.states.join(" > ");
            let open = if message.settled { "" } else { "  (no result)" };
            writeln!(
                f,
                "  {} {:<12} {:<14} exposure {}: {states}{open}",
                view.id, view.label, view.status, view.exposure
            )?;
        }
        if self.messages.len() > LISTED_MAX {
            writeln!(
                f,
                "  and {} more messages",
                self.messages.len() - LISTED_MAX
            )?;
        }
        Ok(())
    }
}
