//! Judges the phone by what crosses the wire; knows nothing of what the hub wants.
//!
//! It is told each frame as it was really written, after all faults, and each frame as it came,
//! before any. What the hub forgets, it remembers.

mod connection;
mod counters;
mod exposures;
mod findings;
mod reconnect;
mod rule;

pub use exposures::{Exposure, Exposures};
pub use findings::{Finding, Findings, Judged};
pub use rule::Rule;

use connection::{Around, Connection};
use counters::Counters;
use findings::At;
use postrider_link::codec::DecodeError;
use postrider_link::frame::{HubFrame, PhoneFrame};
use postrider_model::{BootMs, MessageId, Now};
use reconnect::Reconnect;
use std::collections::{BTreeMap, BTreeSet};

/// What was written whole to a phone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Delivered {
    /// A frame of the link.
    Frame(HubFrame),
    /// A frame of a type that nobody knows.
    Unknown {
        /// Its place in the sequence, if it has one.
        s: Option<u64>,
        /// Whether it must be understood.
        crit: bool,
    },
    /// Something that is no frame.
    Malformed,
}

impl Delivered {
    /// Whether it has, or pretends to have, a place in the sequence.
    pub(crate) fn is_numbered(&self) -> bool {
        match self {
            Self::Frame(frame) => frame.s().is_some(),
            Self::Unknown { s, .. } => s.is_some(),
            Self::Malformed => true,
        }
    }
}

/// How a connection or a dial ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EndedBy {
    /// The hub closed it with this code.
    Hub(u16),
    /// The phone closed it with this code.
    Phone(u16),
    /// The phone said that it leaves.
    PhoneLeft,
    /// Without a word, by either side or in between.
    Broken,
}

/// One line of a radio log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Deserialize)]
pub struct HandOver {
    /// The message.
    pub message_id: MessageId,
    /// Which exposure of it.
    pub exposure: u32,
}

/// Everything that was seen of one phone.
#[derive(Debug, Clone)]
pub struct Watch {
    grace_ms: u64,
    findings: Findings,
    exposures: Exposures,
    counters: Counters,
    reconnect: Reconnect,
    connections: BTreeMap<u64, Connection>,
}

impl Watch {
    /// Starts watching; the rules in `off` are not judged.
    pub fn new(grace_ms: u64, off: BTreeSet<Rule>, now: Now) -> Self {
        Self {
            grace_ms,
            findings: Findings::new(off, now),
            exposures: Exposures::default(),
            counters: Counters::default(),
            reconnect: Reconnect::new(grace_ms),
            connections: BTreeMap::new(),
        }
    }

    /// Returns what was found.
    pub const fn findings(&self) -> &Findings {
        &self.findings
    }

    /// Returns what became of each exposure.
    pub const fn exposures(&self) -> &Exposures {
        &self.exposures
    }

    /// Takes in that the phone joined.
    pub fn joined(&mut self) {
        self.reconnect.joined();
    }

    /// Takes in that a phone that had joined dials.
    pub fn dialled(&mut self, dial: u64, now: Now) {
        self.reconnect.dialled(at(now, dial), &mut self.findings);
    }

    /// Takes in that a dial came to nothing.
    pub fn dial_failed(&mut self, now: Now) {
        self.reconnect.ended(EndedBy::Broken, 0, None, now);
    }

    /// Takes in that a WebSocket is open.
    pub fn opened(&mut self, dial: u64, now: Now) {
        self.reconnect.opened();
        self.connections.insert(dial, Connection::new(now));
    }

    /// Takes in what was written whole.
    pub fn wrote(&mut self, dial: u64, what: &Delivered, now: Now) {
        self.with(dial, now, |connection, around| {
            connection.wrote(what, around)
        });
    }

    /// Takes in a frame of the phone.
    pub fn heard(&mut self, dial: u64, frame: &PhoneFrame, now: Now) {
        let at = at(now, dial);
        self.findings.check(Rule::Form, at, None, true, String::new);
        if let PhoneFrame::Hello(hello) = frame {
            self.counters.of_install(&hello.install);
        }
        self.with(dial, now, |connection, around| {
            connection.heard(frame, around)
        });
    }

    /// Takes in whether a hello was signed with the phone's key.
    pub fn signature(&mut self, dial: u64, is_sound: bool, now: Now) {
        let text = || "hello is not signed with the phone's key for this host".to_owned();
        let at = at(now, dial);
        self.findings.check(Rule::Hello, at, None, is_sound, text);
    }

    /// Takes in something of the phone that is no frame.
    pub fn malformed(&mut self, dial: u64, error: DecodeError, now: Now) {
        let text = || error.to_string();
        self.findings
            .check(Rule::Form, at(now, dial), None, false, text);
    }

    /// Takes in that the hub stops reading or writing: what is due then is not asked for.
    pub fn stalled(&mut self, dial: u64) {
        if let Some(connection) = self.connections.get_mut(&dial) {
            connection.stalled = true;
        }
    }

    /// Takes in the end of a connection.
    pub fn ended(&mut self, dial: u64, by: EndedBy, now: Now) {
        let Some(connection) = self.connections.remove(&dial) else {
            return self.dial_failed(now);
        };
        // The hub answers a goodbye with its own close.
        let by = if connection.said_bye {
            EndedBy::PhoneLeft
        } else {
            by
        };
        if let (Some(must_end), EndedBy::Phone(code)) = (connection.must_end, by) {
            let expected = must_end.code.code();
            let text = || format!("it closed with {code} instead of {expected}");
            let holds = code == expected;
            self.findings
                .check(Rule::Refuse, at(now, dial), None, holds, text);
        }
        let lasted_ms = match connection.generation {
            Some(_) => now.boot.since_ms(connection.opened_at),
            None => 0,
        };
        self.reconnect.ended(by, lasted_ms, connection.told_ms, now);
        if !self.connections.is_empty() {
            // It is back already: only the end of its former connection was late.
            self.reconnect.opened();
        }
    }

    /// Returns when [`Watch::handle_timeout`] must be called.
    pub fn poll_timeout(&self) -> Option<BootMs> {
        let of_connections = self.connections.values().filter(|it| !it.stalled);
        let due = of_connections.flat_map(|it| [it.ping_until, it.must_end.map(|it| it.until)]);
        due.chain([self.reconnect.poll_timeout()]).flatten().min()
    }

    /// Looks for what is overdue.
    pub fn handle_timeout(&mut self, now: Now) {
        let none = At {
            now,
            connection: None,
        };
        self.reconnect.handle_timeout(none, &mut self.findings);
        for (dial, connection) in &mut self.connections {
            let at = at(now, *dial);
            if connection.stalled {
                continue;
            }
            if connection.ping_until.is_some_and(|until| until <= now.boot) {
                connection.ping_until = None;
                let text = || "no ping came when it was announced".to_owned();
                self.findings.check(Rule::Heartbeat, at, None, false, text);
            }
            if let Some(must_end) = &mut connection.must_end
                && must_end.until <= now.boot
            {
                must_end.until = BootMs(u64::MAX);
                let text = || "it did not end a connection that broke the protocol".to_owned();
                self.findings.check(Rule::Refuse, at, None, false, text);
            }
        }
    }

    /// Judges what only the end of a run shows. `settled` says whether it came to its own end.
    pub fn finish(&mut self, settled: bool, radio: Option<&[HandOver]>, now: Now) {
        let none = At {
            now,
            connection: None,
        };
        self.exposures
            .judge_asked(self.grace_ms, none, &mut self.findings);
        if settled {
            for (dial, connection) in &self.connections {
                if let Some((came, promised)) = connection.facts_until()
                    && connection.must_end.is_none()
                    && !connection.stalled
                {
                    let text = || format!("facts up to {promised} were promised, {came} came");
                    let holds = came >= promised;
                    self.findings
                        .check(Rule::Kept, at(now, *dial), None, holds, text);
                }
            }
        }
        if let Some(radio) = radio {
            self.exposures.judge_radio(radio, none, &mut self.findings);
        }
    }

    /// Judges whether the run came to its end.
    pub fn finished(&mut self, rule: Rule, holds: bool, text: &str, now: Now) {
        let none = At {
            now,
            connection: None,
        };
        self.findings
            .check(rule, none, None, holds, || text.to_owned());
    }

    fn with(&mut self, dial: u64, now: Now, act: impl FnOnce(&mut Connection, &mut Around<'_>)) {
        let Some(connection) = self.connections.get_mut(&dial) else {
            return;
        };
        let mut around = Around {
            at: at(now, dial),
            grace_ms: self.grace_ms,
            findings: &mut self.findings,
            exposures: &mut self.exposures,
            counters: &mut self.counters,
        };
        act(connection, &mut around);
    }
}

const fn at(now: Now, dial: u64) -> At {
    At {
        now,
        connection: Some(dial),
    }
}
