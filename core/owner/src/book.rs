//! The book: facts go in with their time; what to keep and to show comes out.

use crate::alerts::{Alert, AlertKind, Alerts};
use crate::contact::Contact;
use crate::log::{Entry, Log, TodayCounts, Write};
use crate::meaning::{self, Line};
use crate::moment::Moment;
use crate::what::What;
use postrider_machine::Event;
use postrider_model::{SimSlot, UnixMs};
use std::collections::VecDeque;

/// Alerts that end when the phone is paired again.
const ABOUT_PAIRING: [AlertKind; 4] = [
    AlertKind::PairedElsewhere,
    AlertKind::JournalNotTrusted,
    AlertKind::JournalSetAside,
    AlertKind::KeyLost,
];

/// What an earlier process kept.
#[derive(Debug, Clone, Default)]
pub struct Kept {
    /// The log's file.
    pub log: String,
    /// The alerts of [`Effect::KeepAlerts`].
    pub standing: Vec<String>,
    /// Which of them were swiped away.
    pub silent: Vec<String>,
    /// The time of [`Effect::KeepContact`].
    pub contact: Option<UnixMs>,
}

/// What the shell reports; everything else comes from the agent's own events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fact {
    /// The agent is fully running.
    Started,
    /// The agent failed.
    FailedToRun {
        /// Whether it failed so often that its owner should know.
        is_for_owner: bool,
    },
    /// The owner stopped the agent.
    StoppedByOwner,
    /// The owner stopped the app in the platform's own settings.
    StoppedInAndroid,
    /// The phone joined a hub.
    Paired,
    /// The phone has no hub any more.
    Left {
        /// Whether it had one.
        was_paired: bool,
        /// Why, where it was not the owner's wish.
        alert: Option<AlertKind>,
    },
    /// The keystore has lost the key.
    KeyLost,
    /// The owner confirmed the SIM that is in a slot now.
    SimConfirmed {
        /// The slot.
        sim: SimSlot,
    },
    /// A regular look at a fully running agent.
    Looked {
        /// Whether the hub holds a connection.
        is_linked: bool,
        /// Whether the app may send texts.
        may_send: bool,
    },
    /// The owner has looked at an alert: it ends.
    Dismissed {
        /// The alert.
        alert: Alert,
    },
    /// An alert was swiped away: it stands, but is not shown again by itself.
    WavedAway {
        /// The alert.
        alert: Alert,
    },
}

/// What the shell must do, in this order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    /// Append this to the log's file.
    AppendLog(String),
    /// Replace the log's file with this.
    WriteLog(String),
    /// Keep these alerts instead of the earlier ones.
    KeepAlerts {
        /// The standing alerts.
        standing: Vec<String>,
        /// Which of them were swiped away.
        silent: Vec<String>,
    },
    /// Keep this time instead of the earlier one.
    KeepContact(Option<UnixMs>),
    /// Show this alert.
    Show(Alert),
    /// Stop showing it.
    Hide(Alert),
}

/// What the owner is told: the log with its counts, the alerts, and that the hub has been silent
/// for long.
#[derive(Debug)]
pub struct Book {
    log: Log,
    alerts: Alerts,
    contact: Contact,
    effects: VecDeque<Effect>,
}

impl Book {
    /// Continues from what was kept; standing alerts that were not swiped away are shown again.
    pub fn new(kept: &Kept, now: Moment) -> Self {
        let alerts = Alerts::new(&kept.standing, &kept.silent);
        Self {
            log: Log::read(&kept.log, now.day),
            effects: alerts.unseen().into_iter().map(Effect::Show).collect(),
            alerts,
            contact: Contact::new(kept.contact),
        }
    }

    /// Returns what to do next.
    pub fn poll_effect(&mut self) -> Option<Effect> {
        self.effects.pop_front()
    }

    /// Returns the log's lines, newest first.
    pub fn entries(&self) -> Vec<Entry> {
        self.log.entries()
    }

    /// Returns what happened today.
    pub fn counts(&self, now: Moment) -> TodayCounts {
        self.log.counts(now.day)
    }

    /// Returns the standing alerts, newest first.
    pub fn alerts(&self) -> Vec<Alert> {
        self.alerts.all()
    }

    /// Handles a report of the shell.
    pub fn handle_fact(&mut self, fact: Fact, now: Moment) {
        match fact {
            Fact::Started => {
                self.change_contact(|contact| contact.begin(now.at));
                self.add(What::Started.into(), now);
            }
            Fact::FailedToRun { is_for_owner } => {
                self.add(What::FailedToRun.into(), now);
                if is_for_owner {
                    self.raise(AlertKind::AgentFailing, None, now);
                }
            }
            Fact::StoppedByOwner => self.add(What::StoppedByOwner.into(), now),
            Fact::StoppedInAndroid => self.add(What::StoppedInAndroid.into(), now),
            Fact::Paired => {
                self.clear(|alert| ABOUT_PAIRING.contains(&alert.kind));
                self.change_contact(Contact::forget);
                self.add(What::Paired.into(), now);
            }
            Fact::Left { was_paired, alert } => self.left(was_paired, alert, now),
            Fact::KeyLost => self.raise(AlertKind::KeyLost, None, now),
            Fact::SimConfirmed { sim } => {
                self.clear(|alert| alert.kind == AlertKind::SimChanged && alert.sim == Some(sim));
            }
            Fact::Looked {
                is_linked,
                may_send,
            } => self.looked(is_linked, may_send, now),
            Fact::Dismissed { alert } => self.clear(|other| *other == alert),
            Fact::WavedAway { alert } => {
                self.alerts.silence(alert);
                self.keep_alerts();
            }
        }
    }

    fn left(&mut self, was_paired: bool, why: Option<AlertKind>, now: Moment) {
        if was_paired {
            self.add(What::Unpaired.into(), now);
        }
        self.clear(|alert| !ABOUT_PAIRING.contains(&alert.kind));
        if let Some(why) = why {
            self.raise(why, None, now);
        }
    }

    fn looked(&mut self, is_linked: bool, may_send: bool, now: Moment) {
        if may_send {
            self.clear(|alert| alert.kind == AlertKind::MayNotSend);
        } else {
            self.raise(AlertKind::MayNotSend, None, now);
        }
        if is_linked {
            self.change_contact(|contact| contact.lasts(now.at));
        } else if self.contact.is_long_ago(now.at) {
            self.raise(AlertKind::Offline, None, now);
        }
    }

    /// Handles an event of the agent.
    pub fn handle_event(&mut self, event: &Event, now: Moment) {
        if matches!(event, Event::LinkUp | Event::LinkDown) {
            self.change_contact(|contact| contact.touch(now.at));
        }
        if let Some(line) = Line::of(event) {
            self.add(line, now);
        }
        if let Some((kind, sim)) = meaning::raised_by(event) {
            self.raise(kind, sim, now);
        }
        self.clear(|alert| meaning::is_over_by(event, alert));
    }

    fn add(&mut self, line: Line, now: Moment) {
        self.effects
            .push_back(match self.log.add(line.at(now.at), now.day) {
                Write::Append(text) => Effect::AppendLog(text),
                Write::Anew(text) => Effect::WriteLog(text),
            });
    }

    fn raise(&mut self, kind: AlertKind, sim: Option<SimSlot>, now: Moment) {
        if let Some(alert) = self.alerts.raise(kind, sim, now.at) {
            self.keep_alerts();
            self.effects.push_back(Effect::Show(alert));
        }
    }

    fn clear(&mut self, is_over: impl Fn(&Alert) -> bool) {
        let over = self.alerts.clear(is_over);
        if !over.is_empty() {
            self.keep_alerts();
            self.effects.extend(over.into_iter().map(Effect::Hide));
        }
    }

    fn keep_alerts(&mut self) {
        let (standing, silent) = self.alerts.kept();
        self.effects
            .push_back(Effect::KeepAlerts { standing, silent });
    }

    fn change_contact(&mut self, change: impl FnOnce(&mut Contact)) {
        let before = self.contact.last();
        change(&mut self.contact);
        if self.contact.last() != before {
            self.effects
                .push_back(Effect::KeepContact(self.contact.last()));
        }
    }
}
